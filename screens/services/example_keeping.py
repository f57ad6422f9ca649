"""Keep a call as an example of the project's hooks: with what they decide today, shown first, and undoable.

Functions that take a screen must run in a worker: they may ask.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.content import Content

from hooktui.catalog import hook_states
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.lines import DECISION_SIGNS, near
from hooktui.screens.widgets.notifications import notify_refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from textual.screen import Screen

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit.file_steps import Step
    from hooktui.hook_tests.example import Example, Got, Suite
    from hooktui.hook_tests.kept_examples import KeptExample


async def keep(screen: Screen[Any], report: Mapping[str, Any], *, note: str = "") -> None:
    """Run today's hooks on a reported call, and keep it with their decision if the user agrees.

    `report` is that of a dispatch (contract.md), with the payload. `note` is what else to know of today's decision.
    """
    from hooktui.hook_tests.example import TestError

    catalog = app_context(screen).catalog
    if catalog is None:
        return
    try:
        kept = await _planned(screen, report, catalog)
        if kept is not None and await _agreed(screen, kept, [*_introduction(kept.example, report, catalog), note]):
            await _write(screen, kept)
    except TestError as error:
        why = str(error).rstrip(".")
        notify_refusal(screen, f"{why[:1].upper()}{why[1:]}.", title="Not kept")


async def _planned(screen: Screen[Any], report: Mapping[str, Any], catalog: Catalog) -> KeptExample | None:
    """The example of a report as it would be written; None if a hook that it reaches is not approved. Raises TestError."""
    from hooktui.hook_tests import example_files, kept_examples

    example = kept_examples.example_of(report, catalog.settings.redact)  # type: ignore[arg-type]  # of a try: without its time
    suite = await asyncio.to_thread(example_files.load, catalog.directory)
    alone = suite._replace(examples=(example,), problems=())
    if not await approved(screen, alone, catalog):
        screen.notify("Nothing kept: a hook that would run is not approved.", severity="warning")
        return None
    got = await _decided(screen, alone)
    return await asyncio.to_thread(kept_examples.keep_example, suite, example, got)


async def approved(screen: Screen[Any], suite: Suite, catalog: Catalog) -> bool:
    """Whether every hook that examples reach may run: ask about each that is not approved, as before a try."""
    from hooktui.screens.dialogs.trust_dialog import is_approved

    waiting = await asyncio.to_thread(lambda: list(_unapproved(suite, catalog)))
    return all([await is_approved(screen, hook, catalog) for hook in waiting])


def _unapproved(suite: Suite, catalog: Catalog) -> Iterator[Hook]:
    from hooktui.hook_tests import reach

    reached = reach.reached(suite, catalog.hooks, with_users=False)
    for hook in catalog.hooks:
        if reached[hook.identity] and hook_states.is_unapproved(hook_states.state(catalog, hook)):
            yield hook


async def _decided(screen: Screen[Any], alone: Suite) -> Got:
    """What today's hooks decide on the only example of a suite. Raises TestError."""
    from hooktui.hook_tests import suite_run
    from hooktui.hook_tests.example import TestError

    screen.notify("Running today's hooks on this call, in a copy of the project…")
    results = await suite_run.run(alone, suite_run.Options(is_whole=False, workers=1))
    (result,) = results.results
    if result.got is None or result.is_unapproved:
        raise TestError(result.why[0])
    return result.got


async def _agreed(screen: Screen[Any], kept: KeptExample, introduction: Iterable[Content | str]) -> bool:
    from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ReadingDialog, would_write
    from hooktui.screens.widgets.fields import FieldList

    screen.app.clear_notifications()
    dialog = ReadingDialog(
        "Keep as an example?",
        [FieldList(0, would_write((kept.step,), app_context(screen).project))],
        introduction=Content("\n").join(line if isinstance(line, Content) else Content(line) for line in introduction if line),
        answers=[ChoiceAnswer("y,E", "keep", "Keep")],
        back="Not now",
    )
    return await screen.app.push_screen_wait(dialog) is not None


def _introduction(example: Example, report: Mapping[str, Any], catalog: Catalog) -> Iterator[Content]:
    """What today's hooks decide, how that differs from then, and whose project the call is from."""
    decision, by = example.expect["decision"], example.expect.get("by")
    sign, colour = DECISION_SIGNS[decision]
    whose = f" by {one_line(by)}" if by else ""
    then = report["decision"] if "at" in report and report["decision"] != decision else None
    yield Content.assemble("Project hooks today: ", (f"{sign} {decision}", colour), whose, f". Then: {then}." if then else "")
    if report["project"] != catalog.project:
        yield Content(
            f"The call is from {one_line(paths.short(report['project']))}; its paths there become those of this project."
        )
    file = one_line(near(example.file, catalog.project))
    yield Content(f"`hooktui test` then checks it, from {file}. {hint('{take-back}')} undoes this.")


async def _write(screen: Screen[Any], kept: KeptExample) -> None:
    if await carry_out(screen, (kept.step,)):
        app_context(screen).undo_history.push(partial(_undo, screen, kept))
        screen.refresh_bindings()
        screen.notify(f"Kept: {one_line(kept.example.name)}{hint(' · {take-back} undo')}", markup=False)


async def _undo(screen: Screen[Any], kept: KeptExample) -> bool:
    if not await carry_out(screen, (kept.step.inverse(),)):
        return False
    screen.notify(f"Undone: keep {one_line(kept.example.name)}.", markup=False)
    return True


async def carry_out(screen: Screen[Any], steps: Iterable[Step]) -> bool:
    """Carry out steps that change no hook; whether that succeeded."""
    from hooktui.edit import file_steps
    from hooktui.edit.hook_documents import ChangedError

    try:
        await asyncio.to_thread(file_steps.do_all, steps)
    except (file_steps.ChangeRefusedError, ChangedError, OSError) as error:
        notify_refusal(screen, error)
        return False
    app_context(screen).reload()
    return True
