"""The files of one hook in tabs: read behind the scenes, edited, checked as one types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.widgets import TextArea

from hooktui.edit import form_edit
from hooktui.screens.hooks.editor_tabs import FIRST
from hooktui.screens.hooks.unsaved_tabs import UnsavedTabs
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.failures import tell_failure
from hooktui.screens.widgets.hook_locations import Place
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import getters
    from textual.timer import Timer
    from textual.worker import Worker

    from hooktui.app import HooktuiApp
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Fix, Hook
    from hooktui.edit.form_edit import Form, FormField
    from hooktui.security.documents import Document

_CHECK_DELAY = 0.01  # seconds without a keystroke before the text is checked


class SourceTabs(UnsavedTabs):
    """The files of the hook that is shown, as they stand on disk or as they are typed."""

    on_worker_state_changed = tell_failure
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    class Checked(Message):
        """The hook's own file as it stands in the editor: its form, and what is wrong with it and with what is `typed`."""

        def __init__(self, hook: Hook, text: str, typed: Mapping[str, bytes], form: Form) -> None:
            super().__init__()
            self.hook = hook
            self.text = text
            self.typed = typed
            self.form = form

    class _Read(Message):
        """The files of a hook, read by a worker, and the paths of those known before that are gone."""

        def __init__(self, hook: Hook, documents: tuple[Document, ...], gone: frozenset[str]) -> None:
            super().__init__()
            self.hook = hook
            self.documents = documents
            self.gone = gone

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._moved = False  # whether the hook is another than the editors show
        self._wanted: Place | None = None
        self._typing_there = False  # whether one types at the wanted place
        self._checking: Timer | None = None
        self._checker: Worker[None] | None = None

    @property
    def place(self) -> Place | None:
        """Where the cursor is: in the file that is shown, or was shown last."""
        editor = self._editors[self._source]
        if self.hook is None or self._moved or not editor.file.path:
            return Place(self.hook.file, self.hook.line) if self.hook is not None else None
        return Place(editor.file.path, editor.cursor_location[0] + 1)

    def show_hook(self, hook: Hook, catalog: Catalog) -> None:
        """Show the files of a hook, or of the same hook as they are now. Until they are read nobody can type."""
        if self.hook is None or self.hook.id != hook.id:
            self._moved = True
            for editor in self.editors:
                editor.wait()
        self.hook, self._catalog = hook, catalog
        self._read()

    def go_to(self, place: Place) -> None:
        """Show a place of the hook, the cursor on it; once its files have been read."""
        found = (tab for tab, editor in self._editors.items() if editor.file.path == place.path)
        tab = None if self._moved else next(found, None)
        self._wanted = None if tab else place
        if tab is None:
            self.app.hold_keys(lambda: self._moved)
        else:
            self.active = tab
            self._editors[tab].go_to(*place[1:])

    def edit(self) -> None:
        """Type where the cursor is; what is typed before the files are read is for them."""
        self.app.hold_keys(lambda: self._moved)
        self._typing_there = self._moved and self._wanted is not None
        if not self._typing_there:  # else its tab is not known yet: another that is focused would come back to the front
            self.active = self._source
            self.screen.set_focus(self._editors[self.active])

    def fix(self, fix: Fix) -> bool:
        """Apply a fix to unsaved text, where it can be undone; False when that file has none.

        Raises ValueError when the text is no longer what the fix was made for.
        """
        from hooktui.edit import apply_fixes

        editor = next((editor for editor in self.modified if editor.file.path == fix.path), None)
        if editor is not None and fix.kind == "unix":
            raise ValueError(hint("Save ({save}) or undo your edits first: the editor shows no line ends."))
        if editor is None or fix.kind != "replace":
            return False
        editor.become(documents.line_feeds(apply_fixes.spliced(documents.with_endings(editor.file, editor.text), fix)))
        return True

    def look_again(self) -> None:
        """Read the files anew: the hook is no longer where it was."""
        self._read()

    @work(thread=True, exclusive=True, exit_on_error=False, group="read", description="Reading the hook's files")
    def _read(self) -> None:
        assert self.hook is not None
        gone = frozenset(editor.file.path for editor in self.editors if documents.is_gone(editor.file.path))
        self.post_message(self._Read(self.hook, documents.read_hook(self.hook), gone))

    @on(_Read)
    async def _show_documents(self, event: _Read) -> None:
        event.stop()
        if self.hook is None or event.hook.id != self.hook.id:
            return
        typing = self._typing_there or self.screen.focused in self._editors.values()
        if self.modified:
            self._keep_gone(event.gone)
            self._refresh_unmodified(event.documents)
        else:
            await self._open_all(event.documents)
        if self._moved:
            self._moved = False
            self._editors[FIRST].go_to(event.hook.line)
        self._check()
        if self._wanted is not None:
            self.go_to(self._wanted)
        if typing:
            self.edit()

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        editor = event.text_area
        if not isinstance(editor, Editor):
            return
        event.stop()
        self.post_message(self.Edited())
        self._check_soon()

    def _check_soon(self) -> None:
        if self._checking is not None:
            self._checking.stop()
        self._checking = self.set_timer(_CHECK_DELAY, self._check)

    @on(UnsavedTabs.Saved)
    def _check(self) -> None:
        editor = self.own
        if self.hook is None or self._catalog is None or editor is None or editor.file.problem:
            self._label_tabs()
            return
        if self._checker is not None and not self._checker.is_finished:
            self._check_soon()  # one at a time
        else:
            self._checker = self._look_at(self.hook, self._catalog, editor.text, self.typed)

    @work(thread=True, exit_on_error=False, group="check", description="Checking the text")
    def _look_at(self, hook: Hook, catalog: Catalog, text: str, typed: Mapping[str, bytes]) -> None:
        from hooktui.catalog import catalog as catalogs

        found = catalogs.edited(catalog, typed) if typed else catalog
        self.post_message(self.Checked(hook, text, typed, form_edit.form(hook, text, found)))

    @on(Checked)
    def _tell(self) -> None:
        self._label_tabs()

    @property
    def own(self) -> Editor | None:
        """The editor of the hook's own file, once it has been read."""
        return None if self._moved or self.hook is None else self._editors[FIRST]

    def fill(self, field: FormField, value: object) -> None:
        """Put another value into a field of the hook's form. Raises ValueError, with a sentence, when it cannot stand there."""
        editor = self.own
        if editor is not None and self.hook is not None:
            editor.become(form_edit.fill(self.hook, editor.text, field, value, editor.file.text))

    def undo(self, *, again: bool) -> None:
        """Undo the last change of the hook's own file, or do it again."""
        if self.own is not None:
            self.own.action_redo() if again else self.own.action_undo()
