"""Rules of all agent programs: where hooks run, which files are read, and one project with every program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from hooktui import hosts
from tests.hosts.agent_world import AgentWorld
from tests.hosts.hook_scripts import DENIES, REASON
from tests.hosts.scripted_model import say

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.other_programs import QwenWorld


def test_the_same_command_is_denied_in_each_and_logged_once(every: list[AgentWorld]) -> None:
    first = every[0]
    first.hook("guard", DENIES, matcher={"pattern": "ran"})
    programs = os.pathsep.join(str(world.program.path.parent) for world in every)
    said = first.run("connect", "--all", "--yes", PATH=f"{programs}{os.pathsep}{os.environ['PATH']}").stdout
    for world in every:
        assert f"Connected {world.program.title}" in said
        world.connect()
    for world in every:
        session = world.session()
        assert REASON in session.heard, world.host
        assert not world.marker.exists(), world.host
    first.run("import")  # a transcript may tell a denial as an error of the tool
    denied = first.decisions("decision:deny")
    assert sorted(report["host"] for report in denied) == sorted(world.host for world in every)
    assert {report["outcome"] for report in denied} == {"denied-by-hook"}
    assert len({report["session_id"] for report in denied}) == len(every)
    first.run("disconnect", "--all", "--yes")
    first.run("disconnect", "--all", "--scope", "user", "--yes")
    assert "Nothing to do" in first.run("disconnect", "--all", "--yes").stdout


_PLACES = {
    "gemini": (".gemini/settings.json", "BeforeTool"),
    "qwen": (".qwen/settings.json", "PreToolUse"),
    "droid": (".factory/hooks.json", "PreToolUse"),
}


@pytest.fixture(params=_PLACES)
def started(request: pytest.FixtureRequest) -> AgentWorld:
    """A program with a hook that notes its directory, in a script with a relative path."""
    world: AgentWorld = request.getfixturevalue(request.param)
    file, event = _PLACES[request.param]
    script = world.project / "hooks/note.sh"
    script.parent.mkdir()
    script.write_text(f'pwd >> "{world.home}/directories"\n')
    (world.project / "sub").mkdir()
    events = {event: [{"matcher": "*", "hooks": [{"type": "command", "command": "bash hooks/note.sh"}]}]}
    world.write(file, events if request.param == "droid" else {"hooks": events})
    return world


def test_hooks_start_in_the_project_after_the_agent_changed_directory(started: AgentWorld) -> None:
    started.session(*map(started.shell, ("cd sub && pwd", "cd sub; pwd", "pwd")), say("all done"))
    assert (started.home / "directories").read_text().split() == [str(started.project)] * 3
    assert "relative-path" not in {item["code"] for item in started.run("check", "--format", "json").json()["diagnostics"]}


# By program: its event before a tool, a file that it reads, and options with which it trusts the hooks.
_READ: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "claude": ("PreToolUse", ".claude/settings.json", ()),
    "codex": ("PreToolUse", ".codex/hooks.json", ("--dangerously-bypass-hook-trust",)),
    "copilot": ("preToolUse", ".github/hooks/own.json", ()),
    "droid": ("PreToolUse", ".factory/settings.json", ()),
    "gemini": ("BeforeTool", ".gemini/settings.json", ()),
    "qwen": ("PreToolUse", ".qwen/settings.json", ()),
}


@pytest.mark.parametrize("name", _READ)
def test_no_hook_of_an_unread_file_runs(request: pytest.FixtureRequest, name: str) -> None:
    world: AgentWorld = request.getfixturevalue(name)
    event, read, options = _READ[name]
    unread = hosts.spec(name).unread_files()
    for path in (*unread, read):
        entry = {"type": "command", "command": f"cat > /dev/null; echo {path} >> '{world.home}/fired'"}
        entries = [entry] if name == "copilot" else [{"matcher": "*", "hooks": [entry]}]
        world.write(path, {"hooks": {event: entries}})
    report = world.run("check", "--format", "json").json()
    found = [item["file"] for item in report["diagnostics"] if item["code"] == "unread-file"]
    assert sorted(found) == sorted(str(world.project / path) for path in unread)
    world.session(options=options)
    assert (world.home / "fired").read_text().split() == [read]


def move_away(world: AgentWorld, elsewhere: Path) -> None:
    """Set a program's variables to copies of the directories that they replace."""
    in_home = ((place, variable) for place, variable in hosts.spec(world.host).moved.items() if place.startswith("~/"))
    for number, (place, variable) in enumerate(in_home):
        before, after = world.home / place[2:], elsewhere / f"{world.host}-{number}"
        if before.is_dir():
            shutil.copytree(before, after, symlinks=True)
        world.environment[variable] = str(after)


def read(world: AgentWorld) -> list[tuple[str, int]]:
    """The sessions of a program that an import finds."""
    told = world.run("import", "--since", "all", world.host, "--json").json()
    return [(one["host"], one["sessions"]) for one in told["hosts"]]


def test_sessions_in_another_directory_are_read(every: list[AgentWorld], tmp_path: Path) -> None:
    for world in every:
        move_away(world, tmp_path / "elsewhere")
        world.session()
        assert read(world) == [(world.host, 1)]


def test_qwen_may_keep_sessions_apart_from_its_settings(qwen: QwenWorld, tmp_path: Path) -> None:
    move_away(qwen, tmp_path / "elsewhere")
    qwen.environment["QWEN_RUNTIME_DIR"] = str(tmp_path / "sessions")
    qwen.session()
    assert read(qwen) == [("qwen", 1)]


def test_hooks_in_another_directory_run(every: list[AgentWorld], tmp_path: Path) -> None:
    for world in (world for world in every if world.host != "codex"):  # Codex wants each hook to be trusted in its own screen
        move_away(world, tmp_path / "elsewhere")
        world.run("connect", world.host, "--scope", "user", "--yes")
        world.session()
        assert "pre-tool-call" in {told["event"] for told in world.decisions(f"host:{world.host}")}, world.host
