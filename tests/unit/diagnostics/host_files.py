"""Hook files of hosts, with marks at the expected problems."""

from __future__ import annotations

import json

from hooktui.catalog import catalog
from hooktui.core.model import Diagnostic
from tests.unit.formats.agenthooks_world import World, unmarked
from tests.unit.formats.json_world import write

CLAUDE = ".claude/settings.json"
VSCODE = ".github/hooks/a.json"
GEMINI = ".gemini/settings.json"
NOISE = ("untrusted",)


def use_vscode(world: World) -> None:
    """Make VS Code be in use and read Claude's files."""
    write(world.project / ".vscode/settings.json", '{"chat.useClaudeHooks": true}')


def put(world: World, marked: str, file: str = VSCODE) -> tuple[int, int, int, int]:
    """Write a hook file of the project; the place of its «» marks."""
    text, place = unmarked(marked) if "«" in marked else (marked, (1, 1, 1, 1))
    write(world.project / file, text)
    return place


def entry(command: str, event: str = "PreToolUse", **more: object) -> str:
    """A file with one command, which may contain «» marks."""
    return json.dumps({"hooks": {event: [{"type": "command", "command": command, **more}]}}, ensure_ascii=False)


def grouped(command: str, event: str = "PreToolUse", matcher: str | None = None) -> str:
    group = {"hooks": [{"type": "command", "command": command}]} | ({"matcher": matcher} if matcher is not None else {})
    return json.dumps({"hooks": {event: [group]}}, ensure_ascii=False)


def found(world: World, code: str) -> list[Diagnostic]:
    return [one for one in catalog.load(str(world.project)).diagnostics if one.code == code]


def one(world: World, code: str) -> Diagnostic:
    (only,) = found(world, code)
    return only


def script(world: World, marked: str, name: str = "scripts/guard.sh") -> tuple[int, int, int, int]:
    """Write an executable script of the project; the place of its «» marks."""
    place = put(world, marked, name)
    (world.project / name).chmod(0o755)
    return place
