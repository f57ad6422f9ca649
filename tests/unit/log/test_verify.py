"""Tamper evidence: what somebody does to a log afterwards is found, and said where; what we do to it ourselves is not."""

from __future__ import annotations

import io
import multiprocessing
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from hooktui import ids
from hooktui.log import chain, database, entry, export, query, spool, verify, writer
from hooktui.log.reader import LogReader
from hooktui.log.writer import Recorder
from hooktui.model import Dispatch, Event
from tests.log_world import LogWorld, busy_day, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command_world import CommandWorld

COPY = "1, dispatch, hook, 9, 'ok', NULL, '', 'allow', NULL, NULL, 0, NULL, 0, 0, '', '', 0, NULL"


@pytest.fixture
def log(tmp_path: Path) -> LogWorld:
    return LogWorld(str(tmp_path / "log.db"))


def tamper(log: LogWorld, *statements: str, **values: Any) -> None:
    with closing(sqlite3.connect(log.db)) as connection:
        for statement in statements:
            connection.execute(statement, values)
        connection.commit()


def faults(log: LogWorld, head: str = "") -> list[tuple[str, int]]:
    return [(fault.kind, fault.at) for fault in verify.log(log.db, head).faults]


def number_of(log: LogWorld, session: str) -> int:
    (number,) = (number for number, name in verify.names(log.db).items() if name == session)
    return number


# Whole ------------------------------------------------------------------------------------------------------------------------


def test_what_was_recorded_is_whole(log: LogWorld) -> None:
    busy_day(log)
    verdict = verify.log(log.db)
    assert verdict.whole
    assert (verdict.records, verdict.older) == (log.count, 0)


def test_values_that_sqlite_stores_in_its_own_way_are_no_edit(log: LogWorld) -> None:
    odd = run("a", stdout="\ud800 é \x00", duration_ms=3, started_ms=0.1 + 0.2, exit_code=0)
    log.add(tool="\udfff", decision="deny", reason="\x00", runs=[odd], payload={"k": "\ud800"}, duration_ms=1)
    assert verify.log(log.db).whole


