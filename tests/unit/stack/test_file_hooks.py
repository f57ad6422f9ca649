"""Hooks on disk as a hook of the stack (formats.md §5, `FileHooks`)."""

from __future__ import annotations

import asyncio
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from hooktui.stack import (
    AgentHooks,
    ExecutionHookContext,
    FailureHookContext,
    FileHooks,
    HookContext,
    HookEvent,
    HookOutcome,
    HookStack,
    Recorder,
    StepHookContext,
    StopHookContext,
    ToolCall,
    ToolExecution,
    ToolHookContext,
)
from tests.command_world import CommandWorld, wait_until
from tests.unit.stack.logged_reports import report, reports, run_values

CALL = ToolCall("bash", {"command": "git push --force"}, id="call-1")
BEFORE = ToolHookContext.before(CALL)
DENIES = "#!/bin/sh\necho not by force >&2\nexit 2\n"


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("world", "own_home")]  # this process is the agent


@pytest.fixture
def disk(world: CommandWorld) -> HookStack:
    return HookStack().with_hook(FileHooks(str(world.project)))


def act(_context: object) -> None:
    """The action."""


def answering(**answer: object) -> str:
    return f"#!/bin/sh\ncat > stdin.json\ncat <<'END'\n{json.dumps(answer)}\nEND\n"


async def test_denial_on_disk_blocks_with_its_reason(world: CommandWorld, disk: HookStack) -> None:
    world.hook("no-force", DENIES, matcher={"tool": "bash", "pattern": "--force"})
    assert await disk.process(BEFORE, act) == HookOutcome.block("not by force")
    assert (await disk.process(ToolHookContext.before(ToolCall("bash", {"command": "git push"})), act)).is_proceed


async def test_arguments_that_are_not_json_are_still_matched(world: CommandWorld, disk: HookStack) -> None:
    world.hook("no-force", DENIES, matcher={"tool": "^bash$", "pattern": "--force"})
    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic
    deep: list[Any] = []
    for _ in range(3000):
        deep = [deep]
    for more in ({(1, 2): 3}, {b"k": 1}, {1, 2}, math.nan, math.inf, 10**5000, cyclic, deep):
        call = ToolCall("bash", {**CALL.args, "more": more})
        assert await disk.process(ToolHookContext.before(call), act) == HookOutcome.block("not by force")


async def test_event_without_hooks_continues(disk: HookStack) -> None:
    outcome = await disk.process(BEFORE, act)
    assert (outcome.is_proceed, outcome.context) == (True, BEFORE)


async def test_hook_gets_the_event_in_agenthooks_format(world: CommandWorld, disk: HookStack) -> None:
    world.hook("look", answering(), trigger="before_tool")
    await disk.process(BEFORE, act)
    said = json.loads((world.project / "stdin.json").read_text())
    assert {name: said[name] for name in ("event_type", "work_dir", "tool_name", "tool_input", "tool_use_id")} == {
        "event_type": "before_tool",
        "work_dir": str(world.project),
        "tool_name": "bash",
        "tool_input": {"command": "git push --force"},
        "tool_use_id": "call-1",
    }
    assert said["session_id"].startswith("python-")


async def test_rewritten_input_is_seen_by_later_hooks_and_the_action(world: CommandWorld, disk: HookStack) -> None:
    world.hook("soften", answering(modified_input={"command": "git push"}))
    seen: list[ToolCall] = []
    await disk.process(BEFORE, lambda context: seen.append(context.tool_call))
    assert seen == [ToolCall("bash", {"command": "git push"}, id="call-1")]


async def test_texts_for_the_model_are_in_the_metadata(world: CommandWorld, disk: HookStack) -> None:
    world.hook("a", answering(additional_context="the moon is full"), priority=2)
    world.hook("b", answering(additional_context="and so is the disk"), priority=1)
    outcome = await disk.process(BEFORE.with_metadata("additional_context", ("it is late",)), act)
    assert outcome.context
    assert outcome.context.get("additional_context") == ("it is late", "the moon is full", "and so is the disk")


async def test_ask_blocks(world: CommandWorld, disk: HookStack) -> None:
    world.hook("ask", answering(decision="ask", reason="sure?"))
    assert await disk.process(BEFORE, act) == HookOutcome.block("sure?")


@pytest.mark.parametrize(
    ("trigger", "context"),
    [
        ("pre-session", ExecutionHookContext.start()),
        ("post-session", ExecutionHookContext.end()),
        ("post-tool-call", ToolHookContext.after(CALL, ToolExecution(CALL, "done"))),
        ("post-tool-call-failure", ToolHookContext.after(CALL, ToolExecution(CALL, error="refused"))),
        ("pre-agent-turn-stop", StopHookContext.stop("no_tool_calls")),
        ("post-subagent", StopHookContext.subagent_stop("done")),
    ],
)
async def test_each_trigger_has_its_event(world: CommandWorld, disk: HookStack, trigger: str, context: HookContext) -> None:
    world.hook("here", "#!/bin/sh\ncat > here.json\n", trigger=trigger)
    for other in (context, BEFORE, StepHookContext.before(0), FailureHookContext(ValueError())):
        await disk.process(other, act)
        assert json.loads((world.project / "here.json").read_text())["event_type"] == trigger


async def test_denial_of_an_observe_only_event_has_no_effect(world: CommandWorld, disk: HookStack) -> None:
    world.hook("late", DENIES, trigger="post-session")
    assert (await disk.process(ExecutionHookContext.end(), act)).is_proceed


