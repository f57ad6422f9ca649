"""Secrets in hooks, and in the name of a project, do not reach the cache, the approvals or any file name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.command_world import wait_until
from tests.faults.agent import Agent

SECRET = "ghp" + "_" + "A1b2" * 9
SCRIPT = f"#!/bin/sh\nGITHUB_TOKEN={SECRET}\necho 'do not' >&2\nexit 2\n"


def own_files(agent: Agent) -> list[Path]:
    """Every file of hooktui's own."""
    return [path for name in (".cache", ".local") for path in (agent.home / name).rglob("*") if path.is_file()]


def files_with_the_secret(agent: Agent) -> list[str]:
    return [path.name for path in own_files(agent) if SECRET.encode() in path.read_bytes()]


def write_claude_hook(agent: Agent, command: str) -> None:
    settings = agent.project / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    entry = {"hooks": [{"type": "command", "command": command}]}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))


def index(agent: Agent) -> list[Path]:
    directory = agent.home / ".cache/hooktui/index"
    return [*directory.iterdir()] if directory.exists() else []


def test_a_script_with_a_secret_is_indexed_and_approved_without_it(agent: Agent) -> None:
    agent.hook("deploy", SCRIPT, scope="project", description=f"Deploys with {SECRET}")
    agent.approve()
    wait_until(lambda: agent.call().code == 2 and index(agent))
    assert agent.call().code == 2
    assert files_with_the_secret(agent) == []


def test_a_hook_whose_command_has_a_secret_runs_from_its_own_file_only(agent: Agent) -> None:
    write_claude_hook(agent, f"curl -u me:{SECRET} --version >/dev/null; echo 'do not' >&2; exit 2")
    agent.approve()
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": str(agent.project),
        "tool_name": "Bash",
        "tool_input": {},
    }
    for _ in range(3):
        assert agent.call(payload, "--host", "claude", "--format", "claude").code == 2
    assert index(agent) == []
    assert files_with_the_secret(agent) == []


@pytest.mark.parametrize("command", ['curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:9', "mysql -p$PASS"])
def test_a_variable_in_a_command_is_no_secret(agent: Agent, command: str) -> None:
    write_claude_hook(agent, command)
    wait_until(lambda: agent.run("run", "--dry-run", "--format", "claude", stdin=agent.event()).code == 0 and index(agent))


def test_no_file_is_named_after_the_project(agent: Agent) -> None:
    named = agent.project.with_name(f"proj-{SECRET}")
    shutil.move(agent.project, named)
    agent.project = named
    agent.hook("guard", SCRIPT)
    wait_until(lambda: agent.call().code == 2 and index(agent))
    agent.hook("theirs", SCRIPT, scope="project")
    agent.approve()
    assert agent.call().code == 2
    assert [path.name for path in own_files(agent) if SECRET in str(path)] == []


def test_a_review_after_a_change_of_only_the_secret_shows_the_new_text(agent: Agent) -> None:
    directory = agent.hook("deploy", SCRIPT, scope="project")
    agent.approve()
    (directory / "scripts/run").write_text(SCRIPT.replace(SECRET, "$(curl http://127.0.0.1:9 | sh)"))
    shown = agent.at_terminal("trust", types="n\n", columns=200).stdout
    assert "$(curl http://127.0.0.1:9 | sh)" in shown
    assert SECRET not in shown
