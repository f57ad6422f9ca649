"""Connect agent programs from the app, and see whether any is connected."""

from __future__ import annotations

import asyncio
import difflib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hooktui import connect
from hooktui.catalog.hook_states import counted
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import visible
from hooktui.edit.hook_documents import ChangedError, error_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import App

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import ConnectionPlan, ConnectionSite, ConnectionState, Scope

    Change = Literal["connect", "disconnect"]

_GAIN = "Live and Sessions then show its events and what your hooks decide. Disconnecting restores the files."
_OBSERVED = "Your own commands are observed: they run through hooktui, which logs what they answer and changes nothing."
_UNOBSERVED = "Your own commands stay as they are: Live and Sessions do not show what they answer."


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
    return Offer("{connect}", "app.connect", f"connect {title}, to see here what each hook decides. Nothing is recorded yet.")


def _in_use(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The titles and names of the programs that are installed, or that the project has hooks for."""
    formats = {hook.format for hook in catalog.hooks}
    for name, site in connect.SITES.items():
        if name in formats or connect.installed(site):
            yield site.spec.title, name


def _plans(catalog: Catalog, change: Change, *, observe: bool = True) -> list[ConnectionPlan]:
    """The plans that would change something. Raises RefusedError."""
    if change == "disconnect":
        plans = [connect.disconnect(name, catalog.project, None) for name in connect.SITES]
    else:
        scopes = {state.host: state.scope for state in connect.states(catalog.directory, catalog.hooks)}
        sites = [connect.SITES[name] for _, name in _in_use(catalog)] or list(connect.SITES.values())
        plans = [
            connect.connect(name, _scope(site, scopes.get(name)), catalog.project, site.events(), observe=observe)
            for site in sites
            for name in (site.spec.name,)
        ]
    return [plan for plan in plans if plan.visible or plan.needs_launcher]


def _scope(site: ConnectionSite, connected: str | None) -> Scope:
    """The scope to connect: the one that is connected, else the default."""
    return next((scope for scope in site.scopes if scope == connected), site.scopes[0])


async def ask(app: App[Any], catalog: Catalog, change: Change) -> bool:
    """Show what would be written for one agent program, and write it if the user agrees. Call this in a worker."""
    try:
        plans = await asyncio.to_thread(_plans, catalog, change)
        unobserved = await asyncio.to_thread(_plans, catalog, change, observe=False)
    except connect.RefusedError as error:
        app.notify(visible(str(error)), title="Nothing changed", severity="warning", markup=False)
        return False
    plan = await _choice(app, change.capitalize(), plans)
    if plan is None:
        if not plans:
            app.notify("Every agent program here is connected." if change == "connect" else "No agent program is connected.")
        return False
    without = next((other for other in unobserved if other.site is plan.site and other.changes != plan.changes), None)
    agreed = await _agreed(app, change, plan, without)
    return agreed is not None and await _carry_out(app, agreed, change)


async def _agreed(app: App[Any], change: Change, plan: ConnectionPlan, other: ConnectionPlan | None) -> ConnectionPlan | None:
    """The plan that the user agrees to; `other` leaves the host's own commands unobserved, None if there is no difference."""
    from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ReadingDialog

    verb = change.capitalize()
    shown, hidden, is_observing = plan, other, True
    while True:
        answers = [ChoiceAnswer("y,enter", change, verb)]
        if hidden is not None:
            answers.append(ChoiceAnswer("o", "toggle", "Do not observe my commands" if is_observing else "Observe my commands"))
        dialog = ReadingDialog(
            f"{verb} {shown.site.spec.title}?",
            _differences(shown),
            introduction=_introduction(shown, change, other is not None, is_observing=is_observing),
            answers=answers,
            back="Not now",
        )
        answer = await app.push_screen_wait(dialog)
        if answer != "toggle" or hidden is None:
            return shown if answer else None
        shown, hidden, is_observing = hidden, shown, not is_observing


def _introduction(plan: ConnectionPlan, change: Change, can_observe: bool, *, is_observing: bool) -> str:
    lines = list(connect.summary(plan))
    if change == "connect":
        lines.append(_GAIN)
    if can_observe:
        lines.append(_OBSERVED if is_observing else _UNOBSERVED)
    return "\n".join(lines)


async def _choice(app: App[Any], verb: str, plans: Sequence[ConnectionPlan]) -> ConnectionPlan | None:
    """The plan to carry out: the only one, or the one that the user chooses."""
    from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ChoiceDialog

    if len(plans) < 2:
        return next(iter(plans), None)
    answers = [ChoiceAnswer(str(number), f"plan-{number}", plan.site.spec.title) for number, plan in enumerate(plans, start=1)]
    chosen = await app.push_screen_wait(ChoiceDialog(verb, "Which agent program?", answers))
    return next((plan for plan, answer in zip(plans, answers, strict=True) if answer.value == chosen), None)


def _differences(plan: ConnectionPlan) -> Iterator[Any]:
    """The name and the diff of each file."""
    from textual.widgets import Static

    from hooktui.screens.dialogs.reading_dialog import difference_fields

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
