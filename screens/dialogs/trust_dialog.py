"""Approve a hook after showing every file it would run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widgets import Static

from hooktui.catalog import hook_states
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit.approval import ENTRY
from hooktui.edit.hook_documents import approve, review
from hooktui.log.read.hook_versions import outdented
from hooktui.screens.dialogs.reading_dialog import MARGIN, ChoiceAnswer, ReadingDialog, difference_fields
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.fields import FieldList
from hooktui.screens.widgets.lines import host_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.screen import Screen
    from textual.widget import Widget

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.edit.hook_documents import ApprovalReview, CoveredFile
    from hooktui.screens.widgets.fields import LabelledValue


async def permit(screen: Screen[None], hook: Hook, catalog: Catalog) -> None:
    """Approve a hook if the user agrees, or say why it needs no approval. Call this in a worker."""
    state = hook_states.state(catalog, hook)
    if hook_states.needs_approval(catalog, hook):
        await is_approved(screen, hook, catalog)
        return
    own = "is your own and needs no approval" if hook.scope == "user" else "needs no approval"
    why = {"user": own, "trusted": "is already approved"}.get(state, "")
    why = why or f"needs no approval: {host_names((hook.format,))} runs it"
    screen.notify(f"{one_line(hook.label)} {why}.", markup=False)


async def is_approved(screen: Screen[Any], hook: Hook, catalog: Catalog) -> bool:
    """Whether a hook may run here: show what it would run, and approve it if the user agrees. Call this in a worker."""
    state = hook_states.state(catalog, hook)
    if not hook_states.is_unapproved(state):
        return True
    reviewed = await asyncio.to_thread(review, hook, catalog.project)
    since = "It has changed since you approved it. " if state == "changed" else ""
    dialog = ReadingDialog(
        f"Approve {one_line(hook.label)}?",
        [*_gaps(reviewed), *(part for file in reviewed.files for part in (_title(file), _text(file)))],
        introduction=f"{since}Once approved, hooktui runs it on your machine.",
        answers=[ChoiceAnswer("y,p", "approve", "Approve")],
        back="Not now",
    )
    if not await screen.app.push_screen_wait(dialog):
        return False
    await asyncio.to_thread(approve, hook, catalog.project, reviewed)
    app_context(screen).reload()
    return True


def _gaps(reviewed: ApprovalReview) -> list[Widget]:
    if not reviewed.gaps:
        return []
    lines = FieldList(MARGIN, [("▲", Content.styled(one_line(gap), "$warning")) for gap in reviewed.gaps])
    title = "Not covered by the approval" + (": it does not run (require_covered)" if reviewed.is_refused else "")
    return [Static(Content.styled(title, "$warning bold"), classes="file-name"), lines]


def _title(file: CoveredFile) -> Static:
    """A file's name, what is special about it, and how it differs from what was approved."""
    state = {"unknown": "", "same": "as approved", "new": "new", "changed": "changed", "gone": "removed"}[file.state]
    about = " · ".join(filter(None, (one_line(file.about), state)))
    title = Content.assemble((one_line(file.name), "bold"), (f"  {about}", "not bold $foreground 60%"))
    return Static(title, classes="file-name")


def _text(file: CoveredFile) -> FieldList:
    return difference_fields(file.lines) if file.lines else FieldList(MARGIN, _lines(file))


def _lines(file: CoveredFile) -> Iterator[LabelledValue]:
    if file.problem:
        yield "", Content.styled(visible(file.problem), "$warning")
        return
    text = visible(file.text).rstrip("\n")
    for number, line in enumerate((outdented(text) if file.name == ENTRY else text).split("\n"), start=1):
        yield f"{number:>{MARGIN - 2}}", Content(line)
