"""Versions of hooks beside the log, one file each: a line of the spool names the versions and does not repeat their texts."""

from __future__ import annotations

import os

from hooktui.core import fast_json, paths
from hooktui.log.write import entry
from hooktui.log.write.entry import HookEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Sequence

    from hooktui.core.model import Dispatch
    from hooktui.log.write.entry import LogEntry


_UNKNOWN = "unknown"
_OLD_S = 30 * 86_400
_FEW = 8  # files that are looked up one by one


def directory(db: str) -> str:
    """The directory of the versions for a log."""
    return db + ".hooks"


def keep(db: str, dispatch: Dispatch, secrets: Sequence[str]) -> set[str]:
    """Write the versions in a dispatch that have no file yet; the versions that have one now."""
    hooks = {run.hook.version: run.hook for run in dispatch.runs}
    names = _names(db, hooks)
    return {version for version, hook in hooks.items() if version in names or _write(db, entry.of_hook(hook, secrets))}


def _names(db: str, versions: Collection[str]) -> set[str]:
    """The versions that have a file."""
    if len(versions) <= _FEW:
        return {version for version in versions if os.path.exists(os.path.join(directory(db), version))}
    return set(_listed(db))


def _write(db: str, hook: HookEntry) -> bool:
    """Write a version; whether that worked and its name can be that of a file."""
    if os.path.basename(hook.version) != hook.version or hook.version in ("", ".", ".."):
        return False
    try:
        paths.write_private(os.path.join(directory(db), hook.version), fast_json.dumps(hook.as_dict()).encode())
    except OSError:
        return False
    return True


def completed(connection: sqlite3.Connection, db: str, entries: Sequence[LogEntry]) -> list[LogEntry]:
    """Entries with the versions that neither they nor the log hold. Raises sqlite3.Error."""
    from hooktui.log.write import stored_hooks

    held = {hook.version for waiting in entries for hook in waiting.hooks}
    missing = {version for waiting in entries for version in _versions(waiting)} - held
    missing -= stored_hooks.known_versions(connection, missing).keys()
    return [_with_versions(db, waiting, missing) if missing else waiting for waiting in entries]


def missing(connection: sqlite3.Connection, db: str, versions: Collection[str]) -> list[HookEntry] | None:
    """The versions that the log does not have, from their files; None if a file is gone. Raises sqlite3.Error."""
    from hooktui.log.write import stored_hooks

    hooks = [_read(db, version) for version in set(versions) - stored_hooks.known_versions(connection, versions).keys()]
    return None if any(hook.name == _UNKNOWN for hook in hooks) else hooks


def prune(connection: sqlite3.Connection, db: str, now: float) -> None:
    """Remove the files of versions that the log has, if they are old: a hook that still runs gets its file again.

    Raises sqlite3.Error.
    """
    from hooktui.log.write import stored_hooks

    paths_by_name = {name: os.path.join(directory(db), name) for name in _listed(db)}
    for version in stored_hooks.known_versions(connection, paths_by_name):
        try:
            if now - os.stat(paths_by_name[version]).st_mtime > _OLD_S:
                os.remove(paths_by_name[version])
        except OSError:
            continue


def _listed(db: str) -> list[str]:
    try:
        return os.listdir(directory(db))
    except OSError:
        return []


def _with_versions(db: str, waiting: LogEntry, missing: set[str]) -> LogEntry:
    wanted = missing & _versions(waiting)
    missing -= wanted
    return waiting.replace(hooks=(*waiting.hooks, *(_read(db, version) for version in wanted))) if wanted else waiting


def _versions(waiting: LogEntry) -> set[str]:
    runs = waiting.runs if isinstance(waiting, entry.DispatchEntry) else (waiting.run,)
    return {run.hook_version for run in runs}


def _read(db: str, version: str) -> HookEntry:
    """A version from its file, or one without a text, so that an event is stored although somebody deleted the file."""
    name = os.path.basename(version)
    try:
        values = fast_json.read_object(os.path.join(directory(db), name)) if name == version else {}
        return HookEntry(**{**{key: values[key] for key in HookEntry._fields if key in values}, "version": version})
    except TypeError:  # fields are missing
        about = {"name": _UNKNOWN, "key": _UNKNOWN, "format": "agenthooks", "scope": "user", "file": "", "event": ""}
        return HookEntry(**{**about, "version": version, "line": 0, "text": "", "label": _UNKNOWN})  # type: ignore[arg-type]
