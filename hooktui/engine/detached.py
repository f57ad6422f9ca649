"""Async hooks: not waited for, yet their timeout holds and their end is recorded (formats.md §2; seed 001 §3.2)."""

from __future__ import annotations

import os

from hooktui.engine import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def start(command: process.Command, on_end: Callable[[process.Ended], None]) -> None:
    """Run a command under a supervisor of its own and return at once.

    The supervisor is a grandchild in its own session that holds none of our streams: it outlives us and cannot delay whoever
    waits for our output to end. `on_end` is called in that process.
    """
    middle = os.fork()
    if middle:
        os.waitpid(middle, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            _let_go_of_streams()
            on_end(process.run(command))
    finally:
        os._exit(0)


def _let_go_of_streams() -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
