"""A machine that has run out of something: a guard's answer stands, and a guard that cannot start denies."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Callable

import pytest

from tests.faults.agent import DENY, Agent
from tests.faults.places import read_only


def descriptors(most: int) -> Callable[[], None]:
    """Allow a process so many open files (`ulimit -n`)."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def claude_guards(agent: Agent, *commands: str) -> None:
    """Give the user these commands as Claude hooks before every tool."""
    settings = agent.home / ".claude/settings.json"
    settings.parent.mkdir()
    entries = [{"type": "command", "command": command} for command in commands]
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": entries}]}}))


@pytest.mark.parametrize("most", [5, 6, 7, 8, 9, 10, 11, 12, 16, 32])
def test_a_guard_denies_with_few_descriptors(agent: Agent, most: int) -> None:
    agent.hook("guard", DENY)
    assert agent.call(in_child=descriptors(most)).code == 2


def test_a_guard_that_cannot_start_for_lack_of_descriptors_is_a_failed_hook_and_denies(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\n")
    done = agent.report(in_child=descriptors(8))
    assert done.code == 2
    report = done.json()
    assert (report["decision"], report["hooks"][0]["state"]) == ("deny", "failed")
    assert "could not be started: Too many open files" in report["reason"]


def test_the_user_may_let_events_pass_whose_guard_cannot_start(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\n")
    agent.call()
    agent.configure('[run]\non_error = "allow"\n')
    agent.call()
    done = agent.report(in_child=descriptors(10))
    assert (done.code, done.json()["hooks"][0]["state"]) == (0, "failed")


@pytest.mark.parametrize(("hooks", "most"), [(81, 256), (150, 64)])
def test_many_hooks_start_in_waves(agent: Agent, hooks: int, most: int) -> None:
    claude_guards(agent, *(f"exit 0; # {number}" for number in range(hooks - 1)), "echo no >&2; exit 2")
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(agent.project), "tool_name": "Bash"}
    done = agent.report(event, "--host", "claude", "--format", "claude", in_child=descriptors(most))
    assert done.code == 2
    report = done.json()
    assert [run["state"] for run in report["hooks"]] == ["ok"] * hooks
    assert report["reason"] == "no"


def test_hooks_in_waves_each_have_their_timeout_and_leave_nothing_behind(agent: Agent) -> None:
    claude_guards(agent, *(f"echo $$ >> pids; exec sleep {300 + number}" for number in range(9)))
    settings = agent.home / ".claude/settings.json"
    settings.write_text(settings.read_text().replace('"command", ', '"command", "timeout": 0.3, '))
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(agent.project), "tool_name": "Bash"}
    done = agent.report(event, "--host", "claude", "--format", "claude", in_child=descriptors(64))
    assert [run["state"] for run in done.json()["hooks"]] == ["timeout"] * 9
    pids = (agent.project / "pids").read_text().split()
    assert len(pids) == 9
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


def test_an_inline_script_runs_although_the_state_cannot_be_written(agent: Agent) -> None:
    config = agent.project / "agent.yaml"
    config.write_text(
        """\
apiVersion: azuresre.ai/v2
kind: ExtendedAgent
metadata: {name: a}
spec:
  hooks:
    PreToolUse:
      - type: command
        matcher: "*"
        script: |
          echo no >&2
          exit 2
"""
    )
    agent.approve()
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(agent.project), "tool_name": "Bash"}
    with read_only(agent.home):
        done = agent.report({**event, "agent_name": "a"}, "--host", "azure", "--format", "azure")
    assert (done.code, done.json()["reason"]) == (2, "no")
