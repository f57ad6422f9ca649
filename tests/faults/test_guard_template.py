"""The gallery's guard of hooks: an agent cannot edit its hooks, the approvals, the log or the settings of agent programs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.agent import Agent

DENIED: tuple[dict[str, Any], ...] = (
    {"tool_name": "Write", "tool_input": {"file_path": ".agents/hooks/guard/scripts/run", "content": "x"}},
    {"tool_name": "Edit", "tool_input": {"file_path": "sub/../.claude/settings.json", "old_string": "a", "new_string": "b"}},
    {"tool_name": "Write", "tool_input": {"file_path": "~/.config/hooktui/config.toml"}},
    {"tool_name": "Write", "tool_input": {"file_path": "~/.local/state/hooktui/trust.json"}},
    {"tool_name": "Write", "tool_input": {"file_path": "linked/guard/HOOK.md"}},
    {
        "tool_name": "apply_patch",
        "tool_input": {"input": "*** Begin Patch\n*** Update File: .claude/settings.local.json\n@@\n"},
    },
    {"tool_name": "Bash", "tool_input": {"command": "rm -rf .agents/hooks/guard"}},
    {"tool_name": "Bash", "tool_input": {"command": "echo '{}' > ~/.local/state/hooktui/trust.json"}},
    {"tool_name": "Bash", "tool_input": {"command": "sed -i s/a/b/ $HOME/.claude/settings.json"}},
    {"tool_name": "Shell", "tool_input": {"command": "rm ~/.local/state/hooktui/log.db"}},
    {"tool_name": "Bash", "tool_input": {"command": "hooktui trust --hash sha256:x"}},
    {"tool_name": "Write", "tool_input": {"file_path": "/logs/events.db"}},
)
ALLOWED: tuple[dict[str, Any], ...] = (
    {"tool_name": "Read", "tool_input": {"file_path": ".claude/settings.json"}},
    {"tool_name": "Grep", "tool_input": {"pattern": "x", "path": ".agents/hooks"}},
    {"tool_name": "Write", "tool_input": {"file_path": "src/hooks.py", "content": ".claude/settings.json"}},
    {"tool_name": "Bash", "tool_input": {"command": "cat .claude/settings.json"}},
    {"tool_name": "Bash", "tool_input": {"command": "make test > out.txt"}},
    {"tool_name": "Bash", "tool_input": {"command": "hooktui log decision:deny"}},
)


@pytest.fixture
def guarded(agent: Agent) -> Agent:
    agent.run("new", "protect", "--from", "protect-hooks", "--scope", "user")
    (agent.project / ".agents/hooks").mkdir(parents=True)
    (agent.project / "linked").symlink_to(".agents/hooks")
    return agent


@pytest.mark.parametrize("call", DENIED, ids=lambda call: str(call["tool_input"])[:60])
def test_edits_of_what_guards_the_agent_are_denied(guarded: Agent, call: dict[str, Any]) -> None:
    done = guarded.call(guarded.event(**call), env={"HOOKTUI_DB": "/logs/events.db"} if "/logs" in str(call) else {})
    assert done.code == 2
    assert "person" in done.stderr


@pytest.mark.parametrize("call", ALLOWED, ids=lambda call: str(call["tool_input"])[:60])
def test_everything_else_is_left_to_the_agent(guarded: Agent, call: dict[str, Any]) -> None:
    done = guarded.call(guarded.event(**call))
    assert (done.code, done.stderr) == (0, "")


def test_its_script_is_checked_like_any_other(guarded: Agent) -> None:
    assert guarded.run("check", "--format", "json", "--no-log").json()["diagnostics"] == []
