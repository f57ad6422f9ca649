"""The files of one hook in tabs: read in the background, edited, and checked while the user types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.widgets import TabbedContent, TextArea
from textual.widgets.tabbed_content import ContentTab

from hooktui.edit import hook_documents
from hooktui.edit.document import Document
from hooktui.screens.hooks.file_saving import EditorSet, FileSaving
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.lines import FilePlace
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.signed_tabs import SignedTabs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.timer import Timer
    from textual.worker import Worker

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Fix, Hook
    from hooktui.edit.document import Form, FormField
    from hooktui.edit.hook_documents import TextFile

_CHECK_DELAY_S = 0.01  # without a keystroke before the text is checked


class SourceTabs(SignedTabs):
    """The files of the hook that is shown, as saved or as edited."""

    on_worker_state_changed = notify_failure

    class Edited(Message):
        """A text has become different from its file, or the same again."""

    class Saved(Message):
        """A file was written."""

    class Labelled(Message):
        """The tabs now show which files are unsaved, a moment after a key."""

    @dataclass
    class Checked(Message):
        """The hook's own file as edited: its form, with the problems of all `typed` text (contents by path)."""

        hook: Hook
        document: Document
        typed: Mapping[str, bytes]
        form: Form

    @dataclass
    class _Read(Message):
        """A hook's files have been read; `gone` are the paths of open files that no longer exist."""

        hook: Hook
        files: tuple[TextFile, ...]
        gone: frozenset[str]

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self.hook: Hook | None = None
        self._catalog: Catalog | None = None
        self.editors = EditorSet(self)
        self.saving = FileSaving(self, self.editors, lambda: self.post_message(self.Saved()))
        self._stale = False  # whether the editors still show another hook
        self._target: FilePlace | None = None  # where to put the cursor once the files are read
        self._edits_target = False  # whether the user edits there at once
        self._check_timer: Timer | None = None
        self._checker: Worker[None] | None = None

    @property
    def own(self) -> Editor | None:
        """The editor of the hook's own file, once it has been read."""
        return None if self._stale or self.hook is None else self.editors.first

    @property
    def document(self) -> Document | None:
        """The hook's own file as edited, once it has been read."""
        return Document.of(self.hook, self.own.text) if self.own is not None and self.hook is not None else None

    @property
    def place(self) -> FilePlace | None:
        editor = self.editors.current
        if self.hook is None or self._stale or not editor.file.path:
            return FilePlace(self.hook.file, self.hook.line) if self.hook is not None else None
        return FilePlace(editor.file.path, editor.cursor_location[0] + 1)

    @on(TabbedContent.TabActivated)
    def _remember_tab(self) -> None:
        self.editors.remember_tab()

    def offer(self, tab: str, *, shown: bool) -> None:
        """Show or hide a tab; while the app closes there may be none any more."""
        if self.query(ContentTab):
            self.show_tab(tab) if shown else self.hide_tab(tab)

    def show_hook(self, hook: Hook, catalog: Catalog) -> None:
        """Show the files of a hook, or of the same hook as it is now. Typing is blocked until they are read."""
        if self.hook is None or self.hook.id != hook.id:
            self._stale = True
            for editor in self.editors.in_use:
                editor.wait()
        self.hook, self._catalog = hook, catalog
        self.saving.take(hook, catalog.project)
        self.read_again()

    def go_to(self, place: FilePlace) -> None:
        """Put the cursor on a place in one of the files, once they are read."""
        tab = None if self._stale else self.editors.tab_of(place.path)
        self._target = None if tab else place
        if tab is None:
            app_context(self).type_ahead.hold(lambda: self._stale)
        else:
            self.active = tab
            self.editors.by_tab[tab].go_to(*place[1:])

    def edit(self) -> None:
        """Focus the current file; keys typed before it is read go to it."""
        app_context(self).type_ahead.hold(lambda: self._stale)
        self._edits_target = self._stale and self._target is not None
        if not self._edits_target:  # the target's tab is not known yet, and focusing another would bring that to the front
            self.active = self.editors.current_tab
            self.screen.set_focus(self.editors.current)

    def save(self) -> None:
        self.run_worker(self.saving.save_all(), group="save", description="Saving", exclusive=True, exit_on_error=False)

    def fix(self, fix: Fix) -> bool:
        """Apply a fix to unsaved text, so that undo reverts it; False if its file has none.

        Raises ValueError if the text is no longer what the fix was made for.
        """
        from hooktui.edit import apply_fixes

        editor = next((editor for editor in self.editors.modified if editor.file.path == fix.path), None)
        if editor is not None and fix.kind == "unix":
            raise ValueError(hint("Save ({save}) or undo your edits first: line endings cannot be fixed in unsaved text."))
        if editor is None or fix.kind != "replace":
            return False
        editor.become(
            hook_documents.line_feeds(apply_fixes.spliced(hook_documents.with_endings(editor.file, editor.text), fix))
        )
        return True

    def fill(self, field: FormField, value: object) -> None:
        """Put a value into a field of the hook's form. Raises ValueError, with a sentence, if the field cannot have it."""
        if self.own is not None and self.document is not None:
            self.own.become(self.document.fill(field, value, self.own.file.text).text)

    def undo(self, *, again: bool) -> None:
        """Undo the last edit of the hook's own file, or redo it."""
        if self.own is not None:
            self.own.action_redo() if again else self.own.action_undo()

    @work(thread=True, exclusive=True, exit_on_error=False, group="read", description="Reading the hook's files")
    def read_again(self) -> None:
        assert self.hook is not None
        gone = frozenset(editor.file.path for editor in self.editors.in_use if hook_documents.is_gone(editor.file.path))
        self.post_message(self._Read(self.hook, hook_documents.read_hook(self.hook), gone))

    @on(_Read)
    async def _show_files(self, event: _Read) -> None:
        event.stop()
        if self.hook is None or event.hook.id != self.hook.id:
            return
        typing = self._edits_target or self.screen.focused in self.editors.by_tab.values()
        tab = self.active
        if self.editors.modified:
            self.saving.keep_gone(event.gone)
            self.post_message(self.Edited())
            self.saving.refresh_unmodified(event.files)
        else:
            await self.editors.open(event.files)
            self._label()
        if self._stale:
            self._stale = False
            self.editors.first.go_to(event.hook.line)
        self._check()
        if self._target is not None:
            self.go_to(self._target)
        has_left = self.active not in (tab, *self.editors.by_tab)  # to try the hook, say, while the files were opened
        if typing and not has_left:
            self.edit()

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        if isinstance(event.text_area, Editor):
            event.stop()
            self.post_message(self.Edited())
            self._check_soon()

    def _check_soon(self) -> None:
        if self._check_timer is not None:
            self._check_timer.stop()
        self._check_timer = self.set_timer(_CHECK_DELAY_S, self._check)

    @on(Saved)
    def _check(self) -> None:
        document = self.document
        if self.hook is None or self._catalog is None or document is None or self.editors.first.file.problem:
            self._label()
        elif self._checker is not None and not self._checker.is_finished:
            self._check_soon()  # one at a time
        else:
            self._checker = self._check_document(self.hook, self._catalog, document, self.editors.typed)

    @work(thread=True, exit_on_error=False, group="check", description="Checking the text")
    def _check_document(self, hook: Hook, catalog: Catalog, document: Document, typed: Mapping[str, bytes]) -> None:
        from hooktui.catalog import catalog as catalogs

        edited = catalogs.edited(catalog, typed) if typed else catalog
        self.post_message(self.Checked(hook, document, typed, document.form(hook, edited)))

    @on(Checked)
    def _label(self) -> None:
        """Label the tabs together with everything else that is new: each label lays the screen out again."""
        self.post_message(self.Labelled())
        self.editors.label()
