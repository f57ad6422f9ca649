"""Export search results or a session to a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from textual import on, work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, ProgressBar, RadioSet, Static
from textual.worker import get_current_worker

from hooktui.catalog.hook_states import counted
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.export import export_file
from hooktui.log.read.connection import LogError
from hooktui.screens.dialogs.reading_dialog import ChoiceAnswer, ChoiceDialog
from hooktui.screens.widgets.footer import keyed
from hooktui.screens.widgets.notifications import notify_failure
from hooktui.screens.widgets.signed_radio_button import SignedRadioButton

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

_FORMATS: Mapping[str, str] = {
    "html": "HTML page: timeline, charts, search (works offline)",
    "md": "Markdown: summary, denials, one line per event",
    "jsonl": "JSON Lines: full records, as from `hooktui log --json`",
    "csv": "CSV: one line per event, for spreadsheets",
}
_UNSAFE = re.compile(r"[^\w.-]+")
_LONGEST_STEM = 60


class ExportRequest(NamedTuple):
    """What to export, its title, and a stem for the file name."""

    query: Query
    title: str
    stem: str

    @property
    def file(self) -> str:
        """The file name without its extension."""
        return f"hooktui-{_UNSAFE.sub('-', self.stem)[:_LONGEST_STEM].strip('-.') or 'log'}"


class _CancelledError(Exception):
    """The user cancelled."""


class ExportDialog(ModalScreen[None]):
    """Asks for a format and a file, writes it with progress, and closes."""

    BINDING_GROUP_TITLE = "Export"
    BINDINGS = [
        Binding("enter,ctrl+s", "export", "Export", tooltip="Write the file", priority=True),
        Binding("escape", "leave", "Cancel or go back", priority=True),
    ]
    on_worker_state_changed = notify_failure

    def __init__(self, request: ExportRequest, log: DecisionLog) -> None:
        super().__init__()
        self._request = request
        self._log = log
        self._writing = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = Content(f"Export {one_line(self._request.title)}")
            with RadioSet(id="format", compact=True):
                for name, label in _FORMATS.items():
                    yield SignedRadioButton(label, value=name == "html", id=name)
            with Horizontal(classes="row"):
                yield Label("File")
                yield Input(self._file("html"), compact=True, id="file")
            yield ProgressBar(show_eta=False)
            yield Static(id="state", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(keyed("enter", "Export"), id="export", compact=True)
                yield Button(keyed("esc", "Back"), id="back", compact=True)

    def _file(self, name: str) -> str:
        return paths.short(paths.join(paths.working_directory(), f"{self._request.file}.{name}"))

    @property
    def _format(self) -> str:
        pressed = self.query_one(RadioSet).pressed_button
        return str(pressed.id) if pressed is not None else "html"

    @on(RadioSet.Changed)
    def _rename(self) -> None:
        """Give the file the extension of the format."""
        field = self.query_one("#file", Input)
        field.value = f"{paths.stem(field.value)}.{self._format}"

    def action_export(self) -> None:
        """Export in the format under the cursor; a focused button does what it says."""
        if isinstance(self.focused, Button):
            self.focused.press()
            return
        if isinstance(self.focused, RadioSet):
            self.focused.action_toggle_button()
        self.call_after_refresh(self._begin)

    @on(Button.Pressed, "#export")
    def _begin(self) -> None:
        typed = self.query_one("#file", Input).value.strip()
        if typed and not self._writing:
            self._writing = True
            self._tell("Reading events…")
            self._write(self._format, typed)

    @work(thread=True, exclusive=True, exit_on_error=False, group="export", description="Exporting")
    def _write(self, name: str, path: str, *, replace: bool = False) -> None:
        worker, app = get_current_worker(), self.app

        def report(done: int, total: int) -> None:
            if worker.is_cancelled:
                raise _CancelledError
            app.call_from_thread(self._progress, done, total)

        try:
            written = export_file.to_file(self._log, self._request.query, name, path, report, replace=replace)
        except FileExistsError:
            app.call_from_thread(self._ask, name, path)
        except _CancelledError:
            return  # `action_leave` reports it
        except LogError as error:
            app.call_from_thread(self._end, f"✕ {error}", "$error")
        except OSError as error:
            text = f"✕ Cannot write {path}: {error.strerror or error}"
            app.call_from_thread(self._end, text, "$error")
        else:
            text = f"{paths.short(written.path)}: {counted(written.events, 'event')}, {_size(written.size)}"
            app.call_from_thread(self._close, text)

    @work(exclusive=True, exit_on_error=False, group="ask", description="Exporting")
    async def _ask(self, name: str, path: str) -> None:
        question = ChoiceDialog("Export", f"{path} already exists.", [ChoiceAnswer("r", "replace", "Replace")])
        if await self.app.push_screen_wait(question):
            self._write(name, path, replace=True)
        else:
            self._end("Kept the existing file.", "$foreground")

    def _progress(self, done: int, total: int) -> None:
        if not self._writing:
            return  # cancelled while this report was under way
        bar = self.query_one(ProgressBar)
        bar.display = True
        bar.update(total=max(total, 1), progress=done)
        self._tell(f"{done:,} of {counted(total, 'event')} · esc cancel")

    def _end(self, text: str, colour: str) -> None:
        if not self.is_mounted:
            return  # the dialog was closed at the last moment
        self._writing = False
        self.query_one(ProgressBar).display = False
        self._tell(text, colour)

    def _close(self, text: str) -> None:
        if self.is_mounted:
            self.dismiss()
        self.app.notify(visible(text), title="Exported", markup=False)

    def _tell(self, text: str, colour: str = "$foreground") -> None:
        self.query_one("#state", Static).update(Content.styled(visible(text), colour))

    @on(Button.Pressed, "#back")
    def action_leave(self) -> None:
        if self._writing:
            self.workers.cancel_group(self, "export")
            self._end("Cancelled. No file was written.", "$foreground")
        else:
            self.dismiss()


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(size // 1000, 1):,} KB"
