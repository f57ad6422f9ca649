"""A project with examples of hooks, for the tests of them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.command_world import CommandWorld

DENIES = '#!/bin/sh\ncat > /dev/null\necho "no force pushes" >&2\nexit 2\n'
PUSH = {"tool": "^(Bash|Shell)$", "pattern": "push --force"}
FORCE = {"tool": "Shell", "input": {"command": "git push --force"}}


def write(world: CommandWorld, *examples: Mapping[str, Any], file: str = "all") -> Path:
    """Write examples, one a line; those without expectations expect no decision."""
    path = world.project / f".agents/hook-tests/{file}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    usual = ({"name": f"example {number}", "expect": {"decision": "none"}} for number in range(1, len(examples) + 1))
    path.write_text("".join(f"- {json.dumps({**base, **example})}\n" for base, example in zip(usual, examples, strict=True)))
    return path


def guard(world: CommandWorld, name: str = "no-force-push", script: str = DENIES, **fields: object) -> Path:
    """A hook of the project; its directory."""
    return world.hook(name, script, scope="project", **{"matcher": PUSH, **fields})


def entry(world: CommandWorld, command: str, file: str = ".claude/settings.json", event: str = "PreToolUse") -> None:
    """A hook file of Claude Code with one entry for its shell."""
    path = world.project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    path.write_text(json.dumps({"hooks": {event: [group]}}))


def report_of(world: CommandWorld, *arguments: str, code: int | None = 0) -> dict[str, Any]:
    """The report of `hooktui test --json`."""
    report = world.run("test", "--json", *arguments, code=code).json()
    assert isinstance(report, dict)
    return report


def why(world: CommandWorld, *arguments: str) -> str:
    """Why the only example fails."""
    (test,) = report_of(world, *arguments, code=1)["tests"]
    return "\n".join(test["why"])


def below(root: Path) -> dict[str, tuple[object, ...]]:
    """All files of a project with their bytes, modes and times."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else os.readlink(path) if path.is_symlink() else None
        found[str(path.relative_to(root))] = (content, status.st_mode, status.st_mtime_ns, status.st_ctime_ns)
    return found


def leftovers(world: CommandWorld) -> list[str]:
    """What tests have left behind in hooktui's own state."""
    place = world.home / ".cache/hooktui-tests"
    return sorted(os.listdir(place)) if place.exists() else []
