"""A log that cannot be written: hooks still block, and the event waits in the spool, silently, and is stored once."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hooktui.core import ids
from hooktui.log.store import database
from hooktui.runner.journal import spool
from hooktui.runner.journal.entry import DispatchEntry
from tests.command_world import HOOKTUI, Ended, wait_until
from tests.faults.agent import DENY, Agent
from tests.faults.places import read_only, small_disk

INVALID = (
    b"""
{"kind": "dispatch"}
{"kind": "dispatch", "session": {}, "dispatch": {"id": 1}, "payload": "", "effects": null, "runs": []}
{"kind": "dispatch", "session": 1, "dispatch": 2, "payload": 3, "effects": 4, "runs": 5}
{"kind": "end", "run": {"hook": {"version": []}}}
{"kind": ["future"], "x": 1}
{}
[]
\xff\xfe
"""
    + b"[" * 5000
    + b"\n"
)


@pytest.fixture(autouse=True)
def guard(agent: Agent) -> None:
    agent.hook("guard", DENY)


def spool_of(agent: Agent) -> Path:
    return agent.db.with_name("log.db.spool")


def assert_blocked(done: Ended, warning: str) -> None:
    """Assert that the hook blocked, and that the report's only warning says where the event is."""
    report = done.json()
    assert (done.code, report["reason"], len(report["warnings"])) == (2, "no", 1)
    assert warning in report["warnings"][0]
    assert warning in done.stderr


def assert_spooled(agent: Agent, done: Ended) -> None:
    """Assert that the hook blocked, and that the event is in the spool, of which nobody needs to know."""
    report = done.json()
    assert (done.code, report["reason"], report["warnings"], done.stderr) == (2, "no", [], "")
    assert report["id"] in [ids.text(entry.id) for entry in spool.entries(str(agent.db)) if isinstance(entry, DispatchEntry)]
    assert stat.S_IMODE(spool_of(agent).stat().st_mode) == 0o600


def assert_logged(agent: Agent, sessions: list[str]) -> None:
    """Assert that the log has each event once and the spool is empty."""
    assert [report["session_id"] for report in agent.recorded()] == sessions
    assert spool.is_empty(str(agent.db))


def test_corrupt_log(agent: Agent) -> None:
    agent.db.parent.mkdir(parents=True)
    agent.db.write_bytes(b"SQLite format 3\0" + b"\xff" * 8000)
    assert_spooled(agent, agent.report(agent.event(session_id="one")))
    agent.db.unlink()
    assert agent.call(agent.event(session_id="two")).stderr == "no\n"
    assert_logged(agent, ["one", "two"])


def test_log_that_is_not_a_database(agent: Agent) -> None:
    agent.db.parent.mkdir(parents=True)
    agent.db.write_text("dear diary\n" * 100)
    assert_spooled(agent, agent.report())
    assert agent.db.read_text().startswith("dear diary")


@pytest.mark.parametrize("version", [0, 1, 99])
def test_database_of_another_program_is_unchanged(agent: Agent, version: int) -> None:
    agent.db.parent.mkdir(parents=True)
    with sqlite3.connect(agent.db) as theirs:
        theirs.execute("CREATE TABLE bookmarks (title TEXT)")
    theirs.close()
    _set_version(agent.db, version)
    agent.db.chmod(0o644)
    before = agent.db.read_bytes()
    done = agent.report()
    assert_spooled(agent, done)
    for command in (["log"], ["show", "0000000000000"], ["doctor"]):
        done = agent.run(*command, code=1)
        assert "belongs to another program" in done.stdout + done.stderr
    assert agent.db.read_bytes() == before
    assert stat.S_IMODE(agent.db.stat().st_mode) == 0o644


def test_log_that_is_a_directory(agent: Agent) -> None:
    agent.db.mkdir(parents=True)
    assert_spooled(agent, agent.report(agent.event(session_id="one")))
    agent.db.rmdir()
    agent.call(agent.event(session_id="two"))
    assert_logged(agent, ["one", "two"])


def test_log_of_a_newer_hooktui_is_unchanged(agent: Agent) -> None:
    agent.call(agent.event(session_id="old"))
    agent.recorded()
    _set_version(agent.db, 99)
    before = agent.db.read_bytes()
    done = agent.report(agent.event(session_id="new"))
    assert_spooled(agent, done)
    assert "newer" in agent.run("log", code=1).stderr
    assert agent.db.read_bytes() == before
    _set_version(agent.db, database.SCHEMA)
    agent.call(agent.event(session_id="newest"))
    assert_logged(agent, ["old", "new", "newest"])


