"""What a person would use instead of the Live screen: `sqlite3` on the log, `less` and `lnav` on its events as JSON lines."""

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
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

_PATIENCE_S = 60.0
_ANY = b"decision"  # stands on every line
_LINES = """
SELECT json_object('id', dispatch.id, 'event', event, 'tool', tool, 'decision', decision, 'session', session,
    'payload', json(payload))
FROM dispatch JOIN content USING (id) ORDER BY dispatch.id"""


def has(program: str) -> bool:
    """Whether a program is installed here."""
    return shutil.which(program) is not None


def write_lines(log: str, out: str) -> None:
    """The events of a log as JSON lines."""
    with open(out, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for (line,) in sqlite3.connect(log).execute(_LINES))


def timed(command: Sequence[str]) -> float:
    """The milliseconds that a command takes."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1000


class Terminal:
    """A program on a terminal of 120 columns and 40 lines, in a home of its own: lnav leaves a hundred files there."""

    def __init__(self, command: Sequence[str]) -> None:
        self._began = time.perf_counter()
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._home = tempfile.TemporaryDirectory(prefix="hooktui-bench-", ignore_cleanup_errors=True)
        home = self._home.name
        environment = {**os.environ, "TERM": "xterm-256color", "HOME": home, "XDG_CONFIG_HOME": home}
        self._program = subprocess.Popen(command, env=environment, cwd=home, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._ours)
        self._home.cleanup()

    def until(self, text: bytes, keys: bytes = b"") -> float:
        """Hit keys, if any, and wait until a text is written; the milliseconds since then, or since the program began.

        Infinity when that takes more than a minute.
        """
        began, seen = time.perf_counter() if keys else self._began, b""
        os.write(self._ours, keys)
        while text not in seen:
            if time.perf_counter() - began > _PATIENCE_S:
                return math.inf
            if select.select([self._ours], [], [], 1.0)[0]:
                seen = seen[-len(text) :] + os.read(self._ours, 65536)
        return (time.perf_counter() - began) * 1000


def paged(command: Sequence[str], lines: str) -> list[float]:
    """The milliseconds that a pager takes to show some of a file, to go to its end, and to find a word near it."""
    with open(lines, "rb") as file:
        first = json.loads(file.readline())
        file.seek(-200_000, os.SEEK_END)
        *_, sought, last = [json.loads(line) for line in file.read().splitlines()[1:]]
    word = str(sought["id"])
    pattern = f"/{word[:-1]}[{word[-1]}]\n"  # what is typed is shown too, and must not look like what is found
    steps = ((first, "g"), (last, "G"), (sought, f"g{pattern}"))
    with Terminal(command) as terminal:
        first_screen = terminal.until(_ANY)
        _, *others = [terminal.until(str(event["id"]).encode(), keys.encode()) for event, keys in steps]
    return [first_screen, *others]


def opened(command: Sequence[str]) -> float:
    """The milliseconds until a pager shows some of a file, at whichever end it begins."""
    with Terminal(command) as terminal:
        return terminal.until(_ANY)
