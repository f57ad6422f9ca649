"""Connect and disconnect agent programs from the app: show what would be written, and write it if the user agrees."""

from __future__ import annotations

import asyncio
import difflib
from typing import TYPE_CHECKING, Any

from textual.widgets import Static

from hooktui import connect
from hooktui.catalog.hook_states import counted
from hooktui.core.text_sanitizer import visible
from hooktui.edit.hook_documents import ChangedError
from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ReadingDialog, answer_button, difference_fields
from hooktui.screens.services import connection_offers as offers
from hooktui.screens.widgets.lines import near
from hooktui.screens.widgets.notifications import notify_refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import App

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import ConnectionPlan, ConnectionSite
    from hooktui.screens.services.connection_offers import Change, Plans

_LONG_S = 20.0  # to read what is left to do


async def ask(app: App[Any], catalog: Catalog, change: Change) -> bool:
    """Show what would be written for the agent programs, and write it if the user agrees. Call this in a worker."""
    found = await asyncio.to_thread(offers.plans, catalog, change)
    try:
        agreed = await _agreed(app, catalog, change, found)
    except connect.RefusedError as error:
        notify_refusal(app, error)
        return False
    if not found.plans and found.refusals:
        notify_refusal(app, " ".join(found.refusals))
    elif not found.plans:
        app.notify("Every agent program here is connected." if change == "connect" else "No agent program is connected.")
    return bool(agreed) and await _carry_out(app, catalog, agreed, change)


async def _agreed(app: App[Any], catalog: Catalog, change: Change, found: Plans) -> Sequence[ConnectionPlan]:
    """The plans that the user agrees to. Raises RefusedError."""
    if len(found.plans) > 1:
        chosen = await _agreed_of_several(app, catalog, change, found)
        if len(chosen) > 1:
            return chosen
    else:
        chosen = found.plans
    if not chosen:
        return ()
    [plan] = chosen
    if change == "connect":
        return await _agreed_connection(app, catalog, plan.site)
    return await _agreed_disconnection(app, catalog, plan.site)


async def _agreed_of_several(app: App[Any], catalog: Catalog, change: Change, found: Plans) -> Sequence[ConnectionPlan]:
    """All plans, or one to look at more closely; nothing for "Not now"."""
    observe = True
    while True:
        match await app.push_screen_wait(_dialog_of_several(catalog.project, change, found, observe=observe)):
            case "all":
                return found.plans
            case "observe":
                observe = not observe
                found = await asyncio.to_thread(offers.plans, catalog, change, observe=observe)
            case None:
                return ()
            case number:
                return [found.plans[int(number.removeprefix("plan-"))]]


def _dialog_of_several(project: str, change: Change, found: Plans, *, observe: bool) -> ReadingDialog:
    """Each program with its files and what changes in them, above the diffs."""
    verb = change.capitalize()
    answers = [ChoiceAnswer("y,enter", "all", f"{verb} all {len(found.plans)}")]
    if change == "connect" and (not observe or any(plan.observed for plan in found.plans)):
        answers.append(ChoiceAnswer("o", "observe", "Do not observe" if observe else "Observe my hooks"))
    singles = [
        ChoiceAnswer(str(number), f"plan-{number - 1}", plan.site.spec.title)
        for number, plan in enumerate(found.plans[:9], start=1)
    ]
    return ReadingDialog(
        f"{verb} {counted(len(found.plans), 'agent program')}?",
        _overview(project, found, singles),
        introduction=f"A number shows one program alone{', and where else to write it' if change == 'connect' else ''}.",
        answers=answers,
        back="Not now",
        more=singles,
    )


def _overview(project: str, found: Plans, singles: Sequence[ChoiceAnswer]) -> Iterator[Any]:
    for answer, plan in zip(singles, found.plans, strict=False):
        yield answer_button(answer)
        lines = [*connect.summary(plan, project), *connect.trust_steps(plan)]
        yield Static(visible("\n".join(lines)), classes="of-program", markup=False)
    for refusal in found.refusals:
        yield Static(visible(refusal), classes="of-program -refused", markup=False)
    for plan in found.plans:
        yield from _differences(plan, project)


