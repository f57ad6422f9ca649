"""Files beside the log for what lines of the spool name and do not repeat: versions of hooks, and lists of skipped hooks.

A file is named by its content and written before the first line that names it. Pruning removes a file that no event has used
for a month; the next event writes it again.
"""

from __future__ import annotations

import os
import time

from hooktui.core import fast_json, paths
from hooktui.runner.journal import entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from hooktui.core.model import Dispatch
    from hooktui.runner.journal.entry import HookEntry

_DAY_S = 86_400
_KEPT_S = 30 * _DAY_S
_FEW = 8  # files that are looked up one by one


def path_of(db: str, name: str) -> str:
    """The path of a file beside a log; of the directory for an empty name. A name with a directory gets none of its own."""
    return os.path.join(db + ".kept", name if name == os.path.basename(name) and name not in (".", "..") else "")


def keep_hooks(db: str, dispatch: Dispatch, secrets: Sequence[str]) -> set[str]:
    """Write the versions of hooks in a dispatch that have no file yet; the versions that have one now."""
    hooks = {run.hook.version: run.hook for run in dispatch.runs}
    known = _known(db, hooks)
    return {version for version, hook in hooks.items() if version in known or _wrote(db, entry.of_hook(hook, secrets))}


def keep(db: str, name: str, value: object) -> None:
    """Write a file as JSON. Raises OSError, and UnicodeEncodeError for what SQLite cannot store."""
    paths.write_private(path_of(db, name), fast_json.dumps(value, ascii_only=False).encode())


def is_kept(db: str, name: str) -> bool:
    """Whether there is a file, which is used now."""
    path = path_of(db, name)
    try:
        status = os.stat(path)
        if status.st_mtime < time.time() - _DAY_S:
            os.utime(path)
    except OSError:
        return False
    return status.st_size > 0


def read(db: str, name: str) -> Any:
    """The JSON in a file; None if it cannot be read."""
    try:
        with open(path_of(db, name), "rb") as file:
            return fast_json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return None


def prune(db: str, now: float) -> None:
    """Remove the files that no event has used for a month, `now` in seconds since 1970."""
    try:
        for file in os.scandir(path_of(db, "")):
            if file.stat().st_mtime < now - _KEPT_S:
                os.unlink(file.path)
    except OSError:
        return


def _known(db: str, versions: Collection[str]) -> Collection[str]:
    """The versions that have a file, perhaps with other names."""
    if len(versions) <= _FEW:
        return [version for version in versions if is_kept(db, version)]
    try:
        return set(os.listdir(path_of(db, "")))
    except OSError:
        return ()


def _wrote(db: str, hook: HookEntry) -> bool:
    """Write a version; whether that worked and its name can be that of a file."""
    path = path_of(db, hook.version)
    if not os.path.basename(path):
        return False
    try:
        paths.write_private(path, fast_json.dumps(hook.as_dict()).encode())
    except OSError:
        return False
    return True
