"""Which agent programs can be connected from the app, and what that would write. Everything here blocks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hooktui import connect
from hooktui.catalog.hook_states import counted
from hooktui.catalog.host_support import titles
from hooktui.core.paths import near

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import ConnectionPlan, ConnectionSite, ConnectionState, Scope

    Change = Literal["connect", "disconnect"]

_NAMED = 2  # programs, in the line that offers to connect them


class Offer(NamedTuple):
    """A line that offers to connect agent programs, or says why a connected one does not call hooktui.

    `action` is the app's action behind it, `key` that action in braces. `warns`: a connection does not work.
    """

    key: str
    action: str
    text: str
    warns: bool = False


class Plans(NamedTuple):
    """What changing each program would write, and why some cannot be changed."""

    plans: Sequence[ConnectionPlan]
    refusals: Sequence[str] = ()


def offer(catalog: Catalog, states: Sequence[ConnectionState]) -> Offer | None:
    """What to offer; None if a host calls hooktui and none fails to, or no agent program is in use."""
    broken = next((state for state in states if not state.works), None)
    if broken and connect.remedy(broken):
        return Offer("{connect}", "app.connect", f"connect again: {broken.trouble}", warns=True)
    if broken:
        return Offer("{diagnostics-screen}", "app.switch_mode('diagnostics')", broken.trouble, warns=True)
    names = [] if states else [site.spec.name for site in _in_use(catalog)]
    if not names:
        return None
    who = titles(names) if len(names) <= _NAMED else f"{len(names)} agents"
    return Offer("{connect}", "app.connect", f"connect {who}: runs HOOK.md hooks, records events")


def _in_use(catalog: Catalog) -> list[ConnectionSite]:
    """The programs that are installed, or that the project has hooks for."""
    formats = {hook.format for hook in catalog.hooks}
    return [site for name, site in connect.SITES.items() if name in formats or connect.installed(site)]


def connection(catalog: Catalog, site: ConnectionSite, scope: Scope, *, observe: bool) -> ConnectionPlan:
    """The plan to connect a program; one that is connected elsewhere is only observed here. Raises RefusedError."""
    connected = _connected(catalog, site)
    events = site.events() if scope in connected or not connected else ()
    return connect.connect(site.spec.name, scope, catalog.project, events, observe=observe)


def _connected(catalog: Catalog, site: ConnectionSite) -> list[Scope]:
    scopes = {state.scope for state in connect.states(catalog.directory, catalog.hooks) if state.host == site.spec.name}
    return [scope for scope in site.scopes if scope in scopes]


def scopes(catalog: Catalog, site: ConnectionSite) -> list[Scope]:
    """The scopes that a program can be connected in, the default first.

    A connected program stays in its scope; in the others, commands that are not observed yet can be.
    """
    connected = _connected(catalog, site)
    own = [scope for scope in connected if scope in site.own_scopes]
    return ([*own[:1], *observing(catalog, site, connected)] if connected else []) or list(site.own_scopes)


def observing(catalog: Catalog, site: ConnectionSite, but: Sequence[Scope]) -> list[Scope]:
    """The scopes, but for some, with commands that could be observed."""
    return [scope for scope in connect.observable(site, catalog.directory) if scope not in but]


def plans(catalog: Catalog, change: Change, *, observe: bool = True) -> Plans:
    """The plans that would change something."""
    sites = _in_use(catalog) if change == "connect" else []
    made, refusals = [], []
    for site in sites or connect.SITES.values():
        try:
            if change == "connect":
                plan = connection(catalog, site, first(catalog, site), observe=observe)
            else:
                plan = disconnections(catalog, site)[0]
        except connect.RefusedError as error:
            refusals.append(f"{site.spec.title}: {error}")
        else:
            made.append(plan)
    return Plans([plan for plan in made if plan.visible or plan.needs_launcher], refusals)


def disconnections(catalog: Catalog, site: ConnectionSite) -> list[ConnectionPlan]:
    """The plans to disconnect a program in this project, and in all: only one that changes something, if any does.

    Raises RefusedError.
    """
    here, everywhere = site.scopes_of_project(catalog.project), site.own_scopes
    made = [connect.disconnect(site.spec.name, catalog.project, *scopes) for scopes in (here, everywhere) if scopes]
    plans = [plan for plan in made if plan.visible]
    if len(plans) == 2 and plans[0].visible == plans[1].visible:
        return plans[:1]
    return plans or made[:1]


def still_connected(catalog: Catalog, plan: ConnectionPlan) -> list[str]:
    """A sentence for each file in scopes outside a plan to disconnect that connects the program, or records its hooks."""
    return [f"{sentence}." for _, sentence in connect.remaining(plan, catalog.directory)]


def first(catalog: Catalog, site: ConnectionSite) -> Scope:
    """The first scope in which connecting changes something. Raises RefusedError."""
    possible = scopes(catalog, site)
    made = ((scope, connection(catalog, site, scope, observe=True)) for scope in possible)
    return next((scope for scope, plan in made if plan.visible or plan.needs_launcher), possible[0])


def introduction(catalog: Catalog, plan: ConnectionPlan, *, observe: bool) -> list[str]:
    """What a connection adds and costs, what it writes, which commands it leaves alone, and what is left to do."""
    observed = {change.path for change in plan.visible} if observe else ()
    left = Counter[str]()
    for item, count in connect.unobserved(plan.site, catalog.directory).items():
        left[item.file] += 0 if item.file in observed else count
    lines = [*connect.gains(plan, left.total()), *connect.summary(plan, catalog.project)]
    lines += [*connect.notes(plan, catalog.directory), "Disconnecting restores the files."]
    names = [f"{near(file, catalog.project)} ({count})" for file, count in left.most_common() if count]
    return [*lines, f"Not observed, by file: {', '.join(names)}."] if names else lines


def outcome(catalog: Catalog, plans: Sequence[ConnectionPlan], change: Change) -> str:
    """What was done, and what the user still has to do, in sentences."""
    return _disconnected(catalog, plans) if change == "disconnect" else _made(plans)


def _made(plans: Sequence[ConnectionPlan]) -> str:
    names = titles([plan.site.spec.name for plan in plans])
    steps = [step for plan in plans for step in connect.trust_steps(plan)]
    if len(plans) > 1:
        done = f"{names} are connected to hooktui."
    elif steps:
        return steps[0]
    else:
        [plan] = plans
        recorded = f" and records {counted(plan.observed, 'hook')}" if plan.observed else ""
        done = f"{names} calls hooktui for {counted(len(plan.site.events()), 'event')}{recorded}."
    return " ".join([done, *(steps or ["Running sessions may need a restart."])])


def _disconnected(catalog: Catalog, plans: Sequence[ConnectionPlan]) -> str:
    left = {plan.site.spec.name: still_connected(catalog, plan) for plan in plans}
    silent = [name for name, sentences in left.items() if not sentences]
    gone = [f"{titles(silent)} no longer {'calls' if len(silent) == 1 else 'call'} hooktui."] if silent else []
    return " ".join([*gone, *(sentence for sentences in left.values() for sentence in sentences)])
