"""When hooktui's Python is gone, observed guards still decide in the real Claude Code, and the user gets a message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.seen_in_claude import PROJECT, USER
from tests.hosts.claude_code import ClaudeWorld
from tests.hosts.hook_scripts import DENIES, REASON, command
from tests.hosts.own_python import OwnPython


@pytest.fixture
def python(world: ClaudeWorld, tmp_path: Path) -> OwnPython:
    return OwnPython(world, tmp_path / "venv")


@pytest.mark.parametrize("scope", ["user", "project"])
def test_an_observed_guard_decides_when_our_python_is_gone(world: ClaudeWorld, python: OwnPython, scope: str) -> None:
    _own_guard(world, {"user": USER, "project": PROJECT}[scope])
    python.run("connect", "claude", "--scope", scope, "--observe", "--yes")
    python.vanish()
    session = world.session()
    assert REASON in session.heard
    assert not world.marker.exists()


@pytest.mark.parametrize("arguments", [False, True])
def test_an_observed_guard_decides_when_the_launcher_is_deleted(world: ClaudeWorld, python: OwnPython, arguments: bool) -> None:
    _own_guard(world, USER)
    if arguments:
        text = world.settings().read_text()
        entry = json.loads(text)["hooks"]["PreToolUse"][0]["hooks"][0]
        program = {"type": "command", "command": "sh", "args": ["-c", entry["command"]]}
        world.settings().write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [program]}]}}))
    python.run("connect", "claude", "--scope", "user", "--observe", "--yes")
    assert REASON in world.session().heard
    (launcher,) = world.home.rglob("hooktui/hook")
    launcher.unlink()
    session = world.session()
    assert REASON in session.heard
    assert not world.marker.exists()


def test_a_connection_whose_python_is_gone_says_so_to_the_person_once_a_session(world: ClaudeWorld, python: OwnPython) -> None:
    world.hook("guard", DENIES)
    python.run("connect", "claude", "--yes")
    python.vanish()
    session = world.session()
    assert ["hooktui is gone" in message for message in world.shown()] == [True]
    assert "hooktui" not in session.heard


def test_list_check_and_doctor_tell_that_our_python_is_gone_until_connect_repairs_it(
    world: ClaudeWorld, python: OwnPython
) -> None:
    world.hook("guard", DENIES)
    python.run("connect", "claude", "--yes")
    python.vanish()
    (connection,) = world.run("status", "--json").json()["connections"]
    assert connection["works"] is False
    codes = {item["code"] for item in world.run("check", "--format", "json", code=None).json()["diagnostics"]}
    assert "not-connected" in codes
    assert world.run("doctor", code=1).stdout
    assert connection["why"] in world.run("list").stdout
    world.run("connect", "claude", "--yes")
    (connection,) = world.run("status", "--json").json()["connections"]
    assert connection["works"] is True
    assert REASON in world.session().heard


def test_two_hooktuis_run_each_hook_once(world: ClaudeWorld, python: OwnPython) -> None:
    world.hook("count", "#!/bin/sh\ncat > /dev/null\necho run >> runs.txt\n")
    python.run("connect", "claude", "--scope", "user", "--yes")
    world.run("connect", "claude", "--scope", "project", "--yes")
    world.session()
    assert (world.project / "runs.txt").read_text() == "run\n"
    assert len(world.decisions("event:pre-tool-call")) == 1


def _own_guard(world: ClaudeWorld, file: str) -> None:
    """One of Claude's own hooks, which denies."""
    entry = {"type": "command", "command": command("", REASON, 2)}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}
    world.settings(file).write_text(json.dumps(settings, indent=2))
