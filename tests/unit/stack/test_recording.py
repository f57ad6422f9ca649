"""What is recorded of an agent's hooks, and that it is never lost nor in the way (formats.md §5, row "recording")."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from hooktui.log import spool
from hooktui.stack import (
    AgentHooks,
    CallableHook,
    ExecutionHookContext,
    FailureHookContext,
    HookContext,
    HookEvent,
    HookOutcome,
    HookStack,
    Recorder,
    StateProcessorAdapter,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)
from tests.command_world import wait_until
from tests.unit.stack.log_reading import report, reports, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hooktui.stack import CallNext

pytestmark = pytest.mark.usefixtures("own_home")
BEFORE = ToolHookContext.before(ToolCall("bash", {"command": "ls"}, id="call-1"))


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "log.db")


@pytest.fixture
def recorder(db: str, tmp_path: Path) -> Iterator[Recorder]:
    with Recorder("session-1", str(tmp_path), db) as recorder:
        yield recorder


def guard(_context: ToolHookContext) -> HookOutcome:
    return HookOutcome.block("not today")


def quiet(_context: object) -> None:
    """Has nothing to say."""


def act(_context: object) -> None:
    """The action."""


def count(db: str) -> int:
    if not os.path.exists(db):
        return 0
    connection = sqlite3.connect(db)
    try:
        return int(connection.execute("SELECT count(*) FROM dispatch").fetchone()[0])
    except sqlite3.OperationalError:  # just being made
        return 0
    finally:
        connection.close()


async def test_nothing_is_recorded_until_a_recorder_is_given(db: str) -> None:
    await AgentHooks().on_before_tool_use(guard).process(BEFORE, act)
    assert not os.path.exists(db)


async def test_one_process_is_one_dispatch_and_each_hook_a_run_with_name_file_and_line(recorder: Recorder, db: str) -> None:
    class Limit:
        async def handle(self, context: HookContext, call_next: CallNext) -> HookOutcome:
            return await call_next(context)

    hooks = AgentHooks(recorder=recorder).on_before_tool_use(guard, -1, "bash").on_before_tool_use(quiet)
    hooks.add_hook(HookEvent.PRE_TOOL_USE, Limit(), 100)
    assert (await hooks.process(BEFORE, act)).is_blocked
    recorder.flush()
    one = await report(db)
    assert [one[name] for name in ("event", "host", "session_id", "project", "tool_name", "decision", "reason")] == [
        "pre-tool-call", "python", "session-1", recorder.project, "bash", "deny", "not today",
    ]  # fmt: skip
    lines = [inspect.getsourcelines(function)[1] for function in (Limit.handle, quiet, guard)]
    name = "test_one_process_is_one_dispatch_and_each_hook_a_run_with_name_file_and_line.<locals>.Limit"
    assert told(one, "name", "line", "format", "file", "state", "decision", "why") == [
        (name, lines[0], "python", __file__, "ok", "none", "takes every PreToolUse"),
        ("quiet", lines[1], "python", __file__, "ok", "none", "takes every PreToolUse"),
        ("guard", lines[2], "python", __file__, "ok", "deny", "matched tool bash"),
    ]
    assert one["payload"]["tool_input"] == {"command": "ls"}
    assert one["payload"]["tool_use_id"] == "call-1"


async def test_hooks_that_did_not_run_say_why(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet, 2, "read_*").on_before_tool_use(guard, 1)
    await hooks.on_before_tool_use(quiet).process(BEFORE, act)
    recorder.flush()
    assert told(await report(db), "name", "state", "skip", "why") == [
        ("quiet", "skipped", "tool-mismatch", "tool bash is not matched by tool read_*"),
        ("guard", "ok", None, "takes every PreToolUse"),
        ("quiet", "skipped", "blocked-earlier", "guard did not go on"),
    ]


async def test_an_exception_is_recorded_as_a_failed_run(recorder: Recorder, db: str) -> None:
    def breaks(_context: object) -> None:
        raise LookupError("nothing there")

    async def outer(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        return await call_next(context)

    with pytest.raises(LookupError):
        await AgentHooks(recorder=recorder).on_before_tool_use(outer, 1).on_before_tool_use(breaks).process(BEFORE, act)
    recorder.flush()
    one = await report(db)
    name = "test_an_exception_is_recorded_as_a_failed_run.<locals>."
    assert told(one, "name", "state", "problems", "why") == [
        (f"{name}outer", "ok", [], "takes every PreToolUse; an exception went through it"),
        (f"{name}breaks", "failed", ["LookupError: nothing there"], "takes every PreToolUse"),
    ]
    assert 'raise LookupError("nothing there")' in one["hooks"][1]["stderr"]
    assert one["warnings"] == [f"hook {name}breaks raised LookupError: nothing there"]


async def test_an_exception_of_the_action_is_told_and_no_hooks_fault(recorder: Recorder, db: str) -> None:
    def breaks(_context: object) -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError):
        await AgentHooks(recorder=recorder).on_before_tool_use(quiet).process(BEFORE, breaks)
    recorder.flush()
    one = await report(db)
    assert (told(one, "state"), one["warnings"]) == ([("ok",)], ["the action raised LookupError: nothing there"])


async def test_a_task_that_is_cancelled_leaves_an_interrupted_run(recorder: Recorder, db: str) -> None:
    begun = asyncio.Event()

    async def waits(_context: object) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(AgentHooks(recorder=recorder).on_before_tool_use(waits).process(BEFORE, act))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    recorder.flush()
    assert told(await report(db), "state") == [("interrupted",)]


@pytest.mark.parametrize("context", [ExecutionHookContext.end(), FailureHookContext(ValueError("no"))])
async def test_a_block_on_an_observe_only_event_is_recorded_and_changes_nothing(
    recorder: Recorder, db: str, context: HookContext
) -> None:
    stack = HookStack(recorder=recorder).with_all([CallableHook(guard), CallableHook(quiet)])
    assert (await stack.process(context, act)).is_proceed
    recorder.flush()
    one = await report(db)
    assert (one["decision"], told(one, "name", "decision", "reason")) == (
        "none",
        [("guard", "deny", "not today"), ("quiet", "none", None)],
    )


async def test_an_outcome_that_is_turned_is_told(recorder: Recorder, db: str) -> None:
    async def lenient(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        await call_next(context)
        return HookOutcome.proceed(context)

    await AgentHooks(recorder=recorder).on_before_tool_use(lenient, 1).on_before_tool_use(guard).process(BEFORE, act)
    recorder.flush()
    one = await report(db)
    assert one["decision"] == "none"
    assert told(one, "decision", "why") == [
        ("none", "takes every PreToolUse; turned block into proceed"),
        ("deny", "takes every PreToolUse"),
    ]


async def test_a_retry_is_a_run_of_its_own(recorder: Recorder, db: str) -> None:
    async def twice(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        await call_next(context)
        return await call_next(context)

    await AgentHooks(recorder=recorder).on_before_tool_use(twice, 1).on_before_tool_use(quiet).process(BEFORE, act)
    recorder.flush()
    assert [name.split(".")[-1] for (name,) in told(await report(db), "name")] == ["twice", "quiet", "quiet"]


async def test_a_rewritten_call_is_recorded_with_who_did_it(recorder: Recorder, db: str) -> None:
    async def shows_hidden(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        return await call_next(context.with_tool_call(ToolCall("bash", {"command": "ls -a"})))

    def sh(context: ToolHookContext) -> ToolCall:
        return ToolCall("sh", context.tool_call.args)

    await AgentHooks(recorder=recorder).on_before_tool_use(shows_hidden, 1).on_before_tool_use(sh).process(BEFORE, act)
    recorder.flush()
    one = await report(db)
    assert one["modified_input"] == {"command": "ls -a"}
    assert one["payload"]["tool_input"] == {"command": "ls"}
    assert told(one, "modified_input", "log") == [({"command": "ls -a"}, None), (None, "calls sh in place of bash")]


async def test_every_event_is_recorded_by_its_canonical_name(recorder: Recorder, db: str) -> None:
    call = BEFORE.tool_call
    stack = HookStack(recorder=recorder).with_hook(StateProcessorAdapter(lambda state: state))
    for context in (
        ExecutionHookContext.start(),
        StepHookContext.before(0),
        BEFORE,
        ToolHookContext.after(call, ToolExecution(call, "a.txt")),
        ToolHookContext.after(call, ToolExecution(call, error=OSError("gone"))),
        StepHookContext.after(0, "listed"),
        StopHookContext.stop("no_tool_calls"),
        StopHookContext.subagent_stop("done"),
        FailureHookContext(LookupError("x")),
        ExecutionHookContext.end(),
    ):
        await stack.process(context, act)
    recorder.flush()
    found = await reports(db)
    assert [one["event"] for one in found] == [
        "pre-session", "pre-step", "pre-tool-call", "post-tool-call", "post-tool-call", "post-step", "pre-agent-turn-stop",
        "post-subagent", "agent-failure", "post-session",
    ]  # fmt: skip
    told_of = ("tool_output", "error", "step_index", "step", "stop_reason")
    assert [{name: one["payload"][name] for name in told_of if name in one["payload"]} for one in found] == [
        {}, {"step_index": 0}, {}, {"tool_output": "a.txt"}, {"error": "gone"}, {"step_index": 0, "step": "listed"},
        {"stop_reason": "no_tool_calls"}, {"stop_reason": "done"}, {"error": "LookupError: x"}, {},
    ]  # fmt: skip
    assert {one["hooks"][0]["skip"] for one in found if one["event"] != "post-step"} == {"pattern-mismatch"}


async def test_the_time_is_the_hooks_own_and_not_the_actions(recorder: Recorder, db: str) -> None:
    async def waits(_context: object) -> None:
        await asyncio.sleep(0.2)

    async def around(context: ToolHookContext, call_next: CallNext[ToolHookContext]) -> HookOutcome:
        return await call_next(context)

    await AgentHooks(recorder=recorder).on_before_tool_use(around).process(BEFORE, waits)
    recorder.flush()
    one = await report(db)
    assert max(one["duration_ms"], one["hooks"][0]["duration_ms"]) < 150


async def test_what_is_no_json_is_recorded_as_its_repr(recorder: Recorder, db: str) -> None:
    class Odd:
        def __repr__(self) -> str:
            raise LookupError

    endless: list[Any] = []
    endless.append(endless)
    values: dict[Any, Any] = {"set": {1}, "odd": Odd(), "nan": float("nan"), "lone": "\ud800", (1, 2): 3}
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet)
    for args in (values, {"endless": endless}, {"set": {1}}):
        assert (await hooks.process(ToolHookContext.before(ToolCall("x", args)), act)).is_proceed
    recorder.flush()
    found = [one["payload"] for one in await reports(db)]
    assert len(found) == 3
    assert found[2]["tool_input"] == {"set": "{1}"}


async def test_secrets_are_not_recorded(recorder: Recorder, db: str, tmp_path: Path) -> None:
    secret = "ghp" + "_" + "A1" * 18
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(lambda _context: HookOutcome.block(f"no {secret}"))
    await hooks.process(ToolHookContext.before(ToolCall("bash", {"command": f"echo {secret}"})), act)
    recorder.close()
    assert "[redacted]" in (await report(db))["reason"]
    assert not any(secret.encode() in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


# When it is stored ------------------------------------------------------------------------------------------------------------


async def test_events_are_committed_without_being_asked_for(recorder: Recorder, db: str) -> None:
    await AgentHooks(recorder=recorder).process(BEFORE, act)
    wait_until(lambda: count(db) == 1)


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
async def test_nothing_that_was_flushed_is_lost_in_a_crash_nor_anything_at_an_exit(db: str, end: str, code: int) -> None:
    done = subprocess.run([sys.executable, "-I", "-c", AGENT + end, db], check=False, stderr=subprocess.DEVNULL, timeout=60)
    assert (done.returncode, len(await reports(db))) == (code, 20)


async def test_a_fork_records_for_itself(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder)
    await hooks.process(BEFORE, act)
    recorder.close()  # no thread is left that a fork could catch in the middle of something
    child = os.fork()
    if child == 0:
        try:
            processing = hooks.process(BEFORE, act)
            with pytest.raises(StopIteration):
                processing.send(None)
            recorder.flush()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    await hooks.process(BEFORE, act)
    recorder.flush()
    assert count(db) == 3


async def test_many_threads_record_side_by_side(recorder: Recorder, db: str) -> None:
    hooks = AgentHooks(recorder=recorder).on_before_tool_use(quiet)

    async def work() -> None:
        await asyncio.gather(*(hooks.process(BEFORE, act) for _ in range(50)))

    threads = [threading.Thread(target=lambda: asyncio.run(work())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.flush()
    connection = sqlite3.connect(db)
    assert connection.execute("SELECT count(*), (SELECT count(*) FROM run) FROM dispatch").fetchone() == (400, 400)
    connection.close()


# A log that cannot be written -------------------------------------------------------------------------------------------------


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
