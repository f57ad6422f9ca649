"""Alternatives to the Live screen: `sqlite3` on the log, `less` and `lnav` on its events as JSON lines."""

from __future__ import annotations

import fcntl
import json
import math
import os
import pty
import select
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Sequence
from typing import NamedTuple, Self

from tests.bench.vt52 import Screen

_PATIENCE_S = 60.0
_ROWS, _COLUMNS = 40, 120
_ANY = "decision"  # occurs on every line
_COUNTED = "1 hits for"  # lnav has found it, and may wait for a key to go there
_LINES = """
SELECT json_object('id', dispatch.id, 'event', event, 'tool', tool, 'decision', decision, 'session', session,
    'payload', json(payload))
FROM dispatch JOIN content USING (id)
WHERE dispatch.id IN (SELECT id FROM dispatch ORDER BY id DESC LIMIT ?) ORDER BY dispatch.id"""


def has(program: str) -> bool:
    """Whether a program is installed here."""
    return shutil.which(program) is not None


def write_lines(log: str, out: str, count: int) -> None:
    """The newest events of a log as JSON lines."""
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for (line,) in sqlite3.connect(log).execute(_LINES, (count,)))


def timed(command: Sequence[str]) -> float:
    """The milliseconds that a command takes."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1000


class Terminal:
    """A program on a terminal of 120 columns and 40 lines, in a home of its own: lnav leaves a hundred files there."""

    def __init__(self, command: Sequence[str]) -> None:
        self._began = time.perf_counter()
        self._screen = Screen(_ROWS, _COLUMNS)
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        self._home = tempfile.TemporaryDirectory(prefix="hooktui-bench-", ignore_cleanup_errors=True)
        home = self._home.name
        environment = {**os.environ, "TERM": "vt52", "HOME": home, "XDG_CONFIG_HOME": home}
        self._program = subprocess.Popen(command, env=environment, cwd=home, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._ours)
        self._home.cleanup()

    def shows(self, *texts: str) -> bool:
        """Whether one of some texts is on the screen."""
        return any(text in self._screen for text in texts)

    def until(self, *texts: str, keys: str = "", instead_of: str = "") -> float:
        """Press keys, if any, and wait until one of some texts is shown; the milliseconds since the keys, or since the start.

        `instead_of` is a text that must be gone: a screen is painted in pieces.

        Infinity after more than a minute.
        """
        began = time.perf_counter() if keys else self._began
        os.write(self._ours, keys.encode())
        while not self.shows(*texts) or (instead_of and self.shows(instead_of)):
            if time.perf_counter() - began > _PATIENCE_S:
                return math.inf
            if select.select([self._ours], [], [], 1.0)[0]:
                self._screen.feed(os.read(self._ours, 65536))
        return (time.perf_counter() - began) * 1000


class Paged(NamedTuple):
    """The milliseconds that a pager takes to show some of a file, to have all of it and show its end, and then for a page down,
    for its first line, for its last one, and to find a word near its end."""

    opened: float
    end: float
    page: float
    home: float
    end_again: float
    found: float


def paged(command: Sequence[str], lines: str) -> Paged:
    """The figures of a pager for a file whose lines must not be folded."""
    with open(lines, "rb") as file:
        beginning = [_id(next(file)) for _ in range(_ROWS + _ROWS // 2)]
        file.seek(-200_000, os.SEEK_END)
        *_, sought, last = map(_id, file.read().splitlines()[1:])
    pattern = f"/{sought[:-1]}[{sought[-1]}]\r"  # the typed pattern is shown too, and must not match itself
    with Terminal(command) as terminal:
        opened = terminal.until(_ANY)
        end = terminal.until(last, keys="G")
        home = terminal.until(beginning[0], keys="g", instead_of=last)
        page = terminal.until(beginning[-1], keys=" ")
        end_again = terminal.until(last, keys="G")
        terminal.until(beginning[0], keys="g", instead_of=last)
        found = terminal.until(sought, _COUNTED, keys=pattern)
        if found < math.inf and not terminal.shows(sought):
            found += terminal.until(sought, keys="n")
        return Paged(opened, end, page, home, end_again, found)


def _id(line: bytes) -> str:
    return str(json.loads(line)["id"])
