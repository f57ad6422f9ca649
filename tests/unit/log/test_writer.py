"""Writing the log: stored values, counting a gate's denials, and keeping the WAL small."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hooktui.core import ids
from hooktui.log.store import database, storing
from hooktui.log.store.database import SCHEMA
from hooktui.log.store.wal import LIMIT as WAL_LIMIT
from hooktui.runner.journal import entry, spool
from tests.log_world import LogWorld, LogWriter, run
from tests.unit.log.tampering import rows, value


def test_new_log_has_the_current_schema(log: LogWorld) -> None:
    log.add()
    assert rows(log, "PRAGMA user_version") == [(SCHEMA,)]
    assert rows(log, "PRAGMA journal_mode") == [("wal",)]


def test_session_counts_its_events_denials_and_failures(log: LogWorld) -> None:
    log.add(decision="deny", runs=[run("a", "failed"), run("b", "ok")])
    log.add(decision="stop", runs=[run("a", "timeout")])
    log.add(runs=[run("a", "skipped")])
    log.add(session="other")
    totals = rows(log, "SELECT name, events, denials, failures FROM session ORDER BY name")
    assert totals == [("other", 1, 0, 0), ("s1", 3, 2, 2)]


def test_hook_version_is_stored_once(log: LogWorld) -> None:
    for _ in range(3):
        log.add(runs=[run("a"), run("b")])
    assert rows(log, "SELECT name FROM hook ORDER BY name") == [("a",), ("b",)]
    assert rows(log, "SELECT count(*) FROM run") == [(6,)]


def test_recording_a_dispatch_twice_stores_it_once(log: LogWorld) -> None:
    dispatch = log.made(runs=[run("a")])
    for _ in range(2):
        assert LogWriter(log.db).record(dispatch) is None
    assert rows(log, "SELECT events FROM session") == [(1,)]
    assert rows(log, "SELECT count(*) FROM run") == [(1,)]


@pytest.mark.parametrize("another", [False, True])
def test_deleted_or_replaced_log_is_created_again(log: LogWorld, another: bool) -> None:
    recorder = LogWriter(log.db)
    recorder.record(log.made(runs=[run("a")]))
    for name in (log.db, log.db + "-wal", log.db + "-shm"):
        Path(name).unlink(missing_ok=True)
    if another:
        log.add()
    assert recorder.record(log.made(runs=[run("a")])) is None
    assert rows(log, "SELECT count(*), (SELECT name FROM hook) FROM dispatch") == [(1 + another, "a")]
    assert rows(log, "PRAGMA integrity_check") == [("ok",)]


def test_end_of_an_async_run_updates_only_started_runs(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started"), run("b", "ok")])
    ends = [run("a", "failed", exit_code=3).replace(id=number + 1), run("b", "failed").replace(id=number + 2)]
    for position, end in enumerate(ends):
        log.end(end, number, position)
    assert rows(log, "SELECT state, exit_code FROM run ORDER BY id") == [("failed", 3), ("ok", None)]


def test_end_stored_before_its_dispatch_is_kept(log: LogWorld) -> None:
    number = ids.at_time(1_768_996_800.0) + 1
    log.end(run("a", "failed").replace(id=number + 1), number, 0)
    assert log.add(runs=[run("a", "started")]) == number
    assert rows(log, "SELECT state FROM run") == [("failed",)]


def test_long_payloads_keep_their_ends(log: LogWorld) -> None:
    log.add(payload={"start": 1, "long": "x" * 500_000, "end": 2})
    payload = value(log, "SELECT payload FROM content")
    assert len(payload) < 140_000
    assert payload.startswith('{"start": 1')
    assert payload.endswith('"end": 2}')
    assert "characters left out" in payload


def test_long_reasons_and_effects_are_capped_and_effects_stay_json(log: LogWorld) -> None:
    long = "x" * 500_000
    denial = run("a", decision="deny", reason=long, additional_context=long, modified_input={"keep": 1, "long": [long]})
    log.add(decision="deny", reason=long, runs=[denial], additional_context=(long,), logs=(long,))
    ((reason, effects),) = rows(log, "SELECT reason, effects FROM run")
    ((merged_reason, merged),) = rows(log, "SELECT reason, effects FROM dispatch NATURAL JOIN content")
    for text, limit in ((reason, 140_000), (merged_reason, 140_000), (effects, 280_000), (merged, 280_000)):
        assert len(text) < limit
        assert "characters left out" in text
    assert json.loads(effects)["modified_input"]["keep"] == 1
    assert set(json.loads(merged)) == {"additional_context", "log"}


def test_secret_at_the_cut_of_a_text_is_redacted(log: LogWorld) -> None:
    secret = "ghp" + "_" + "A1" * 18
    log.add(runs=[run("a", stdout="x" * 65_520 + f" {secret} " + "y" * 200_000)])
    stored = value(log, "SELECT stdout FROM run")
    assert "ghp" not in stored
    assert "A1A1" not in stored


def test_secrets_are_not_stored(log: LogWorld, tmp_path: Path) -> None:
    secret = "ghp" + "_" + "A1" * 18
    effects: Any = {"reason": secret, "additional_context": secret, "system_message": secret, "log": secret}
    runs = [run("a", stdout=secret, stderr=secret, why=f"matched {secret}", modified_input={"k": secret}, **effects)]
    log.add(payload={"k": [secret]}, reason=secret, runs=runs, warnings=(secret,), logs=(secret,), additional_context=(secret,))
    stored = [path.read_bytes() for path in tmp_path.iterdir()]
    assert any(b"[redacted]" in content for content in stored)
    assert not any(secret.encode() in content for content in stored)


def test_wal_stays_small(log: LogWorld, tmp_path: Path) -> None:
    with closing(database.connect(log.db)):  # the last close deletes the WAL
        for _ in range(12):
            log.add(payload={"a": "x" * 120_000})
        assert (tmp_path / "log.db-wal").stat().st_size <= 2 * WAL_LIMIT


def test_sessions_with_secret_ids_are_stored_apart(log: LogWorld) -> None:
    for letter in "ab":
        log.add(session="sk-" + letter * 20)
    names = [name for (name,) in rows(log, "SELECT name FROM session")]
    assert len(set(names)) == 2
    assert all("[redacted]" in name for name in names)


def test_names_are_redacted_and_cut(log: LogWorld) -> None:
    long = "x" * 100_000
    secret = "ghp" + "_" + "A1" * 18
    log.add(long, tool=long, session=long)
    log.add(tool=f"run {secret}", session=f"{long}y")
    assert value(log, "SELECT max(length(event), length(tool)) FROM dispatch ORDER BY 1 DESC LIMIT 1") < 600
    assert rows(log, "SELECT count(DISTINCT name), max(length(name)) < 600 FROM session") == [(2, 1)]
    assert rows(log, "SELECT tool FROM dispatch ORDER BY id DESC LIMIT 1") == [("run [redacted]",)]


def test_spooled_entry_has_the_texts_of_its_hooks(log: LogWorld) -> None:
    log.add(runs=[run("a")])
    with closing(sqlite3.connect(log.db)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert LogWriter(log.db).record(log.made(runs=[run("a")]))
    (waiting,) = spool.entries(log.db)
    assert [(hook.name, hook.text) for hook in waiting.hooks] == [("a", run("a").hook.text)]


def test_group_may_exceed_the_number_of_values_in_a_statement(log: LogWorld) -> None:
    dispatch, most = entry.of_dispatch(log.made(runs=[run("a")]), ()), 10_000
    with closing(database.connect(log.db)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, most)  # the default depends on the build
        storing.insert(connection, [dispatch.replace(id=number) for number in range(most + 1)])
    assert rows(log, "SELECT events FROM session") == [(most + 1,)]


def test_payload_and_effects_are_json(log: LogWorld) -> None:
    log.add(payload={"k": "é\u2028"}, runs=[run("a", "invalid-output", problems=("p",))], warnings=("w",))
    ((payload, effects),) = rows(log, "SELECT payload, effects FROM content")
    assert json.loads(payload) == {"k": "é\u2028"}
    assert json.loads(effects) == {"warnings": ["w"]}
    assert json.loads(value(log, "SELECT effects FROM run")) == {"problems": ["p"]}


@pytest.mark.parametrize("word", ["mkdir", "tabbed", "path", "start"])
def test_word_after_an_escape_is_indexed(log: LogWorld, word: str) -> None:
    log.add(payload={"k": "start\nmkdir\ttabbed C:\\path"})
    assert rows(log, f"SELECT rowid FROM words WHERE words MATCH '{word}'") == rows(log, "SELECT id FROM dispatch")
