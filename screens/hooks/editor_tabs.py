"""A tab for each file of a hook, with an editor in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import TabbedContent, TabPane
from textual.widgets.tabbed_content import ContentTab

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.editor import Editor
from hooktui.screens.widgets.wheel_tabs import WheelTabs
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.core.model import Diagnostic
    from hooktui.security.documents import Document

_NO_FILE = documents.Document("", "")
FIRST = "source-0"  # the tab of the hook's own file


class EditorTabs(WheelTabs):
    """Tabs of files among other tabs, made as they are needed and used again for the next hook."""

    class Labelled(Message):
        """The tabs tell which files are unsaved, a moment after a key."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id)
        self._editors: dict[str, Editor] = {}  # by the id of the tab
        self._last = FIRST  # the tab of the file that was shown last

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
        return {editor.file.path: documents.content(editor.file, editor.text) for editor in self.modified}

    @property
    def _source(self) -> str:
        """The tab of the file that is shown, or was shown last."""
        return self.active if self.active in self._editors else self._last

    @on(TabbedContent.TabActivated)
    def _remember_source(self) -> None:
        self._last = self._source

    def mark(self, problems: Sequence[Diagnostic]) -> None:
        """Mark these problems in the texts they are about."""
        for editor in self.editors:
            editor.mark([problem for problem in problems if problem.file == editor.file.path])

    def drop_edits(self) -> None:
        """Go back to what the files held."""
        for editor in self.modified:
            editor.open(editor.file)

    def undo_typed(self) -> None:
        """Undo the last change of unsaved text: in the file that is shown, or was shown last, if it has any."""
        shown = self._editors[self._source]
        next((editor for editor in (shown, *self.modified) if editor.modified), shown).action_undo()

    async def _open_all(self, documents: Sequence[Document]) -> None:
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
