"""Tamper evidence: the log's own operations keep it intact; saved heads, and logs older than the chain."""

from __future__ import annotations

import io
import multiprocessing
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hooktui.core import ids
from hooktui.core.model import Dispatch, Event
from hooktui.log.export import export_file
from hooktui.log.read import query, verify
from hooktui.log.read.reader import LogReader
from hooktui.log.store import database, import_journal
from hooktui.runner.journal import entry, spool
from tests.command_world import CommandWorld
from tests.log_world import LogWorld, LogWriter, busy_day, run
from tests.unit.log.tampering import downgrade, faults, number_of, rows, tamper


def intact_records(log: LogWorld) -> int:
    """The number of verified records of an intact log."""
    verdict = verify.log(log.db)
    assert (verdict.faults, verdict.unchained) == ((), 0)
    return verdict.records


def test_recorded_log_is_intact(log: LogWorld) -> None:
    busy_day(log)
    assert intact_records(log) == log.count


def test_values_that_sqlite_converts_are_not_edits(log: LogWorld) -> None:
    odd = run("a", stdout="\ud800 é \x00", duration_ms=3, started_ms=-0.0, exit_code=0)
    log.add(tool="\udfff", decision="deny", reason="\x00", runs=[odd], payload={"k": "\ud800"}, duration_ms=1)
    assert verify.log(log.db).intact