async def test_gate_denies_up_to_its_limit_per_run(world: CommandWorld, disk: HookStack) -> None:
    world.hook("gate", DENIES, trigger="pre-agent-turn-stop")

    async def denials() -> list[bool]:
        return [(await disk.process(StopHookContext.stop("no_tool_calls"), act)).is_blocked for _ in range(5)]

    assert await denials() == [True, True, True, False, True]
    await disk.process(ExecutionHookContext.start(), act)
    assert (await denials())[:4] == [True, True, True, False]


async def test_project_hook_needs_approval_and_its_skip_is_logged(
    world: CommandWorld, disk: HookStack, caplog: pytest.LogCaptureFixture
) -> None:
    world.hook("theirs", DENIES, scope="project")
    for _ in range(2):
        assert (await disk.process(BEFORE, act)).is_proceed
    assert [line for line in caplog.messages if "theirs did not run: not approved (untrusted)" in line] == caplog.messages[:1]
    world.approve()
    assert (await disk.process(BEFORE, act)).is_blocked


async def test_runs_on_disk_are_part_of_the_dispatch(world: CommandWorld) -> None:
    world.hook("no-force", DENIES)
    world.hook("other", matcher={"tool": "Read"})
    with Recorder("s", str(world.project)) as recorder:
        hooks = AgentHooks(recorder=recorder).on_before_tool_use(lambda _context: None, 100)
        hooks.add_hook(HookEvent.PRE_TOOL_USE, FileHooks(str(world.project)), 50).on_before_tool_use(lambda _context: None)
        await hooks.process(BEFORE, act)
    one = await report(str(world.db))
    assert (one["decision"], one["reason"], one["host"]) == ("deny", "not by force", "python")
    assert [run[1:] for run in run_values(one, "name", "format", "state", "skip", "decision")] == [
        ("python", "ok", None, "none"),
        ("agenthooks", "ok", None, "deny"),
        ("agenthooks", "skipped", "tool-mismatch", "none"),
        ("python", "skipped", "blocked-earlier", "none"),
    ]


async def test_end_of_an_async_hook_is_in_the_same_log(world: CommandWorld) -> None:
    world.hook("later", "#!/bin/sh\nuntil test -e go; do sleep 0.01; done\nexit 3\n", **{"async": True})  # type: ignore[arg-type]
    with Recorder("s", str(world.project)) as recorder:
        hooks = AgentHooks(recorder=recorder).add_hook(HookEvent.PRE_TOOL_USE, FileHooks(str(world.project)))
        assert (await hooks.process(BEFORE, act)).is_proceed
    assert run_values(await report(str(world.db)), "state") == [("started",)]
    (world.project / "go").touch()
    wait_until(lambda: world.run("log", "state:failed", "--json").stdout)
    assert run_values(await report(str(world.db)), "name", "state", "exit_code") == [("later", "failed", 3)]


async def test_nothing_is_recorded_without_a_recorder(world: CommandWorld, disk: HookStack) -> None:
    world.hook("no-force", DENIES)
    await disk.process(BEFORE, act)
    assert not world.db.exists()


async def test_cancelling_kills_the_hooks_process_group(world: CommandWorld) -> None:
    script = "#!/bin/sh\nsh -c 'echo $$ > grandchild; exec sleep 600' &\necho $$ > child\nwait\n"
    world.hook("slow", script, timeout=600_000)
    with Recorder("s", str(world.project)) as recorder:
        hooks = AgentHooks(recorder=recorder).add_hook(HookEvent.PRE_TOOL_USE, FileHooks(str(world.project)))
        task = asyncio.create_task(hooks.process(BEFORE, act))
        pids = [world.project / "child", world.project / "grandchild"]
        while not all(path.exists() and path.read_text() for path in pids):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    wait_until(lambda: not any(alive(path) for path in pids))
    assert run_values((await reports(str(world.db)))[0], "state") == [("interrupted",)]


def alive(path: Path) -> bool:
    """Whether the process with the id in a file runs; zombies do not."""
    try:
        with open(f"/proc/{path.read_text().strip()}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_worker_that_ends_during_cancellation_is_cancelled(world: CommandWorld, disk: HookStack) -> None:
    world.hook("waits", "#!/bin/sh\necho $PPID > parent\nuntil test -e go; do sleep 0.01; done\n", timeout=30_000)
    task = asyncio.create_task(disk.process(BEFORE, act))
    parent = world.project / "parent"
    while not (parent.exists() and parent.read_text()):
        await asyncio.sleep(0.01)
    task.cancel()
    (world.project / "go").touch()
    wait_until(lambda: not alive(parent))  # not visible to the event loop
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_other_tasks_run_during_a_hook(world: CommandWorld, disk: HookStack) -> None:
    world.hook("waits", "#!/bin/sh\nuntil test -e go; do sleep 0.01; done\n", timeout=30_000)

    async def lets_go() -> None:
        (world.project / "go").touch()

    outcome, _ = await asyncio.gather(disk.process(BEFORE, act), lets_go())
    assert outcome.is_proceed


@pytest.mark.parametrize(("on_error", "blocked"), [("allow", False), ("deny", True)])
async def test_internal_error_follows_on_error(
    world: CommandWorld, disk: HookStack, caplog: pytest.LogCaptureFixture, on_error: str, blocked: bool, monkeypatch: Any
) -> None:
    world.hook("no-force", DENIES)
    world.configure(f'[run]\non_error = "{on_error}"\n')
    monkeypatch.setattr("sys.executable", shutil.which("false"))
    assert (await disk.process(BEFORE, act)).is_blocked is blocked
    assert "internal error, hooks on disk did not run" in caplog.text
    monkeypatch.setattr("sys.executable", str(world.project / "gone"))
    assert (await disk.process(BEFORE, act)).is_blocked is blocked
