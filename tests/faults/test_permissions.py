"""Who may read and write: what hooktui makes belongs to its user alone, and a hook that others can change does not run."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_world import wait_until
from tests.faults.agent import DENY, Agent

OTHERS = stat.S_IWGRP | stat.S_IWOTH


@pytest.fixture
def shared_umask() -> Iterator[None]:
    """The umask of systems where each user has a group of its own."""
    before = os.umask(0o002)
    yield
    os.umask(before)


def below(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if not path.is_symlink()]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def diagnostics(agent: Agent) -> list[tuple[str, str]]:
    found = agent.run("check", "--format", "json", code=None).json()["diagnostics"]
    return [(one["severity"], one["message"]) for one in found if one["code"] == "insecure-permissions"]


@pytest.mark.usefixtures("shared_umask")
def test_nothing_that_hooktui_makes_is_writable_by_others(agent: Agent) -> None:
    agent.run("new", "guard", "--event", "pre-tool-call", "--scope", "user")
    agent.run("new", "theirs", "--event", "pre-tool-call")
    agent.run("new", "stop", "--event", "Stop", "--format", "claude")
    agent.run("connect", "claude", "--scope", "project", "--yes")
    agent.approve()
    wait_until(lambda: agent.call().code == 0 and (agent.home / ".cache/hooktui/index").exists())
    agent.run("export", "-o", str(agent.home / "out.csv"))
    assert [path for path in (*below(agent.home), *below(agent.project)) if mode(path) & OTHERS] == []
    private = (agent.home / ".cache/hooktui", agent.home / ".local/state/hooktui")
    assert [path for own in private for path in (own, *below(own)) if mode(path) & 0o077] == []


@pytest.mark.parametrize("name", ["HOOK.md", "scripts/run", "scripts", "."])
@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_hook_that_everybody_can_change_does_not_run(agent: Agent, scope: str, name: str) -> None:
    directory = agent.hook("guard", DENY, scope=scope)
    if scope == "project":
        agent.approve()
    wait_until(lambda: agent.call().code == 2 and (agent.home / ".cache/hooktui/index").exists())
    path = directory / name
    path.chmod(mode(path) | stat.S_IWOTH)
    report = agent.report().json()
    (hook,) = report["hooks"]
    assert (report["decision"], hook["state"], hook["skip"]) == ("none", "skipped", "invalid")
    assert "writable by everybody" in hook["why"]
    ((severity, message),) = diagnostics(agent)
    assert severity == "error"
    assert "writable by everybody: hooktui does not run the hook" in message


def test_check_fix_lets_only_the_owner_write_and_keeps_the_approval(agent: Agent) -> None:
    directory = agent.hook("guard", DENY, scope="project")
    agent.approve()
    for path in (directory, directory / "HOOK.md", directory / "scripts/run"):
        path.chmod(mode(path) | OTHERS)
    agent.run("check", "--fix", code=None)
    assert [mode(path) & OTHERS for path in (directory, *below(directory))] == [0, 0, 0, 0]
    assert diagnostics(agent) == []
    assert agent.call().code == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to other groups")
def test_a_hook_that_a_shared_group_can_change_does_not_run(agent: Agent) -> None:
    directory = agent.hook("guard", DENY)
    os.chown(directory / "scripts/run", 0, 54321)  # a group without a name is the owner's only if it has the owner's number
    (directory / "scripts/run").chmod(0o775)
    assert agent.call().code == 0
    ((severity, message),) = diagnostics(agent)
    assert (severity, "scripts/run is writable by group 54321" in message) == ("error", True)


def test_a_clone_under_umask_002_runs_with_a_warning(agent: Agent) -> None:
    directory = agent.hook("guard", DENY)
    for path in (directory, *below(directory)):
        path.chmod(mode(path) | stat.S_IWGRP)
        os.chown(path, os.geteuid(), os.geteuid())
    assert agent.call().code == 2
    ((severity, message),) = diagnostics(agent)
    assert severity == "warning"
    assert "which could change the hook" in message
    assert agent.run("check", code=None).code == 0


def test_world_writable_files_are_one_message(agent: Agent) -> None:
    agent.run("new", "one", "--event", "Stop", "--format", "claude")
    agent.run("new", "two", "--event", "Stop", "--format", "claude")
    (agent.project / ".claude/settings.json").chmod(0o666)
    told = agent.run("check", code=1).stdout
    assert ": error: .claude/settings.json is writable by everybody: hooktui does not run the hook" in told
    for script in (agent.project / ".claude/hooks").iterdir():
        script.chmod(0o666)
    (line,) = (line for line in agent.run("check", code=1).stdout.splitlines() if "writable" in line)
    assert "settings.json and 2 more files are writable by everybody" in line
    agent.run("check", "--fix", code=None)
    assert diagnostics(agent) == []
