"""Pruning by age and size: noted, complete, and without delaying events."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from hooktui.core.model import Dispatch
from hooktui.core.settings import Settings
from hooktui.log.read import query, verify
from hooktui.log.read.reader import LogReader
from hooktui.log.store import import_journal, retention
from hooktui.runner.upkeep import DAY_S
from tests.command_world import CommandWorld, wait_until
from tests.log_world import NOON, LogWorld, LogWriter, run
from tests.unit.log.tampering import faults, rows, tamper, value

MONTH = Settings(keep_days=30)
NOW = NOON + 40 * DAY_S


def days(number: float) -> float:
    """The time some days ago."""
    return NOW - number * DAY_S


def fill(log: LogWorld, count: int, at: float, session: str = "s1") -> None:
    def nth(number: int) -> Dispatch:
        failed = run("a", "failed", stdout=f"spoken{number}", stderr="err\\nline", reason="why")
        payload = {"text": f"word{number} \n\ttabbed " + "x" * 1500}
        runs = [failed, run("b", "skipped")]
        return log.made(session=session, decision="deny", reason="no", at=at + number, runs=runs, payload=payload)

    log.add_all([nth(number) for number in range(count)])


async def test_old_events_are_removed_from_every_table(log: LogWorld, reader: LogReader) -> None:
    fill(log, 450, days(35))
    fill(log, 3, days(2), "s2")
    (done,) = retention.prune(log.db, MONTH, NOW)
    assert (done.events, done.reason) == (450, "older than 30 days")
    for table in ("dispatch", "content"):
        assert value(log, f"SELECT count(*) FROM {table}") == 3
    assert value(log, "SELECT count(*) FROM run") == 6
    assert value(log, "SELECT group_concat(name) FROM session") == "s2"
    assert value(log, "SELECT count(*) FROM words WHERE words MATCH 'spoken0 OR word0 OR tabbed OR why'") == 3
    assert await reader.count(query.parse("spoken400")) == 0
    assert await reader.count(query.parse("word2")) == 1
    assert value(log, "PRAGMA integrity_check") == "ok"


def test_continued_session_counts_its_remaining_events(log: LogWorld) -> None:
    fill(log, 5, days(35))
    fill(log, 2, days(1))
    retention.prune(log.db, MONTH, NOW)
    first = value(log, "SELECT min(id) FROM dispatch")
    assert rows(log, "SELECT events, denials, failures, hook_ms, first FROM session") == [(2, 2, 2, 25.0, first)]


def test_pruning_is_noted_and_the_log_stays_intact(log: LogWorld) -> None:
    fill(log, 5, days(35))
    head = verify.head_of(log.db)
    fill(log, 5, days(1))
    kept = verify.head_of(log.db)
    retention.prune(log.db, MONTH, NOW)
    note = json.loads(value(log, "SELECT detail FROM note WHERE kind = 'pruned'"))
    assert (note["dispatches"], note["why"]) == (5, "older than 30 days")
    assert verify.log(log.db).intact
    assert verify.log(log.db, kept).intact
    assert verify.log(log.db, head).intact
    assert value(log, "SELECT min(seq) FROM link") == 5, "one link is left, so that the next can be verified"
    tamper(log, "UPDATE dispatch SET decision = 'allow' WHERE id = (SELECT min(id) FROM dispatch)")
    assert [kind for kind, _ in faults(log)] == ["edited"]


def test_deletions_are_found_after_pruning(log: LogWorld) -> None:
    fill(log, 5, days(35))
    fill(log, 5, days(1))
    retention.prune(log.db, MONTH, NOW)
    tamper(log, "DELETE FROM dispatch WHERE id = (SELECT min(id) FROM dispatch)")
    assert "deleted" in {kind for kind, _ in faults(log)}


def test_repeatedly_pruned_log_stays_intact(log: LogWorld) -> None:
    for day in range(6):
        fill(log, 3, NOON + day * DAY_S)
        retention.prune(log.db, Settings(keep_days=1), NOON + (day + 0.5) * DAY_S)
        assert verify.log(log.db).intact
    assert value(log, "SELECT count(*) FROM dispatch") == 3
    retention.prune(log.db, Settings(keep_days=1), NOON + 90 * DAY_S)
    assert verify.log(log.db).intact
    assert value(log, "SELECT count(*) FROM dispatch") == 0
    log.add()
    assert verify.log(log.db).intact


def test_async_run_ending_after_its_event_was_pruned_is_harmless(log: LogWorld) -> None:
    number = log.add(runs=[run("late", "started")], at=days(35))
    ended = log.add(runs=[run("late", "started")], at=days(34))
    log.end(run("late", "ok").replace(id=ended + 1), ended, 0)
    log.add(at=days(1))
    retention.prune(log.db, MONTH, NOW)
    log.end(run("late", "ok").replace(id=number + 1), number, 0)
    assert verify.log(log.db).intact


def test_oldest_events_beyond_the_size_are_removed_and_the_file_shrinks(log: LogWorld) -> None:
    fill(log, 900, days(3))
    rows(log, "PRAGMA wal_checkpoint(TRUNCATE)")
    before = os.path.getsize(log.db)
    assert before > 2_000_000
    removals = retention.prune(log.db, Settings(keep_mb=1), NOW)
    assert {removal.reason for removal in removals} == {"more than 1 MB"}
    assert 500_000 < os.path.getsize(log.db) <= 1_000_000
    assert value(log, "SELECT count(*) FROM dispatch") == 900 - sum(removal.events for removal in removals)
    assert value(log, "SELECT count(*) FROM words WHERE words MATCH 'word899'") == 1
    assert verify.log(log.db).intact
    assert retention.prune(log.db, Settings(keep_mb=1), NOW) == []


def test_nothing_is_removed_within_the_limits(log: LogWorld) -> None:
    fill(log, 3, days(1000))
    assert retention.prune(log.db, Settings(), NOW) == []
    assert retention.prune(log.db, Settings(keep_days=2000, keep_mb=100), NOW) == []
    assert value(log, "SELECT count(*) FROM note") == 0


def test_events_are_recorded_during_pruning(log: LogWorld) -> None:
    fill(log, 2_000, days(35))
    pruning = threading.Thread(target=retention.prune, args=(log.db, MONTH, NOW))
    pruning.start()
    added = 0
    while pruning.is_alive():
        log.recorder = LogWriter(log.db, patience_s=2.0)  # pruning as a whole takes longer
        log.add(at=days(1) + added)  # asserts that nothing is spooled
        added += 1
    pruning.join()
    assert added > 3
    assert value(log, "SELECT count(*) FROM dispatch") == added
    assert verify.log(log.db).intact


# The command, and the daily pruning after an event ----------------------------------------------------------------------------


def old_events(world: CommandWorld) -> LogWorld:
    world.db.parent.mkdir(parents=True)
    log = LogWorld(str(world.db))
    fill(log, 5, time.time() - 35 * DAY_S)
    return log


def test_command_prunes_by_the_configuration(world: CommandWorld) -> None:
    old_events(world)
    assert "nothing to remove" in world.run("log", "--prune").stdout
    world.configure("[log]\nkeep_days = 30\n")
    assert world.run("log", "--prune").stdout == "removed 5 events, older than 30 days\n"
    assert world.run("log", "--prune").stdout == "nothing to remove\n"
    assert "5 pruned, last on" in world.run("doctor", code=None).stdout
    assert "--prune accepts only --db" in world.run("log", "--prune", "decision:deny", code=2).stderr


def is_pruning(world: CommandWorld) -> bool:
    """Whether a pruning process runs."""
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            commands.append(path.read_bytes())
    return any(b"--prune" in command and str(world.db).encode() in command for command in commands)


def test_old_files_of_hooks_that_the_log_has_are_removed(world: CommandWorld) -> None:
    world.hook("guard")
    world.fire()
    (file,) = (world.stored().parent / "log.db.kept").iterdir()
    os.utime(file, (0, 0))
    world.configure("[log]\nkeep_days = 30\n")
    world.run("log", "--prune")
    assert not file.exists()
    world.fire()
    assert file.exists()
    reports = map(json.loads, world.run("log", "--json").stdout.splitlines())
    assert [run["name"] for report in reports for run in report["hooks"]] == ["guard", "guard"]


def test_event_starts_pruning_in_another_process_once_a_day(world: CommandWorld) -> None:
    log = old_events(world)
    world.configure("[log]\nkeep_days = 30\n")
    world.fire()
    wait_until(lambda: value(log, "SELECT count(*) FROM dispatch") == 1 and not is_pruning(world))
    stamp = world.db.with_name("log.db.pruned")
    assert stamp.stat().st_mode & 0o077 == 0
    fill(log, 1, time.time() - 35 * DAY_S)
    world.fire()
    import_journal.take(str(world.db))
    assert value(log, "SELECT count(*) FROM dispatch") == 3, "not twice a day"
    os.utime(stamp, (0, 0))
    world.fire()
    wait_until(lambda: value(log, "SELECT count(*) FROM dispatch") == 3)


def test_without_limits_nothing_is_pruned(world: CommandWorld) -> None:
    old_events(world)
    world.fire()
    assert not world.db.with_name("log.db.pruned").exists()
