"""Connect agent programs from the app, and see whether any is connected."""

from __future__ import annotations

import asyncio
import difflib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from textual.widgets import Static

from hooktui import connect
from hooktui.catalog.hook_states import counted
from hooktui.core.paths import near, short
from hooktui.core.text_sanitizer import visible
from hooktui.edit.hook_documents import ChangedError, error_message
from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ChoiceDialog, ReadingDialog, difference_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import App

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import ConnectionPlan, ConnectionSite, ConnectionState, Scope

    Change = Literal["connect", "disconnect"]

_RESTORED = "Disconnecting restores the files."
_OF_THIS_MACHINE = "The file then names a path of this machine: keep it out of version control."


class Offer(NamedTuple):
    """A line that offers to connect an agent program, or says why a connected one does not call hooktui.

    `action` is the app's action behind it, `key` that action in braces.
    """

    key: str
    action: str
    text: str


def offer(catalog: Catalog, states: Sequence[ConnectionState]) -> Offer | None:
    """What to offer; None if a host calls hooktui and none fails to, or no agent program is in use. Blocks."""
    broken = next((state for state in states if not state.works), None)
    if broken and connect.remedy(broken):
        return Offer("{connect}", "app.connect", f"connect again: {broken.sentence}")
    if broken:
        return Offer("{diagnostics-screen}", "app.switch_mode('diagnostics')", broken.sentence)
    title = "" if states else next((title for title, _ in _in_use(catalog)), "")
    if not title:
        return None
    return Offer("{connect}", "app.connect", f"connect {title} to log its events and, if you choose, your hooks' decisions.")


