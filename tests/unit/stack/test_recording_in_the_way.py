"""A log that is in the way, gone or in use by others is never in the agent's way (formats.md §5, row "recording")."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hooktui.log.write import spool
from hooktui.stack import AgentHooks, Recorder, ToolCall, ToolHookContext
from tests.unit.stack.happenings import act, guard, quiet
from tests.unit.stack.log_reading import count

if TYPE_CHECKING:
    from collections.abc import Callable


pytestmark = pytest.mark.usefixtures("own_home")
BEFORE = ToolHookContext.before(ToolCall("bash", {"command": "ls"}, id="call-1"))


def directory(path: Path) -> str:
    return str(path)


def below_a_file(path: Path) -> str:
    (path / "file").write_text("")
    return str(path / "file" / "log.db")


def corrupt(path: Path) -> str:
    (path / "log.db").write_bytes(b"this is no database" * 100)
    return str(path / "log.db")


@pytest.mark.parametrize("place", [directory, below_a_file, corrupt])
async def test_a_log_that_cannot_be_written_never_breaks_the_agent(
    place: Callable[[Path], str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Recorder("s", str(tmp_path), place(tmp_path)) as recorder:
        hooks = AgentHooks(recorder=recorder).on_before_tool_use(guard)
        for _ in range(3):
            assert (await hooks.process(BEFORE, act)).is_blocked
            recorder.flush()
    assert len([line for line in caplog.messages if "the log cannot be written" in line]) == 1


async def test_what_a_busy_log_cannot_take_waits_in_its_spool(recorder: Recorder, db: str) -> None:
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


async def test_the_agent_hardly_waits_for_a_busy_log_nor_long_to_be_safe(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder)
    await hooks.process(BEFORE, act)
    recorder.flush()
    with closing(sqlite3.connect(db, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        slowest = 0.0
        for _ in range(50):
            began = time.perf_counter()
            await hooks.process(BEFORE, act)
            slowest = max(slowest, time.perf_counter() - began)
            await asyncio.sleep(0.01)  # the agent's own work
        assert slowest < 0.2
        assert len(spool.entries(db)) > 0
        holder.execute("ROLLBACK")
    recorder.close()
    assert (count(db), spool.is_empty(db)) == (51, True)


async def test_a_log_that_is_deleted_is_written_anew(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet)
    for _ in range(2):
        await hooks.process(BEFORE, act)
        recorder.flush()
        assert count(db) == 1
        for name in (db, f"{db}-wal", f"{db}-shm"):
            os.unlink(name)


async def test_a_relative_log_stays_where_it_was_when_the_agent_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with Recorder("s", db="log.db") as recorder:
        monkeypatch.chdir(tmp_path / "elsewhere")
        await AgentHooks(recorder=recorder).process(BEFORE, act)
    assert count(str(tmp_path / "log.db")) == 1
    assert list(Path().iterdir()) == []
