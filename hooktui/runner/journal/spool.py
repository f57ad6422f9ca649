"""The spool: a file of JSON lines beside the log, to which `run` and `exec` append each event before they answer.

Nobody waits for it: there is no lock, and no fsync. `intake` renames the file, stores its entries in the log and deletes it. A
writer looks after writing whether its file still has its name, and else writes the line again to the new file: then the line
may have come too late for the intake. IDs make storing an entry twice harmless.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from itertools import islice

from hooktui.core import fast_json, paths
from hooktui.runner.journal import spool_links
from hooktui.runner.journal.entry import DispatchEntry, EndEntry, HookEntry, RunEntry, SessionEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any, Self

    from hooktui.core.records import Record
    from hooktui.runner.journal.entry import LogEntry

    Store = Callable[[list[LogEntry], list[LogEntry]], None]

# The fields in the object `dispatch` of a line; the others are beside it.
DISPATCH_FIELDS = ("id", "event", "tool", "decision", "state", "ran", "reason", "duration_ms", "synthetic")
_FURTHER_FIELDS = ("origin", "effect", "event_key", "skips")
LARGE = 256 * 1024  # bytes that are worth a process that takes them in
_SLICE = 200  # entries that are stored at once: some tens of milliseconds
_POLL_S = 0.005
_GROUP_AND_OTHERS = 0o077  # permission bits


def path_of(db: str) -> str:
    """The path of a log's spool."""
    return db + ".spool"


def taken_path(db: str) -> str:
    """The path of the spool while its entries are taken into the log."""
    return db + ".spool.taken"


def lock_path(db: str) -> str:
    """The path of the file that a process locks while it takes the spool into the log."""
    return db + ".intake"


def append(db: str, entry: LogEntry) -> int:
    """Add one entry; the size of the spool in bytes. Raises OSError when it cannot be written."""
    text = to_json(entry)
    while True:
        fd = _open(db)
        try:
            line = _line(spool_links.linked(text, _tail(fd)))
            if os.write(fd, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path_of(db))
            written = os.fstat(fd)
        finally:
            os.close(fd)
        if paths.file_id(path_of(db)) == (written.st_dev, written.st_ino):
            return written.st_size


def _line(text: str) -> bytes:
    """A line of the spool. The newline in front confines the damage of a line that a full disk has cut off."""
    return f"\n{text}\n".encode()


def _tail(fd: int) -> bytes:
    """The end of a file, for the link of its last line."""
    return os.pread(fd, spool_links.TAIL, max(os.fstat(fd).st_size - spool_links.TAIL, 0))


def _open(db: str) -> int:
    """Open the spool for appending; creates it and its directory. Raises OSError."""
    path, flags = path_of(db), os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK  # a FIFO must not block
    try:
        fd = os.open(path, flags, 0o600)
    except FileNotFoundError:
        paths.make_directories(os.path.dirname(os.path.abspath(db)))
        fd = os.open(path, flags, 0o600)
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "is not a file", path)
    if mode & _GROUP_AND_OTHERS:
        os.fchmod(fd, 0o600)
    return fd


def is_empty(db: str) -> bool:
    """Whether no entry waits."""
    return not any(map(_size, (path_of(db), taken_path(db))))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def entries(db: str) -> list[LogEntry]:
    """The waiting entries, oldest first, each once, without invalid lines.

    An entry that the intake moves meanwhile is among them or already in the log.
    """
    newer = list(read(path_of(db)))  # first: what leaves this file now is in the other one, or stored
    waiting = {entry_key(entry): entry for entry in (*read(taken_path(db)), *newer)}
    return list(waiting.values())


def entry_key(entry: LogEntry) -> tuple[str, int]:
    """What tells two entries apart."""
    return ("end", entry.run.id) if isinstance(entry, EndEntry) else ("dispatch", entry.id)


def read(path: str) -> Iterator[LogEntry]:
    """The valid entries of a file, in order; none if it cannot be read."""
    return (entry for entry, _ in _read(path))


def _read(path: str) -> Iterator[tuple[LogEntry, bool]]:
    """The valid entries of a file, each with whether it and the line before it are as they were written (spool_links.py)."""
    if not _size(path):  # as a FIFO's always is
        return
    try:
        with open(path, "rb") as file:
            for line, is_intact in spool_links.checked(file):
                entry = entry_of(line)
                if entry is not None:
                    yield entry, is_intact
    except OSError:
        return


