"""`AgentHooks.as_claude_hooks` in the real Claude Agent SDK: Claude does what the hooks decide."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.hosts.scripted_model import bash, say, use
from tests.sdk.sdk_world import ROOT, SdkWorld

SCRIPT = (bash("echo original > ran.txt"), say("all done"))


def test_a_block_keeps_the_tool_from_running_and_its_reason_reaches_the_model(world: SdkWorld) -> None:
    hooks = "hooks = AgentHooks().on_before_tool_use(lambda c: HookOutcome.block('not while the moon is full'), matcher='Bash')"
    _, heard = world.agent(hooks, *SCRIPT)
    assert not (world.project / "ran.txt").exists()
    assert "not while the moon is full" in heard


def test_a_rewritten_call_is_what_runs(world: SdkWorld) -> None:
    call = "ToolCall('Bash', {'command': 'echo rewritten > ran.txt', 'description': 'another'})"
    world.agent(f"hooks = AgentHooks().on_before_tool_use(lambda c: {call})", *SCRIPT)
    assert (world.project / "ran.txt").read_text() == "rewritten\n"


def test_hooks_see_what_came_of_a_tool_and_can_replace_it(world: SdkWorld) -> None:
    hooks = """
def shorten(context):
    seen.append([context.tool_call.args["command"], context.execution.result["stdout"]])
    return ToolExecution(context.tool_call, {**context.execution.result, "stdout": "replaced"})

hooks = AgentHooks().on_after_tool_use(shorten)
"""
    seen, heard = world.agent(hooks, bash("echo the original"), say("all done"))
    assert seen == [["echo the original", "the original"]]
    assert "replaced" in heard


def test_a_tool_that_failed_has_an_error(world: SdkWorld) -> None:
    hooks = "hooks = AgentHooks().on_after_tool_use(lambda c: seen.append(c.execution.error))"
    ((error,), _) = world.agent(hooks, bash("exit 3"), say("all done"))
    assert "3" in error


def test_a_block_on_stop_makes_claude_go_on(world: SdkWorld) -> None:
    hooks = """
hooks = AgentHooks().on_stop(lambda c: seen.append(1) or (HookOutcome.block("2 tests fail") if len(seen) < 2 else None))
"""
    seen, heard = world.agent(hooks, say("done"), say("really done"))
    assert (len(seen), "2 tests fail" in heard) == (2, True)


def test_a_stop_before_a_tool_ends_the_run_without_another_tool(world: SdkWorld) -> None:
    hooks = "hooks = AgentHooks().on_before_tool_use(lambda c: HookOutcome.stop('budget exceeded'))"
    world.agent(hooks, bash("touch one"), bash("touch two"), say("all done"))
    assert list(world.project.iterdir()) == []


STOPS_ON_ONE = """
def one(context):
    return HookOutcome.stop("enough") if "one" in context.tool_call.args.get("command", "") else None

hooks = AgentHooks().on_before_tool_use(one)
"""


def test_a_stop_in_a_subagent_ends_the_run(world: SdkWorld) -> None:
    task = use("Agent", description="a part", prompt="do a part", subagent_type="general-purpose", run_in_background=False)
    world.agent(STOPS_ON_ONE, task, bash("touch one"), bash("touch two"), bash("touch three"), say("all done"))
    assert list(world.project.iterdir()) == []


def test_a_stop_ends_with_the_next_prompt(world: SdkWorld) -> None:
    world.agent(STOPS_ON_ONE, bash("touch one"), bash("touch two"), say("done"), bash("touch three"), say("done"), prompts=2)
    assert [path.name for path in world.project.iterdir()] == ["three"]


def test_what_they_decided_is_in_the_log(world: SdkWorld) -> None:
    hooks = "hooks = AgentHooks(recorder=Recorder('sdk')).on_before_tool_use(lambda c: HookOutcome.block('no'), matcher='Bash')"
    world.agent(hooks, *SCRIPT)
    assert "<lambda>: no" in world.run("log", "decision:deny").stdout


def test_the_mapping_has_the_sdks_own_types(world: SdkWorld, tmp_path: Path) -> None:
    (tmp_path / "types").mkdir()
    (tmp_path / "types/claude_agent_sdk").symlink_to(world.sdk / "claude_agent_sdk")  # not its imports: mypy rejects some
    code = "from claude_agent_sdk import ClaudeAgentOptions\nfrom hooktui.stack import AgentHooks\n"
    source = world.project / "agent.py"
    source.write_text(f"{code}ClaudeAgentOptions(hooks=AgentHooks[int]().as_claude_hooks(0))\nClaudeAgentOptions(hooks=5)\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", os.devnull, str(source)]
    env = {**world.environment, "MYPYPATH": os.pathsep.join((str(ROOT), str(tmp_path / "types")))}
    done = subprocess.run(command, env=env, cwd=world.project, capture_output=True, text=True, check=False)
    assert [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line] == ["4"], done.stdout
