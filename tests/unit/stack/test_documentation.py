"""Every example in docs/stack.md runs and does what the page says; so does the example agent."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hooktui.stack import (
    AgentHooks,
    ExecutionHookContext,
    FailureHookContext,
    HookOutcome,
    StopHookContext,
    ToolCall,
    ToolHookContext,
)
from tests.command_world import CommandWorld
from tests.unit.stack.type_checking import strict_mypy

pytestmark = pytest.mark.slow  # runs the examples and mypy

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/stack.md").read_text(encoding="utf-8")
_PARTS = PAGE.split("```python\n")
# By the heading above each.
EXAMPLES = {re.findall(r"^#+ (.*)$", before, re.MULTILINE)[-1]: block.partition("```")[0] for before, block in pairwise(_PARTS)}


def example(heading: str) -> dict[str, Any]:
    """Run an example and return its names."""
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(EXAMPLES[heading], f"docs/stack.md, {heading}", "exec", dont_inherit=True), names)
    return names


async def use(hooks: AgentHooks[Any], name: str = "bash", state: Any = None, **args: object) -> HookOutcome:
    return await hooks.process(ToolHookContext.before(ToolCall(name, args), state), lambda _context: None)


def test_every_example_is_tested() -> None:
    assert len(EXAMPLES) == PAGE.count("```python")


def test_first_example_blocks_and_is_in_the_log(here: CommandWorld, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = example("Hooks inside a Python agent")["outcome"]
    assert (outcome.is_blocked, outcome.reason, capsys.readouterr().out) == (True, "Dangerous command blocked", "")
    assert "guard: Dangerous command blocked" in here.run("log").stdout


async def test_matchers() -> None:
    hooks = example("Matchers")["hooks"]
    assert (await use(hooks, "sh", "unattended")).is_blocked
    assert (await use(hooks, "sh", "attended")).is_proceed
    assert (await use(hooks, "read", "unattended")).is_proceed


async def test_security_validation() -> None:
    hooks = example("Security validation")["hooks"]
    assert await use(hooks, command="sudo reboot") == HookOutcome.block("Dangerous command blocked: sudo")
    assert (await use(hooks, command="ls")).is_proceed


async def test_execution_timing() -> None:
    names = example("Execution timing")
    started = await names["hooks"].process(ExecutionHookContext.start(names["Run"]()), lambda _context: None)
    await names["hooks"].process(ExecutionHookContext.end(started.context.state), lambda _context: None)
    (duration,) = names["durations"]
    assert 0 <= duration < 60


async def test_conditional_continuation() -> None:
    names = example("Conditional continuation")

    async def stops(**state: Any) -> str | None:
        context = StopHookContext.stop("done", names["Work"](**state))
        reason: str | None = (await names["hooks"].process(context, lambda _context: None)).reason
        return reason

    assert await stops(pending=("test", "deploy")) == "Tasks remaining: 2"
    assert await stops(quality=0.5) == "Quality below threshold"
    assert await stops() is None


async def test_rate_limit() -> None:
    hooks = example("Rate limit")["hooks"]
    assert [(await use(hooks)).reason for _ in range(3)] == [None, None, "Rate limit exceeded"]


async def test_error_recovery(caplog: pytest.LogCaptureFixture) -> None:
    hooks, attempts = example("Error recovery")["hooks"], []

    def flaky(_context: object) -> None:
        attempts.append(1)
        if len(attempts) < 3:
            raise TimeoutError

    assert (await hooks.process(ToolHookContext.before(ToolCall("fetch")), flaky)).is_proceed
    await hooks.process(FailureHookContext(LookupError("nothing there")), lambda _context: None)
    assert caplog.messages == ["fetch timed out, retrying"] * 2 + ["agent failed: LookupError: nothing there"]


@pytest.mark.usefixtures("world", "own_home")
async def test_hooks_on_disk(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.hook("no-force", "#!/bin/sh\necho not by force >&2\nexit 2\n")
    monkeypatch.chdir(world.project)
    assert (await use(example("Hooks on disk")["hooks"])).reason == "not by force"


async def test_claude_agent_sdk() -> None:
    (matcher,) = example("The Claude Agent SDK")["options"]["hooks"]["PreToolUse"]
    sdk_input = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Write", "tool_input": {}, "tool_use_id": "t"}
    answer = await matcher.hooks[0](sdk_input, "t", {"signal": None})
    assert answer["hookSpecificOutput"]["permissionDecisionReason"] == "read only"


def test_examples_are_typed(tmp_path: Path) -> None:
    for number, block in enumerate(EXAMPLES.values()):
        (tmp_path / f"example_{number}.py").write_text(block)
    done = strict_mypy(tmp_path, ".", str(ROOT / "examples/agent.py"))
    assert done.stdout.startswith("Success"), done.stdout


# The example agent ------------------------------------------------------------------------------------------------------------


def agent(world: CommandWorld, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(ROOT / "examples/agent.py"), *arguments]
    return subprocess.run(
        command, env=world.environment, cwd=world.project, capture_output=True, text=True, check=False, timeout=60
    )


def test_example_agent_finishes_its_task(world: CommandWorld) -> None:
    done = agent(world)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "Dangerous command blocked", "$ rm -r build", "nothing found", "Tasks remaining", "$ pytest",
    ]  # fmt: skip
    assert "…" in done.stdout


def test_example_agent_is_in_the_log(world: CommandWorld) -> None:
    world.hook("no-search", "#!/bin/sh\necho the web is down >&2\nexit 2\n", matcher={"tool": "search"})
    assert "the web is down" in agent(world).stdout
    denials = world.run("log", "decision:deny").stdout
    assert denials.count("\n") == 3
    for line in ("guard: Dangerous command blocked", "no-search: the web is down", "unfinished: Tasks remaining: testing"):
        assert line in denials
    assert world.run("log", "event:pre-step").stdout.count("count") == 6


def test_failure_of_the_example_agent_is_reported(world: CommandWorld) -> None:
    done = agent(world, "--fail")
    assert done.returncode == 1
    assert "failed in step 5: ConnectionError: the server is gone" in done.stdout
    assert done.stderr.endswith("ConnectionError: the server is gone\n")
    assert "report_failure" in world.run("log", "event:agent-failure").stdout
    assert world.run("log", "event:post-session").stdout
