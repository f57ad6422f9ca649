"""The rows of the table `hook`: one for each version of a hook that was ever considered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import fast_json
from hooktui.log.store import hash_chain
from hooktui.runner.journal import side_files
from hooktui.runner.journal.entry import DispatchEntry, HookEntry

if TYPE_CHECKING:
    import _sqlite3 as sqlite3
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from hooktui.log.store.skip_lists import Versions
    from hooktui.runner.journal.entry import LogEntry

_INSERT = f"""
INSERT INTO hook ({", ".join(HookEntry._fields)}) VALUES ({", ".join(f":{name}" for name in HookEntry._fields)}) RETURNING id"""
_UNKNOWN = "unknown"
_KNOWN = "SELECT version, id, hex(digest) FROM hook WHERE version IN (SELECT value FROM json_each(?))"


class UnknownVersionError(LookupError):
    """A run refers to a version of a hook that neither its entry nor the log holds."""


def known_versions(connection: sqlite3.Connection, versions: Collection[str]) -> dict[str, tuple[int, str]]:
    """The versions of hooks that the log has, with their rows and digests. Raises sqlite3.Error."""
    rows = connection.execute(_KNOWN, (fast_json.dumps(list(versions)),))
    return {version: (row, digest) for version, row, digest in rows}


def add_versions(connection: sqlite3.Connection, hooks: Mapping[str, HookEntry], versions: Iterable[str]) -> Versions:
    """The row and digest of each version of a hook; new versions are added. Raises sqlite3.Error and UnknownVersionError."""
    wanted = dict.fromkeys(versions)
    stored = known_versions(connection, wanted)
    for version in wanted.keys() - stored.keys():
        if version not in hooks:
            raise UnknownVersionError(version)
        number = connection.execute(_INSERT, hooks[version].as_dict()).fetchone()[0]
        stored[version] = (number, hash_chain.seal_hook(connection, number).hex().upper())
    return stored


def completed(connection: sqlite3.Connection, db: str, entries: Sequence[LogEntry]) -> list[LogEntry]:
    """Entries with the versions that neither they nor the log hold, from their files. Raises sqlite3.Error."""
    held = {hook.version for waiting in entries for hook in waiting.hooks}
    missing = {version for waiting in entries for version in _versions(waiting)} - held
    missing -= known_versions(connection, missing).keys()
    return [_with_versions(db, waiting, missing) if missing else waiting for waiting in entries]


def missing_versions(connection: sqlite3.Connection, db: str, versions: Collection[str]) -> list[HookEntry] | None:
    """The versions that the log does not have, from their files; None if a file is gone. Raises sqlite3.Error."""
    hooks = [_read(db, version) for version in set(versions) - known_versions(connection, versions).keys()]
    return None if any(hook.name == _UNKNOWN for hook in hooks) else hooks


def _with_versions(db: str, waiting: LogEntry, missing: set[str]) -> LogEntry:
    wanted = missing & _versions(waiting)
    missing -= wanted
    return waiting.replace(hooks=(*waiting.hooks, *(_read(db, version) for version in wanted))) if wanted else waiting


def _versions(waiting: LogEntry) -> set[str]:
    runs = waiting.runs if isinstance(waiting, DispatchEntry) else (waiting.run,)
    return {run.hook_version for run in runs}


def _read(db: str, version: str) -> HookEntry:
    """A version from its file, or one without a text, so that an event is stored although somebody deleted the file."""
    values = side_files.read(db, version)
    try:
        return HookEntry(**{**{key: values[key] for key in HookEntry._fields if key in values}, "version": version})
    except TypeError:  # no object, or fields are missing
        about = {"name": _UNKNOWN, "key": _UNKNOWN, "format": "agenthooks", "scope": "user", "file": "", "event": ""}
        return HookEntry(**{**about, "version": version, "line": 0, "text": "", "label": _UNKNOWN})  # type: ignore[arg-type]
