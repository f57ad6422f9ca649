"""What hooktui refuses to run itself, its host may run: it is not called skipped, and is in its host."""

from __future__ import annotations

import json

import pytest

from hooktui.catalog import catalog
from tests.command_world import CommandWorld

ENTRY = '{"type": "command", "command": "./guard.sh"}'
AGENT = '{"type": "agent", "prompt": "Is it safe?"}'


@pytest.mark.parametrize(
    ("entry", "mode"), [(ENTRY, 0o666), (ENTRY.replace("{", '{"type": "command", '), 0o644), (AGENT, 0o644)]
)
def test_a_call_does_not_list_it_as_skipped(here: CommandWorld, entry: str, mode: int) -> None:
    settings = here.project / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(f'{{"hooks": {{"PreToolUse": [{{"hooks": [{entry}]}}]}}}}')
    settings.chmod(mode)
    (hook,) = catalog.load(str(here.project)).hooks
    assert hook.obstacle and hook.obstacle.host_runs
    listed = here.run("list").stdout
    assert " claude" in listed and "in none" not in listed
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    here.run("run", "--host", "claude", stdin={**payload, "cwd": str(here.project), "tool_use_id": "toolu_1"})
    report = json.loads(here.run("log", "--json").stdout)
    assert [(run["state"], run["skip"]) for run in report["hooks"]] == [("unrecorded", None)]
