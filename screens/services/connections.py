"""Connect agent programs from the app, and see whether any is connected."""

from __future__ import annotations

import asyncio
import difflib
from typing import TYPE_CHECKING, Any, Literal

from hooktui import connect
from hooktui.catalog.hook_states import counted
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import visible
from hooktui.edit.hook_documents import ChangedError, error_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import App

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import ConnectionPlan

    Change = Literal["connect", "disconnect"]

_GAIN = "Live and Sessions then show its events and what your hooks decide. Disconnecting restores the files."


def offer(catalog: Catalog) -> str:
    """The title of an agent program that should be connected; "" if one is connected or none is in use. Blocks."""
    if connect.states(catalog.directory):
        return ""
    return next((title for title, _ in _in_use(catalog)), "")


def _in_use(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The titles and names of the programs that are installed, or that the project has hooks for."""
    formats = {hook.format for hook in catalog.hooks}
    for name, site in connect.SITES.items():
        if name in formats or connect.installed(site):
            yield site.spec.title, name


def _plans(catalog: Catalog, change: Change) -> list[ConnectionPlan]:
    """The plans that would change something. Raises RefusedError."""
    if change == "disconnect":
        plans = [connect.disconnect(name, catalog.project, None) for name in connect.SITES]
    else:
        sites = [connect.SITES[name] for _, name in _in_use(catalog)] or list(connect.SITES.values())
        plans = [
            connect.connect(site.spec.name, site.scopes[0], catalog.project, site.events(), observe=True) for site in sites
        ]
    return [plan for plan in plans if plan.visible]


async def ask(app: App[Any], catalog: Catalog, change: Change) -> bool:
    """Show what would be written for one agent program, and write it if the user agrees. Call this in a worker."""
    from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ReadingDialog

    verb = change.capitalize()
    try:
        plans = await asyncio.to_thread(_plans, catalog, change)
    except connect.RefusedError as error:
        app.notify(visible(str(error)), title="Nothing changed", severity="warning", markup=False)
        return False
    plan = await _choice(app, verb, plans)
    if plan is None:
        if not plans:
            app.notify("Every agent program here is connected." if change == "connect" else "No agent program is connected.")
        return False
    gain = f"\n{_GAIN}" if change == "connect" else ""
    dialog = ReadingDialog(
        f"{verb} {plan.site.spec.title}?",
        _differences(plan),
        introduction="\n".join(connect.summary(plan)) + gain,
        answers=[ChoiceAnswer("y,enter", change, verb)],
        back="Not now",
    )
    answer = await app.push_screen_wait(dialog)
    return answer is not None and await _carry_out(app, plan, change)


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
