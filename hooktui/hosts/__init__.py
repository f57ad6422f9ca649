"""The hosts: one module per agent program, each with its `SPEC` (a HostSpec), how its stdin is read and its answer written.

A module dropped in this folder is a host; nothing else lists them.
"""

from __future__ import annotations

import sys

from hooktui.core import events
from hooktui.core.settings import host_names
from hooktui.hosts.shared.spec import BLOCKED, HostAnswer, HostSpec, UnreadableEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch, Event

__all__ = [
    "BLOCKED",
    "DEFAULT",
    "IN_PROCESS",
    "HostAnswer",
    "HostSpec",
    "UnreadableEvent",
    "answer",
    "detect",
    "json_spec",
    "json_specs",
    "names",
    "read",
    "readers",
    "spec",
    "specs",
]

DEFAULT = "agenthooks"  # what `run` speaks and loads when nothing says otherwise (contract.md)
_JSON = "json_hooks"
# An agent in Python that registers functions as hooks (formats.md §5): it has no files, and `hooktui.stack` runs its hooks.
IN_PROCESS = HostSpec(name="python", title="Python", rank=99, style="in-process", events=events.in_style("in-process"))
_specs: dict[str, HostSpec] = {}
_all: list[HostSpec] = []


def spec(name: str) -> HostSpec:
    """The HostSpec of a host. Raises KeyError for an unknown name."""
    known = _specs.get(name)
    if known is None:
        module = f"{__name__}.{name}"
        if name == IN_PROCESS.name:
            return IN_PROCESS
        if name not in host_names():
            raise KeyError(name)
        __import__(module)
        known = _specs[name] = sys.modules[module].SPEC
    return known


def specs() -> tuple[HostSpec, ...]:
    """All hosts, by rank."""
    if not _all:
        _all.extend(sorted(map(spec, host_names()), key=lambda one: one.rank))
    return tuple(_all)


def names() -> tuple[str, ...]:
    """The names of all hosts, by rank."""
    return tuple(one.name for one in specs())


def json_specs() -> tuple[HostSpec, ...]:
    """The hosts whose hooks are entries of JSON files, by rank."""
    return tuple(one for one in specs() if one.format == _JSON)


def json_spec(name: str) -> HostSpec | None:
    """The HostSpec of a host whose hooks are entries of JSON files; None for any other."""
    known = spec(name)
    return known if known.format == _JSON else None


def readers(name: str) -> tuple[HostSpec, ...]:
    """The hosts that read the files of a host: its own first, then by rank."""
    return (spec(name), *(one for one in specs() if any(reads.host == name for reads in one.reads)))


def read(name: str, payload: dict[str, Any], event: str | None, now: str) -> Event:
    """The event in a host's payload; `event` is named beside it, `now` stands in for a missing timestamp.

    Raises UnreadableEvent.
    """
    reader = spec(name).read
    assert reader is not None, f"{name} sends no events"
    return reader(payload, event, now)


def answer(name: str, dispatch: Dispatch) -> HostAnswer:
    """What `hooktui run` gives back to a host."""
    writer = spec(name).answer
    assert writer is not None, f"{name} takes no answers"
    return writer(dispatch)


def detect(payload: dict[str, Any]) -> str:
    """The host that sent a payload, told from its fields; the default when no sign fits."""
    if any(all(field in payload for field in fields) for _, fields in spec(DEFAULT).signs):
        return DEFAULT  # without loading the others
    signs = sorted((number, fields, one.name) for one in specs() for number, fields in one.signs)
    return next((name for _, fields, name in signs if all(field in payload for field in fields)), DEFAULT)
