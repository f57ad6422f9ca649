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

_GAIN = "Live and Sessions then show its events and what observed commands answer. Disconnecting restores the files."
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
    gain = f"connect {title} to see its hooks' decisions here; its events are not logged yet."
    return Offer("{connect}", "app.connect", gain)


def _in_use(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The titles and names of the programs that are installed, or that the project has hooks for."""
    formats = {hook.format for hook in catalog.hooks}
    for name, site in connect.SITES.items():
        if name in formats or connect.installed(site):
            yield site.spec.title, name


def _connection(catalog: Catalog, site: ConnectionSite, scope: Scope, *, observe: bool) -> ConnectionPlan:
    """The plan to connect a program. Raises RefusedError."""
    return connect.connect(site.spec.name, scope, catalog.project, site.events(), observe=observe)


def _scopes(catalog: Catalog, site: ConnectionSite) -> tuple[Scope, ...]:
    """The scopes that a program can be connected in, the default first; only the present one if it is connected."""
    states = connect.states(catalog.directory, catalog.hooks)
    connected = [state.scope for state in states if state.host == site.spec.name]
    return tuple(scope for scope in site.scopes if scope in connected)[:1] or site.scopes


def _plans(catalog: Catalog, change: Change) -> list[ConnectionPlan]:
    """The plans that would change something. Raises RefusedError."""
    if change == "disconnect":
        plans = [connect.disconnect(name, catalog.project, None) for name in connect.SITES]
    else:
        sites = [connect.SITES[name] for _, name in _in_use(catalog)] or list(connect.SITES.values())
        plans = [_connection(catalog, site, _scopes(catalog, site)[0], observe=True) for site in sites]
    return [plan for plan in plans if plan.visible or plan.needs_launcher]


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
    scopes, observe = list(await asyncio.to_thread(_scopes, catalog, site)), True
    while True:
        plan = await asyncio.to_thread(_connection, catalog, site, scopes[0], observe=observe)
        other = await asyncio.to_thread(_connection, catalog, site, scopes[0], observe=not observe)
        others = []
        if plan.changes != other.changes:
            others.append(ChoiceAnswer("o", "observe", "Do not observe my commands" if observe else "Observe my commands"))
        if len(scopes) > 1:
            others.append(ChoiceAnswer("s", "scope", f"Write to {scopes[1]}"))
        lines = await asyncio.to_thread(_introduction, catalog, plan, scopes[0], observe=observe)
        match await _answer(app, "connect", plan, lines, others):
            case "observe":
                observe = not observe
            case "scope":
                scopes = [*scopes[1:], scopes[0]]
            case answer:
                return plan if answer else None


def _introduction(catalog: Catalog, plan: ConnectionPlan, scope: Scope, *, observe: bool) -> list[str]:
    """What a connection writes and gains, and which commands it leaves alone."""
    lines = [*connect.summary(plan), _GAIN]
    if scope == "project":
        lines.append(_OF_THIS_MACHINE)
    observed = {change.path for change in plan.visible} if observe else ()
    alone = connect.unobserved(plan.site, catalog.directory)
    left = [f"{near(file, catalog.project)} ({count})" for file, count in alone.most_common() if file not in observed]
    return [*lines, f"Commands that are not observed, by file: {', '.join(left)}."] if left else lines


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
        app.notify(f"{title} calls hooktui for {events}. Running sessions may need a restart.", title="Connected")
    else:
        app.notify(f"{title} no longer calls hooktui.", title="Disconnected")
    return True
