"""The spool: entries that wait for the log; none is lost or imported twice."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from hooktui.core.model import Dispatch, Event
from hooktui.runner.journal import spool
from hooktui.runner.journal.entry import EndEntry, LogEntry, of_dispatch, of_end
from tests.log_world import run


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "log.db")


def entry(number: int) -> EndEntry:
    return of_end(run("a", stdout="line\nline \ud800").replace(id=number), 1, 0, ())


def take(db: str) -> list[LogEntry]:
    """The entries that leave the spool."""
    taken: list[LogEntry] = []
    assert spool.take(db, lambda entries, _changed: taken.extend(entries)) == len(taken)
    return taken


def test_entries_are_read_in_order(db: str) -> None:
    assert spool.is_empty(db)
    for number in range(3):
        spool.append(db, entry(number))
    assert spool.entries(db) == [entry(number) for number in range(3)]
    assert not spool.is_empty(db)


def test_spool_is_private(db: str, tmp_path: Path) -> None:
    spool.append(db, entry(1))
    assert stat.S_IMODE((tmp_path / "log.db.spool").stat().st_mode) == 0o600


def test_take_empties_the_spool(db: str) -> None:
    spool.append(db, entry(1))
    assert take(db) == [entry(1)]
    assert spool.is_empty(db)
    assert take(db) == []


def test_entries_that_cannot_be_stored_stay(db: str) -> None:
    def refuse(_entries: list[LogEntry], _changed: list[LogEntry]) -> None:
        raise OSError(28, "full")

    spool.append(db, entry(1))
    with pytest.raises(OSError, match="full"):
        spool.take(db, refuse)
    assert spool.entries(db) == [entry(1)]


def test_truncated_line_is_skipped(db: str, tmp_path: Path) -> None:
    spool.append(db, entry(1))
    with (tmp_path / "log.db.spool").open("a") as file:
        file.write(spool.to_json(entry(2))[:20])
    spool.append(db, entry(3))
    assert spool.entries(db) == [entry(1), entry(3)]


@pytest.mark.parametrize("line", [
    b"{}", b"[]", b"\xff", b"[" * 9999, b'{"kind": "end"}', b'{"kind": "end", "run": 1}', b'{"kind": {}}',
    b'{"kind": "x", "run": 1}',
])  # fmt: skip
def test_invalid_line_is_skipped(db: str, tmp_path: Path, line: bytes) -> None:
    (tmp_path / "log.db.spool").write_bytes(line + b"\n")
    spool.append(db, entry(1))
    assert spool.entries(db) == [entry(1)]


def test_dispatch_is_one_line_with_its_session_and_runs(db: str, tmp_path: Path) -> None:
    event = Event(name="Stop", as_written="Stop", known=True, host="h", session_id="s", work_dir="/", timestamp="")
    dispatch = of_dispatch(Dispatch(id=7, event=event, project="/p", runs=(run("a"), run("b"))), (), {"b"})
    spool.append(db, dispatch)
    line = json.loads((tmp_path / "log.db.spool").read_bytes())
    assert list(line) == ["kind", "session", "dispatch", "payload", "effects", "runs", "links"]
    assert (line["session"], line["dispatch"]["id"]) == ({"name": "s", "host": "h", "project": "/p"}, 7)
    first, second = (each["hook"] for each in line["runs"])
    assert (first["key"], second) == ("agenthooks:user:a", {"version": "b"})
    assert spool.entries(db) == [dispatch]


def test_keys_of_a_newer_version_are_ignored(db: str, tmp_path: Path) -> None:
    line = json.loads(spool.to_json(entry(1)))
    line["run"]["hook"]["new"] = line["run"]["new"] = line["new"] = 1
    (tmp_path / "log.db.spool").write_text(json.dumps(line))
    assert spool.entries(db) == [entry(1)]


def test_concurrent_take_gets_nothing(db: str) -> None:
    spool.append(db, entry(1))
    second: list[int] = []
    assert spool.take(db, lambda *_: second.append(spool.take(db, lambda *_: None))) == 1
    assert second == [0]


def test_concurrent_processes_lose_nothing(db: str) -> None:
    context = multiprocessing.get_context("fork")
    adding = [context.Process(target=_add, args=(db, start)) for start in range(0, 400, 50)]
    for process in adding:
        process.start()
    taken: list[LogEntry] = []
    while any(process.is_alive() for process in adding) or not spool.is_empty(db):
        taken += take(db)
    once = {spool.entry_key(end): end for end in taken}  # a line written during a rename comes twice; the log stores it once
    assert sorted(end.run.id for end in once.values() if isinstance(end, EndEntry)) == list(range(400))


def _add(db: str, start: int) -> None:
    for number in range(start, start + 50):
        spool.append(db, entry(number))


def test_unwritable_directory_is_an_os_error() -> None:
    with pytest.raises(OSError, match="proc"):
        spool.append("/proc/nowhere/log.db", entry(1))
    assert spool.is_empty("/proc/nowhere/log.db")
    assert spool.entries("/proc/nowhere/log.db") == []


def test_line_for_a_file_that_is_being_taken_is_written_again(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def write_late(fd: int, line: bytes) -> int:
        monkeypatch.undo()
        os.rename(spool.path_of(db), f"{db}.elsewhere")  # what an intake does, which has then read the file
        return write(fd, line)

    monkeypatch.setattr(os, "write", write_late)
    spool.append(db, entry(1))
    assert spool.entries(db) == [entry(1)]


def test_entries_of_an_interrupted_intake_come_first(db: str) -> None:
    spool.append(db, entry(1))
    os.rename(spool.path_of(db), spool.taken_path(db))
    spool.append(db, entry(1))
    spool.append(db, entry(2))
    assert spool.entries(db) == [entry(1), entry(2)]
    assert take(db) == [entry(1), entry(1), entry(2)]
