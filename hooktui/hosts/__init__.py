"""The hosts: one module per agent program, with its `SPEC` (a HostSpec), the reader of its payloads and the writer of answers.

Every module in this folder is a host; no other list names them.
"""

from __future__ import annotations

import os
import sys

from hooktui.core import events
from hooktui.core.model import Event, Hook, JsonEntry
from hooktui.core.settings import host_names
from hooktui.hosts.shared.interpretation import Ended, RunResult
from hooktui.hosts.shared.spec import BLOCKED, HostAnswer, HostSpec, UnreadableEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from hooktui.core.model import Dispatch

__all__ = [
    "BLOCKED",
    "DEFAULT",
    "IN_PROCESS",
    "HostAnswer",
    "HostSpec",
    "UnreadableEvent",
    "answer",
    "caller",
    "detect",
    "interpret",
    "json_spec",
    "json_specs",
    "judge",
    "names",
    "read",
    "readers",
    "run_anyway",
    "spec",
    "specs",
    "titles",
]

DEFAULT = "agenthooks"  # the host and format of `run` without options (contract.md)
_JSON = "json_hooks"
# A Python agent that registers functions as hooks (formats.md §5): it has no files, `hooktui.stack` runs its hooks.
IN_PROCESS = HostSpec(name="python", title="Python", rank=99, style="in-process", events=events.in_style("in-process"))
_specs: dict[str, HostSpec] = {IN_PROCESS.name: IN_PROCESS}
_all: list[HostSpec] = []


def spec(name: str) -> HostSpec:
    """The HostSpec of a host. Raises KeyError for an unknown name."""
    if name not in _specs:
        if name not in host_names():
            raise KeyError(name)
        module = f"{__name__}.{name}"
        __import__(module)
        _specs[name] = sys.modules[module].SPEC
    return _specs[name]


def specs() -> tuple[HostSpec, ...]:
    """All hosts, by rank."""
    if not _all:
        _all[:] = sorted(map(spec, host_names()), key=lambda host: host.rank)  # the app's threads may ask at the same time
    return tuple(_all)


def names() -> tuple[str, ...]:
    """The names of all hosts, by rank."""
    return tuple(host.name for host in specs())


def titles(names: Collection[str]) -> str:
    """The titles of hosts, by rank, as a sentence lists them."""
    return _in_sentence([host.title for host in specs() if host.name in names])


def json_specs() -> tuple[HostSpec, ...]:
    """The hosts whose hooks are entries of JSON files, by rank."""
    return tuple(host for host in specs() if host.format == _JSON)


def json_spec(name: str) -> HostSpec | None:
    """The HostSpec of a host whose hooks are entries of JSON files; None for any other."""
    host = spec(name)
    return host if host.format == _JSON else None


def readers(name: str) -> tuple[HostSpec, ...]:
    """The hosts that read the files of a host: its own first, then by rank."""
    return (spec(name), *(host for host in specs() if any(reads.host == name for reads in host.reads)))


def run_anyway(hooks: Iterable[Hook]) -> str:
    """That agent programs run the hooks of their own files, approved here or not; empty without such hooks."""
    owners = sorted(map(spec, {hook.format for hook in hooks} - {DEFAULT, IN_PROCESS.name}), key=lambda host: host.title)
    asking = [f"{host.title} runs those that you trust there" for host in owners if host.own_trust]
    others = [host.title for host in owners if host.own_trust is None]
    if not others:
        return ", ".join(asking)
    verb = "runs its" if len(others) == 1 else "run their"
    return ", ".join([f"{_in_sentence(others)} {verb} own hooks all the same", *asking])


def _in_sentence(words: Sequence[str]) -> str:
    """`A, B and C`."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def read(name: str, payload: dict[str, Any], event: str | None, now: str) -> Event:
    """Read the event in a host's payload. `event` is the name given on the command line.

    `now` is the timestamp if the payload has none. Raises UnreadableEvent.
    """
    host = spec(name)
    assert host.read is not None, f"{name} sends no events"
    return host.read(host, payload, event, now)


def answer(name: str, dispatch: Dispatch) -> HostAnswer:
    """Write the answer of `hooktui run` for a host."""
    writer = spec(name).answer
    assert writer is not None, f"{name} takes no answers"
    return writer(dispatch)


def judge(name: str, hook: Hook, event: Event, ended: Ended) -> RunResult:
    """What a host makes of a hook that has ended: the only judge of exit codes and answers. Never raises."""
    host = spec(name)
    if host.interpret:
        return host.interpret(host, hook, event, ended)
    from hooktui.hosts.shared import json_interpretation

    return json_interpretation.interpret(host, hook, event, ended)


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
    return judge(
        name,
        hook,
        asked,
        Ended(exit_code=exit_code, stdout=stdout.encode(errors="replace"), stderr=stderr.encode(errors="replace")),
    )


def caller(name: str, payload: Mapping[str, Any]) -> str:
    """The host that calls the connection of a host: another one if that sets its variable and sends its payload."""
    callers = spec(name).speech.other_callers.items()
    return next((caller for variable, (caller, field) in callers if field in payload and variable in os.environ), name)


def detect(payload: dict[str, Any]) -> str:
    """Detect the host that sent a payload by its fields; DEFAULT if no host's signs match."""
    if any(all(field in payload for field in fields) for _, fields in spec(DEFAULT).signs):
        return DEFAULT  # without loading the others
    name = payload.get("hook_event_name")
    firing = [host.name for host in specs() if name in host.events and name not in events.WITHOUT_TWIN]
    if len(firing) == 1:
        return firing[0]  # an event that only one host has
    signs = sorted((number, fields, host.name) for host in specs() for number, fields in host.signs)
    return next((name for _, fields, name in signs if all(field in payload for field in fields)), DEFAULT)
