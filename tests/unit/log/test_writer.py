"""Writing the log: what is stored, how a gate's denials are counted, and how the WAL stays small."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from hooktui.core import ids
from hooktui.core.events import GATE, TURN_STARTS
from hooktui.core.model import Dispatch, Event
from hooktui.log.write import database, entry, spool, storing
from hooktui.log.write.database import SCHEMA
from hooktui.log.write.writer import WAL_LIMIT, LogWriter
from tests.log_world import LogWorld, run

if TYPE_CHECKING:
    from pathlib import Path


def rows(log: LogWorld, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(log.db)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def _dispatch(name: str = "pre-tool-call", session: str = "s1", **values: Any) -> Dispatch:
    event = Event(name=name, as_written=name, known=True, host="h", session_id=session, work_dir="/", timestamp="")
    return Dispatch(**{"id": ids.new(), "event": event, "project": "/home/dev/app", "runs": (), **values})


def denials(log: LogWorld, session: str = "s1", project: str = "/home/dev/app") -> int:
    return LogWriter(log.db).denials_in_a_row(session, project, TURN_STARTS, GATE)


def test_a_new_log_has_the_current_schema(log: LogWorld) -> None:
    log.add()
    assert rows(log, "PRAGMA user_version") == [(SCHEMA,)]
    assert rows(log, "PRAGMA journal_mode") == [("wal",)]


def test_a_session_counts_its_events_denials_and_failures(log: LogWorld) -> None:
    log.add(decision="deny", runs=[run("a", "failed"), run("b", "ok")])
    log.add(decision="stop", runs=[run("a", "timeout")])
    log.add(runs=[run("a", "skipped")])
    log.add(session="other")
    assert rows(log, "SELECT name, events, denials, failures FROM session ORDER BY name") == [
        ("other", 1, 0, 0),
        ("s1", 3, 2, 2),
    ]


def test_a_version_of_a_hook_is_stored_once(log: LogWorld) -> None:
    for _ in range(3):
        log.add(runs=[run("a"), run("b")])
    assert rows(log, "SELECT name FROM hook ORDER BY name") == [("a",), ("b",)]
    assert rows(log, "SELECT count(*) FROM run") == [(6,)]


def test_recording_a_dispatch_twice_stores_it_once(log: LogWorld) -> None:
    one = _dispatch(runs=(run("a").replace(id=ids.new()),))
    for _ in range(2):
        assert LogWriter(log.db).record(one) is None
    assert rows(log, "SELECT events FROM session") == [(1,)]
    assert rows(log, "SELECT count(*) FROM run") == [(1,)]


@pytest.mark.parametrize("another", [False, True])
def test_a_log_that_was_deleted_or_replaced_is_written_anew(log: LogWorld, another: bool) -> None:
    recorder = LogWriter(log.db)
    recorder.record(_dispatch(runs=(run("a").replace(id=ids.new()),)))
    for name in (log.db, log.db + "-wal", log.db + "-shm"):
        os.unlink(name)
    if another:
        log.add()
    assert recorder.record(_dispatch(runs=(run("a").replace(id=ids.new()),))) is None
    assert rows(log, "SELECT count(*), (SELECT name FROM hook) FROM dispatch") == [(1 + another, "a")]
    assert rows(log, "PRAGMA integrity_check") == [("ok",)]


def test_the_end_of_an_async_run_replaces_its_beginning_and_nothing_else(log: LogWorld) -> None:
    number = log.add(runs=[run("a", "started"), run("b", "ok")])
    ends = [run("a", "failed", exit_code=3).replace(id=number + 1), run("b", "failed").replace(id=number + 2)]
    for position, end in enumerate(ends):
        log.end(end, number, position)
    assert rows(log, "SELECT state, exit_code FROM run ORDER BY id") == [("failed", 3), ("ok", None)]


def test_an_end_makes_no_log_where_there_is_none_any_more(log: LogWorld, tmp_path: Path) -> None:
    number = log.add(runs=[run("a", "started")])
    for path in tmp_path.iterdir():
        path.unlink()
    log.end(run("a").replace(id=number + 1), number, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["log.db.spool"]


def test_an_end_that_comes_before_its_dispatch_is_kept(log: LogWorld) -> None:
    number = ids.at_time(1_768_996_800.0) + 1
    log.end(run("a", "failed").replace(id=number + 1), number, 0)
    assert log.add(runs=[run("a", "started")]) == number
    assert rows(log, "SELECT state FROM run") == [("failed",)]


def test_long_payloads_keep_their_ends(log: LogWorld) -> None:
    log.add(payload={"start": 1, "long": "x" * 500_000, "end": 2})
    ((payload,),) = rows(log, "SELECT payload FROM content")
    assert len(payload) < 140_000
    assert payload.startswith('{"start": 1')
    assert payload.endswith('"end": 2}')
    assert "characters left out" in payload


def test_long_reasons_and_effects_are_capped_and_effects_stay_json(log: LogWorld) -> None:
    long = "x" * 500_000
    said = run("a", decision="deny", reason=long, additional_context=long, modified_input={"keep": 1, "long": [long]})
    log.add(decision="deny", reason=long, runs=[said], additional_context=(long,), logs=(long,))
    ((reason, effects),) = rows(log, "SELECT reason, effects FROM run")
    ((told, merged),) = rows(log, "SELECT reason, effects FROM dispatch NATURAL JOIN content")
    assert all("characters left out" in text and len(text) < 140_000 for text in (reason, told))
    for text, texts in ((effects, 2), (merged, 2)):
        assert len(text) < texts * 140_000
        assert "characters left out" in text
    assert json.loads(effects)["modified_input"]["keep"] == 1
    assert set(json.loads(merged)) == {"additional_context", "log"}


def test_a_secret_where_a_text_is_cut_is_redacted(log: LogWorld) -> None:
    secret = "ghp" + "_" + "A1" * 18
    log.add(runs=[run("a", stdout="x" * 65_520 + f" {secret} " + "y" * 200_000)])
    ((stored,),) = rows(log, "SELECT stdout FROM run")
    assert "ghp" not in stored
    assert "A1A1" not in stored


def test_secrets_are_out_of_everything_that_is_stored(log: LogWorld, tmp_path: Path) -> None:
    secret = "ghp" + "_" + "A1" * 18
    said: Any = {"reason": secret, "additional_context": secret, "system_message": secret, "log": secret}
    one = run("a", stdout=secret, stderr=secret, why=f"matched {secret}", modified_input={"k": secret}, **said)
    log.add(
        payload={"k": [secret]}, reason=secret, runs=[one], warnings=(secret,), logs=(secret,), additional_context=(secret,)
    )
    stored = [path.read_bytes() for path in tmp_path.iterdir()]
    assert any(b"[redacted]" in content for content in stored)
    assert not any(secret.encode() in content for content in stored)


def test_opening_the_log_again_takes_no_lock_from_those_who_have_it_open(log: LogWorld, tmp_path: Path) -> None:
    log.add()
    database.connect(log.db).close()
    read = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM dispatch').fetchall(); c.close()"
    subprocess.run([sys.executable, "-I", "-c", read, log.db], check=True)  # the last close deletes the WAL
    assert (tmp_path / "log.db-wal").exists()


def test_the_wal_stays_small(log: LogWorld, tmp_path: Path) -> None:
    processes = [LogWriter(log.db) for _ in range(12)]  # kept open: the last close would delete the WAL
    for recorder in processes:
        recorder.record(_large())
    assert (tmp_path / "log.db-wal").stat().st_size <= 2 * WAL_LIMIT


def _large() -> Dispatch:
    event = Event(
        name="x",
        as_written="x",
        known=False,
        host="h",
        session_id="s",
        work_dir="/",
        timestamp="",
        payload={"a": "x" * 120_000},
    )
    return Dispatch(id=ids.new(), event=event, project="/p", runs=())


# The gate ---------------------------------------------------------------------------------------------------------------------


def test_denials_in_a_row_are_counted_over_other_events(log: LogWorld) -> None:
    assert denials(log) == 0
    log.add(GATE, decision="deny")
    log.add("pre-tool-call", decision="deny")
    log.add(GATE, decision="stop")
    assert denials(log) == 2


@pytest.mark.parametrize(("event", "decision"), [*((event, "none") for event in TURN_STARTS), (GATE, "none"), (GATE, "allow")])
def test_a_new_turn_and_a_stop_let_through_begin_the_count_again(log: LogWorld, event: str, decision: Any) -> None:
    log.add(GATE, decision="deny")
    log.add(event, decision=decision)
    assert denials(log) == 0
    log.add(GATE, decision="deny")
    assert denials(log) == 1


def test_denials_are_those_of_one_session_wherever_its_agent_works(log: LogWorld) -> None:
    log.add(GATE, decision="deny")
    log.add(GATE, decision="deny", session="s2")
    log.add(GATE, decision="deny", project="/elsewhere")
    log.add(GATE, decision="deny", host="claude")
    assert denials(log) == 3
    log.add("pre-agent-turn", project="/elsewhere")
    assert denials(log) == 0


def test_denials_without_a_session_id_are_those_of_one_project(log: LogWorld) -> None:
    log.add(GATE, decision="deny", session="")
    log.add(GATE, decision="deny", session="", project="/elsewhere")
    log.add(GATE, decision="deny", session="s2")
    assert denials(log, session="") == 1


def test_any_number_of_denials_is_counted(log: LogWorld) -> None:
    for _ in range(250):
        log.add(GATE, decision="deny")
    assert denials(log) == 250


def test_a_session_whose_id_looks_like_a_secret_keeps_its_own_count(log: LogWorld) -> None:
    secrets = ["sk-" + letter * 20 for letter in "ab"]
    for secret in (secrets[0], secrets[0], secrets[1]):
        log.add(GATE, decision="deny", session=secret)
    assert [denials(log, session=secret) for secret in secrets] == [2, 1]
    names = [name for (name,) in rows(log, "SELECT name FROM session")]
    assert len(set(names)) == 2
    assert all("[redacted]" in name for name in names)


def test_names_are_redacted_and_no_longer_than_a_list_shows(log: LogWorld) -> None:
    long = "x" * 100_000
    secret = "ghp" + "_" + "A1" * 18
    log.add(long, tool=long, session=long)
    log.add(tool=f"run {secret}", session=f"{long}y")
    assert [length < 600 for row in rows(log, "SELECT length(event), length(tool) FROM dispatch") for length in row] == [
        True
    ] * 4
    assert rows(log, "SELECT count(DISTINCT name), max(length(name)) < 600 FROM session") == [(2, 1)]
    assert rows(log, "SELECT tool FROM dispatch ORDER BY id DESC LIMIT 1") == [("run [redacted]",)]


def test_what_a_person_tries_counts_for_nothing(log: LogWorld) -> None:
    log.add(GATE, decision="deny")
    log.add(GATE, decision="deny", synthetic=True)
    log.add("pre-session", synthetic=True)
    assert denials(log) == 1


def test_denials_that_wait_in_the_spool_count_in_their_place(log: LogWorld, tmp_path: Path) -> None:
    log.add(GATE, decision="deny")
    log.add(GATE, decision="deny")
    with closing(sqlite3.connect(log.db)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert "spool" in (LogWriter(log.db).record(_dispatch(GATE, decision="deny")) or "")
        assert denials(log) == 3
    assert not spool.is_empty(log.db)


def test_what_waits_in_the_spool_has_the_texts_of_its_hooks(log: LogWorld) -> None:
    log.add(runs=[run("a")])
    with closing(sqlite3.connect(log.db)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        assert "spool" in (LogWriter(log.db).record(_dispatch(runs=(run("a"),))) or "")
    (waiting,) = spool.entries(log.db)
    assert [(hook.name, hook.text) for hook in waiting.hooks] == [("a", run("a").hook.text)]


def test_more_events_are_stored_at_once_than_sqlite_takes_values(log: LogWorld) -> None:
    one, most = entry.of_dispatch(_dispatch(runs=(run("a"),)), ()), 10_000
    with closing(database.connect(log.db)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, most)  # the default depends on the build
        storing.insert(connection, [one.replace(id=number) for number in range(most + 1)])
    assert rows(log, "SELECT events FROM session") == [(most + 1,)]


def test_without_a_log_nothing_was_denied(tmp_path: Path) -> None:
    assert denials(LogWorld(str(tmp_path / "no/log.db"))) == 0
    assert denials(LogWorld("/proc/nowhere/log.db")) == 0


def test_a_row_is_json_where_it_says_so(log: LogWorld) -> None:
    log.add(payload={"k": "é\u2028"}, runs=[run("a", "invalid-output", problems=("p",))], warnings=("w",))
    ((payload, effects),) = rows(log, "SELECT payload, effects FROM content")
    assert json.loads(payload) == {"k": "é\u2028"}
    assert json.loads(effects) == {"warnings": ["w"]}
    ((said,),) = rows(log, "SELECT effects FROM run")
    assert json.loads(said) == {"problems": ["p"]}


@pytest.mark.parametrize("word", ["mkdir", "tabbed", "path", "start"])
def test_a_word_is_found_whatever_escape_stands_before_it(log: LogWorld, word: str) -> None:
    log.add(payload={"k": "start\nmkdir\ttabbed C:\\path"})
    assert rows(log, f"SELECT rowid FROM words WHERE words MATCH '{word}'") == rows(log, "SELECT id FROM dispatch")
