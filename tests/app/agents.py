"""How agents apply a project's hooks before they run a command: real programs, each given a real event."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

from tests.app.hook_world import HookWorld

_DENIED = 2  # exit code


def hooktui_denies(world: HookWorld, command: str) -> bool:
    """Whether `hooktui run` denies a shell command."""
    run = (sys.executable, "-m", "hooktui", "run", "pre-tool-call", "--project", world.project)
    return _denies(run, {"tool_name": "Shell", "tool_input": {"command": command}}, world)


def claude_denies(world: HookWorld, command: str) -> bool:
    """Whether Claude Code's own settings deny a shell command."""
    path = os.path.join(world.project, ".claude", "settings.json")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        groups = json.load(file)["hooks"].get("PreToolUse", [])
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    entries = [entry for group in groups if group.get("matcher", "*") in ("*", "Bash") for entry in group["hooks"]]
    return any(_denies(("/bin/sh", "-c", entry["command"]), event, world) for entry in entries)


def _denies(program: Sequence[str], event: Mapping[str, object], world: HookWorld) -> bool:
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": world.project}
    payload = json.dumps({"session_id": "s", "cwd": world.project, **event})
    done = subprocess.run(
        program, input=payload, cwd=world.project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, _DENIED), done  # a missing program allows everything
    return done.returncode == _DENIED
