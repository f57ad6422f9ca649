"""The same session of the real Claude Code is the same record, whether it is connected or not (contract.md, "One event")."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.command_world import wait_until
from tests.conformance.seen_in_claude import PROJECT
from tests.hosts import claude_plugins, programs
from tests.hosts.agent_world import AgentWorld
from tests.hosts.claude_code import IN_BOTH_VERSIONS, ClaudeWorld
from tests.hosts.codex_cli import CodexWorld
from tests.hosts.other_programs import CopilotWorld, GeminiWorld
from tests.hosts.programs import Program
from tests.hosts.scripted_model import bash, say, use

_WAYS: dict[str, tuple[str, ...]] = {
    "unconnected": (),
    "connected": ("connect", "claude", "--yes"),
    "observed": ("connect", "claude", "--scope", "project", "--observe", "--yes"),
}
_SCRIPTS = {
    "guard.sh": "cat > /dev/null",
    "push.sh": 'grep -q "git push" || exit 0; echo "Force pushes are not allowed here." >&2; exit 2',
    "lint.sh": "cat > /dev/null; echo broken >&2; exit 1",
    "stop.sh": 'test -f stopped && exit 0; touch stopped; echo "Run the tests first." >&2; exit 2',
}
_SCAN = 'grep -q AKIA || exit 0; echo "No keys in files." >&2; exit 2'
_WORK = (
    bash("echo fine > fine.txt"),
    bash("git push --force origin HEAD"),
    use("Write", file_path="keys.py", content="AKIA"),
    say("all done"),
    say("all done"),
)


@pytest.fixture
def worlds(world: ClaudeWorld, tmp_path: Path) -> dict[str, ClaudeWorld]:
    """One home and project for each way, all with the same hooks and a plugin."""
    made = {way: _prepared(tmp_path / way, world.program) for way in _WAYS}
    for way, command in _WAYS.items():
        if command:
            made[way].run(*command)
    return made


@IN_BOTH_VERSIONS
def test_three_ways_tell_the_same(worlds: dict[str, ClaudeWorld]) -> None:
    told = {}
    for way, world in worlds.items():
        world.session(*_WORK, options=("--allowedTools", "Bash,Write"))
        world.run("import", "--since", "all")
        wait_until(lambda world=world: _is_settled(world))  # type: ignore[misc]
        told[way] = _told(world)
        assert _ids(world) <= {hook["id"] for hook in world.run("list", "--json").json()}
    assert told["connected"] == told["unconnected"]
    assert told["observed"] == told["unconnected"]


def _prepared(root: Path, program: Program) -> ClaudeWorld:
    root.mkdir()
    world = ClaudeWorld(root, program)
    for name, text in _SCRIPTS.items():
        _script(world.project / "tools" / name, text)
    own = {
        "PreToolUse": [_group("Bash", "guard.sh", "push.sh")],
        "PostToolUse": [_group("Bash", "lint.sh")],
        "Stop": [_group("*", "stop.sh")],
    }
    world.settings(PROJECT).write_text(json.dumps({"hooks": own}, indent=2))
    scan = root / "market" / "scan.sh"
    _script(scan, _SCAN)
    claude_plugins.install(
        world, {"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": str(scan)}]}]}}
    )
    return world


def _script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def _group(matcher: str, *names: str) -> dict[str, Any]:
    entries = [{"type": "command", "command": f'"$CLAUDE_PROJECT_DIR"/tools/{name}'} for name in names]
    return {"matcher": matcher, "hooks": entries}


def _is_settled(world: ClaudeWorld) -> bool:
    return len(world.decisions("event:pre-tool-call")) == 3


def _told(world: ClaudeWorld) -> list[Any]:
    """What each event was, and the hooks that denied or failed."""
    fields = ("event", "tool_name", "decision", "outcome", "overruled", "reason")
    return [
        ([report[name] for name in fields], [hook["label"] for hook in report["hooks"] if _mattered(hook)])
        for report in world.decisions()
        if report["event"] not in ("pre-session", "post-session")
    ]


def _ids(world: AgentWorld) -> set[str]:
    """The hooks that the log names."""
    return {hook["id"] for report in world.decisions() for hook in report["hooks"]}


def _mattered(hook: dict[str, Any]) -> bool:
    return bool(hook["decision"] != "none" or hook["state"] == "failed")


# Where each agent keeps its own hooks, with the event before a tool and the name of its shell.
_OWN_HOOKS: dict[str, tuple[type[CodexWorld | GeminiWorld | CopilotWorld], str, str, str]] = {
    "codex": (CodexWorld, ".codex/hooks.json", "PreToolUse", "Bash"),
    "gemini": (GeminiWorld, ".gemini/settings.json", "BeforeTool", "run_shell_command"),
    "copilot": (CopilotWorld, ".github/hooks/own.json", "preToolUse", ""),
}
_TELLING = ("event", "tool_name", "decision", "outcome", "overruled")


@pytest.mark.parametrize("scripts", [("push.sh",), ("guard.sh", "push.sh")])
@pytest.mark.parametrize("host", _OWN_HOOKS)
def test_a_connection_takes_nothing_from_what_the_transcript_tells(host: str, scripts: tuple[str, ...], tmp_path: Path) -> None:
    program = programs.installed(f"{host}-newest")
    if program is None:
        pytest.skip(f"npm could not install {host}")
    told = {}
    for way, options in {"unconnected": None, "connected": (), "observed": ("--observe",)}.items():
        world = _with_own_hooks(host, tmp_path / way, program, scripts)
        if options is not None:
            world.run("connect", host, "--scope", "project", *options, "--yes")
        if isinstance(world, CodexWorld):
            world.trust()
        world.session(world.shell("echo fine > fine.txt"), world.shell("git push --force"), say("all done"))
        world.run("import", "--since", "all")
        told[way] = _calls(world)
        named = _deniers(world)
        assert named == (["push.sh"] if way == "observed" or len(scripts) == 1 else [])
        assert _ids(world) <= {hook["id"] for hook in world.run("list", "--json").json()}
    assert [call[2] for call in told["unconnected"]] == ["none", "deny"]
    assert told["connected"] == told["unconnected"]
    assert told["observed"] == told["unconnected"]


def _with_own_hooks(host: str, root: Path, program: Program, scripts: Sequence[str]) -> AgentWorld:
    root.mkdir()
    kind, file, event, tool = _OWN_HOOKS[host]
    world = kind(root, program)
    commands = [str(world.project / name) for name in scripts]
    for name in scripts:
        _script(world.project / name, _SCRIPTS[name])
    groups: list[dict[str, Any]] = [{"type": "command", "bash": command} for command in commands]
    if tool:
        groups = [{"matcher": tool, "hooks": [{"type": "command", "command": command} for command in commands]}]
    path = world.project / file
    own = json.loads(path.read_text()) if path.exists() else {}
    world.write(file, {**own, **({} if tool else {"version": 1}), "hooks": {event: groups}})
    return world


def _deniers(world: AgentWorld) -> list[str]:
    return [hook["label"] for report in world.decisions("decision:deny") for hook in report["hooks"] if _mattered(hook)]


def _calls(world: AgentWorld) -> list[Any]:
    return [[report[name] for name in _TELLING] for report in world.decisions("event:pre-tool-call")]


def test_a_denial_that_a_mod_overrules_is_marked(world: ClaudeWorld) -> None:
    _script(world.project / "tools/push.sh", _SCRIPTS["push.sh"])
    world.settings(PROJECT).write_text(json.dumps({"hooks": {"PreToolUse": [_group("Bash", "push.sh")]}}))
    claude_plugins.add_mod(world, "sk", "tool.check", "async () => ({decision: 'allow'})")
    world.run("connect", "claude", "--scope", "project", "--observe", "--yes")
    world.session(bash("git push --force; touch ran.txt"), say("all done"))
    assert world.marker.exists(), "the mod lets the call run"
    world.run("import", "--since", "all")
    (report,) = world.decisions("overruled:true")
    assert (report["decision"], report["outcome"]) == ("none", "ran")
    assert [(hook["label"], hook["decision"]) for hook in report["hooks"] if _mattered(hook)] == [("push.sh", "deny")]
