"""Commands that `exec` relays, one file each, until their dispatch is in the spool.

`exec` writes the start while the command runs, the end before it answers, and judges the command after that: the listing of
hooks may have to be read for it. What a killed `exec` has left is judged before the log is read, by a process of its own
(runner/execute.py).
"""

from __future__ import annotations

import os
import sys
import time

from hooktui.core import fast_json
from hooktui.runner.journal import locked_file
from hooktui.runner.redaction import may_hold_secrets, redacted_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_POLL_S = 0.005


def keep(
    db: str, number: int, about: Mapping[str, Any], secrets: Sequence[str], before: locked_file.LockedFile | None
) -> locked_file.LockedFile:
    """Write the file of a command, redacted, in place of the one `before`. Raises OSError."""
    text = fast_json.dumps(about)
    if secrets or may_hold_secrets(text):
        event = fast_json.parse_object(about["stdin"])
        stdin = fast_json.dumps(redacted_value(event, secrets)) if event else about["stdin"]
        text = fast_json.dumps(redacted_value({**about, "stdin": stdin}, secrets))
    written = locked_file.LockedFile(os.path.join(directory(db), str(number)), text.encode())
    if before:
        before.release()
    return written


def directory(db: str) -> str:
    """The directory of the files for a log."""
    return db + ".observed"


def exist(db: str) -> bool:
    """Whether commands wait for their dispatch."""
    return any(locked_file.paths_in(directory(db)))


def settle(db: str, patience_s: float) -> None:
    """Wait until the commands are in the spool, and start a process that judges those of killed processes. Raises OSError."""
    latest = time.monotonic() + patience_s
    for path in locked_file.paths_in(directory(db)):
        try:
            with open(path, "rb") as file:
                while not (is_ours := locked_file.is_abandoned(file)) and time.monotonic() < latest:
                    time.sleep(_POLL_S)
                if is_ours and os.path.exists(path):
                    _judge(db, path)
        except FileNotFoundError:  # it is in the spool
            continue


def _judge(db: str, path: str) -> None:
    streams = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    argv = (sys.executable, "-I", "-m", "hooktui.cli.killed_exec", db, path)
    os.waitpid(os.posix_spawn(argv[0], argv, os.environ, file_actions=streams), 0)
