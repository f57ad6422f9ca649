"""What to do about a problem, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from hooktui.catalog.hook_states import NOT_CONNECTED, SEVERITY_GLYPHS
from hooktui.core.atomic_write import error_message
from hooktui.core.model import Diagnostic
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.screens.keys.hints import hint
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.lines import SEVERITY_COLOURS, from_project

if TYPE_CHECKING:
    from hooktui.core.model import Severity

NEEDS_APPROVAL = ("untrusted", "changed-since-trusted")  # codes of problems that approval solves


def advice(problem: Diagnostic, project: str, before: str = "") -> Content | None:
    """The key that fixes a problem and what it does, else the hint, or None. `before`: keys to press first."""
    if problem.fix:
        return _key(hint(before + "{fix}"), one_line(from_project(problem.fix.label, project)))
    if problem.code in NEEDS_APPROVAL:
        return _key(hint(before + "{approve}"), "review and approve")
    if problem.code == NOT_CONNECTED and problem.hint:
        return _key(hint("{connect}"), "connect" if problem.hook else "connect again")
    return Content.styled(one_line(from_project(problem.hint, project)), "$foreground 70%") if problem.hint else None


def failure(trouble: object, severity: Severity = "error") -> Content:
    """The line that says why a pane cannot show its content, or what is wrong with it."""
    return Content.styled(f"{SEVERITY_GLYPHS[severity]} {one_line(str(trouble))}", SEVERITY_COLOURS[severity])


def refusal(trouble: Exception) -> str:
    """Why a hook cannot be tried, with the keys to approve it if that would help."""
    from hooktui.trials.payload_templates import NotApprovedError

    way = hint(". Press esc, then {approve} to review and approve it.") if isinstance(trouble, NotApprovedError) else ""
    return f"{trouble}{way}"


def notify_refusal(widget: Widget | App[Any], why: str | Exception, *, title: str = "Nothing changed") -> None:
    """Notify why a change was not made."""
    text = why if isinstance(why, str) else error_message(why)
    widget.notify(visible(text), title=title, severity="warning", markup=False)


def _key(key: str, does: str) -> Content:
    return Content.assemble((f"{key} ", "$footer-key-foreground"), (does, "$accent"))


def notify_failure(self: Widget | App[None], event: Worker.StateChanged) -> None:
    """Show the error of a failed worker."""
    if event.state is WorkerState.ERROR:
        error = event.worker.error
        self.notify(visible(f"{type(error).__name__}: {error}"), title=event.worker.description, severity="error", markup=False)


def notify_log_failure(self: Screen[None], event: Worker.StateChanged) -> None:
    """Show the error of a failed worker; an unreadable log becomes the state of the whole app."""
    from hooktui.log.read.connection import LogError

    if isinstance(event.worker.error, LogError):
        app_context(self).log_monitor.fail(event.worker.error)
    else:
        notify_failure(self, event)
