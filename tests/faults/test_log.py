"""A log that cannot be written: hooks still block, and the event waits in the spool and is stored once."""

from __future__ import annotations

import os
import resource
import sqlite3
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hooktui.log.write import database
from tests.faults.agent import DENY
from tests.faults.places import read_only, small_disk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.command_world import Ended
    from tests.faults.agent import Agent


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
    assert_blocked(done, "kept in the spool")
    assert stat.S_IMODE(spool_of(agent).stat().st_mode) == 0o600


def assert_logged(agent: Agent, sessions: list[str]) -> None:
    """Assert that the log has each event once and the spool is empty."""
    assert [report["session_id"] for report in agent.recorded()] == sessions
    assert not spool_of(agent).exists() or spool_of(agent).stat().st_size == 0


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
    assert "belongs to another program" in done.stderr
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
    _set_version(agent.db, 99)
    before = agent.db.read_bytes()
    done = agent.report(agent.event(session_id="new"))
    assert_spooled(agent, done)
    assert "newer" in done.stderr
    assert agent.db.read_bytes() == before
    _set_version(agent.db, database.SCHEMA)
    agent.call(agent.event(session_id="newest"))
    assert_logged(agent, ["old", "new", "newest"])


def test_locked_log(agent: Agent) -> None:
    agent.call(agent.event(session_id="before"))
    holder = sqlite3.connect(agent.db, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    done = agent.report(agent.event(session_id="meanwhile"))
    assert_spooled(agent, done)
    assert "locked" in done.stderr
    holder.execute("COMMIT")
    holder.close()
    agent.call(agent.event(session_id="after"))
    assert_logged(agent, ["before", "meanwhile", "after"])


def test_read_only_log(agent: Agent) -> None:
    agent.call(agent.event(session_id="before"))
    with read_only(agent.db):
        assert_spooled(agent, agent.report(agent.event(session_id="meanwhile")))
    agent.call(agent.event(session_id="after"))
    assert_logged(agent, ["before", "meanwhile", "after"])


def test_full_disk(agent: Agent) -> None:
    with small_disk(agent.db.parent, kib=64) as resize:
        for number in range(2):
            assert_spooled(agent, agent.report(agent.event(session_id=f"s{number}")))
        resize(4096)
        agent.call(agent.event(session_id="after"))
        assert_logged(agent, ["s0", "s1", "after"])


def test_disk_too_full_for_the_spool(agent: Agent) -> None:
    with small_disk(agent.db.parent, kib=4):
        assert_blocked(agent.report(agent.event(tool_input={"content": "x" * 8000})), "not recorded")


@pytest.mark.parametrize(("limit", "where"), [(20_000, "kept in the spool"), (10, "not recorded")])
def test_file_size_limit(agent: Agent, limit: int, where: str) -> None:
    assert_blocked(agent.report(in_child=_at_most(limit)), where)
    if limit > 10:
        agent.call()
        assert len(agent.recorded()) == 2


def test_state_directory_that_cannot_be_created(agent: Agent) -> None:
    for place in ("/proc/nowhere", str(agent.home / ".config/agents/hooks/guard/HOOK.md")):
        assert_blocked(agent.report(env={"XDG_STATE_HOME": place}), "not recorded")


@pytest.mark.parametrize("lines", [b'\n{"kind": "dispatch", "ses', INVALID], ids=["truncated", "invalid"])
def test_invalid_lines_in_the_spool_do_not_block_the_others(agent: Agent, lines: bytes) -> None:
    agent.db.mkdir(parents=True)
    agent.call(agent.event(session_id="one"))
    with spool_of(agent).open("ab") as spool:
        spool.write(lines)
    agent.call(agent.event(session_id="two"))
    agent.db.rmdir()
    agent.call(agent.event(session_id="three"))
    assert_logged(agent, ["one", "two", "three"])


def test_entries_spooled_twice_are_stored_once(agent: Agent) -> None:
    agent.db.mkdir(parents=True)
    agent.call(agent.event(session_id="one"))
    copy = spool_of(agent).read_bytes()
    agent.db.rmdir()
    agent.call(agent.event(session_id="two"))
    spool_of(agent).write_bytes(copy)
    agent.call(agent.event(session_id="three"))
    assert_logged(agent, ["one", "two", "three"])


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
    assert stat.S_IMODE(agent.db.stat().st_mode) == 0o600
    assert stat.S_IMODE(agent.db.parent.stat().st_mode) == 0o700
    for path in agent.db.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_permissions_of_others_are_removed(agent: Agent) -> None:
    agent.call()
    files = [path for path in agent.db.parent.iterdir() if path.name.startswith("log.db")]
    for path in (*files, agent.db.parent):
        path.chmod(0o755)
    agent.call()
    assert len(files) >= 2
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
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755
    assert stat.S_IMODE((shared / "log.db").stat().st_mode) == 0o600


def _set_version(db: Path, version: int) -> None:
    with sqlite3.connect(db) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _at_most(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