def take(db: str, store: Store, patience_s: float = 0.0) -> int:
    """Pass waiting entries to `store` in slices, in the order in which they were written; the number of entries.

    `store` also gets those of a slice that were changed since, or follow a line that was.

    One process at a time does this; another waits for `patience_s`, then returns 0. When `store` raises, its slice and those
    after it stay in the spool.
    """
    if is_empty(db):
        return 0
    with Lock(lock_path(db), patience_s) as lock:
        if not lock.held:
            return 0
        os.utime(lock.fd)  # tells when an intake last began
        return _take_file(db, store) + _take_file(db, store)  # what an interrupted intake has left, then the spool


class Lock:
    """The lock of a file, which is created; `held` is false if another process kept it for `patience_s`."""

    def __init__(self, path: str, patience_s: float) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self.held = _locked(self.fd, patience_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        os.close(self.fd)


def _locked(lock: int, patience_s: float) -> bool:
    latest = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= latest:
                return False
            time.sleep(_POLL_S)
        else:
            return True


def _take_file(db: str, store: Store) -> int:
    taken, count = taken_path(db), 0
    if not os.path.exists(taken):
        if not _size(path_of(db)):
            return 0
        os.rename(path_of(db), taken)
    entries = _read(taken)
    try:
        while batch := list(islice(entries, _SLICE)):
            store([entry for entry, _ in batch], [entry for entry, is_intact in batch if not is_intact])
            count += len(batch)
    except BaseException:
        _give_back(db)
        raise
    os.unlink(taken)
    return count


def _give_back(db: str) -> None:
    """Make the taken file the spool again, unless events have begun a new one: on a full disk, they need its room."""
    try:
        os.link(taken_path(db), path_of(db))
    except OSError:
        return
    os.unlink(taken_path(db))


def to_json(entry: LogEntry, *, ascii_only: bool = True) -> str:
    """An entry as a line of the spool."""
    hooks = {hook.version: hook.as_dict() for hook in entry.hooks}
    if isinstance(entry, EndEntry):
        line: dict[str, Any] = {"kind": "end", "run": _plain_run(entry.run, hooks)}
    else:
        line = {
            "kind": "dispatch",
            "session": entry.session.as_dict(),
            "dispatch": {key: getattr(entry, key) for key in (*DISPATCH_FIELDS, *_FURTHER_FIELDS)},
            "payload": entry.payload,
            "effects": entry.effects,
            "runs": [_plain_run(run, hooks) for run in entry.runs],
        }
    return fast_json.dumps(line, ascii_only=ascii_only)


def from_json(text: str | bytes) -> LogEntry:
    """The entry in a line of the spool. Raises ValueError, LookupError or TypeError for any other text."""
    line = fast_json.loads(text)
    if line["kind"] == "end":
        return _numbered(EndEntry(run=_run(line["run"]), hooks=_hooks([line["run"]])), line["run"]["dispatch"])
    if line["kind"] != "dispatch":
        raise ValueError(f"unknown kind of entry: {line['kind']}")
    entry = DispatchEntry(
        session=SessionEntry(**_pick(line["session"], SessionEntry)),
        **_pick(line["dispatch"], DispatchEntry),
        payload=line["payload"],
        effects=line["effects"],
        runs=tuple(map(_run, line["runs"])),
        hooks=_hooks(line["runs"]),
    )
    return _numbered(entry, entry.id)


def _numbered(entry: LogEntry, number: object) -> LogEntry:
    """An entry whose dispatch has an ID. Raises TypeError for any other value."""
    if type(number) is not int:
        raise TypeError("an ID must be a number")
    return entry


def entry_of(line: bytes) -> LogEntry | None:
    """The entry in a line of the spool; None for any other text."""
    try:
        return from_json(line)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _plain_run(run: RunEntry, hooks: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """A run with its hook: the whole version if the entry has it, else only the version's hash."""
    values = run.as_dict()
    version = values.pop("hook_version")
    hook = hooks.get(version, {"version": version})
    return {"id": values.pop("id"), "dispatch": values.pop("dispatch"), "hook": hook, **values}


def _run(values: Mapping[str, Any]) -> RunEntry:
    return RunEntry(hook_version=values["hook"]["version"], **_pick(values, RunEntry))


def _hooks(runs: Collection[Mapping[str, Any]]) -> tuple[HookEntry, ...]:
    whole = {run["hook"]["version"]: run["hook"] for run in runs if "text" in run["hook"]}
    return tuple(HookEntry(**_pick(hook, HookEntry)) for hook in whole.values())


def _pick(values: Mapping[str, Any], kind: type[Record]) -> dict[str, Any]:
    """The values of a record's fields, without keys that a newer version may have added."""
    return {name: values[name] for name in kind._fields if name in values}
