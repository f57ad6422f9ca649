"""The keys that work on every screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.binding import BindingType

GLOBAL_BINDINGS: list[BindingType] = [
    Binding("1", "switch_mode('hooks')", "Hooks screen", show=False, id="hooks-screen"),
    Binding("2", "switch_mode('live')", "Live screen", show=False, id="live-screen"),
    Binding("3", "switch_mode('sessions')", "Sessions screen", show=False, id="sessions-screen"),
    Binding("4", "switch_mode('diagnostics')", "Diagnostics screen", show=False, id="diagnostics-screen"),
    Binding("question_mark", "help", "Help", key_display="?", id="help"),
    Binding("f1", "help", "Help", id="help"),  # works in text fields
    Binding("ctrl+p,colon", "command_palette", "Command palette", show=False, id="palette"),
    Binding("ctrl+o", "jump", "Jump", tooltip="Jump to a pane by its letter", show=False, id="jump"),
    Binding("ctrl+d", "demo", "Watch the demo", show=False, id="demo"),
    Binding("ctrl+z,Z", "suspend_process", "Suspend to the shell", show=False, id="suspend"),
    Binding("q,ctrl+q", "quit", "Quit", show=False, id="quit"),
]
