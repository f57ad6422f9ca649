"""Tamper evidence: what we do to the log ourselves leaves it whole."""

from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing

import pytest

from hooktui.core import ids
from hooktui.core.model import Dispatch, Event
from hooktui.log.read import verify
from hooktui.log.write import entry, spool, writer
from hooktui.log.write.writer import Recorder
from tests.log_world import LogWorld, busy_day, run
from tests.unit.log.tampering import faults, tamper


def test_what_was_recorded_is_whole(log: LogWorld) -> None:
    busy_day(log)
    verdict = verify.log(log.db)
    assert verdict.intact
    assert (verdict.records, verdict.unchained) == (log.count, 0)


def test_values_that_sqlite_stores_in_its_own_way_are_no_edit(log: LogWorld) -> None:
    odd = run("a", stdout="\ud800 é \x00", duration_ms=3, started_ms=-0.0, exit_code=0)
    log.add(tool="\udfff", decision="deny", reason="\x00", runs=[odd], payload={"k": "\ud800"}, duration_ms=1)
    assert verify.log(log.db).intact


def test_an_async_run_is_whole_before_and_after_its_end_and_its_end_is_a_record(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started"), run("b")])
    assert verify.log(log.db).intact
    log.end(run("a", "failed", exit_code=3).replace(id=number + 1), number, 0)
    verdict = verify.log(log.db)
    assert (verdict.intact, verdict.records) == (True, 2)
    tamper(log, "UPDATE run SET exit_code = 0 WHERE exit_code = 3")
    assert faults(log) == [("edited", number + 1)]


def test_an_end_that_came_before_its_dispatch_is_whole(log: LogWorld) -> None:
    number = ids.at_time(1_768_996_800.0) + 1
    log.end(run("a", "failed").replace(id=number + 1), number, 0)
    log.add(runs=[run("a", "started")])
    assert verify.log(log.db).intact
    tamper(log, "UPDATE run SET state = 'ok'")
    assert faults(log) == [("edited", number + 1)]


def test_a_group_of_several_sessions_with_what_is_there_already_is_whole(log: LogWorld) -> None:
    group = [_dispatch(session, number) for number, session in enumerate(("a", "b", "a"))]
    log.recorder.record(group[0])
    log.recorder.record_all([*group, group[1]])
    verdict = verify.log(log.db)
    assert (verdict.intact, verdict.records) == (True, 3)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_end_that_waits_in_the_spool_with_its_dispatch_is_whole(log: LogWorld, order: tuple[int, int]) -> None:
    begun = _dispatch("a", 1)
    started = begun.replace(runs=(begun.runs[0].replace(state="started"),))
    log.add()
    waiting = (entry.of_dispatch(started, ()), entry.of_end(begun.runs[0], begun.id, 0, ()))
    for place in order:
        spool.append(log.db, waiting[place])
    writer.take(log.db)
    verdict = verify.log(log.db)
    assert (verdict.intact, verdict.records) == (True, 3)
    tamper(log, "UPDATE run SET state = 'failed'")
    assert faults(log) == [("edited", begun.runs[0].id)]


def test_an_end_that_comes_twice_is_recorded_once(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started")])
    for _ in range(2):
        log.end(run("a", "ok").replace(id=number + 1), number, 0)
    verdict = verify.log(log.db)
    assert (verdict.intact, verdict.records) == (True, 2)


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
    assert (verdict.intact, verdict.records) == (True, 3)


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
    assert (verdict.intact, verdict.records) == (True, 150)


def test_an_entry_of_the_spool_of_an_older_program_is_chained_like_any_other(log: LogWorld) -> None:
    log.add()
    spool.append(log.db, entry.of_end(run("late", "failed").replace(id=5), 4, 0, ()))
    writer.take(log.db)
    assert verify.log(log.db).intact
