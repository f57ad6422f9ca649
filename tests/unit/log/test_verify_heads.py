"""Saved heads, logs older than the chain, and `doctor --verify`."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing

import pytest

from hooktui.log.export import export_file
from hooktui.log.read import query, verify
from hooktui.log.read.reader import LogReader
from hooktui.log.store import database
from tests.command_world import CommandWorld
from tests.log_world import LogWorld, LogWriter, busy_day, run
from tests.unit.log.tampering import downgrade, faults, number_of, rows, tamper


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
