"""The hosts: one module per agent program, with its `HOST`.

Every module in this folder is a host; no other list names them.
"""

from __future__ import annotations

import os
import sys

from hooktui.core import events
from hooktui.core.model import Event, Hook, JsonEntry
from hooktui.core.settings import host_names
from hooktui.hosts.base import Host
from hooktui.hosts.shared.answers import BLOCKED, HostAnswer
from hooktui.hosts.shared.interpretation import Ended, RunResult
from hooktui.hosts.shared.payloads import UnreadableEventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from hooktui.core.model import Dispatch

__all__ = [
    "BLOCKED",
    "DEFAULT",
    "IN_PROCESS",
    "Host",
    "HostAnswer",
    "UnreadableEventError",
    "answer",
    "caller",
    "detect",
    "interpret",
    "json_spec",
    "json_specs",
    "judge",
    "keeps_hooks_in",
    "names",
    "read",
    "readers",
    "spec",
    "specs",
    "titles",
]

DEFAULT = "agenthooks"  # the host and format of `run` without options (contract.md)
_JSON = "json_hooks"
_SHARED_SIGN = 20  # other hosts may send the fields of signs from this number on


class _InProcess(Host):
    """A Python agent that registers functions as hooks (formats.md §5): it has no files, `hooktui.stack` runs its hooks."""

    name = "python"
    title = "Python"
    rank = 99
    style = "in-process"
    events = events.in_style("in-process")


IN_PROCESS = _InProcess()
_specs: dict[str, Host] = {IN_PROCESS.name: IN_PROCESS}
_all: list[Host] = []
_directories: set[str] = set()


def spec(name: str) -> Host:
    """A host by its name. Raises KeyError for an unknown one."""
    if name not in _specs:
        if name not in host_names():
            raise KeyError(name)
        module = f"{__name__}.{name}"
        __import__(module)
        _specs[name] = sys.modules[module].HOST
    return _specs[name]


def specs() -> tuple[Host, ...]:
    """All hosts, by rank."""
    if not _all:
        _all[:] = sorted(map(spec, host_names()), key=lambda host: host.rank)  # the app's threads may ask at the same time
    return tuple(_all)


def names() -> tuple[str, ...]:
    """The names of all hosts, by rank."""
    return tuple(host.name for host in specs())


def titles(names: Collection[str]) -> str:
    """The titles of hosts, by rank, as a sentence lists them."""
    *others, last = [host.title for host in specs() if host.name in names]
    return f"{', '.join(others)} and {last}" if others else last


def json_specs() -> tuple[Host, ...]:
    """The hosts whose hooks are entries of JSON files, by rank."""
    return tuple(host for host in specs() if host.format == _JSON)


def json_spec(name: str) -> Host | None:
    """A host whose hooks are entries of JSON files; None for any other."""
    host = spec(name)
    return host if host.format == _JSON else None


def readers(name: str) -> tuple[Host, ...]:
    """The hosts that read the files of a host: its own first, then by rank."""
    return (spec(name), *(host for host in specs() if any(reads.host == name for reads in host.reads)))


def keeps_hooks_in(path: str) -> bool:
    """Whether a path is in a directory where a host keeps its hooks, of a project or of the user."""
    if not _directories:
        given = (
            path for host in specs() for path in (*(files.path for files in host.files), *host.traces, *host.unread_files())
        )
        _directories.update(_directory(path.removeprefix("~/")) for path in given if path.startswith((".", "~/.")))
    return any(f"/{directory}/" in path for directory in _directories)


def _directory(path: str) -> str:
    """The first directory of a path, or all of it where programs of all kinds share the first."""
    first = path.partition("/")[0]
    return path if first in (".config", ".local") else first


def read(name: str, payload: dict[str, Any], event: str | None, now: str) -> Event:
    """Read the event in a host's payload. `event` is the name given on the command line.

    `now` is the timestamp if the payload has none. Raises UnreadableEventError.
    """
    return spec(name).read_payload(payload, event, now)


def answer(name: str, dispatch: Dispatch) -> HostAnswer:
    """Write the answer of `hooktui run` for a host."""
    return spec(name).answer(dispatch)


def judge(name: str, hook: Hook, event: Event, ended: Ended) -> RunResult:
    """What a host makes of a hook that has ended. Never raises."""
    return spec(name).interpret(hook, event, ended)


def interpret(name: str, event: str, exit_code: int, stdout: str = "", stderr: str = "", *, label: str = "") -> RunResult:
    """What a host would make of a command that answers so on an event (as written there). Never raises."""
    canonical = events.canonical(event) or event
    hook = Hook(
        id="",
        name=label,
        event=canonical,
        event_as_written=event,
        format=name,
        scope="project",
        file="",
        line=1,
        source=JsonEntry(),
    )
    asked = Event(
        name=canonical, as_written=event, known=True, host=name, session_id="", work_dir="", timestamp="", tool_input={}
    )
    printed, reported = (text.encode(errors="replace") for text in (stdout, stderr))
    return judge(name, hook, asked, Ended(exit_code=exit_code, stdout=printed, stderr=reported))


def caller(name: str, payload: Mapping[str, Any]) -> str:
    """The host that calls the connection of a host: another one if that sets its variable and sends its payload."""
    callers = spec(name).other_callers.items()
    return next((caller for variable, (caller, field) in callers if field in payload and variable in os.environ), name)


def detect(payload: dict[str, Any], likely: str = "") -> str:
    """Detect the host that sent a payload by its fields; DEFAULT if no host's signs match.

    `likely` is the host of a payload whose fields several hosts send.
    """
    if any(all(field in payload for field in fields) for _, fields in spec(DEFAULT).signs):
        return DEFAULT  # without loading the others
    name = payload.get("hook_event_name")
    firing = [host.name for host in specs() if name in host.events and name not in events.WITHOUT_TWIN]
    if len(firing) == 1:
        return firing[0]  # an event that only one host has
    signs = sorted((number, fields, host.name) for host in specs() for number, fields in host.signs)
    found = ((number, name) for number, fields, name in signs if all(field in payload for field in fields))
    number, sender = next(found, (_SHARED_SIGN, DEFAULT))
    return likely if likely and number >= _SHARED_SIGN else sender
