"""What the Live and Sessions screens have in common: a dispatch below the list, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.screen import Screen

from hooktui.log import subject
from hooktui.screens.failures import tell_failure
from hooktui.screens.widgets.dispatch_detail import DispatchDetail
from hooktui.screens.widgets.empty import Empty

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar

    from textual import getters
    from textual.binding import BindingType

    from hooktui.app import HooktuiApp


class DispatchScreen(Screen[None]):
    """A screen with one `DispatchDetail`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("w", "why_not", "Why not"),
        Binding("o", "hook", "Open hook"),
        Binding("r", "again", "Try again"),
        Binding("y", "copy", "Copy the command, or the id", show=False),
        Binding("left_square_bracket", "tab(-1)", "Previous tab", key_display="[", show=False),
        Binding("right_square_bracket", "tab(1)", "Next tab", key_display="]", show=False),
    ]
    if TYPE_CHECKING:
        app = getters.app(HooktuiApp)

    on_worker_state_changed = tell_failure

    @property
    def detail(self) -> DispatchDetail:
        """The dispatch that is looked at."""
        return self.query_one(DispatchDetail)

    def explain_trouble(self) -> bool:
        """Say what is wrong with a log that cannot be opened; whether something is."""
        trouble = self.app.log_fault if self.app.reader is None else ""
        if trouble:
            self.query_one("#nothing", Empty).tell(
                trouble, [("hooktui doctor", "in a shell: what is wrong with this installation")]
            )
        return bool(trouble)

    def action_why_not(self) -> None:
        """Show the hooks that did not run."""
        self.detail.turn_to("why-not")

    def action_tab(self, tabs: int) -> None:
        """Another tab of the detail."""
        self.detail.turn(tabs)

    def action_hook(self) -> None:
        """Open the hook under the cursor of the detail, at its line."""
        run = self.detail.hook
        if run is None:
            self.notify("There is no hook here.", severity="warning")
        else:
            self.app.open_hook(run["id"], run["line"])

    def action_again(self) -> None:
        """Try this event again."""
        if self.detail.report is not None:
            self.app.try_event(self.detail.report)

    def action_copy(self) -> None:
        """The tool's command or file if it has one, else the id."""
        if self.detail.report is not None:
            self.app.copy(_worth_copying(self.detail.report))


def _worth_copying(report: Mapping[str, Any]) -> str:
    return (subject.of_payload(report["payload"]) if report["tool_name"] else "") or str(report["id"])