def _in_use(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The titles and names of the programs that are installed, or that the project has hooks for."""
    formats = {hook.format for hook in catalog.hooks}
    for name, site in connect.SITES.items():
        if name in formats or connect.installed(site):
            yield site.spec.title, name


def _connection(catalog: Catalog, site: ConnectionSite, scope: Scope, *, observe: bool) -> ConnectionPlan:
    """The plan to connect a program; one that is connected elsewhere is only observed here. Raises RefusedError."""
    connected = _connected(catalog, site)
    events = site.events() if scope in connected or not connected else ()
    return connect.connect(site.spec.name, scope, catalog.project, events, observe=observe)


def _connected(catalog: Catalog, site: ConnectionSite) -> list[Scope]:
    """The scopes that a program is connected in."""
    scopes = {state.scope for state in connect.states(catalog.directory, catalog.hooks) if state.host == site.spec.name}
    return [scope for scope in site.scopes if scope in scopes]


def _scopes(catalog: Catalog, site: ConnectionSite) -> list[Scope]:
    """The scopes that a program can be connected in, the default first.

    A connected program stays in its scope; in the others, commands that are not observed yet can be.
    """
    connected = _connected(catalog, site)
    return [*connected[:1], *_observing(catalog, site, connected)] if connected else list(site.scopes)


def _observing(catalog: Catalog, site: ConnectionSite, but: Sequence[Scope]) -> list[Scope]:
    """The scopes, but for some, with commands that could be observed."""
    alone = connect.unobserved(site, catalog.directory)
    others = (scope for scope in site.scopes if scope not in but)
    return [scope for scope in others if any(alone[file] for file in site.files(scope, catalog.project))]


def _plans(catalog: Catalog, change: Change) -> list[ConnectionPlan]:
    """The plans that would change something. Raises RefusedError."""
    if change == "disconnect":
        plans = [connect.disconnect(name, catalog.project, None) for name in connect.SITES]
    else:
        sites = [connect.SITES[name] for _, name in _in_use(catalog)] or list(connect.SITES.values())
        plans = [_connection(catalog, site, _first(catalog, site), observe=True) for site in sites]
    return [plan for plan in plans if plan.visible or plan.needs_launcher]


def _first(catalog: Catalog, site: ConnectionSite) -> Scope:
    """The first scope in which connecting changes something. Raises RefusedError."""
    scopes = _scopes(catalog, site)
    plans = ((scope, _connection(catalog, site, scope, observe=True)) for scope in scopes)
    return next((scope for scope, plan in plans if plan.visible or plan.needs_launcher), scopes[0])


async def ask(app: App[Any], catalog: Catalog, change: Change) -> bool:
    """Show what would be written for one agent program, and write it if the user agrees. Call this in a worker."""
    try:
        plans = await asyncio.to_thread(_plans, catalog, change)
        plan = await _choice(app, change.capitalize(), plans)
        if plan is not None and change == "connect":
            plan = await _agreed_connection(app, catalog, plan.site)
        elif plan is not None:
            plan = plan if await _answer(app, change, plan, connect.summary(plan)) == change else None
    except connect.RefusedError as error:
        app.notify(visible(str(error)), title="Nothing changed", severity="warning", markup=False)
        return False
    if not plans:
        app.notify("Every agent program here is connected." if change == "connect" else "No agent program is connected.")
    return plan is not None and await _carry_out(app, plan, change)


async def _agreed_connection(app: App[Any], catalog: Catalog, site: ConnectionSite) -> ConnectionPlan | None:
    """The plan that the user agrees to, in the scope of their choice and with their own commands observed or not.

    Raises RefusedError.
    """
    scopes, observe = await asyncio.to_thread(_scopes, catalog, site), True
    scope = await asyncio.to_thread(_first, catalog, site)
    while True:
        after = scopes[(scopes.index(scope) + 1) % len(scopes)]
        plan = await asyncio.to_thread(_connection, catalog, site, scope, observe=observe)
        other = await asyncio.to_thread(_connection, catalog, site, scope, observe=not observe)
        observing = await asyncio.to_thread(_observing, catalog, site, [scope])
        others = []
        if plan.changes != other.changes:
            others.append(ChoiceAnswer("o", "observe", "Do not observe" if observe else "Observe my hooks"))
        elif observing:
            others.append(ChoiceAnswer("o", "elsewhere", "Observe my hooks"))
        if len(scopes) > 1:
            others.append(ChoiceAnswer("s", "scope", f"Write to {after}"))
        lines = await asyncio.to_thread(_introduction, catalog, plan, scope, observe=observe)
        match await _answer(app, "connect", plan, lines, others):
            case "observe":
                observe = not observe
            case "elsewhere":
                scope, observe = observing[0], True
            case "scope":
                scope = after
            case answer:
                return plan if answer else None


def _introduction(catalog: Catalog, plan: ConnectionPlan, scope: Scope, *, observe: bool) -> list[str]:
    """What a connection writes and records, and which commands it leaves alone."""
    lines = [*connect.summary(plan), _RESTORED]
    if scope == "project":
        lines.append(_OF_THIS_MACHINE)
    observed = {change.path for change in plan.visible} if observe else ()
    alone = connect.unobserved(plan.site, catalog.directory)
    left = {file: count for file, count in alone.most_common() if file not in observed}
    lines.insert(0, _recorded(plan, sum(left.values())))
    names = [f"{near(file, catalog.project)} ({count})" for file, count in left.items()]
    return [*lines, f"Not observed, by file: {', '.join(names)}."] if names else lines


def _recorded(plan: ConnectionPlan, unobserved: int) -> str:
    """What the log gets, in a sentence."""
    title, observed, total = plan.site.spec.title, plan.observed, plan.observed + unobserved
    hooks = f"your {counted(total, 'hook')} {'decides' if total == 1 else 'decide'}"
    if not total:
        return f"Logs what {title} does."
    if not observed:
        return f"Logs what {title} does, but not what {hooks}."
    return f"Logs what {title} does, and what {hooks if observed == total else f'{observed} of {hooks}'}."


async def _answer(
    app: App[Any], change: Change, plan: ConnectionPlan, lines: Sequence[str], others: Sequence[ChoiceAnswer] = ()
) -> str | None:
    """The answer of the user to the changes of a plan; None for "Not now"."""
    verb = change.capitalize()
    dialog = ReadingDialog(
        f"{verb} {plan.site.spec.title}?",
        _differences(plan),
        introduction="\n".join(lines),
        answers=[ChoiceAnswer("y,enter", change, verb), *others],
        back="Not now",
    )
    return await app.push_screen_wait(dialog)


async def _choice(app: App[Any], verb: str, plans: Sequence[ConnectionPlan]) -> ConnectionPlan | None:
    """The plan to carry out: the only one, or the one that the user chooses."""
    if len(plans) < 2:
        return next(iter(plans), None)
    answers = [ChoiceAnswer(str(number), f"plan-{number}", plan.site.spec.title) for number, plan in enumerate(plans, start=1)]
    chosen = await app.push_screen_wait(ChoiceDialog(verb, "Which agent program?", answers))
    return next((plan for plan, answer in zip(plans, answers, strict=True) if answer.value == chosen), None)


def _differences(plan: ConnectionPlan) -> Iterator[Any]:
    """The name and the diff of each file."""
    for change in plan.visible:
        yield Static(visible(short(change.path)), classes="file-name", markup=False)
        before, after = ((text or "").removeprefix("\ufeff").splitlines() for text in (change.now, change.then))
        lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
        yield difference_fields([line for line in lines if not line.startswith("@")])


async def _carry_out(app: App[Any], plan: ConnectionPlan, change: Change) -> bool:
    try:
        await asyncio.to_thread(connect.carry_out, plan)
    except (ChangedError, OSError) as error:
        app.notify(visible(error_message(error)), title="Nothing changed", severity="warning", markup=False)
        return False
    title = plan.site.spec.title
    if change == "connect":
        events = counted(len(plan.site.events()), "event")
        recorded = f" and records {counted(plan.observed, 'hook')}" if plan.observed else ""
        app.notify(f"{title} calls hooktui for {events}{recorded}. Running sessions may need a restart.", title="Connected")
    else:
        app.notify(f"{title} no longer calls hooktui.", title="Disconnected")
    return True
