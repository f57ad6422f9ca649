"""The examples of `hooktui test` agree with the real Claude Code and Codex: what an example denies does not run there."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from tests.hosts.agent_world import AgentWorld
from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.codex_cli import CodexWorld
from tests.hosts.scripted_model import say

ANSWER = json.dumps(
    {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "by an answer",
        }
    }
)
# What the guard does with a call that touches a file of this name.
GUARD = f"""#!/bin/sh
call=$(cat)
case "$call" in
  *touch\\ reasoned*) echo "by exit 2" >&2; exit 2 ;;
  *touch\\ silent*) exit 2 ;;
  *touch\\ answered*) echo {shlex.quote(ANSWER)} ;;
  *touch\\ failing*) echo oops >&2; exit 1 ;;
esac
"""
NAMES = ("reasoned", "silent", "answered", "failing", "plain")


def examples(world: AgentWorld) -> None:
    """Write an example for each name, which expects nothing in particular."""
    made = [
        {
            "name": name,
            "host": world.host,
            "tool": "Bash",
            "input": {"command": f"touch {name}"},
            "expect": {"decision": "none"},
        }
        for name in NAMES
    ]
    world.write(".agents/hook-tests/all.yaml", made)


def decided(world: AgentWorld) -> dict[str, str]:
    report = world.run("test", "--trust", "--json", code=None).json()
    return {test["name"]: test["got"]["decision"] for test in report["tests"]}


def ran(world: AgentWorld) -> set[str]:
    """The calls that the agent program let run."""
    world.session(*(world.shell(f"touch {name}") for name in NAMES), say("all done"))
    return {name for name in NAMES if (world.project / name).exists()}


def agree(world: AgentWorld) -> dict[str, str]:
    """What the examples say, which is what the program does."""
    examples(world)
    decisions = decided(world)
    assert not [name for name in NAMES if (world.project / name).exists()], "an example ran in the project"
    assert {name for name, decision in decisions.items() if decision == "none"} == ran(world)
    return decisions


def script(world: AgentWorld) -> Path:
    path = world.project / "guard.sh"
    path.write_text(GUARD)
    path.chmod(0o755)
    return path


def test_entries_of_claude_decide_as_in_claude(world: ClaudeWorld) -> None:
    script(world)
    entry = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/guard.sh'}
    world.write(".claude/settings.json", {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}})
    decisions = agree(world)
    assert (decisions["reasoned"], decisions["answered"], decisions["failing"]) == ("deny", "deny", "none")


def test_entries_of_codex_decide_as_in_codex(codex: CodexWorld) -> None:
    codex.write_hooks(str(script(codex)))  # by its absolute path: in the copy, the copy's
    codex.trust()
    decisions = agree(codex)
    assert (decisions["reasoned"], decisions["silent"], decisions["failing"]) == ("deny", "none", "none")


def test_a_hook_md_decides_as_in_connected_claude(world: ClaudeWorld) -> None:
    world.hook("guard", GUARD, scope="project", matcher={"tool": "^Bash$"})
    connected(world)
    assert agree(world)["silent"] == "deny", "HOOK.md hooks need no reason"


def test_a_hook_md_decides_as_in_connected_codex(codex: CodexWorld) -> None:
    codex.hook("guard", GUARD, scope="project", matcher={"tool": "^Bash$"})
    connected(codex)
    assert agree(codex)["silent"] == "deny"


def connected(world: AgentWorld) -> None:
    world.connect()
    world.run("trust", "--hash", world.run("status", "--json").json()["hash"])
