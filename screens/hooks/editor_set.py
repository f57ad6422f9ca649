"""One editor for each file of a hook, each in a tab of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import TabPane
from textual.widgets.tabbed_content import ContentTab

from hooktui.core.text_sanitizer import one_line
from hooktui.edit import text_files
from hooktui.screens.widgets.editor import Editor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.widgets import TabbedContent

    from hooktui.core.model import Diagnostic
    from hooktui.edit.text_files import Document

_NO_FILE = text_files.Document("", "")
FIRST = "source-0"  # the tab of the hook's own file
_NEXT_PANE = "match-tab"  # stands after the last file


class EditorSet:
    """The editors in a `TabbedContent`, created as needed and reused for the next hook."""

    def __init__(self, tabs: TabbedContent) -> None:
        self._tabs = tabs
        self._last = FIRST  # the tab of the file shown last
        self.by_tab: dict[str, Editor] = {FIRST: Editor(_NO_FILE)}

    @property
    def first(self) -> Editor:
        """The editor of the hook's own file."""
        return self.by_tab[FIRST]

    @property
    def in_use(self) -> list[Editor]:
        """The editors that hold a file."""
        return [editor for editor in self.by_tab.values() if editor.file.path]

    @property
    def modified(self) -> list[Editor]:
        return [editor for editor in self.in_use if editor.modified]

    @property
    def typed(self) -> Mapping[str, bytes]:
        """The contents of the modified files if all were saved, by path."""
        return {editor.file.path: text_files.content(editor.file, editor.text) for editor in self.modified}

    @property
    def current_tab(self) -> str:
        """The tab of the file that is shown, or was shown last."""
        return self._tabs.active if self._tabs.active in self.by_tab else self._last

    def remember_tab(self) -> None:
        """Note which file is shown; call this whenever another tab is activated."""
        self._last = self.current_tab

    @property
    def current(self) -> Editor:
        """The editor of the file that is shown, or was shown last."""
        return self.by_tab[self.current_tab]

    def tab_of(self, path: str) -> str | None:
        """The tab of a file; None if no editor holds it."""
        return next((tab for tab, editor in self.by_tab.items() if editor.file.path == path), None)

    def mark(self, problems: Sequence[Diagnostic]) -> None:
        """Mark these problems, each in its file."""
        for editor in self.in_use:
            editor.mark([problem for problem in problems if problem.file == editor.file.path])

    def discard(self) -> None:
        for editor in self.modified:
            editor.open(editor.file)

    def undo(self) -> None:
        """Undo the last edit of the current file if it is modified, else of another modified one."""
        current = self.current
        next((editor for editor in (current, *self.modified) if editor.modified), current).action_undo()

    async def open(self, files: Sequence[Document]) -> None:
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
        """Mark the tabs of unsaved files. A label that stays the same is left alone: each change costs a layout."""
        for tab, editor in self.by_tab.items():
            label = Content.assemble(one_line(editor.file.name), (" •" if editor.modified else "", "$accent"))
            header = self._header(tab)
            if header is not None and header.label != label:
                header.label = label

    def _header(self, tab: str) -> ContentTab | None:
        """The clickable title of a tab; None while the app is closing."""
        return self._tabs.query_one_optional(f"#{ContentTab.add_prefix(tab)}", ContentTab)
