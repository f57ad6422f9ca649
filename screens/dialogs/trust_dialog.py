"""Approve a project's hook: every file that would run is shown first."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.core.text_sanitizer import one_line, visible
from hooktui.screens.dialogs.reading_dialog import MARGIN, Reading, difference_fields
from hooktui.screens.widgets.fields import Fields
from hooktui.screens.widgets.keyed_button import keyed
from hooktui.security import approval, trust

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.screens.widgets.fields import Field
    from hooktui.security.approval import CoveredFile


async def permit(screen: Screen[None], hook: Hook, catalog: Catalog) -> bool:
    """Show what a hook of the project would run and approve it, if the person says so. To be called in a worker."""
    state = catalog.trust.get(hook.id, "untrusted")
    if state not in trust.UNAPPROVED:
        why = "is your own and needs no approval" if state == "user" else "is approved as it is"
        screen.notify(f"{one_line(hook.name)} {why}.", markup=False)
        return False
    digest, files = await asyncio.to_thread(_look, hook, catalog.project)
    if not await screen.app.push_screen_wait(TrustDialog(hook, state == "changed", files)):
        return False
    # What was shown is approved and nothing else: a file that changed meanwhile leaves the hook unapproved.
    await asyncio.to_thread(approval.approve, catalog.project, [(hook, digest)])
    return True


def _look(hook: Hook, project: str) -> tuple[str, tuple[CoveredFile, ...]]:
    """What would run of a hook and the digest of just those bytes."""
    while True:
        digest = trust.digest(hook)
        files = approval.covered_files(project, hook)
        if digest == trust.digest(hook):
            return digest, files


class TrustDialog(Reading[bool]):
    """Shows the files; returns whether they were approved."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "dismiss(True)", "Approve"),
        Binding("escape,q", "dismiss(False)", "Not now"),
    ]

    def __init__(self, hook: Hook, changed: bool, files: Sequence[CoveredFile]) -> None:
        super().__init__()
        self._hook = hook
        self._changed = changed
        self._files = files

    def compose(self) -> ComposeResult:
        """Why one is asked, the files, the two answers."""
        since = "It changed since you approved it. " if self._changed else ""
        with Vertical(classes="dialog large reading") as box:
            box.border_title = Content(f"Approve {one_line(self._hook.name)}?")
            yield Static(f"{since}Once approved, these files run on your machine, as they are now.", markup=False)
            with VerticalScroll(can_focus=False):
                for file in self._files:
                    yield Static(_title(file), classes="file-name")
                    yield _text(file)
            with Horizontal(classes="buttons"):
                yield Button(keyed("p", "Approve"), id="approve", compact=True)
                yield Button(keyed("esc", "Not now"), id="back", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The same by mouse."""
        self.dismiss(event.button.id == "approve")


def _title(file: CoveredFile) -> Content:
    """The name of a file, what is special about it, and how it stands to what was approved."""
    state = {"unknown": "", "same": "as approved", "new": "new", "changed": "changed", "gone": "removed"}[file.state]
    about = " · ".join(filter(None, (one_line(file.about), state)))
    return Content.assemble((one_line(file.name), "$accent bold"), (f"  {about}", "not bold $foreground 60%"))


def _text(file: CoveredFile) -> Fields:
    """The lines of a file, numbered; of a changed one, both versions with the signs of a diff."""
    if file.lines:
        return difference_fields(file.lines)
    fields = Fields(MARGIN)
    fields.show((row,) for row in _lines(file))
    return fields


def _lines(file: CoveredFile) -> Iterator[Field]:
    if file.problem:
        yield "", Content.styled(visible(file.problem), "$warning")
        return
    for number, line in enumerate(visible(file.text).rstrip("\n").split("\n"), start=1):
        yield f"{number:>{MARGIN - 2}}", Content(line)
