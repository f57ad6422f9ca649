"""A log that is unwritable, deleted or busy never disturbs the agent (formats.md §5, row "recording")."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from hooktui.runner.journal import spool
from hooktui.stack import AgentHooks, Recorder, ToolCall, ToolHookContext
from tests.unit.stack.call_log import act, guard, quiet
from tests.unit.stack.logged_reports import count

pytestmark = pytest.mark.usefixtures("own_home")
BEFORE = ToolHookContext.before(ToolCall("bash", {"command": "ls"}, id="call-1"))


def directory(path: Path) -> str:
    return str(path)


def below_a_file(path: Path) -> str:
    (path / "file").write_text("")
    return str(path / "file" / "log.db")


def corrupt(path: Path) -> str:
    (path / "log.db").write_bytes(b"this is not a database" * 100)
    return str(path / "log.db")


@pytest.mark.parametrize("place", [directory, below_a_file, corrupt])
async def test_log_that_cannot_be_written_never_breaks_the_agent(
    place: Callable[[Path], str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Recorder("s", str(tmp_path), place(tmp_path)) as recorder:
        hooks = AgentHooks(recorder=recorder).on_before_tool_use(guard)
        for _ in range(3):
            assert (await hooks.process(BEFORE, act)).is_blocked
            recorder.flush()
    assert len([line for line in caplog.messages if "doctor" in line]) == 1


async def test_events_for_a_busy_log_are_spooled(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder)
    await hooks.process(BEFORE, act)
    recorder.flush()
    holder = sqlite3.connect(db, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    await hooks.process(BEFORE, act)
    recorder.flush()
    assert len(spool.entries(db)) == 1
    holder.execute("ROLLBACK")
    holder.close()
    await hooks.process(BEFORE, act)
    recorder.flush()
    assert (count(db), spool.is_empty(db)) == (3, True)


async def test_deleted_log_is_created_again(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet)
    for _ in range(2):
        await hooks.process(BEFORE, act)
        recorder.flush()
        assert count(db) == 1
        for name in (db, f"{db}-wal", f"{db}-shm"):
            Path(name).unlink(missing_ok=True)


async def test_relative_log_path_survives_a_change_of_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with Recorder("s", db="log.db") as recorder:
        monkeypatch.chdir(tmp_path / "elsewhere")
        await AgentHooks(recorder=recorder).process(BEFORE, act)
    assert count(str(tmp_path / "log.db")) == 1
    assert list(Path().iterdir()) == []
