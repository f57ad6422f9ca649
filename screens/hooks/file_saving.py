"""Save the files of a hook without ever losing text: ask when a file changed or vanished meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from textual.content import Content
from textual.widget import Widget
from textual.widgets import TabbedContent, TabPane
from textual.widgets.tabbed_content import ContentTab

from hooktui.core import paths
from hooktui.core.model import Diagnostic, Hook
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit import hook_documents
from hooktui.edit.hook_documents import TextFile
from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ChoiceDialog, ReadingDialog, difference_fields
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.editor import Editor

_LEGEND = Content.assemble(("-", "$error"), " on disk   ", ("+", "$success"), " unsaved here")
_MINE, _THEIRS = ChoiceAnswer("m", "mine", "Keep mine"), ChoiceAnswer("r", "theirs", "Reload")
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
        self._hook, self._project = hook, project

    async def save_all(self) -> None:
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
            document = await asyncio.to_thread(hook_documents.save, *arguments, overwrite=overwrite)
        except hook_documents.ChangedError as changed:
            await self._ask(editor, str(changed))
        except OSError as error:
            retry = hint("Your edits are still here; {save} tries again.")
            message = f"{visible(hook_documents.error_message(error))} {retry}"
            self._widget.notify(message, title="Not saved", severity="error", markup=False)
        else:
            editor.saved(document)
            self._saved()

    async def _ask(self, editor: Editor, trouble: str) -> None:
        """Show how a foreign change differs from the text here, and keep one of the two."""
        theirs = await asyncio.to_thread(hook_documents.read, editor.file.path, editor.file.name)
        self._announced = theirs.stamp
        app = self._widget.app
        app.clear_notifications()  # they would cover the buttons
        introduction = f"{visible(trouble)} since you opened it. Your edits are unsaved.\n"
        dialog = ReadingDialog(
            "Conflicting changes",
            [difference_fields(hook_documents.difference(theirs.text, editor.text))],
            introduction=Content.assemble(introduction, _LEGEND),
            answers=[_MINE] if theirs.problem else [_MINE, _THEIRS],  # a file that is gone cannot be reloaded
            back="Not now",
        )
        answer = await app.push_screen_wait(dialog)
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

    def refresh_unmodified(self, files: Sequence[TextFile]) -> None:
        """Show what changed on disk in the files without unsaved text; announce it for the others."""
        fresh = {document.path: document for document in files}
        for editor in self._editors.in_use:
            document = fresh.get(editor.file.path)
            if document is not None and not editor.modified:
                editor.reopen(document)
            elif document is not None and document.stamp != editor.file.stamp and not document.problem:
                self._announce(document)

    def _announce(self, theirs: TextFile) -> None:
        """Announce a foreign change once, unless a dialog is already asking about it."""
        if theirs.stamp != self._announced and self._widget.app.screen is self._widget.screen:
            compare = hint("Your edits are unsaved; {save} compares both versions.")
            title = f"{theirs.name} changed on disk"
            self._widget.notify(compare, title=title, severity="warning", markup=False)
        self._announced = theirs.stamp


_NO_FILE = hook_documents.TextFile("", "")
FIRST = "source-0"  # the tab of the hook's own file
_NEXT_PANE = "match-tab"  # comes after the last file


class EditorSet:
    """The editors in a `TabbedContent`, created as needed and reused for the next hook."""

    def __init__(self, tabs: TabbedContent) -> None:
        self._tabs = tabs
        self._last = FIRST  # the tab of the file shown last
        self.by_tab: dict[str, Editor] = {FIRST: Editor(_NO_FILE)}

    @property
    def first(self) -> Editor:
        return self.by_tab[FIRST]

    @property
    def in_use(self) -> list[Editor]:
        return [editor for editor in self.by_tab.values() if editor.file.path]

    @property
    def modified(self) -> list[Editor]:
        return [editor for editor in self.in_use if editor.modified]

    @property
    def typed(self) -> Mapping[str, bytes]:
        """The contents of the modified files if all were saved, by path."""
        return {editor.file.path: hook_documents.content(editor.file, editor.text) for editor in self.modified}

    @property
    def current_tab(self) -> str:
        """The tab of the file that is shown, or was shown last."""
        return self._tabs.active if self._tabs.active in self.by_tab else self._last

    def remember_tab(self) -> None:
        """Note which file is shown; call this whenever another tab is activated."""
        self._last = self.current_tab

    @property
    def current(self) -> Editor:
        return self.by_tab[self.current_tab]

    def tab_of(self, path: str) -> str | None:
        """The tab of a file; None if no editor holds it."""
        return next((tab for tab, editor in self.by_tab.items() if editor.file.path == path), None)

    def mark(self, problems: Sequence[Diagnostic]) -> None:
        for editor in self.in_use:
            editor.mark([problem for problem in problems if problem.file == editor.file.path])

    def discard(self) -> None:
        for editor in self.modified:
            editor.open(editor.file)

    def undo(self) -> None:
        """Undo the last edit of the current file if it is modified, else of another modified one."""
        current = self.current
        next((editor for editor in (current, *self.modified) if editor.modified), current).action_undo()

    async def open(self, files: Sequence[TextFile]) -> None:
        """Give each file a tab, and hide the tabs left over."""
        for number in range(len(self.by_tab), len(files)):
            tab, editor = f"source-{number}", Editor(_NO_FILE)
            self.by_tab[tab] = editor
            await self._tabs.add_pane(TabPane("", editor, id=tab), before=_NEXT_PANE)
        for number, (tab, editor) in enumerate(self.by_tab.items()):
            used = number < len(files)
            editor.reopen(files[number] if used else _NO_FILE)
            if tab == self._last and not used:
                self._last = FIRST
            header = self._header(tab)
            if header is not None and header.has_class("-hidden") == used:
                self._tabs.show_tab(tab) if used else self._tabs.hide_tab(tab)

    def label(self) -> None:
        """Name the tabs after their files, and mark the unsaved ones. A label that stays the same is left alone: each change
        costs a layout.
        """
        short = Counter(paths.name(editor.file.name) for editor in self.by_tab.values())
        for tab, editor in self.by_tab.items():
            name = paths.name(editor.file.name)
            shown = name if short[name] == 1 else editor.file.name
            label = Content.assemble(one_line(shown), (" •" if editor.modified else "", "$accent"))
            header = self._header(tab)
            if header is not None and header.label != label:
                header.label = label

    def _header(self, tab: str) -> ContentTab | None:
        """The clickable title of a tab; None while the app is closing."""
        return self._tabs.query_one_optional(f"#{ContentTab.add_prefix(tab)}", ContentTab)
