"""The real programs run no hook of the files that `check` calls unread, and those of the files that they read."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hooktui import hosts
from tests.hosts.agent_world import AgentWorld

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
