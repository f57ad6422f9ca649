"""Tamper evidence: verification finds and locates every change of the log, and believes no forged note."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from hooktui.cli import doctor
from hooktui.core.settings import Settings
from hooktui.log.read import verify
from hooktui.log.store import hash_chain, retention
from tests.log_world import LogWorld, busy_day
from tests.unit.log.tampering import faults, faults_of, number_of, tamper, value
from tests.unit.log.test_retention import MONTH, NOW, days, fill

COPY = "1, dispatch, hook, 9, 'ok', NULL, '', 'allow', NULL, NULL, 0, NULL, 0, 0, '', '', 0, NULL, NULL, NULL"


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
        "UPDATE run SET hook = hook % 2 + 1 WHERE dispatch = :id AND position = 0",
        "UPDATE dispatch SET skips = NULL WHERE id = :id",
        "DELETE FROM skip WHERE list = (SELECT skips FROM dispatch WHERE id = :id)",
        "UPDATE skip SET why = 'no' WHERE list = (SELECT skips FROM dispatch WHERE id = :id)",
        "UPDATE skip_list SET digest = X'00' WHERE id = (SELECT skips FROM dispatch WHERE id = :id)",
        f"INSERT INTO run SELECT {COPY} FROM run WHERE dispatch = :id AND position = 0",
    ],
)
def test_edit_is_located_at_its_event(log: LogWorld, edit: str) -> None:
    named = busy_day(log)
    tamper(log, edit, id=named["denied"])
    assert set(faults(log)) == {("edited", named["denied"])}
    assert set(faults_of(log, "s-a1")) == {("edited", named["denied"])}
    assert faults_of(log, "s-b2") == []


def test_changed_hook_text_is_found(log: LogWorld) -> None:
    named = busy_day(log)
    tamper(log, "UPDATE hook SET text = 'harmless' WHERE name = 'tests-pass'")
    assert faults(log) == [("edited", named["gate"])]
    tamper(log, "UPDATE hook SET digest = NULL WHERE name = 'tests-pass'")
    assert faults(log) == [("edited", named["gate"])]


def test_changed_session_is_found(log: LogWorld) -> None:
    busy_day(log)
    tamper(log, "UPDATE session SET project = '/elsewhere' WHERE name = 's-b2'")
    assert {kind for kind, _ in faults_of(log, "s-b2")} == {"edited"}
    assert faults_of(log, "s-a1") == []


def test_deleted_event_is_found(log: LogWorld) -> None:
    named = busy_day(log)
    tamper(log, "DELETE FROM dispatch WHERE id = :id", id=named["denied"])
    assert ("deleted", named["denied"]) in faults_of(log, "s-a1")


def test_event_deleted_with_its_link_is_found(log: LogWorld) -> None:
    named = busy_day(log)
    gone = "DELETE FROM {} WHERE {} = :id"
    tables = [("dispatch", "id"), ("content", "id"), ("run", "dispatch"), ("link", "subject")]
    tamper(log, *(gone.format(*table) for table in tables), "UPDATE session SET events = events - 1", id=named["denied"])
    assert ("deleted", named["gate"]) in faults_of(log, "s-a1"), "the next one of the session says it"
    assert any(fault.message.startswith("1 record missing between") for fault in verify.log(log.db).faults)


def test_deleted_session_leaves_a_gap(log: LogWorld) -> None:
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
    assert (fault.kind, fault.message) == ("deleted", "1 record missing between positions 1 and 3")


def test_added_event_is_found(log: LogWorld) -> None:
    busy_day(log)
    copied = "INSERT INTO {0} SELECT {1} FROM {0} ORDER BY id DESC LIMIT 1"
    columns = "id + 5, session, event, tool, 'allow', state, ran, reason, duration_ms, synthetic, origin, 'allow'"
    columns += ", 0, NULL, NULL, NULL, 0, NULL"
    tamper(
        log,
        copied.format("dispatch", columns),
        copied.format("content", "id + 5, payload, effects"),
        "UPDATE session SET events = events + 1 WHERE id = (SELECT session FROM dispatch ORDER BY id DESC LIMIT 1)",
    )
    ((kind, _),) = faults(log)
    assert kind == "added"


def test_changed_order_is_found(log: LogWorld) -> None:
    first, second = log.add(tool="Read"), log.add(tool="Write")
    for table, column in (("dispatch", "id"), ("content", "id")):
        swapped = f"UPDATE {table} SET {column} = {{}} WHERE {column} = {{}}"
        tamper(log, swapped.format(-1, first), swapped.format(first, second), swapped.format(second, -1))
    assert faults(log) == [("edited", first), ("edited", second)]
    tamper(log, "UPDATE link SET subject = CASE subject WHEN :a THEN :b ELSE :a END", a=first, b=second)
    assert ("moved", first) in faults(log)


def test_forged_link_is_found(log: LogWorld) -> None:
    number = log.add(decision="deny")
    log.add()
    tamper(log, "UPDATE dispatch SET decision = 'allow' WHERE id = :id", id=number)
    with closing(sqlite3.connect(log.db)) as connection:
        (row,) = connection.execute(hash_chain.DISPATCHES.format(which="dispatch.id = ?"), (number,))
        forged = hash_chain.dispatch_digest(row, [], ())
    tamper(log, "UPDATE link SET digest = :digest WHERE subject = :id", digest=forged, id=number)
    assert faults(log) == [("moved", number)]


FAR = 9_000_000_000_000_000_000
GONE = [
    f"DELETE FROM {table} WHERE {column} = :id"
    for table, column in (("run", "dispatch"), ("content", "id"), ("dispatch", "id"))
]


def test_unchained_note_does_not_excuse_a_deletion(log: LogWorld) -> None:
    named = busy_day(log)
    head = verify.head_of(log.db)
    note = f"""INSERT INTO note VALUES ({FAR}, 'pruned', '{{"below": {FAR}, "first": {FAR}, "dispatches": 1}}')"""
    tamper(log, note, *GONE, "UPDATE session SET events = events - 1", id=named["denied"])
    assert ("deleted", named["denied"]) in faults(log, head)
    assert ("added", FAR) in faults(log, head)


def test_unchained_note_does_not_make_events_older_than_the_chain(log: LogWorld) -> None:
    busy_day(log)
    tamper(
        log,
        f"""INSERT INTO note VALUES ({FAR}, 'begun', '{{"dispatches": 1, "newest": {FAR}}}')""",
        "INSERT INTO dispatch SELECT id + 5, session, event, tool, 'allow', state, ran, reason, duration_ms, synthetic,"
        " origin, 'allow', NULL, NULL, NULL, NULL, 0, NULL FROM dispatch ORDER BY id DESC LIMIT 1",
        "INSERT INTO content SELECT id + 5, payload, effects FROM content ORDER BY id DESC LIMIT 1",
    )
    assert [kind for kind, _ in faults(log)].count("added") >= 2


def test_deletions_before_pruned_events_are_found(log: LogWorld) -> None:
    fill(log, 5, days(35))
    fill(log, 5, days(2))
    retention.prune(log.db, MONTH, NOW)
    fill(log, 4, days(1))
    head = verify.head_of(log.db)
    assert verify.log(log.db, head).intact
    before = "(SELECT subject FROM link WHERE kind = 'dispatch' AND seq < (SELECT seq FROM link WHERE kind = 'note'))"
    tamper(
        log,
        f"DELETE FROM run WHERE dispatch IN {before}",
        f"DELETE FROM content WHERE id IN {before}",
        f"DELETE FROM dispatch WHERE id IN {before}",
        "DELETE FROM link WHERE seq < (SELECT seq FROM link WHERE kind = 'note')",
        "UPDATE session SET events = (SELECT count(*) FROM dispatch WHERE session = session.id)",
    )
    for kept in ("", head):
        assert "deleted" in {kind for kind, _ in faults(log, kept)}


@pytest.mark.parametrize("head", [False, True])
def test_log_without_its_chain_is_not_intact(log: LogWorld, head: bool) -> None:
    busy_day(log)
    kept = verify.head_of(log.db) if head else ""
    tamper(log, "DROP TABLE link")
    assert faults(log, kept) == [("deleted", 0)]
    assert faults_of(log, "s-a1") == [("deleted", 0)]


@pytest.mark.parametrize("column", ["denials", "failures", "hook_ms", "first", "last"])
def test_changed_session_totals_are_found(log: LogWorld, column: str) -> None:
    busy_day(log)
    tamper(log, f"UPDATE session SET {column} = {column} + 1 WHERE name = 's-a1'")
    assert faults_of(log, "s-a1") == [("edited", 0)]
    assert faults_of(log, "s-b2") == []


def test_session_without_events_is_found(log: LogWorld) -> None:
    busy_day(log)
    tamper(log, "INSERT INTO session (name, host, project, first, last) VALUES ('ghost', 'claude', '/', 1, 1)")
    assert faults(log) == [("added", 0)]


@pytest.mark.parametrize("detail", ["xx", "[]", "null", "{}", '{"below": "x"}'])
def test_corrupt_note_is_reported_and_harmless(log: LogWorld, detail: str) -> None:
    fill(log, 5, days(35))
    retention.prune(log.db, MONTH, NOW)
    tamper(log, "UPDATE note SET detail = :detail", detail=detail)
    assert "edited" in {kind for kind, _ in faults(log)}
    assert any(finding.state == "problem" for finding in doctor.verified(log.db))
    retention.prune(log.db, MONTH, NOW)


def test_interrupted_pruning_is_counted_once(log: LogWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(log, 500, days(35))
    fill(log, 3, days(1))

    class KilledError(Exception):
        pass

    def killed(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(retention, "_pause", killed)
        with pytest.raises(KilledError):
            retention.prune(log.db, MONTH, NOW)
    assert verify.log(log.db).intact
    assert retention.prune(log.db, MONTH, NOW) == []
    assert value(log, "SELECT count(*) FROM dispatch") == 3
    assert value(log, "SELECT json_extract(detail, '$.dispatches') FROM note") == 500
    assert verify.log(log.db).intact
    retention.prune(log.db, Settings(keep_days=1), NOW + 86_400)
    last = value(log, "SELECT json_extract(detail, '$.dispatches', '$.earlier') FROM note ORDER BY id DESC LIMIT 1")
    assert last == "[3,500]"


def test_head_of_a_pruned_record_is_reported(log: LogWorld) -> None:
    fill(log, 2, days(36))
    head = verify.head_of(log.db)
    fill(log, 5, days(35))
    fill(log, 5, days(1))
    retention.prune(log.db, MONTH, NOW)
    verdict = verify.log(log.db, head)
    assert (verdict.intact, verdict.head_pruned) == (True, True)
