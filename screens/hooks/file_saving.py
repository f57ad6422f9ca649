"""Save the files of a hook without ever losing text: ask when a file changed or vanished meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit import text_files
from hooktui.screens.dialogs.choice import ChoiceAnswer, ChoiceDialog
from hooktui.screens.dialogs.reading_dialog import ReadingDialog, difference_fields
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.footer import keyed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import ClassVar

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from hooktui.core.model import Hook
    from hooktui.edit.text_files import Document
    from hooktui.screens.hooks.editor_set import EditorSet
    from hooktui.screens.widgets.editor import Editor

_LEGEND = Content.assemble(("-", "$error"), " on disk   ", ("+", "$success"), " unsaved here")
_ANSWERS = (("m", "mine", "Keep mine"), ("r", "theirs", "Reload"), ("esc", "neither", "Not now"))


class ConflictDialog(ReadingDialog[str]):
    """Shows the difference; returns "mine", "theirs" or "neither". A file that is gone cannot be reloaded."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "dismiss('mine')", "Keep mine"),
        Binding("r", "dismiss('theirs')", "Reload"),
        Binding("escape,q", "dismiss('neither')", "Not now"),
    ]

    def __init__(self, trouble: str, theirs: Document, mine: str) -> None:
        super().__init__()
        self._trouble = trouble
        self._is_gone = bool(theirs.problem)
        self._lines = text_files.difference(theirs.text, mine)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog large reading") as box:
            box.border_title = "Conflicting changes"
            yield Static(f"{visible(self._trouble)} since you opened it. Your edits are unsaved.", markup=False)
            yield Static(_LEGEND)
            with VerticalScroll(can_focus=False):
                yield difference_fields(self._lines)
            with Horizontal(classes="buttons"):
                for key, answer, label in _ANSWERS:
                    if not (self._is_gone and answer == "theirs"):
                        yield Button(keyed(key, label), id=answer, compact=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (self._is_gone and parameters == ("theirs",))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id)


_UNSAVED = (ChoiceAnswer("s", "save", "Save"), ChoiceAnswer("d", "discard", "Discard"))


class FileSaving:
    """Writes the modified editors of a set. Methods that may ask must run in a worker."""

    def __init__(self, widget: Widget, editors: EditorSet, saved: Callable[[], object]) -> None:
        """`widget` shows dialogs and notices; `saved` is called after each file written."""
        self._widget = widget
        self._editors = editors
        self._saved = saved
        self._hook: Hook | None = None
        self._project = ""
        self._announced = ""  # stamp of the foreign change that was announced last

    def take(self, hook: Hook, project: str) -> None:
        """Save the files of this hook from now on."""
        self._hook, self._project = hook, project

    async def save_all(self) -> None:
        """Save all unsaved text, one file after another."""
        for editor in self._editors.modified:
            if editor.modified:  # an answer about an earlier file may have settled this one
                await self._save(editor)

    async def resolve(self) -> bool:
        """Ask whether to save or discard unsaved text; whether none is left."""
        names = ", ".join(one_line(editor.file.name) for editor in self._editors.modified)
        dialog = ChoiceDialog("Unsaved changes", f"Unsaved: {names}.", _UNSAVED)
        answer = await self._widget.app.push_screen_wait(dialog)
        if answer == "save":
            await self.save_all()
        elif answer == "discard":
            self._editors.discard()
        return not self._editors.modified

    async def _save(self, editor: Editor, *, overwrite: bool = False) -> None:
        assert self._hook is not None
        arguments = (self._hook, self._project, editor.file, editor.text)
        try:
            document = await asyncio.to_thread(text_files.save, *arguments, overwrite=overwrite)
        except text_files.ChangedError as changed:
            await self._ask(editor, str(changed))
        except OSError as error:
            retry = hint("Your edits are still here; {save} tries again.")
            message = f"{visible(text_files.error_message(error))} {retry}"
            self._widget.notify(message, title="Not saved", severity="error", markup=False)
        else:
            editor.saved(document)
            self._saved()

    async def _ask(self, editor: Editor, trouble: str) -> None:
        """Show how a foreign change differs from the text here, and keep one of the two."""
        theirs = await asyncio.to_thread(text_files.read, editor.file.path, editor.file.name)
        self._announced = theirs.stamp
        app = self._widget.app
        app.clear_notifications()  # they would cover the buttons
        answer = await app.push_screen_wait(ConflictDialog(trouble, theirs, editor.text))
        if answer == "mine":
            for mine in (editor, *(other for other in self._editors.modified if other.gone and other is not editor)):
                await self._save(mine, overwrite=True)
        elif answer == "theirs":
            editor.take(theirs)
            self._widget.notify(hint("{undo} restores your version."), title="Reloaded")

    def keep_gone(self, gone: frozenset[str]) -> None:
        """Keep the text of files that vanished if it is modified; all of it if the hook's own file is gone."""
        whole = self._hook is not None and self._hook.file in gone
        for editor in self._editors.in_use:
            vanished = not editor.gone and editor.file.path in gone and (whole or editor.modified)
            if vanished and not whole:
                restore = hint("Your edits are still here; {save} restores the file.")
                title = f"{editor.file.name} was removed"
                self._widget.notify(restore, title=title, severity="warning", markup=False)
            editor.gone = editor.file.path in gone and (editor.gone or vanished)

    def refresh_unmodified(self, files: Sequence[Document]) -> None:
        """Show what changed on disk in the files without unsaved text; announce it for the others."""
        fresh = {document.path: document for document in files}
        for editor in self._editors.in_use:
            document = fresh.get(editor.file.path)
            if document is not None and not editor.modified:
                editor.reopen(document)
            elif document is not None and document.stamp != editor.file.stamp and not document.problem:
                self._announce(document)

    def _announce(self, theirs: Document) -> None:
        """Announce a foreign change once, unless a dialog is already asking about it."""
        if theirs.stamp != self._announced and self._widget.app.screen is self._widget.screen:
            compare = hint("Your edits are unsaved; {save} compares both versions.")
            title = f"{theirs.name} changed on disk"
            self._widget.notify(compare, title=title, severity="warning", markup=False)
        self._announced = theirs.stamp