def test_async_run_is_intact_before_and_after_its_end(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started"), run("b")])
    assert verify.log(log.db).intact
    log.end(run("a", "failed", exit_code=3).replace(id=number + 1), number, 0)
    assert intact_records(log) == 2
    tamper(log, "UPDATE run SET exit_code = 0 WHERE exit_code = 3")
    assert faults(log) == [("edited", number + 1)]


def test_end_stored_before_its_dispatch_is_intact(log: LogWorld) -> None:
    number = ids.at_time(1_768_996_800.0) + 1
    log.end(run("a", "failed").replace(id=number + 1), number, 0)
    log.add(runs=[run("a", "started")])
    assert verify.log(log.db).intact
    tamper(log, "UPDATE run SET state = 'ok'")
    assert faults(log) == [("edited", number + 1)]


def test_group_with_known_dispatches_is_intact(log: LogWorld) -> None:
    group = [_dispatch(session, number) for number, session in enumerate(("a", "b", "a"))]
    log.recorder.record(group[0])
    log.recorder.record_all([*group, group[1]])
    assert intact_records(log) == 3


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_spooled_end_and_dispatch_are_intact_in_any_order(log: LogWorld, order: tuple[int, int]) -> None:
    begun = _dispatch("a", 1)
    started = begun.replace(runs=(begun.runs[0].replace(state="started"),))
    log.add()
    waiting = (entry.of_dispatch(started, ()), entry.of_end(begun.runs[0], begun.id, 0, ()))
    for place in order:
        spool.append(log.db, waiting[place])
    import_journal.take(log.db)
    assert intact_records(log) == 3
    tamper(log, "UPDATE run SET state = 'failed'")
    assert faults(log) == [("edited", begun.runs[0].id)]


def test_repeated_end_is_recorded_once(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started")])
    for _ in range(2):
        log.end(run("a", "ok").replace(id=number + 1), number, 0)
    assert intact_records(log) == 2


def test_spooled_entries_are_chained(log: LogWorld) -> None:
    log.add(session="a")
    with closing(sqlite3.connect(log.db, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(AssertionError):
            log.add(session="b")
    log.add(session="a")
    assert spool.is_empty(log.db)
    assert intact_records(log) == 3


def _edited(lines: list[bytes]) -> None:
    lines[2] = lines[2].replace(b"pre-tool-call", b"post-tool-call")


def _removed(lines: list[bytes]) -> None:
    del lines[1]


def _added(lines: list[bytes]) -> None:
    lines.insert(2, spool.to_json(entry.of_dispatch(_dispatch("s", 9), ())).encode())


@pytest.mark.parametrize("change", [_edited, _removed, _added])
def test_change_of_a_waiting_event_is_found(log: LogWorld, tmp_path: Path, change: Callable[[list[bytes]], None]) -> None:
    for number in range(4):
        spool.append(log.db, entry.of_dispatch(_dispatch("s", number), ()))
    waiting = tmp_path / "log.db.spool"
    lines = [line for line in waiting.read_bytes().split(b"\n") if line]
    change(lines)
    waiting.write_bytes(b"\n".join([*lines, b""]))
    import_journal.take(log.db)
    verdict = verify.log(log.db)
    assert {fault.kind for fault in verdict.faults} == {"edited"}
    assert len(verdict.faults) == 1


def _record(db: str, worker: int) -> None:
    for number in range(25):
        LogWriter(db).record(_dispatch(f"s{worker % 2}", number))


def _dispatch(session: str, number: int) -> Dispatch:
    event = Event(
        name="pre-tool-call", as_written="x", known=True, host="h", session_id=session, work_dir="/", timestamp="",
        payload={"number": number},
    )  # fmt: skip
    return Dispatch(id=ids.new(), event=event, project="/p", runs=(run("a").replace(id=ids.new()),))


def test_concurrent_processes_write_one_chain(log: LogWorld) -> None:
    start = multiprocessing.get_context("spawn").Process
    workers = [start(target=_record, args=(log.db, worker)) for worker in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    import_journal.take(log.db)
    assert intact_records(log) == 75


def test_spool_entry_of_an_older_version_is_chained(log: LogWorld) -> None:
    log.add()
    spool.append(log.db, entry.of_end(run("late", "failed").replace(id=5), 4, 0, ()))
    import_journal.take(log.db)
    assert verify.log(log.db).intact


def test_only_a_saved_head_detects_a_missing_end(log: LogWorld) -> None:
    busy_day(log)
    log.add(session="z")
    head = verify.head_of(log.db)
    last = "(SELECT max(seq) FROM link)"
    gone = f"(SELECT subject FROM link WHERE seq = {last})"
    tamper(
        log,
        *(f"DELETE FROM {table} WHERE id = {gone}" for table in ("dispatch", "content")),
        "DELETE FROM session WHERE name = 'z'",
        f"DELETE FROM link WHERE seq = {last}",
    )
    assert verify.log(log.db).intact
    (fault,) = verify.log(log.db, head).faults
    assert (fault.kind, fault.message) == ("cut", "the last 1 record missing since the head was saved")


def test_saved_head_stays_valid_as_the_log_grows(log: LogWorld) -> None:
    log.add()
    head = verify.head_of(log.db)
    log.add()
    assert verify.log(log.db, head).intact


def test_saved_head_detects_a_recomputed_chain(log: LogWorld) -> None:
    log.add(decision="deny")
    head = verify.head_of(log.db)
    forged = LogWorld(log.db + "-forged")
    forged.add(decision="allow")
    log.db = forged.db
    assert faults(log) == []
    assert faults(log, head) == [("rewritten", 0)]


@pytest.mark.parametrize("wrong", ["x", "1", "1-xyz", "-ab", "1-abc"])
def test_invalid_head_is_refused(log: LogWorld, wrong: str) -> None:
    log.add()
    with pytest.raises(verify.HeadError, match="not a log head"):
        verify.log(log.db, wrong)


async def test_exports_have_the_head_and_sessions_their_verdict(log: LogWorld, reader: LogReader) -> None:
    named = busy_day(log)
    head = verify.head_of(log.db)
    for name in ("md", "html"):
        out = io.StringIO()
        await export_file.export(reader, query.parse(""), name, out)
        assert head in out.getvalue()
    tamper(log, "UPDATE dispatch SET reason = '' WHERE id = :id", id=named["denied"])
    assert not (await reader.verdict(number_of(log, "s-a1"))).intact
    assert (await reader.verdict(number_of(log, "s-b2"))).intact


def test_older_log_gets_a_chain_and_its_events_count_as_unchained(log: LogWorld) -> None:
    named = busy_day(log)
    downgrade(log, 1)
    assert (verify.log(log.db).unchained, verify.head_of(log.db)) == (log.count, "")
    before = log.count
    log.recorder = LogWriter(log.db)
    added = log.add(session="s-a1", runs=[run("audit")])
    verdict = verify.log(log.db)
    assert (verdict.intact, verdict.records, verdict.unchained) == (True, 2, before)  # a note and an event
    tamper(log, "UPDATE dispatch SET decision = 'allow' WHERE id IN (:old, :new)", old=named["denied"], new=added)
    assert faults(log) == [("edited", added)]


async def test_older_log_can_be_read_before_its_upgrade(log: LogWorld, reader: LogReader) -> None:
    busy_day(log)
    downgrade(log, 1)
    assert await reader.total() == log.count


def test_concurrent_upgrades_happen_once(log: LogWorld) -> None:
    log.add()
    downgrade(log, 1)
    connections = [database.connect(log.db) for _ in range(3)]
    for connection in connections:
        connection.close()
    assert rows(log, "SELECT count(*) FROM note") == [(1,)]


def test_command_names_session_event_and_head(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    first = world.fire(session_id="s1")
    world.fire(session_id="s2")
    shown = world.run("doctor", "--verify").stdout
    assert "log intact (2 records in 2 sessions)" in shown
    findings = world.run("doctor", "--verify", "--json").json()["checks"]
    (head,) = [finding["detail"] for finding in findings if finding["about"] == "head"]
    with closing(sqlite3.connect(world.stored())) as connection:
        connection.execute("UPDATE dispatch SET decision = 'allow' WHERE id = (SELECT min(id) FROM dispatch)")
        connection.commit()
    shown = world.run("doctor", "--verify", "--head", head, code=1).stdout
    assert f"edited: session s1: {first['id']} of " in shown
    assert "not a log head" in world.run("doctor", "--verify", "--head", "x", code=2).stderr


def test_missing_log_has_nothing_to_verify(world: CommandWorld) -> None:
    assert "nothing to verify" in world.run("doctor", "--verify").stdout
