"""Recorded events are never lost, and recording never breaks the agent (formats.md §5, row "recording")."""

from __future__ import annotations

import asyncio
import gc
import signal
import sqlite3
import subprocess
import sys
import threading
import weakref
from contextlib import closing

import pytest

from hooktui.runner.journal import spool
from hooktui.stack import AgentHooks, HookMatcher, Recorder, ToolCall, ToolHookContext
from tests.command_world import wait_until
from tests.unit.stack.call_log import act, quiet
from tests.unit.stack.logged_reports import count, report, reports, run_values

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_home")]
BEFORE = ToolHookContext.before(ToolCall("bash", {"command": "ls"}, id="call-1"))


async def test_events_are_committed_without_a_flush(recorder: Recorder, db: str) -> None:
    await AgentHooks(recorder=recorder).process(BEFORE, act)
    wait_until(lambda: count(db) == 1)


async def test_recordings_are_freed_once_stored(recorder: Recorder) -> None:
    """Reference cycles would keep the agent's objects until a garbage collection."""
    state = {"the agent's"}
    going = weakref.ref(state)
    gc.disable()
    try:
        context = ToolHookContext.before(ToolCall("bash"), state)
        await AgentHooks(recorder=recorder).on_before_tool_use(quiet).process(context, act)
        del state, context
        recorder.flush()
        assert going() is None
    finally:
        gc.enable()


AGENT = """
import asyncio, os, signal, sys
from hooktui.stack import AgentHooks, HookOutcome, Recorder, ToolCall, ToolHookContext

recorder = Recorder("s", db=sys.argv[1])
hooks = AgentHooks(recorder=recorder).on_before_tool_use(lambda context: None)

async def work(times):
    for _ in range(times):
        await hooks.process(ToolHookContext.before(ToolCall("bash")), lambda context: None)

"""


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("asyncio.run(work(20)); recorder.flush(); os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("asyncio.run(work(10)); recorder.flush(); asyncio.run(work(10)); recorder.flush(); os._exit(3)", 3),
        ("asyncio.run(work(20)); sys.exit(4)", 4),
        ("asyncio.run(work(20)); raise SystemExit", 0),
        ("with recorder: asyncio.run(work(20)); 1 / 0", 1),
        ("with recorder: asyncio.run(work(10))\nasyncio.run(work(10))", 0),
    ],
)
async def test_flushed_events_survive_a_crash_and_all_events_an_exit(db: str, end: str, code: int) -> None:
    done = subprocess.run([sys.executable, "-I", "-c", AGENT + end, db], check=False, stderr=subprocess.DEVNULL, timeout=60)
    assert (done.returncode, len(await reports(db))) == (code, 20)


KILLED = "os.kill(os.getpid(), signal.SIGKILL)"


async def test_events_survive_that_the_agent_is_killed(db: str) -> None:
    end = f"asyncio.run(work(300)); {KILLED}"
    subprocess.run([sys.executable, "-I", "-c", AGENT + end, db], check=False, timeout=60)
    assert len(await reports(db)) == 300


@pytest.mark.parametrize("does", ["flush", "close", "begin"])
async def test_signal_handler_can_flush_or_close(db: str, does: str) -> None:
    end = f"""
def handle(number, frame):
    if "{does}" != "begin":
        recorder.{does}()
    sys.exit(3)

signal.signal(signal.SIGALRM, handle)
asyncio.run(work(1))
recorder.flush()
with recorder:
    print(end=".", flush=True)
    signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]), 1)
    while True:
        asyncio.run(work(1))
        recorder.flush()
        print(end=".", flush=True)
"""
    for number in range(5):
        arguments = [sys.executable, "-I", "-c", AGENT + end, f"{db}{number}", str(0.05 + number / 1000)]
        done = subprocess.run(arguments, check=False, capture_output=True, timeout=30)
        assert done.returncode == 3, done.stderr
        assert count(f"{db}{number}") + len(spool.entries(f"{db}{number}")) >= len(done.stdout) > 0


async def test_fork_and_parent_record_independently(db: str) -> None:
    end = """
for _ in range(20):
    asyncio.run(work(5))
    if os.fork() == 0:
        asyncio.run(work(1))
        sys.exit(0)
asyncio.run(work(5))
for _ in range(20):
    os.wait()
"""
    done = subprocess.run([sys.executable, "-I", "-c", AGENT + end, db], check=False, timeout=60)
    assert done.returncode == 0
    assert count(db) + len(list(spool.entries(db))) == 20 * 5 + 20 + 5
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


async def test_multiprocessing_child_loses_nothing(db: str) -> None:
    end = """
import multiprocessing
child = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(work(20)))
child.start()
child.join()
"""
    subprocess.run([sys.executable, "-I", "-c", AGENT + end, db], check=True, timeout=60)
    assert len(await reports(db)) == 20


class Unspeakable(HookMatcher):
    """Matches everything; its repr raises."""

    def matches(self, _context: object) -> bool:
        return True

    def __str__(self) -> str:
        raise LookupError


async def test_hook_whose_repr_raises_is_recorded(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet, matcher=Unspeakable())
    await hooks.process(BEFORE, act)
    await AgentHooks(recorder=recorder).process(BEFORE, act)
    recorder.flush()
    assert count(db) == 2


class Unequal:
    """Like an array: comparing two is not a bool."""

    def __eq__(self, _other: object) -> bool:
        raise ValueError

    __hash__ = None  # type: ignore[assignment]


async def test_incomparable_arguments_can_be_replaced(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(lambda _context: ToolCall("bash", {"x": Unequal()}))
    assert (await hooks.process(ToolHookContext.before(ToolCall("bash", {"x": Unequal()})), act)).is_proceed
    recorder.flush()
    assert count(db) == 1


async def test_unusual_exception_propagates_and_is_recorded(recorder: Recorder) -> None:
    def fails(_context: object) -> None:
        raise SyntaxError("odd", ("file.py", -5, "no column", "text"))  # type: ignore[arg-type]

    with pytest.raises(SyntaxError, match="odd"):
        await AgentHooks(recorder=recorder).on_before_tool_use(fails).process(BEFORE, act)
    assert run_values(await report(recorder), "state") == [("failed",)]


def test_session_id_must_be_a_string(db: str) -> None:
    with pytest.raises(TypeError, match="session_id must be a string, not 5"):
        Recorder(5, db=db)  # type: ignore[arg-type]


async def test_many_threads_record_concurrently(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet)

    async def work() -> None:
        await asyncio.gather(*(hooks.process(BEFORE, act) for _ in range(50)))

    threads = [threading.Thread(target=lambda: asyncio.run(work())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.flush()
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("SELECT count(*), (SELECT count(*) FROM run) FROM dispatch").fetchone() == (400, 400)
