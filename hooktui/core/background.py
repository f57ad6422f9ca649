"""Start a program that nobody waits for, without our streams and in its own session."""

from __future__ import annotations

import os


def start(*argv: str) -> None:
    """Start a program by its path. If that fails, the next event tries again."""
    streams = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    try:
        os.posix_spawn(argv[0], argv, os.environ, file_actions=streams, setsid=True)
    except OSError:
        return
