"""The variables that are known at a point of a shell text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

LITERAL_HOME = "~/"  # where no shell expands it
WINDOWS_PATH = re.compile(r"[A-Za-z]:[\\/]")
_LONGEST_PATH = 4096  # characters
_DEEPEST_PATH = 100  # directories


def absolute(value: str | None, directory: str | None) -> str | None:
    """The absolute path that a word's value names, or one below a literal `~`; None if it is unknown."""
    if value is None or "\0" in value or value.startswith(LITERAL_HOME):
        return value if value and "\0" not in value else None
    base = "/" if os.path.isabs(value) else directory
    if base is None or WINDOWS_PATH.match(value):
        return None
    path = os.path.normpath(os.path.join(base, value))
    return path if len(path) <= _LONGEST_PATH and path.count("/") <= _DEEPEST_PATH else None


class Variables:
    """Known variables by name. What a branch or a subshell changes can be taken back, at a cost for the changes only."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = dict(known)
        self._changes: list[tuple[str, str | None]] = []  # the names that were set, each with its value before

    def get(self, name: str) -> str | None:
        return self._known.get(name)

    def known(self) -> Mapping[str, str]:
        return self._known

    def set(self, name: str, value: str | None) -> None:
        """Set a variable; None makes it unknown."""
        self._changes.append((name, self._known.get(name)))
        if value is None:
            self._known.pop(name, None)
        else:
            self._known[name] = value

    def mark(self) -> int:
        return len(self._changes)

    def undo(self, mark: int) -> None:
        for name, value in self._since(mark):
            self._known.pop(name, None)
            if value is not None:
                self._known[name] = value
        del self._changes[mark:]

    def forget(self, mark: int) -> None:
        """Make the variables unknown that differ from those at a mark: what was done since may not have happened."""
        before = dict(self._since(mark))
        for name, value in before.items():
            if self._known.get(name) != value:
                self.set(name, None)

    def _since(self, mark: int) -> Iterator[tuple[str, str | None]]:
        """The changes since a mark, the newest first, so that the oldest value of a name comes last."""
        return reversed(self._changes[mark:])
