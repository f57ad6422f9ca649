"""Report a worker that failed. Assign one of these to a class as its `on_worker_state_changed`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.worker import WorkerState

from hooktui.core.text_sanitizer import visible
from hooktui.log.read.connection import LogError
from hooktui.screens.services.shell import shell

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen
    from textual.widget import Widget
    from textual.worker import Worker


def notify_failure(self: Widget | App[None], event: Worker.StateChanged) -> None:
    """Show the error of a failed worker."""
    if event.state is WorkerState.ERROR:
        error = event.worker.error
        self.notify(visible(f"{type(error).__name__}: {error}"), title=event.worker.description, severity="error", markup=False)


def notify_log_failure(self: Screen[None], event: Worker.StateChanged) -> None:
    """Show the error of a failed worker; an unreadable log becomes the state of the whole app."""
    if isinstance(event.worker.error, LogError):
        shell(self).log_monitor.fail(event.worker.error)
    else:
        notify_failure(self, event)
