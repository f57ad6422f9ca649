"""What works on every screen: the keys for it, and what they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import SuspendNotSupported
from textual.binding import Binding
from textual.driver import Driver

from hooktui.engine import desktop
from hooktui.screens.textual_patches.focus_highlight import LitPanes
from hooktui.screens.widgets.notices import Notices

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import ClassVar

    from textual.binding import BindingType
    from textual.command import Provider

    from hooktui.screens.keys.help import Entry


def _actions() -> type[Provider]:
    """What the palette offers; imported when it is first opened."""
    from hooktui.screens.keys.help import Actions

    return Actions


class Everywhere(Notices, LitPanes):
    """An app with the keys of all screens, the help, the palette, the jump mode, the demo; and with a person's own keys."""

    COMMANDS = {_actions}  # noqa: RUF012  # Textual's type
    BINDING_GROUP_TITLE = "Everywhere"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "switch_mode('hooks')", "Hooks screen", show=False, id="hooks-screen"),
        Binding("2", "switch_mode('live')", "Live screen", show=False, id="live-screen"),
        Binding("3", "switch_mode('sessions')", "Sessions screen", show=False, id="sessions-screen"),
        Binding("4", "switch_mode('diagnostics')", "Diagnostics screen", show=False, id="diagnostics-screen"),
        Binding("question_mark", "help", "Help", key_display="?", id="help"),
        Binding("f1", "help", "Help", id="help"),  # where one types
        Binding("ctrl+p,colon", "command_palette", "All actions by name", show=False, id="palette"),
        Binding("ctrl+o", "jump", "Jump", tooltip="Jump: a letter on each pane, hit it to go there", show=False, id="jump"),
        Binding("ctrl+d", "demo", "Watch the demo", show=False, id="demo"),
        Binding("ctrl+z,Z", "suspend_process", "Suspend to the shell", show=False, id="suspend"),
        Binding("q,ctrl+q", "quit", "Quit", show=False, id="quit"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.own_keys: Mapping[str, str] = {}  # by the names of actions: what the configuration gives them

    def take_keys(self, wanted: Mapping[str, Sequence[str]]) -> None:
        """Bind a person's own keys, `[keys]` of the configuration."""
        from hooktui.screens.keys.keymap import keymap

        self.own_keys = keymap(wanted)
        self.set_keymap(self.own_keys)

    def action_help(self) -> None:
        """Show every key of the screen, and do what is chosen there."""
        from hooktui.screens.keys.help import HelpScreen

        self.push_screen(HelpScreen(self.screen), self._do)

    @on(Driver.SignalResume)
    def _draw_anew(self) -> None:
        """Back from the shell, which has cleared the screen."""
        self.refresh(layout=True)

    async def _do(self, entry: Entry | None) -> None:
        if entry is not None:
            await self.run_action(entry.action, entry.node)

    def action_jump(self) -> None:
        """Put a letter on each place of the screen, and go where one is hit."""
        from hooktui.screens.keys.jump import JumpScreen

        screen = self.screen
        jump = JumpScreen(screen)
        if jump.has_places:
            self.push_screen(jump, lambda place: screen.set_focus(place) if place else None)
        else:
            self.notify("There is no pane here to go to yet.")

    def action_demo(self) -> None:
        """Leave the terminal to the demo, and be here again when it is left."""
        try:
            with self.suspend():
                desktop.watch_demo()
        except SuspendNotSupported:
            self.notify("Run `hooktui demo` in a shell.", title="No terminal to show the demo in", severity="warning")
