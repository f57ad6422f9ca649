"""Notes of the log about its own changes count only if the hash chain covers them."""

from __future__ import annotations

import pytest

from hooktui.cli import doctor
from hooktui.core.settings import Settings
from hooktui.log.read import verify
from hooktui.log.store import retention
from tests.log_world import LogWorld, busy_day
from tests.unit.log.tampering import faults, faults_of, tamper, value
from tests.unit.log.test_retention import MONTH, NOW, days, fill

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
