"""The answer of `hooktui run` when it cannot handle an event: a denial if a guard might have denied it (contract.md).

Imported only then. Whatever cannot be found out counts as a reason to deny: a guard must not be switched off by an event that
nobody can read, or by a machine that has run out of something.
"""

from __future__ import annotations

import os
import sys

from hooktui import hosts
from hooktui.core import events, fast_json, paths
from hooktui.core import project as projects
from hooktui.core.records import Record
from hooktui.core.settings import Settings
from hooktui.runner import pipeline, skip_notices, trust
from hooktui.runner.gate import Gate
from hooktui.runner.journal.recorder import SpoolRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Dispatch, Event
    from hooktui.hosts import HostAnswer
    from hooktui.runner.hook_files import Files

UNREADABLE = "unreadable"  # the name of an event that nobody can tell


class Unhandled(Record):
    """An event that was not handled. `dispatch` is recorded; `warning` is about the log."""

    dispatch: Dispatch
    warning: str | None


def unreadable(event: Event, directory: str, formats: Sequence[str], problem: str, files: Files) -> Unhandled | None:
    """Deny an event that cannot be read. None, with nothing recorded, if no guard listens to any event."""
    settings, is_guarded = _guard(files, None, event.host, directory, formats)
    if not is_guarded:
        return None
    message = f"hooktui: event denied: {problem}"
    return _recorded(settings, pipeline.unhandled(event, projects.root(directory), message, denied=True))


def internal(event: Event, directory: str, formats: Sequence[str], problem: Exception, files: Files) -> Unhandled:
    """Record an event that was not handled because of a fault of hooktui; denied if a guard listens to it."""
    name = None if event.name == UNREADABLE else event.name
    settings, is_guarded = _guard(files, name, event.host, directory, formats)
    project = projects.root(directory)
    denied = is_guarded and not _gate_may_end(event, project, settings)
    message = f"hooktui: event {'denied' if denied else 'not handled'}: {_sentence(problem)}"
    return _recorded(settings, pipeline.unhandled(event, project, message, denied=denied))


def answer(dispatch: Dispatch) -> HostAnswer:
    """The host's answer for a denied event; like that for a tool call if the event is unknown or the host cannot deny it."""
    event = dispatch.event
    if not hosts.spec(event.host).can_deny(event.name) or event.name == UNREADABLE:
        dispatch = dispatch.replace(event=event.replace(name="pre-tool-call"))
    return hosts.answer(event.host, dispatch)


def message_to_person(dispatch: Dispatch) -> HostAnswer:
    """The answer that shows the user why an event was not handled, once per session, where the host can show it.

    Its standard error stays that of the command, which some hosts show at exit 2.
    """
    event, host = dispatch.event, hosts.spec(dispatch.event.host)
    is_message, is_shown = host.notices == "systemMessage", host.shows_exit_2(event.as_written)
    if not (is_message or is_shown) or not skip_notices.is_first(event, "fault"):
        return host.answer(dispatch.replace(decision="none", reason=None))
    message = fast_json.dumps({"systemMessage": dispatch.reason}) + "\n" if is_message else ""
    return hosts.HostAnswer(exit_code=0 if is_message else hosts.BLOCKED, stdout=message)


def _guard(files: Files, event: str | None, host: str, directory: str, formats: Sequence[str]) -> tuple[Settings, bool]:
    """The settings, and whether a guard listens to an event that can be denied (None: to any). `on_error` may turn that off."""
    settings = Settings()
    try:
        settings = files().settings()
        if settings.on_error == "allow":
            return settings, False
        compiled = pipeline.compiled(files, directory, formats, event)
        return settings, pipeline.is_guarded(files, compiled.hooks, projects.root(directory), host, event)
    except Exception:  # noqa: BLE001  # what is unknown may be a guard
        return settings, bool(formats) or settings.formats != Settings().formats or any(map(_may_exist, _sources()))


def _sources() -> tuple[str, ...]:
    """The files without which there is no guard: managed hooks, the user's, and the approvals of all others."""
    return paths.managed_hooks(), paths.agenthooks_user_root(), trust.store_path()


def _may_exist(path: str) -> bool:
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def _sentence(problem: Exception) -> str:
    if isinstance(problem, ImportError):  # packages were removed from the Python that the launcher starts
        return f"hooktui is incomplete in {paths.short(sys.executable)} ({problem}): install it there again"
    return f"internal error: {type(problem).__name__}: {problem}"


def _gate_may_end(event: Event, project: str, settings: Settings) -> bool:
    """Whether the gate has been denied so often in a row that the agent may stop."""
    if event.name != events.GATE or not settings.gate_limit:
        return False
    return Gate(event, project, settings.redact).denials >= settings.gate_limit


def _recorded(settings: Settings, dispatch: Dispatch) -> Unhandled:
    Gate(dispatch.event, dispatch.project, settings.redact).follow(dispatch)
    warning = SpoolRecorder(paths.log_path(settings.log_path), settings.redact).record(dispatch)
    return Unhandled(dispatch=dispatch, warning=warning)
