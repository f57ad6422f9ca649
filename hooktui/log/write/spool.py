"""The spool: entries that wait beside the log while SQLite cannot take them (contract.md, "The log").

It holds JSON lines and has mode 0600. Every writer and reader holds an exclusive lock, so that no line is lost between reading
and emptying; IDs make storing an entry twice harmless.
"""

from __future__ import annotations

import fcntl
import os

from hooktui.core import fast_json
from hooktui.log.write.entry import DispatchEntry, EndEntry, HookEntry, RunEntry, SessionEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from hooktui.core.records import Record
    from hooktui.log.write.entry import LogEntry

# Fields in the object `dispatch` of a line; the others are next to it.
DISPATCH_FIELDS = ("id", "event", "tool", "decision", "state", "ran", "reason", "duration_ms", "synthetic")
# Fields next to it that lines of older versions lack.
_NEWER_FIELDS = ("origin", "effect", "event_key")


def path_of(db: str) -> str:
    """The path of a log's spool."""
    return db + ".spool"


def append(db: str, entry: LogEntry) -> None:
    """Add one entry. Raises OSError when that fails too."""
    # The newline in front confines the damage of a line that a full disk has cut off.
    line = f"\n{to_json(entry)}\n".encode()
    fd = os.open(path_of(db), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o600)  # a FIFO must not block
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        before = os.fstat(fd).st_size
        if os.write(fd, line) < len(line):
            os.ftruncate(fd, before)
            raise OSError(28, "no space left for the spool", path_of(db))
    finally:
        os.close(fd)


def is_empty(db: str) -> bool:
    """Whether no entry waits."""
    try:
        return os.stat(path_of(db)).st_size == 0
    except OSError:
        return True


def entries(db: str) -> list[LogEntry]:
    """The waiting entries, oldest first, without invalid lines."""
    if is_empty(db):  # as a FIFO always is
        return []
    try:
        with open(path_of(db), "rb") as file:
            return _parse(file.read())
    except OSError:
        return []


def take(db: str, store: Callable[[list[LogEntry]], None]) -> int:
    """Pass all waiting entries to `store`, then empty the spool; the number of entries.

    Returns 0 while another process holds the lock. When `store` raises, the entries stay in the spool.
    """
    if is_empty(db):
        return 0
    fd = os.open(path_of(db), os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open(fd, "rb", closefd=False) as file:
            waiting = _parse(file.read())
        store(waiting)
        os.ftruncate(fd, 0)
        return len(waiting)
    except BlockingIOError:
        return 0
    finally:
        os.close(fd)


def to_json(entry: LogEntry, *, ascii_only: bool = True) -> str:
    """An entry as a line of the spool."""
    hooks = {hook.version: hook.as_dict() for hook in entry.hooks}
    if isinstance(entry, EndEntry):
        line: dict[str, Any] = {"kind": "end", "run": _plain_run(entry.run, hooks)}
    else:
        line = {
            "kind": "dispatch",
            "session": entry.session.as_dict(),
            "dispatch": {key: getattr(entry, key) for key in (*DISPATCH_FIELDS, *_NEWER_FIELDS)},
            "payload": entry.payload,
            "effects": entry.effects,
            "runs": [_plain_run(run, hooks) for run in entry.runs],
        }
    return fast_json.dumps(line, ascii_only=ascii_only)


def from_json(text: str | bytes) -> LogEntry:
    """The entry in a line of the spool. Raises ValueError, LookupError or TypeError for any other text."""
    line = fast_json.loads(text)
    if line["kind"] == "end":
        return EndEntry(run=_run(line["run"]), hooks=_hooks([line["run"]]))
    if line["kind"] != "dispatch":
        raise ValueError(f"unknown kind of entry: {line['kind']}")
    return DispatchEntry(
        session=SessionEntry(**_pick(line["session"], SessionEntry)),
        **_pick(_with_effect(line), DispatchEntry),
        payload=line["payload"],
        effects=line["effects"],
        runs=tuple(map(_run, line["runs"])),
        hooks=_hooks(line["runs"]),
    )


def _with_effect(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a dispatch, with its effect, which lines of older versions lack."""
    dispatch: Mapping[str, Any] = line["dispatch"]
    if "effect" in dispatch:
        return dispatch
    from hooktui.log.write import joining

    return {**dispatch, "effect": joining.effect(dispatch["decision"], line["effects"])}


def _parse(content: bytes) -> list[LogEntry]:
    parsed = (_entry(line) for line in content.splitlines() if line.strip())
    return [entry for entry in parsed if entry is not None]


def _entry(line: bytes) -> LogEntry | None:
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
    """The hook versions that the runs of a line contain in full."""
    whole = {run["hook"]["version"]: run["hook"] for run in runs if "text" in run["hook"]}
    return tuple(HookEntry(**_pick(hook, HookEntry)) for hook in whole.values())


def _pick(values: Mapping[str, Any], kind: type[Record]) -> dict[str, Any]:
    """The values of a record's fields, without keys that a newer version may have added."""
    return {name: values[name] for name in kind._fields if name in values}
