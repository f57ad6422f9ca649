"""Files with what `run` must know of sessions: counts of gates, notices that were shown, answers to repeat."""

from __future__ import annotations

import os
import time

from hooktui.core import paths

_KEPT_S = 7 * 24 * 3600.0


def directory(kind: str) -> str:
    """The directory of the files of one kind."""
    return os.path.join(paths.state_dir(), "sessions", kind)


def path(kind: str, about: str) -> str:
    """The file about something, whose name reveals nothing of it."""
    from _blake2 import blake2b  # the C module behind hashlib, which would import OpenSSL

    return os.path.join(directory(kind), blake2b(about.encode(errors="surrogatepass"), digest_size=16).hexdigest())


def forget_old(directory: str, kept_s: float = _KEPT_S) -> None:
    """Delete the files that were last written before so many seconds."""
    try:
        for entry in os.scandir(directory):
            if entry.stat().st_mtime < time.time() - kept_s:
                os.unlink(entry.path)
    except OSError:  # another process is deleting them
        return
