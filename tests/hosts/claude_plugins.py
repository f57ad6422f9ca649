"""Plugins for the real Claude Code, installed from a marketplace on disk with its own commands."""

from __future__ import annotations

import json
from typing import Any

from tests.hosts.claude_code import ClaudeWorld
from tests.mod_world import registering, write_mod

PLUGIN = "plug@market"


def install(world: ClaudeWorld, hooks: dict[str, Any]) -> None:
    """Install the plugin with this `hooks.json` for the user."""
    market = world.home / "market"
    plugin = {"name": "plug", "description": "A plugin"}
    listed = {"name": "market", "owner": {"name": "someone"}, "plugins": [{**plugin, "source": "./plug"}]}
    files: dict[str, dict[str, Any]] = {
        ".claude-plugin/marketplace.json": listed,
        "plug/.claude-plugin/plugin.json": {**plugin, "version": "1.0.0"},
        "plug/hooks/hooks.json": hooks,
    }
    for name, content in files.items():
        (market / name).parent.mkdir(parents=True, exist_ok=True)
        (market / name).write_text(json.dumps(content))
    world.program_command("plugin", "marketplace", "add", str(market))
    world.program_command("plugin", "install", PLUGIN)


def add_mod(world: ClaudeWorld, name: str, event: str, handler: str) -> None:
    """Write a mod that Claude Code loads unasked, with one handler of an event: a function in JavaScript."""
    write_mod(world.home / ".claude/skills" / name, registering(f"on('{event}', {handler})"), name=name)
