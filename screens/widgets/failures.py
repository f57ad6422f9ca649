"""What a worker could not do is said, not swallowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.worker import WorkerState

from hooktui.core.text_sanitizer import visible

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget
    from textual.worker import Worker


def tell_failure(self: Widget | App[None], event: Worker.StateChanged) -> None:
    """Notify of a worker that failed; give it to a class as its `on_worker_state_changed`."""
    if event.state is WorkerState.ERROR:
        error = event.worker.error
        self.notify(visible(f"{type(error).__name__}: {error}"), title=event.worker.description, severity="error", markup=False)
