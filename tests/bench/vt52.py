"""A terminal emulator as simple as a VT52."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping

# A cursor position, a sequence of other terminals that programs send anyway, any other command, a sign, a text.
_SENT = re.compile(r"\x1bY(..)|\x1b\[[0-9;?]*[a-zA-Z]|\x1b([^Y\[])|([\x00-\x1a\x1c-\x1f])|([^\x00-\x1f]+)", re.DOTALL)
_ORIGIN = 32  # positions are sent as letters, starting with the space


class Screen:
    """The screen of a terminal with so many rows and columns."""

    def __init__(self, rows: int, columns: int) -> None:
        self._rows, self._columns = rows, columns
        self._lines = [" " * columns for _ in range(rows)]
        self._row = self._column = 0
        self._rest = ""
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    def __contains__(self, text: str) -> bool:
        return any(text in line for line in self._lines)

    def feed(self, sent: bytes) -> None:
        """Take output of the program; an incomplete sequence is kept for the next call."""
        text, at = self._rest + self._decode(sent), 0
        while found := _SENT.match(text, at):
            at = found.end()
            place, command, sign, plain = found.groups()
            if place:
                self._row, self._column = (min(ord(letter) - _ORIGIN, 999) for letter in place)
            elif plain:
                self._write(plain)
            elif act := _ACTS.get(command or sign):
                act(self)
        self._rest = text[at:]

    def _write(self, text: str) -> None:
        if self._row < self._rows:
            line = self._lines[self._row]
            end = self._column + len(text)
            self._lines[self._row] = (line[: self._column].ljust(self._column) + text + line[end:])[: self._columns]
            self._column = min(end, self._columns)

    def _move(self, rows: int, columns: int = 0) -> None:
        self._row = min(max(self._row + rows, 0), self._rows - 1)
        self._column = min(max(self._column + columns, 0), self._columns - 1)

    def _home(self) -> None:
        self._row = self._column = 0

    def _return(self) -> None:
        self._column = 0

    def _feed_line(self) -> None:
        if self._row == self._rows - 1:
            self._lines = [*self._lines[1:], " " * self._columns]
        self._move(1)

    def _feed_back(self) -> None:
        if self._row == 0:
            self._lines = [" " * self._columns, *self._lines[:-1]]
        self._move(-1)

    def _clear_line(self) -> None:
        self._lines[self._row] = self._lines[self._row][: self._column].ljust(self._columns)

    def _clear(self) -> None:
        self._clear_line()
        self._lines[self._row + 1 :] = [" " * self._columns] * (self._rows - self._row - 1)


_ACTS: Mapping[str, Callable[[Screen], None]] = {
    "A": lambda screen: screen._move(-1),
    "B": lambda screen: screen._move(1),
    "C": lambda screen: screen._move(0, 1),
    "D": lambda screen: screen._move(0, -1),
    "H": Screen._home,
    "I": Screen._feed_back,
    "J": Screen._clear,
    "K": Screen._clear_line,
    "\b": lambda screen: screen._move(0, -1),
    "\n": Screen._feed_line,
    "\r": Screen._return,
}
