"""contract.md, `check`: "it also reads the log for what hooks did and printed"; experience.md §4, runtime findings.

Real `hooktui run` processes run the hooks; the cause of a failure is in a file that no rule about their text reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_world import CommandWorld

Found = dict[str, Any]


def check(world: CommandWorld, *arguments: str, code: int = 0) -> list[Found]:
    found: list[Found] = world.run("check", "--format", "json", *arguments, code=code).json()["diagnostics"]
    return found


def only(world: CommandWorld, code: str, exits: int = 0) -> Found:
    """The only problem, which must have this code."""
    (found,) = check(world, code=exits)
    assert found["code"] == code
    return found


def saying(world: CommandWorld, text: str, then: str, **fields: Any) -> Path:
    """A user's hook that prints a text, from a file next to it, on stderr."""
    directory = world.hook("guard", f'#!/bin/sh\ncat "$(dirname "$0")/said" >&2\n{then}\n', **fields)
    (directory / "scripts/said").write_text(text)
    return directory


def running(world: CommandWorld, command: str, event: str = "PreToolUse", file: str = ".claude/settings.json") -> Path:
    """A user's hook of a host."""
    entry = {"type": "command", "command": command}
    hooks: list[object] = [{"hooks": [entry]}] if "claude" in file else [entry]
    path = world.home / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": {event: hooks}}, indent=1))
    return path


def answering(world: CommandWorld, answer: object, event: str = "PreToolUse", file: str = ".claude/settings.json") -> Path:
    """A user's hook of a host that prints an answer from another file."""
    said = world.home / "answer"
    said.write_text(json.dumps(answer))
    return running(world, f"cat {said}", event, file)


def fire(world: CommandWorld, host: str, event: str = "PreToolUse", times: int = 1) -> None:
    """Run a host's own hooks by its own rules."""
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(world.project), "tool_name": "Bash", "tool_input": {}}
    for _ in range(times):
        world.run("run", "--host", host, "--format", host, stdin=payload, code=None)


def place(found: Found) -> tuple[int, int, int]:
    return found["line"], found["column"], found["end_column"]


def command_of(path: Path) -> tuple[int, int, int]:
    """The position of the command in a hook file, without its quotes."""
    line, text = next((number, line) for number, line in enumerate(path.read_text().split("\n"), 1) if '"command": ' in line)
    start = text.index('"command": ') + len('"command": ')
    return line, start + 2, len(text)
