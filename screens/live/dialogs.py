"""The Live screen's dialogs: choose its columns, choose what to copy of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.log.export import exporters
from hooktui.screens.services.shell import shell
from hooktui.screens.widgets.cells import fit
from hooktui.screens.widgets.decision_list import CHOICES, KINDS
from hooktui.screens.widgets.footer import KeyedButton
from hooktui.screens.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from textual.app import ComposeResult

    from hooktui.core.report import LoggedReport, RunReport
    from hooktui.log.export.exporters import ClipboardItem
    from hooktui.screens.widgets.decision_list import DecisionList

_TITLE_WIDTH = max(map(len, CHOICES))
_LABEL_WIDTH = 22  # columns
_PREVIEW = 400  # characters


class ColumnsDialog(ModalScreen["list[str] | None"]):
    """Returns the chosen columns; an empty list for the defaults, None for no change."""

    BINDINGS = [
        Binding("escape,q", "dismiss(None)", "Back"),
        Binding("enter", "apply", "Apply", priority=True),
        Binding("space", "show_or_hide", "Show or hide"),
        Binding("backspace", "dismiss([])", "Defaults"),
    ]

    def __init__(self, shown: Collection[str]) -> None:
        super().__init__()
        self._shown = set(shown)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = "Columns"
            yield RowList(*map(self._prompt, CHOICES))
            yield Static("Columns that do not fit are left out.", classes="hint", markup=False)
            with Horizontal(classes="buttons"):
                yield KeyedButton("space", "Show or hide", "screen.show_or_hide")
                yield KeyedButton("enter", "Apply", "screen.apply")
                yield KeyedButton("⌫", "Defaults", "screen.dismiss([])")
                yield KeyedButton("esc", "Back", "screen.dismiss(None)")

    def action_apply(self) -> None:
        self.dismiss([name for name in CHOICES if name in self._shown] or None)

    @on(OptionList.OptionSelected)
    def action_show_or_hide(self) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            name = CHOICES[options.highlighted]
            self._shown ^= {name}
            options.replace_option_prompt_at_index(options.highlighted, self._prompt(name))

    def _prompt(self, name: str) -> Content:
        sign = ("✔ ", "$success") if name in self._shown else ("· ", "$secondary")
        return Content.assemble(sign, f"{KINDS[name].title or name:<{_TITLE_WIDTH}}  ", (KINDS[name].meaning, "$secondary"))


class CopyTextDialog(ModalScreen[str | None]):
    """Returns the text to copy, None for nothing."""

    BINDINGS = [Binding("escape,q", "dismiss(None)", "Back")]

    def __init__(self, items: Sequence[ClipboardItem]) -> None:
        super().__init__()
        self._items = items

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = "Copy"
            yield RowList(*map(_prompt, self._items))
            with Horizontal(classes="buttons"):
                yield KeyedButton("enter", "Copy", "focused.select")
                yield KeyedButton("esc", "Back", "screen.dismiss(None)")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._items[event.option_index].text)


def _prompt(item: ClipboardItem) -> Content:
    label = (fit(one_line(item.label), _LABEL_WIDTH), "$accent")
    return Content.assemble(label, "  ", one_line(short(" ".join(item.text[:_PREVIEW].split()))))


async def choose_columns(decisions: DecisionList) -> None:
    """Let the user choose the columns of the list."""
    chosen = await decisions.app.push_screen_wait(ColumnsDialog(decisions.wanted_columns))
    if chosen is not None:
        await decisions.choose(chosen)


async def copy_some(decisions: DecisionList, report: LoggedReport, hook: RunReport | None) -> None:
    """Let the user choose what to copy of a decision, or of those that are marked."""
    if decisions.reader is None:
        return
    marked = await decisions.reader.reports(decisions.marks.ids[-exporters.MOST :])
    text = await decisions.app.push_screen_wait(CopyTextDialog(exporters.items(report, hook, marked)))
    if text is not None:
        shell(decisions).copy(text)
