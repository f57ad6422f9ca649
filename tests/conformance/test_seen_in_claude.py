"""`hooktui run --format claude` decides what the real Claude Code was seen to decide, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command_world import CommandWorld, Ended
from tests.conformance.seen_in_claude import ROWS, Seen, write

# The decisions that can cause each reaction of Claude.
DECIDED = {
    "ran": ("none", "allow", "stop", "deny"),  # a stop comes too late for the tool, as does a denial after it
    "kept": ("deny", "ask", "stop"),
    "on": ("deny",),
    "stopped": ("none",),
    "unheard": ("deny",),
}
TOOL = {
    "tool_name": "Bash",
    "tool_input": {"command": "echo original >> ran.txt", "description": "d"},
    "tool_use_id": "toolu_1",
}
FIELDS: dict[str, dict[str, Any]] = {
    "PreToolUse": TOOL,
    "PostToolUse": {**TOOL, "tool_response": {"stdout": "", "stderr": "", "interrupted": False}},
    "PostToolBatch": {},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "all done"},
    "UserPromptSubmit": {"prompt": "do it"},
    "SessionStart": {"source": "startup"},
}


@pytest.mark.parametrize("seen", ROWS, ids=lambda seen: seen.name)
def test_hooktui_decides_as_claude_did_and_is_never_silent_where_claude_was(tmp_path: Path, seen: Seen) -> None:
    world = CommandWorld(tmp_path)
    ended = _run(world, seen)
    report = ended.json()
    assert report["decision"] == seen.decision
    assert seen.decision in DECIDED[seen.did]
    assert ended.code == (2 if seen.decision in ("deny", "stop") else 0)
    assert seen.told in "\n".join((report["reason"] or "", *report["additional_context"]))
    assert (report["modified_input"] or {}) == seen.tool_input
    if seen.did == "ran" and seen.decision == "none" and seen.runs is None and not seen.told:
        assert _is_told(report["hooks"][0])
    if seen.runs is not None:
        assert len((world.project / "runs.txt").read_text().splitlines()) == seen.runs


@pytest.mark.parametrize("seen", [seen for seen in ROWS if seen.before], ids=lambda seen: seen.name)
def test_the_version_of_claude_that_calls_decides(tmp_path: Path, seen: Seen) -> None:
    world = CommandWorld(tmp_path)
    assert seen.before
    assert _run(world, seen, AI_AGENT="claude-code_2-1-197_agent").json()["decision"] == seen.before[1]
    assert _run(world, seen, AI_AGENT="claude-code_2-1-330_agent").json()["decision"] == seen.decision
    assert _run(world, seen, AI_AGENT="another-agent").json()["decision"] == seen.decision


def _run(world: CommandWorld, seen: Seen, **env: str) -> Ended:
    _write(world, seen)
    payload = {"hook_event_name": seen.event, "session_id": "s1", "cwd": str(world.project), **FIELDS[seen.event]}
    return world.run("run", "--host", "claude", "--format", "claude", "--json", stdin=payload, code=None, **env)


def _is_told(hook: dict[str, Any]) -> bool:
    """If Claude runs a tool silently, the report says why."""
    return bool(hook["skip"] or hook["problems"] or hook["stdout"] or hook["state"] in ("started", "failed"))


def _write(world: CommandWorld, seen: Seen) -> None:
    write(seen, world.home, world.project)
    if any(not name.startswith("~/") for name in seen.files):
        world.run("trust", "--hash", world.run("status", "--json").json()["hash"])
