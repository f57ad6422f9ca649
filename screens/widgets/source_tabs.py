"""The files of one hook in tabs: read behind the scenes, edited, checked as one types, saved."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on, work
from textual.content import Content
from textual.message import Message
from textual.widgets import TabbedContent, TabPane, TextArea
from textual.widgets.tabbed_content import ContentTab

from hooktui import saving
from hooktui.editing import filling, keeping
from hooktui.plain import one_line, visible
from hooktui.screens.dialogs.choice import Answer, Choice
from hooktui.screens.dialogs.conflict import Conflict
from hooktui.screens.failures import tell_failure
from hooktui.screens.hints import hint
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.places import Place
from hooktui.screens.widgets.wheel_tabs import WheelTabs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import getters
    from textual.timer import Timer
    from textual.worker import Worker

    from hooktui.app import HooktuiApp
    from hooktui.catalog import Catalog
    from hooktui.editing.filling import Form, FormField
    from hooktui.model import Diagnostic, Fix, Hook
    from hooktui.saving import Document

_CHECK_DELAY = 0.01  # seconds without a keystroke before the text is checked
_UNSAVED = (Answer("s", "save", "Save"), Answer("d", "discard", "Discard"))
_NO_FILE = saving.Document("", "")
FIRST = "source-0"  # the tab of the hook's own file


class SourceTabs(WheelTabs):
    """Among other tabs, one for each file of the hook, made as they are needed and used again for the next hook."""

    on_worker_state_changed = tell_failure
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    class Edited(Message):
        """A text differs from its file now, or no longer does."""

    class Labelled(Message):
        """The tabs tell which files are unsaved, a moment after a key."""

    class Saved(Message):
        """A file was written."""

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
        self.hook: Hook | None = None
        self._catalog: Catalog | None = None
        self._moved = False  # whether the hook is another than the editors show
        self._editors: dict[str, Editor] = {}  # by the id of the tab
        self._last = FIRST  # the tab of the file that was shown last
        self._wanted: Place | None = None
        self._typing_there = False  # whether one types at the wanted place
        self._announced = ""  # the stamp of a file that somebody else changed, when that was told
        self._checking: Timer | None = None
        self._checker: Worker[None] | None = None

    def on_mount(self) -> None:
        """The first tab of a file is always there."""
        self._editors[FIRST] = self.query_one(Editor)

    @property
    def editors(self) -> list[Editor]:
        """The editors in use, one a file."""
        return [editor for editor in self._editors.values() if editor.file.path]

    @property
    def modified(self) -> list[Editor]:
        """The editors with unsaved text."""
        return [editor for editor in self.editors if editor.modified]

    @property
    def typed(self) -> Mapping[str, bytes]:
        """What the files would hold if all unsaved text were saved, by path."""
        return {editor.file.path: saving.content(editor.file, editor.text) for editor in self.modified}

    @property
    def place(self) -> Place | None:
        """Where the cursor is: in the file that is shown, or was shown last."""
        editor = self._editors[self._source]
        if self.hook is None or self._moved or not editor.file.path:
            return Place(self.hook.file, self.hook.line) if self.hook is not None else None
        return Place(editor.file.path, editor.cursor_location[0] + 1)

    @property
    def _source(self) -> str:
        """The tab of the file that is shown, or was shown last."""
        return self.active if self.active in self._editors else self._last

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

    @on(TabbedContent.TabActivated)
    def _remember_source(self) -> None:
        self._last = self._source

    def fix(self, fix: Fix) -> bool:
        """Apply a fix to unsaved text, where it can be undone; False when that file has none.

        Raises ValueError when the text is no longer what the fix was made for.
        """
        from hooktui.diagnostics import fixes

        editor = next((editor for editor in self.modified if editor.file.path == fix.path), None)
        if editor is not None and fix.kind == "unix":
            raise ValueError(hint("Save ({save}) or undo your edits first: the editor shows no line ends."))
        if editor is None or fix.kind != "replace":
            return False
        editor.become(saving.line_feeds(fixes.spliced(saving.with_endings(editor.file, editor.text), fix)))
        return True

    def mark(self, problems: tuple[Diagnostic, ...]) -> None:
        """Mark these problems in the texts they are about."""
        for editor in self.editors:
            editor.mark([problem for problem in problems if problem.file == editor.file.path])

    def drop_edits(self) -> None:
        """Go back to what the files held."""
        for editor in self.modified:
            editor.open(editor.file)

    def look_again(self) -> None:
        """Read the files anew: the hook is no longer where it was."""
        self._read()

    @work(thread=True, exclusive=True, exit_on_error=False, group="read", description="Reading the hook's files")
    def _read(self) -> None:
        assert self.hook is not None
        gone = frozenset(editor.file.path for editor in self.editors if saving.is_gone(editor.file.path))
        self.post_message(self._Read(self.hook, saving.read_hook(self.hook), gone))

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
            await self._show_all(event.documents)
        if self._moved:
            self._moved = False
            self._editors[FIRST].go_to(event.hook.line)
        self._check()
        if self._wanted is not None:
            self.go_to(self._wanted)
        if typing:
            self.edit()

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

    def _refresh_unmodified(self, documents: tuple[Document, ...]) -> None:
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

    async def _show_all(self, documents: tuple[Document, ...]) -> None:
        """Give each file a tab, and hide the tabs that are left over."""
        for number in range(len(self._editors), len(documents)):
            tab, editor = f"source-{number}", Editor(_NO_FILE)
            self._editors[tab] = editor
            await self.add_pane(TabPane("", editor, id=tab), before="match-tab")
        for number, (tab, editor) in enumerate(self._editors.items()):
            used = number < len(documents)
            editor.reopen(documents[number] if used else _NO_FILE)
            if tab == self._last and not used:
                self._last = FIRST
            header = self._header(tab)
            if header is not None and header.has_class("-hidden") == used:
                self.show_tab(tab) if used else self.hide_tab(tab)
        self._label_tabs()

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
        from hooktui import catalog as catalogs

        found = catalogs.edited(catalog, typed) if typed else catalog
        self.post_message(self.Checked(hook, text, typed, filling.form(hook, text, found)))

    @property
    def own(self) -> Editor | None:
        """The editor of the hook's own file, once it has been read."""
        return None if self._moved or self.hook is None else self._editors[FIRST]

    def fill(self, field: FormField, value: object) -> None:
        """Put another value into a field of the hook's form. Raises ValueError, with a sentence, when it cannot stand there."""
        editor = self.own
        if editor is not None and self.hook is not None:
            editor.become(filling.fill(self.hook, editor.text, field, value, editor.file.text))

    def undo(self, *, again: bool) -> None:
        """Undo the last change of the hook's own file, or do it again."""
        if self.own is not None:
            self.own.action_redo() if again else self.own.action_undo()

    def undo_typed(self) -> None:
        """Undo the last change of unsaved text: in the file that is shown, or was shown last, if it has any."""
        shown = self._editors[self._source]
        next((editor for editor in (shown, *self.modified) if editor.modified), shown).action_undo()

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
            document = await asyncio.to_thread(keeping.save, *what, overwrite=overwrite)
        except saving.ChangedError as changed:
            await self._settle(editor, str(changed))
        except OSError as error:
            still = hint("What you typed is still here: {save} tries again.")
            self.notify(f"{visible(saving.refusal(error))} {still}", title="Not saved", severity="error", markup=False)
        else:
            editor.saved(document)
            self._label_tabs()
            self._check()
            self.post_message(self.Saved())

    async def _settle(self, editor: Editor, trouble: str) -> None:
        theirs = await asyncio.to_thread(saving.read, editor.file.path, editor.file.name)
        self._announced = theirs.stamp
        self.app.clear_notifications()  # they would cover the answers
        answer = await self.app.push_screen_wait(Conflict(trouble, theirs, editor.text))
        if answer == "mine":
            for one in (editor, *(other for other in self.modified if other.gone and other is not editor)):
                await self.write(one, overwrite=True)
        elif answer == "theirs":
            editor.take(theirs)
            self.notify(hint("{undo} brings yours back."), title="Reloaded")

    @on(Checked)
    def _label_tabs(self) -> None:
        """Mark the tabs of unsaved files: together with what else is new, for each label lays the screen out anew."""
        self.post_message(self.Labelled())
        for tab, editor in self._editors.items():
            mark = (" •" if editor.modified else "", "$accent")
            label = Content.assemble(one_line(editor.file.name), mark)
            header = self._header(tab)
            if header is not None and header.label != label:
                header.label = label

    def _header(self, tab: str) -> ContentTab | None:
        """What is clicked to show a tab; None while the app is being left."""
        return self.query_one_optional(f"#{ContentTab.add_prefix(tab)}", ContentTab)
