"""An observed run belongs to the entry that its host ran, as `hooktui list` shows it at that time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import CommandWorld, wait_until

PROJECT, LOCAL, USER = ".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json"
DENIES = {"type": "command", "command": "echo no >&2; exit 2"}


class World(CommandWorld):
    """The user's Claude settings, and Claude Code as far as it starts hooks."""

    def path(self, name: str) -> Path:
        return self.home / name[2:] if name.startswith("~/") else self.project / name

    def write(self, name: str, *entries: dict[str, Any], matcher: str = "Bash", event: str = "PreToolUse") -> None:
        self.path(name).parent.mkdir(exist_ok=True)
        self.path(name).write_text(json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": list(entries)}]}}))

    def observe(self, *scopes: str) -> None:
        for scope in scopes:
            self.run("connect", "claude", "--scope", scope, "--observe", "--events", "needed", "--yes")

    def call(self, name: str, index: int = 0, tool: str = "Bash", group: int = 0) -> dict[str, Any]:
        """Start an entry of a settings file as Claude does; return the hook in the log's newest report."""
        entry = json.loads(self.path(name).read_text())["hooks"]["PreToolUse"][group]["hooks"][index]
        payload: dict[str, Any] = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(self.project)}
        payload |= {"tool_name": tool, "tool_input": {}, "permission_mode": "default"}
        before = len(self.reports())
        environment = {**self.environment, "CLAUDE_PROJECT_DIR": str(self.project)}
        command = ["/bin/sh", "-c", entry["command"]]
        _run(command, json.dumps(payload).encode(), entry.get("timeout", 600), cwd=self.project, env=environment)
        wait_until(lambda: len(self.reports()) > before)
        (hook,) = [hook for hook in self.reports()[-1]["hooks"] if hook["origin"] == "observed"]
        return hook  # type: ignore[no-any-return]

    def reports(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.run("log", "--json").stdout.splitlines()]

    def listed(self, name: str, index: int = 0) -> dict[str, Any]:
        hooks = self.run("list", "--json").json()
        return [hook for hook in hooks if hook["file"] == str(self.path(name))][index]  # type: ignore[no-any-return]


def _run(command: list[str], stdin: bytes, timeout_s: float, **options: Any) -> None:
    """Run a command to its end or its timeout, then end its process group."""
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=nothing, start_new_session=True, **options)
    try:
        process.communicate(stdin, timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def same(logged: dict[str, Any], listed: dict[str, Any]) -> bool:
    """Whether a run in the log is of a hook in the listing."""
    keys = ("name", "format", "scope", "file", "line")
    return {key: logged[key] for key in keys} == {key: listed[key] for key in keys}


@pytest.mark.parametrize(("scope", "name"), [("project", PROJECT), ("user", USER)])
def test_run_has_the_identity_of_its_entry(world: World, scope: str, name: str) -> None:
    world.write(name, {"type": "command", "command": "true"}, DENIES)
    world.observe(scope)
    assert same(world.call(name, 1), world.listed(name, 1))


def test_entry_inserted_above_after_connecting_takes_no_runs(world: World) -> None:
    world.write(PROJECT, DENIES)
    world.observe("project")
    settings = json.loads(world.path(PROJECT).read_text())
    settings["hooks"]["PreToolUse"][0]["hooks"].insert(0, {"type": "command", "command": "echo formatter"})
    world.path(PROJECT).write_text(json.dumps(settings))
    run = world.call(PROJECT, 1)
    assert (run["decision"], same(run, world.listed(PROJECT, 1))) == ("deny", True)


def test_of_equal_commands_the_entry_whose_matcher_matches_ran(world: World) -> None:
    world.write(PROJECT, DENIES, matcher="Edit")
    settings = json.loads(world.path(PROJECT).read_text())
    settings["hooks"]["PreToolUse"].append({"matcher": "Bash", "hooks": [DENIES]})
    world.path(PROJECT).write_text(json.dumps(settings))
    world.observe("project")
    assert same(world.call(PROJECT, group=1), world.listed(PROJECT, 1))
    assert same(world.call(PROJECT, tool="Edit"), world.listed(PROJECT, 0))


def test_command_that_no_file_has_any_more_is_named_by_itself(world: World) -> None:
    world.write(PROJECT, DENIES)
    world.observe("project")
    wrapped = world.path(PROJECT).read_text()
    world.run("disconnect", "claude", "--scope", "project", "--yes")
    world.path(PROJECT).unlink()
    world.path(LOCAL).write_text(wrapped.replace("echo no", "echo nothing"))
    run = world.call(LOCAL)
    assert run["name"] == "settings.local.json:PreToolUse:1"
    world.path(PROJECT).write_text(wrapped)
    world.path(LOCAL).unlink()
    (world.project / "sub").mkdir()
    entry = json.loads(wrapped)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    payload = {"hook_event_name": "Stop", "session_id": "s2", "cwd": str(world.project / "sub")}
    subprocess.run(["/bin/sh", "-c", entry], input=json.dumps(payload).encode(), env=world.environment, check=False)
    wait_until(lambda: len(world.reports()) == 2)
    assert world.reports()[-1]["hooks"][0]["name"] == "echo no"


def test_run_ended_by_the_host_after_its_timeout_timed_out(world: World) -> None:
    world.write(PROJECT, {"type": "command", "command": "exec sleep 30", "timeout": 1})
    world.observe("project")
    run = world.call(PROJECT)
    assert (run["state"], run["problems"]) == ("timeout", ["timed out after 1000 ms"])


def test_async_entry_decides_nothing(world: World) -> None:
    world.write(PROJECT, {**DENIES, "async": True})
    world.observe("project")
    world.call(PROJECT)
    assert world.reports()[-1]["decision"] == "none"
