"""Review what fixes would change, file by file, before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from hooktui.catalog.hook_states import counted
from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line
from hooktui.edit import apply_fixes
from hooktui.screens.dialogs.reading_dialog import ReadingDialog, difference_fields
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.keyed_button import keyed

if TYPE_CHECKING:
    from typing import ClassVar, Literal

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from hooktui.edit.apply_fixes import FixPlan


class FixAllDialog(ReadingDialog[bool]):
    """Shows a plan; returns whether to carry it out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f,F", "dismiss(True)", "Fix"),
        Binding("escape,q", "dismiss(False)", "Not now"),
    ]

    def __init__(self, plan: FixPlan, key: Literal["f", "F"] = "F") -> None:
        super().__init__()
        self._plan = plan
        self._key = key

    def compose(self) -> ComposeResult:
        shown = apply_fixes.preview(self._plan)
        with Vertical(classes="dialog large reading") as box:
            box.border_title = f"Fix {counted(len(self._plan.fixed), 'problem')}?"
            yield Static(f"In {counted(len(shown), 'file')}, all or none. {hint('{take-back}')} undoes this.")
            with VerticalScroll(can_focus=False):
                for path, lines in shown.items():
                    yield Static(self._title(path), classes="file-name")
                    yield difference_fields(lines)
            with Horizontal(classes="buttons"):
                yield Button(keyed(self._key, "Fix"), id="fix", compact=True)
                yield Button(keyed("esc", "Not now"), id="back", compact=True)

    def _title(self, path: str) -> Content:
        codes = dict.fromkeys(one.code for one in self._plan.fixed if one.fix and path in (one.fix.path, one.fix.new_path))
        return Content.assemble((one_line(short(path)), "$accent bold"), (f"  {' '.join(codes)}", "not bold $foreground 60%"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "fix")
