"""Approve a hook after showing every file it would run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from hooktui.catalog import hook_states
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit.hook_documents import approve, review
from hooktui.screens.dialogs.reading_dialog import MARGIN, ChoiceAnswer, ReadingDialog, difference_fields
from hooktui.screens.services.shell import shell
from hooktui.screens.widgets.fields import FieldList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.screen import Screen
    from textual.widget import Widget

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit.hook_documents import ApprovalReview, CoveredFile
    from hooktui.screens.widgets.fields import LabelledValue


async def permit(screen: Screen[None], hook: Hook, catalog: Catalog) -> None:
    """Show what a hook would run, and approve it if the user agrees. Call this in a worker."""
    state = hook_states.state(catalog, hook)
    if not hook_states.is_unapproved(state):
        why = "is your own and needs no approval" if state == "user" else "is already approved"
        screen.notify(f"{one_line(hook.label)} {why}.", markup=False)
        return
    reviewed = await asyncio.to_thread(review, hook, catalog.project)
    since = "It has changed since you approved it. " if state == "changed" else ""
    dialog = ReadingDialog(
        f"Approve {one_line(hook.label)}?",
        [*_gaps(reviewed), *(part for file in reviewed.files for part in (_title(file), _text(file)))],
        introduction=f"{since}Once approved, these files run on your machine.",
        answers=[ChoiceAnswer("y,p", "approve", "Approve")],
        back="Not now",
    )
    if await screen.app.push_screen_wait(dialog):
        await asyncio.to_thread(approve, hook, catalog.project, reviewed)
        shell(screen).reload()


def _gaps(reviewed: ApprovalReview) -> list[Widget]:
    """What the approval does not cover."""
    if not reviewed.gaps:
        return []
    lines = FieldList(MARGIN, [("▲", Content.styled(one_line(gap), "$warning")) for gap in reviewed.gaps])
    title = "Not covered by the approval" + (": it does not run (require_covered)" if reviewed.is_refused else "")
    return [Static(Content.styled(title, "$warning bold"), classes="file-name"), lines]


def _title(file: CoveredFile) -> Static:
    """A file's name, what is special about it, and how it differs from what was approved."""
    state = {"unknown": "", "same": "as approved", "new": "new", "changed": "changed", "gone": "removed"}[file.state]
    about = " · ".join(filter(None, (one_line(file.about), state)))
    title = Content.assemble((one_line(file.name), "$accent bold"), (f"  {about}", "not bold $foreground 60%"))
    return Static(title, classes="file-name")


def _text(file: CoveredFile) -> FieldList:
    """A file's numbered lines; for a changed file, a diff."""
    return difference_fields(file.lines) if file.lines else FieldList(MARGIN, _lines(file))


def _lines(file: CoveredFile) -> Iterator[LabelledValue]:
    if file.problem:
        yield "", Content.styled(visible(file.problem), "$warning")
        return
    for number, line in enumerate(visible(file.text).rstrip("\n").split("\n"), start=1):
        yield f"{number:>{MARGIN - 2}}", Content(line)
