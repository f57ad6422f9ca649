"""What is typed into the files of a hook and not saved yet: written, asked about, and kept when somebody else was there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message

from hooktui.core import atomic_write
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit import reapprove
from hooktui.screens.dialogs.choice import Answer, Choice
from hooktui.screens.dialogs.conflict import Conflict
from hooktui.screens.hooks.editor_tabs import EditorTabs
from hooktui.screens.keys.hints import hint
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import getters

    from hooktui.app import HooktuiApp
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.screens.widgets.editor import Editor
    from hooktui.security.documents import Document

_UNSAVED = (Answer("s", "save", "Save"), Answer("d", "discard", "Discard"))


class UnsavedTabs(EditorTabs):
    """Tabs whose text is never lost: a file that changed or vanished meanwhile leaves it here."""

    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    class Edited(Message):
        """A text differs from its file now, or no longer does."""

    class Saved(Message):
        """A file was written."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.hook: Hook | None = None
        self._catalog: Catalog | None = None
        self._announced = ""  # the stamp of a file that somebody else changed, when that was told

    @work(exclusive=True, exit_on_error=False, group="save", description="Saving")
    async def save(self) -> None:
        """Write all unsaved text."""
        await self.write_all()

    async def write_all(self) -> None:
        """Write all unsaved text, one file after the other. To be called in a worker, since it may have to ask."""
        for editor in self.modified:
            if editor.modified:  # still, after what was answered for another
                await self.write(editor)

    async def settle(self) -> bool:
        """Ask what to do with unsaved text and do it; whether none is left. To be called in a worker."""
        names = ", ".join(one_line(editor.file.name) for editor in self.modified)
        answer = await self.app.push_screen_wait(Choice("Unsaved changes", f"{names}: not saved yet.", _UNSAVED))
        if answer == "save":
            await self.write_all()
        elif answer == "discard":
            self.drop_edits()
        return not self.modified

    async def write(self, editor: Editor, *, overwrite: bool = False) -> None:
        """Write one file; ask when somebody else has changed it meanwhile."""
        assert self.hook is not None
        assert self._catalog is not None
        what = (self.hook, self._catalog.project, editor.file, editor.text)
        try:
            document = await asyncio.to_thread(reapprove.save, *what, overwrite=overwrite)
        except documents.ChangedError as changed:
            await self._settle(editor, str(changed))
        except OSError as error:
            still = hint("What you typed is still here: {save} tries again.")
            why = visible(atomic_write.error_message(error))
            self.notify(f"{why} {still}", title="Not saved", severity="error", markup=False)
        else:
            editor.saved(document)
            self.post_message(self.Saved())

    async def _settle(self, editor: Editor, trouble: str) -> None:
        theirs = await asyncio.to_thread(documents.read, editor.file.path, editor.file.name)
        self._announced = theirs.stamp
        self.app.clear_notifications()  # they would cover the answers
        answer = await self.app.push_screen_wait(Conflict(trouble, theirs, editor.text))
        if answer == "mine":
            for one in (editor, *(other for other in self.modified if other.gone and other is not editor)):
                await self.write(one, overwrite=True)
        elif answer == "theirs":
            editor.take(theirs)
            self.notify(hint("{undo} brings yours back."), title="Reloaded")

    def _keep_gone(self, gone: frozenset[str]) -> None:
        """What was typed into a file that has gone counts as unsaved, with its hook's other files if that has gone, too."""
        whole = self.hook is not None and self.hook.file in gone
        for editor in self.editors:
            lost = not editor.gone and editor.file.path in gone and (whole or editor.modified)
            if lost and not whole:
                self._announce_loss(editor)
            editor.gone = editor.file.path in gone and (editor.gone or lost)
        self.post_message(self.Edited())

    def _announce_loss(self, editor: Editor) -> None:
        still = hint("What you typed is still here: {save} brings the file back.")
        self.notify(still, title=f"{editor.file.name} was removed", severity="warning", markup=False)

    def _refresh_unmodified(self, documents: Sequence[Document]) -> None:
        """Show what changed on disk, where nobody is typing."""
        fresh = {document.path: document for document in documents}
        for editor in self.editors:
            document = fresh.get(editor.file.path)
            if document is not None and not editor.modified:
                editor.reopen(document)
            elif document is not None and document.stamp != editor.file.stamp and not document.problem:
                self._announce(document)

    def _announce(self, theirs: Document) -> None:
        """Somebody else changed a file with unsaved text: tell it once, unless that is being asked about."""
        if theirs.stamp != self._announced and self.app.screen is self.screen:  # and no dialog above it
            what = hint("Yours is not saved yet: {save} shows how they differ, and asks what to keep.")
            self.notify(what, title=f"{theirs.name} was changed by somebody else", severity="warning", markup=False)
        self._announced = theirs.stamp
