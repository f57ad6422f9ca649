"""What Claude Code's debug log says of mods: hints only, for it is free text and exists only after `claude --debug`."""

from __future__ import annotations

import os
import re
import stat
import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from hooktui.formats import files

if TYPE_CHECKING:
    from hooktui.hosts import Host

_HEAD, _TAIL = 256 * files.KIB, 4096 * files.KIB  # of a log that is larger, only its start and its end are read
_LINE = re.compile(
    r"^[\d-]+T[\d:.]+Z \[[A-Z]+\] (?:"
    r"hooks module (?P<loaded>\S+) loaded \("
    r"|hooks module (?P<refused>\S+) (?:not loaded|failed to load): (?P<why>.+)"
    r"|(?P<mod>\S+) \(\w+\) answered (?P<event>\S+) without next\(\)"
    r"|tool\.check \S+ (?P<checked>\S+): \S+ -> (?P<decision>allow|ask|deny) by plugins? (?P<plugins>[^:\n]+)"
    r"|tool\.call \S+ (?P<called>\S+): resolved by a hooks module \((?P<answer>result|deny)"
    r")",
    re.MULTILINE,
)
_CALL, _CHECK = "tool.call", "tool.check"
_VERBS = {"allow": "allowed it", "ask": "asked about it", "deny": "denied it", "result": "answered it without running it"}
_BUILT_IN = "@builtin"
_LATEST = "latest"


@dataclass(slots=True)
class DebugLog:
    """The mods that a debug log names: what they did with a call, by the call's id, and why one was not loaded, by its id."""

    calls: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    date: str = ""


def of_session(host: Host, session: str) -> DebugLog:
    """The debug log of a session, empty without one."""
    is_name = bool(session) and os.path.basename(session) == session
    return _at(host, f"{session}.txt") if is_name else DebugLog()


def latest(host: Host) -> DebugLog:
    """The newest debug log, empty without one."""
    return _at(host, _LATEST)


def _at(host: Host, name: str) -> DebugLog:
    if host.plugins is None or not host.plugins.debug_logs:
        return DebugLog()
    path = os.path.join(host.in_home(host.plugins.debug_logs), name)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return DebugLog()
    return _read(path, status.st_size, status.st_mtime) if stat.S_ISREG(status.st_mode) else DebugLog()


@lru_cache(maxsize=8)
def _read(path: str, size: int, written: float) -> DebugLog:
    found = DebugLog(date=time.strftime("%Y-%m-%d", time.localtime(written)))
    try:
        with open(path, "rb") as file:
            text = file.read(min(size, _HEAD))
            file.seek(max(len(text), size - _TAIL))
            text += file.read(_TAIL)
    except OSError:
        return found
    _Reading(found).take(text.decode(errors="replace"))
    return found


class _Reading:
    """Takes in the lines of a log. `answered` are the mods that answered each event by themselves so far."""

    def __init__(self, log: DebugLog) -> None:
        self._log = log
        self._answered: dict[str, dict[str, None]] = {}
        self._built_in: set[str] = set()

    def take(self, text: str) -> None:
        for line in _LINE.finditer(text):
            if name := line["loaded"]:
                self._log.refusals.pop(name, None)
                self._built_in |= {name.removesuffix(_BUILT_IN)} if name.endswith(_BUILT_IN) else set()
            elif name := line["refused"]:
                self._log.refusals[name] = line["why"].strip()
            elif name := line["mod"]:
                self._answered.setdefault(line["event"], {})[name] = None
            elif call := line["checked"]:
                heard = [name.strip() for name in line["plugins"].split(",")]
                self._tell(call, _CHECK, line["decision"], heard)
            else:
                self._tell(line["called"], _CALL, line["answer"], list(self._answered.get(_CALL, ())))

    def _tell(self, call: str, event: str, answer: str, heard: list[str]) -> None:
        """Note who answered a call: of the mods that heard it those that answer by themselves, if any does."""
        names = [name for name in heard if name not in self._built_in]
        names = [name for name in names if name in self._answered.get(event, ())] or names
        if names:
            self._log.calls[call] = f"{' or '.join(names)} {_VERBS[answer]} at {event}"