def test_locked_log(agent: Agent) -> None:
    agent.call(agent.event(session_id="before"))
    agent.recorded()
    holder = sqlite3.connect(agent.db, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    done = agent.report(agent.event(session_id="meanwhile"))
    assert_spooled(agent, done)
    assert "still in the spool" in agent.run("log").stderr
    holder.execute("COMMIT")
    holder.close()
    agent.call(agent.event(session_id="after"))
    assert_logged(agent, ["before", "meanwhile", "after"])


def test_read_only_log(agent: Agent) -> None:
    agent.call(agent.event(session_id="before"))
    agent.recorded()
    with read_only(agent.db):
        assert_spooled(agent, agent.report(agent.event(session_id="meanwhile")))
    agent.call(agent.event(session_id="after"))
    assert_logged(agent, ["before", "meanwhile", "after"])


def test_full_disk_says_which_events_are_lost_and_the_log_goes_on_with_room(agent: Agent) -> None:
    event: dict[str, Any] = {"tool_input": {"content": "x" * 8000}}
    with small_disk(agent.db.parent, kib=64) as resize:
        warnings = [agent.report(agent.event(session_id=f"s{number}", **event)).json()["warnings"] for number in range(60)]
        assert warnings[0] == []
        lost = [number for number, said in enumerate(warnings) if "on device: this event is not recorded" in str(said)]
        assert 59 in lost
        resize(4096)
        agent.call(agent.event(session_id="after"))
        sessions = [report["session_id"] for report in agent.recorded()]
        verified = agent.run("doctor", "--verify").stdout
    assert "log intact" in verified, verified
    assert sessions == [*(f"s{number}" for number in range(60) if number not in lost), "after"]


def test_disk_without_room_for_one_event(agent: Agent) -> None:
    with small_disk(agent.db.parent, kib=4):
        agent.db.with_name("other").write_text("x")
        assert_blocked(agent.report(), "not recorded")


@pytest.mark.parametrize("limit", [20_000, 10])
def test_file_size_limit(agent: Agent, limit: int) -> None:
    done = agent.report(in_child=_at_most(limit))
    if limit == 10:
        assert_blocked(done, "not recorded")
    else:
        assert_spooled(agent, done)
        agent.call()
        assert len(agent.recorded()) == 2


def test_state_directory_that_cannot_be_created(agent: Agent) -> None:
    for place in ("/proc/nowhere", str(agent.home / ".config/agents/hooks/guard/HOOK.md")):
        assert_blocked(agent.report(env={"XDG_STATE_HOME": place}), "not recorded")


@pytest.mark.parametrize("lines", [b'\n{"kind": "dispatch", "ses', INVALID], ids=["truncated", "invalid"])
def test_invalid_lines_in_the_spool_do_not_block_the_others(agent: Agent, lines: bytes) -> None:
    agent.db.mkdir(parents=True)
    agent.call(agent.event(session_id="one"))
    with spool_of(agent).open("ab") as file:
        file.write(lines)
    agent.call(agent.event(session_id="two"))
    agent.db.rmdir()
    agent.call(agent.event(session_id="three"))
    assert_logged(agent, ["one", "two", "three"])


def test_entries_spooled_twice_are_stored_once(agent: Agent) -> None:
    agent.call(agent.event(session_id="one"))
    copy = spool_of(agent).read_bytes()
    agent.call(agent.event(session_id="two"))
    agent.recorded()
    spool_of(agent).write_bytes(copy)
    agent.call(agent.event(session_id="three"))
    assert_logged(agent, ["one", "two", "three"])


def test_line_added_to_the_spool_does_not_change_a_decision(agent: Agent) -> None:
    agent.call()
    with spool_of(agent).open("ab") as file:
        file.write(spool_of(agent).read_bytes().replace(b'"deny"', b'"none"'))
    (report,) = agent.recorded()
    assert report["decision"] == "deny"


def test_event_is_safe_once_the_agent_has_its_answer(agent: Agent) -> None:
    command = [*HOOKTUI, "run"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen(command, env=agent.environment, cwd=agent.project, **pipes)  # type: ignore[call-overload]
    running.stdin.write(json.dumps(agent.event()).encode())
    running.stdin.close()
    assert running.stderr.read(1) == b"n"
    running.kill()
    running.wait()
    running.stderr.close()
    assert_logged(agent, ["s1"])


def test_interrupted_intake_goes_on(agent: Agent) -> None:
    for name in ("one", "two"):
        agent.call(agent.event(session_id=name))
        if name == "one":
            spool_of(agent).rename(agent.db.with_name("log.db.spool.taken"))
    assert_logged(agent, ["one", "two"])


def test_events_take_in_a_spool_that_has_grown(agent: Agent) -> None:
    for number in range(3):
        assert agent.call(agent.event(session_id=f"s{number}", tool_input={"content": "x" * 120_000})).stderr == "no\n"
    wait_until(lambda: spool.is_empty(str(agent.db)) and agent.db.exists())
    assert_logged(agent, ["s0", "s1", "s2"])


def test_version_that_is_gone_loses_no_event(agent: Agent) -> None:
    agent.call()
    shutil.rmtree(agent.db.with_name("log.db.kept"))
    (report,) = agent.recorded()
    assert (report["decision"], report["hooks"][0]["state"]) == ("deny", "ok")


def test_commands_do_not_change_an_unreadable_log(agent: Agent) -> None:
    agent.db.parent.mkdir(parents=True)
    agent.db.write_text("dear diary\n" * 100)
    for command in (["log"], ["log", "--json"], ["show", "0000000000000"], ["doctor"]):
        done = agent.run(*command, code=1)
        assert "log.db" in done.stderr + done.stdout
    assert agent.db.read_text().startswith("dear diary")


def test_opening_a_log_twice_keeps_its_locks(tmp_path: Path) -> None:
    db = str(tmp_path / "log.db")
    ours = [database.connect(db) for _ in range(2)]
    ours[0].execute("INSERT INTO note (id, kind, detail) VALUES (1, 'kept', '{}')")
    other = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM note').fetchall(); c.close()"
    subprocess.run([sys.executable, "-c", other, db], check=True)
    assert (tmp_path / "log.db-wal").exists(), "the other process deleted the WAL as if it were the last"
    for connection in ours:
        connection.close()


def test_log_is_private(agent: Agent) -> None:
    agent.call()
    agent.recorded()
    agent.call()
    assert stat.S_IMODE(agent.db.stat().st_mode) == 0o600
    assert stat.S_IMODE(agent.db.parent.stat().st_mode) == 0o700
    for path in agent.db.parent.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_permissions_of_others_are_removed(agent: Agent) -> None:
    agent.call()
    agent.recorded()
    agent.call()
    files = [agent.db, spool_of(agent)]
    for path in (*files, agent.db.parent):
        path.chmod(0o755)
    agent.call()
    assert stat.S_IMODE(spool_of(agent).stat().st_mode) == 0o600
    agent.recorded()
    agent.call()
    assert [path.name for path in (*files, agent.db.parent) if path.stat().st_mode & 0o077] == []


def test_device_keeps_its_permissions(agent: Agent) -> None:
    device = agent.home / "null"
    try:
        os.mknod(device, stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("needs the right to make a device")
    device.chmod(0o666)
    assert agent.call(env={"HOOKTUI_DB": str(device)}).code == 2
    assert stat.S_IMODE(device.stat().st_mode) == 0o666


def test_fifo_in_place_of_the_spool_does_not_block(agent: Agent) -> None:
    agent.hook("gate", DENY, trigger="before_stop")
    agent.db.mkdir(parents=True)
    os.mkfifo(spool_of(agent))
    done = agent.report(agent.event("before_stop"))
    assert done.code == 2
    assert "not recorded" in done.stderr


def test_directory_of_a_log_elsewhere_keeps_its_permissions(agent: Agent) -> None:
    shared = agent.home / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    agent.call(env={"HOOKTUI_DB": str(shared / "log.db")})
    agent.run("log", HOOKTUI_DB=str(shared / "log.db"))
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert stat.S_IMODE((shared / "log.db").stat().st_mode) == 0o600


def _set_version(db: Path, version: int) -> None:
    with sqlite3.connect(db) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _at_most(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