async def _agreed_connection(app: App[Any], catalog: Catalog, site: ConnectionSite) -> Sequence[ConnectionPlan]:
    """The plan that the user agrees to, in the scope of their choice and with their own commands observed or not.

    Raises RefusedError.
    """
    scopes, observe = await asyncio.to_thread(offers.scopes, catalog, site), True
    scope = await asyncio.to_thread(offers.first, catalog, site)
    while True:
        after = scopes[(scopes.index(scope) + 1) % len(scopes)]
        plan = await asyncio.to_thread(offers.connection, catalog, site, scope, observe=observe)
        other = await asyncio.to_thread(offers.connection, catalog, site, scope, observe=not observe)
        observing = await asyncio.to_thread(offers.observing, catalog, site, [scope])
        others = []
        if plan.changes != other.changes:
            others.append(ChoiceAnswer("o", "observe", "Do not observe" if observe else "Observe my hooks"))
        elif observing:
            others.append(ChoiceAnswer("o", "elsewhere", "Observe my hooks"))
        if len(scopes) > 1:
            others.append(ChoiceAnswer("s", "scope", f"Write to {after}"))
        lines = await asyncio.to_thread(offers.introduction, catalog, plan, observe=observe)
        match await _answer(app, catalog, "connect", plan, lines, others):
            case "observe":
                observe = not observe
            case "elsewhere":
                scope, observe = observing[0], True
            case "scope":
                scope = after
            case answer:
                return [plan] if answer else ()


async def _agreed_disconnection(app: App[Any], catalog: Catalog, site: ConnectionSite) -> Sequence[ConnectionPlan]:
    """The plan that the user agrees to: for this project or for all. Raises RefusedError."""
    plans = await asyncio.to_thread(offers.disconnections, catalog, site)
    labels = ("Also in all projects", "Only in this project")
    plan = plans[0]
    while True:
        number = plans.index(plan)
        lines = [*connect.summary(plan, catalog.project), *await asyncio.to_thread(offers.still_connected, catalog, plan)]
        others = [ChoiceAnswer("s", "scope", labels[number])] if len(plans) > 1 else []
        match await _answer(app, catalog, "disconnect", plan, lines, others):
            case "scope":
                plan = plans[1 - number]
            case answer:
                return [plan] if answer else ()


async def _answer(
    app: App[Any],
    catalog: Catalog,
    change: Change,
    plan: ConnectionPlan,
    lines: Sequence[str],
    others: Sequence[ChoiceAnswer] = (),
) -> str | None:
    """The answer of the user to the changes of a plan; None for "Not now"."""
    verb = change.capitalize()
    dialog = ReadingDialog(
        f"{verb} {plan.site.spec.title}?",
        _differences(plan, catalog.project),
        introduction="\n".join(lines),
        answers=[ChoiceAnswer("y,enter", change, verb), *others],
        back="Not now",
    )
    return await app.push_screen_wait(dialog)


def _differences(plan: ConnectionPlan, project: str) -> Iterator[Any]:
    for change in plan.visible:
        yield Static(near(change.path, project), classes="file-name", markup=False)
        before, after = ((text or "").removeprefix("\ufeff").splitlines() for text in (change.now, change.then))
        lines = list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]
        yield difference_fields([line for line in lines if not line.startswith("@")])


async def _carry_out(app: App[Any], catalog: Catalog, agreed: Sequence[ConnectionPlan], change: Change) -> bool:
    """Write the plans one after the other, and say what was done; whether any was written."""
    done = []
    for plan in agreed:
        try:
            await asyncio.to_thread(connect.carry_out, plan)
        except (ChangedError, OSError) as error:
            title = "Nothing changed" if len(agreed) == 1 else f"{plan.site.spec.title}: nothing changed"
            notify_refusal(app, error, title=title)
        else:
            done.append(plan)
    if done:
        text = await asyncio.to_thread(offers.outcome, catalog, done, change)
        app.notify(visible(text), title=f"{change.capitalize()}ed", timeout=_LONG_S if "trust" in text else None, markup=False)
    return bool(done)
