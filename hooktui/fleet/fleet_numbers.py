"""Numbers for the dispatches and sessions of many machines: screens know each by one integer (core/ids.py)."""

from __future__ import annotations

import sys
from typing import NamedTuple

from hooktui.core import ids

# From the alphabet of ids.py to that of `int`, which reads a page of ids much faster.
_DIGITS = str.maketrans("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "0123456789ABCDEFGHIJKLMNOPQRSTUV")


class SessionName(NamedTuple):
    """What identifies a session in a fleet."""

    instance: str
    host: str
    name: str
    project: str


class FleetNumbers:
    """Hands out numbers and remembers whose they are.

    A dispatch has its own id as its number, so that numbers sort by time. Two machines may make the same id: the second gets
    the next free number.
    """

    def __init__(self) -> None:
        self._owners: dict[int, tuple[str, int]] = {}  # instance and id of each number
        self._sessions: dict[SessionName, int] = {}
        self._names: list[SessionName] = []

    def of_dispatch(self, written: str, instance: str) -> int:
        number = int(written.translate(_DIGITS), 32)
        owner = sys.intern(instance), number
        while self._owners.setdefault(number, owner) != owner:
            number += 1
        return number

    def time_of(self, number: int) -> int:
        """The microseconds since 1970 at which a dispatch began."""
        return round(ids.seconds(self._owners.get(number, ("", number))[1]) * 1e6)

    def of_session(self, name: SessionName) -> int:
        """The number of a session, from 1."""
        if name not in self._sessions:
            self._names.append(name)
            self._sessions[name] = len(self._names)
        return self._sessions[name]

    def session(self, number: int) -> SessionName | None:
        return self._names[number - 1] if 0 < number <= len(self._names) else None