def test_an_async_run_is_whole_before_and_after_its_end_and_its_end_is_a_record(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started"), run("b")])
    assert verify.log(log.db).whole
    log.end(run("a", "failed", exit_code=3).replace(id=number + 1), number, 0)
    verdict = verify.log(log.db)
    assert (verdict.whole, verdict.records) == (True, 2)
    tamper(log, "UPDATE run SET exit_code = 0 WHERE exit_code = 3")
    assert faults(log) == [("edited", number + 1)]


def test_an_end_that_came_before_its_dispatch_is_whole(log: LogWorld) -> None:
    number = ids.at_time(1_768_996_800.0) + 1
    log.end(run("a", "failed").replace(id=number + 1), number, 0)
    log.add(runs=[run("a", "started")])
    assert verify.log(log.db).whole
    tamper(log, "UPDATE run SET state = 'ok'")
    assert faults(log) == [("edited", number + 1)]


def test_an_end_that_comes_twice_is_recorded_once(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started")])
    for _ in range(2):
        log.end(run("a", "ok").replace(id=number + 1), number, 0)
    verdict = verify.log(log.db)
    assert (verdict.whole, verdict.records) == (True, 2)


def test_what_waited_in_the_spool_is_chained_when_it_is_taken_in(log: LogWorld) -> None:
    log.add(session="a")
    with closing(sqlite3.connect(log.db, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(AssertionError, match="spool"):
            log.add(session="b")
    log.recorder = Recorder(log.db)
    log.add(session="a")
    assert spool.is_empty(log.db)
    verdict = verify.log(log.db)
    assert (verdict.whole, verdict.records) == (True, 3)


def _record(db: str, worker: int) -> None:
    for number in range(25):
        Recorder(db).record(_dispatch(f"s{worker % 3}", number))


def _dispatch(session: str, number: int) -> Dispatch:
    event = Event(
        name="pre-tool-call", as_written="x", known=True, host="h", session_id=session, work_dir="/", timestamp="",
        payload={"number": number},
    )  # fmt: skip
    return Dispatch(id=ids.new(), event=event, project="/p", runs=(run("a").replace(id=ids.new()),))


def test_processes_that_write_at_once_make_one_chain(log: LogWorld) -> None:
    start = multiprocessing.get_context("spawn").Process
    workers = [start(target=_record, args=(log.db, worker)) for worker in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    writer.take(log.db)
    verdict = verify.log(log.db)
    assert (verdict.whole, verdict.records) == (True, 150)


# Not whole --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE dispatch SET decision = 'allow' WHERE id = :id",
        "UPDATE dispatch SET reason = NULL WHERE id = :id",
        "UPDATE dispatch SET synthetic = 1 WHERE id = :id",
        "UPDATE content SET payload = '{}' WHERE id = :id",
        "UPDATE content SET payload = CAST(X'ff' AS TEXT) WHERE id = :id",
        "UPDATE content SET payload = X'00ff' WHERE id = :id",
        "UPDATE content SET effects = '{}' WHERE id = :id",
        "UPDATE run SET stderr = '' WHERE dispatch = :id AND position = 0",
        "UPDATE run SET state = 'skipped' WHERE dispatch = :id AND position = 0",
        "UPDATE run SET state = 'started' WHERE dispatch = :id AND position = 0",
        "UPDATE run SET hook = 1 WHERE dispatch = :id AND position = 0",
        "DELETE FROM run WHERE dispatch = :id AND position = 3",
        f"INSERT INTO run SELECT {COPY} FROM run WHERE dispatch = :id AND position = 0",
    ],
)
def test_an_edit_is_found_at_its_event(log: LogWorld, edit: str) -> None:
    named = busy_day(log)
    tamper(log, edit, id=named["denied"])
    assert faults(log) == [("edited", named["denied"])]
    assert faults_of(log, "s-a1") == [("edited", named["denied"])]
    assert faults_of(log, "s-b2") == []


def faults_of(log: LogWorld, session: str) -> list[tuple[str, int]]:
    return [(fault.kind, fault.at) for fault in verify.session(log.db, number_of(log, session)).faults]


def test_the_text_of_a_hook_that_ran_is_covered(log: LogWorld) -> None:
    named = busy_day(log)
    tamper(log, "UPDATE hook SET text = 'harmless' WHERE name = 'tests-pass'")
    assert faults(log) == [("edited", named["gate"])]
    tamper(log, "UPDATE hook SET digest = NULL WHERE name = 'tests-pass'")
    assert faults(log) == [("edited", named["gate"])]


def test_whose_session_it_was_is_covered(log: LogWorld) -> None:
    busy_day(log)
    tamper(log, "UPDATE session SET project = '/elsewhere' WHERE name = 's-b2'")
    assert {kind for kind, _ in faults_of(log, "s-b2")} == {"edited"}
    assert faults_of(log, "s-a1") == []


def test_a_deleted_event_is_missed(log: LogWorld) -> None:
    named = busy_day(log)
    tamper(log, "DELETE FROM dispatch WHERE id = :id", id=named["denied"])
    assert ("deleted", named["denied"]) in faults_of(log, "s-a1")


def test_an_event_deleted_with_its_place_in_the_chain_is_missed_too(log: LogWorld) -> None:
    named = busy_day(log)
    gone = "DELETE FROM {} WHERE {} = :id"
    tables = [("dispatch", "id"), ("content", "id"), ("run", "dispatch"), ("link", "subject")]
    tamper(log, *(gone.format(*table) for table in tables), "UPDATE session SET events = events - 1", id=named["denied"])
    assert ("deleted", named["gate"]) in faults_of(log, "s-a1"), "the next one of the session says it"
    assert any(fault.what.startswith("1 record between") for fault in verify.log(log.db).faults)


def test_a_session_that_is_gone_leaves_a_gap(log: LogWorld) -> None:
    for name in ("a", "b", "a"):
        log.add(session=name)
    number = number_of(log, "b")
    tamper(
        log,
        "DELETE FROM content WHERE id IN (SELECT id FROM dispatch WHERE session = :s)",
        "DELETE FROM dispatch WHERE session = :s",
        "DELETE FROM link WHERE session = :s",
        "DELETE FROM session WHERE id = :s",
        s=number,
    )
    (fault,) = verify.log(log.db).faults
    assert (fault.kind, fault.what) == ("deleted", "1 record between places 1 and 3 of the chain")


def test_an_event_that_was_slipped_in_is_found(log: LogWorld) -> None:
    busy_day(log)
    copied = "INSERT INTO {0} SELECT {1} FROM {0} ORDER BY id DESC LIMIT 1"
    tamper(
        log,
        copied.format("dispatch", "id + 5, session, event, tool, 'allow', state, ran, reason, duration_ms, synthetic"),
        copied.format("content", "id + 5, payload, effects"),
        "UPDATE session SET events = events + 1 WHERE id = (SELECT session FROM dispatch ORDER BY id DESC LIMIT 1)",
    )
    ((kind, _),) = faults(log)
    assert kind == "added"


def test_a_new_order_is_found(log: LogWorld) -> None:
    first, second = log.add(tool="Read"), log.add(tool="Write")
    for table, column in (("dispatch", "id"), ("content", "id")):
        swapped = f"UPDATE {table} SET {column} = {{}} WHERE {column} = {{}}"
        tamper(log, swapped.format(-1, first), swapped.format(first, second), swapped.format(second, -1))
    assert faults(log) == [("edited", first), ("edited", second)]
    tamper(log, "UPDATE link SET subject = CASE subject WHEN :a THEN :b ELSE :a END", a=first, b=second)
    assert ("moved", first) in faults(log)


def test_a_forged_place_in_the_chain_is_found(log: LogWorld) -> None:
    number = log.add(decision="deny")
    log.add()
    tamper(log, "UPDATE dispatch SET decision = 'allow' WHERE id = :id", id=number)
    with closing(sqlite3.connect(log.db)) as connection:
        (row,) = connection.execute(chain.DISPATCHES.format(which="dispatch.id = ?"), (number,))
        forged = chain.dispatch_digest(row, [], ())
    tamper(log, "UPDATE link SET digest = :digest WHERE subject = :id", digest=forged, id=number)
    assert faults(log) == [("moved", number)]


# Against a head that was kept -------------------------------------------------------------------------------------------------


def test_only_a_head_that_was_kept_shows_that_the_end_is_missing(log: LogWorld) -> None:
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
    assert verify.log(log.db).whole
    (fault,) = verify.log(log.db, head).faults
    assert (fault.kind, fault.what) == ("cut", "the last 1 record, since the head was kept")


def test_a_head_that_was_kept_stays_good_while_the_log_grows(log: LogWorld) -> None:
    log.add()
    head = verify.head_of(log.db)
    log.add()
    assert verify.log(log.db, head).whole


def test_a_chain_that_was_computed_anew_is_betrayed_by_a_head(log: LogWorld) -> None:
    log.add(decision="deny")
    head = verify.head_of(log.db)
    forged = LogWorld(log.db + "-forged")
    forged.add(decision="allow")
    log.db = forged.db
    assert faults(log) == []
    assert faults(log, head) == [("rewritten", 0)]


@pytest.mark.parametrize("wrong", ["x", "1", "1-xyz", "-ab", "1-abc"])
def test_what_is_no_head_is_refused(log: LogWorld, wrong: str) -> None:
    log.add()
    with pytest.raises(verify.HeadError, match="is no head"):
        verify.log(log.db, wrong)


async def test_an_export_holds_the_head_of_its_moment_and_a_session_its_verdict(log: LogWorld) -> None:
    named = busy_day(log)
    head = verify.head_of(log.db)
    reader = await LogReader.open(log.db)
    for name in ("md", "html"):
        out = io.StringIO()
        await export.export(reader, query.parse(""), name, out)
        assert head in out.getvalue()
    tamper(log, "UPDATE dispatch SET reason = '' WHERE id = :id", id=named["denied"])
    assert not (await reader.verdict(number_of(log, "s-a1"))).whole
    assert (await reader.verdict(number_of(log, "s-b2"))).whole
    await reader.close()


# Older logs -------------------------------------------------------------------------------------------------------------------


def downgrade(log: LogWorld) -> None:
    """Make it a log of schema 1."""
    without = ("DROP TABLE link", "DROP TABLE note", "ALTER TABLE hook DROP COLUMN digest", "PRAGMA user_version = 1")
    tamper(log, *without)


def test_a_log_from_before_the_chain_is_taken_over_and_what_it_held_is_said_to_be_uncovered(log: LogWorld) -> None:
    named = busy_day(log)
    downgrade(log)
    assert (verify.log(log.db).older, verify.head_of(log.db)) == (log.count, "")
    before = log.count
    log.recorder = Recorder(log.db)
    added = log.add(session="s-a1", runs=[run("audit")])
    verdict = verify.log(log.db)
    assert (verdict.whole, verdict.records, verdict.older) == (True, 2, before)  # a note and an event
    tamper(log, "UPDATE dispatch SET decision = 'allow' WHERE id IN (:old, :new)", old=named["denied"], new=added)
    assert faults(log) == [("edited", added)]


async def test_a_log_from_before_the_chain_can_be_read_before_anybody_writes_it(log: LogWorld) -> None:
    busy_day(log)
    downgrade(log)
    reader = await LogReader.open(log.db)
    assert await reader.total() == log.count
    await reader.close()


def test_processes_that_take_an_old_log_over_at_once_do_it_once(log: LogWorld) -> None:
    log.add()
    downgrade(log)
    connections = [database.connect(log.db) for _ in range(3)]
    for connection in connections:
        connection.close()
    with closing(sqlite3.connect(log.db)) as connection:
        assert connection.execute("SELECT count(*) FROM note").fetchone() == (1,)


# The command ------------------------------------------------------------------------------------------------------------------


def test_the_command_names_session_event_and_head(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n")
    first = world.fire(session_id="s1")
    world.fire(session_id="s2")
    shown = world.run("doctor", "--verify").stdout
    assert "2 records in 2 sessions are whole" in shown
    findings = world.run("doctor", "--verify", "--json").json()["checks"]
    (head,) = [finding["detail"] for finding in findings if finding["about"] == "head"]
    with closing(sqlite3.connect(world.db)) as connection:
        connection.execute("UPDATE dispatch SET decision = 'allow' WHERE id = (SELECT min(id) FROM dispatch)")
        connection.commit()
    shown = world.run("doctor", "--verify", "--head", head, code=1).stdout
    assert f"edited: session s1: {first['id']} of " in shown
    assert "is no head" in world.run("doctor", "--verify", "--head", "x", code=2).stderr


def test_without_a_log_there_is_nothing_to_verify(world: CommandWorld) -> None:
    assert "nothing to verify" in world.run("doctor", "--verify").stdout


def test_an_entry_of_the_spool_of_an_older_program_is_chained_like_any_other(log: LogWorld) -> None:
    log.add()
    spool.append(log.db, entry.of_end(run("late", "failed").replace(id=5), 4, 0, ()))
    writer.take(log.db)
    assert verify.log(log.db).whole
