"""With `connect --observe` Claude Code's own hooks decide exactly as before, and what they decided is in the log."""

from __future__ import annotations

import json

import pytest

from tests.command_world import wait_until
from tests.conformance.seen_in_claude import LOCAL, PROJECT, REASON, ROWS, USER, Seen, write
from tests.hosts.claude_code import ClaudeWorld

NAMES = (
    "exit 2 with stderr",
    "a JSON denial at exit 1",
    "ask without a terminal",
    "a denial without hookEventName",
    "broken JSON",
    "a missing script",
    "a timeout",
    "an async hook that exits with 2",
    "continue false",
    "two rewrites: the one that finished last",
    "a block after the tool",
    "a blocked prompt",
    "plain text for a session",
    "a gate that blocks only inside hookSpecificOutput",
    "environment and directory",
)
OBSERVED = [seen for seen in ROWS if seen.name in NAMES]


@pytest.mark.parametrize("seen", OBSERVED, ids=lambda seen: seen.name)
def test_an_observed_hook_decides_as_before_and_is_in_the_log(world: ClaudeWorld, seen: Seen) -> None:
    write(seen, world.home, world.project)
    before = {name: world.settings(name).read_bytes() for name in seen.files}
    scope = "user" if USER in seen.files else "project"
    world.run("connect", "claude", "--scope", scope, "--observe", "--yes")
    session = world.session()
    assert world.did(session, seen.event) == seen.did
    assert (REASON in session.heard) == bool(seen.told)
    if seen.tool_input:
        assert world.marker.read_text() == f"{seen.tool_input['description']}\n"
    if seen.runs is not None:
        assert len((world.project / "runs.txt").read_text().splitlines()) == seen.runs
    hook = f"hook:settings.json:{seen.event}:1"
    wait_until(lambda: len(world.decisions(hook)) == 1)
    (report,) = world.decisions(hook)
    if seen.name != "a timeout":  # Claude ends it; its answer does not count
        assert report["decision"] == (seen.decision if not seen.tool_input else "allow")
    world.run("disconnect", "claude", "--scope", scope, "--yes")
    assert {name: world.settings(name).read_bytes() for name in seen.files} == before


def test_a_program_with_arguments_is_observed_as_it_is(world: ClaudeWorld) -> None:
    script = f"cat > /dev/null; echo '{REASON}' \"$0\" >&2; exit 2"
    entry = {"type": "command", "command": "/bin/sh", "args": ["-c", script, "${CLAUDE_PROJECT_DIR}/x y"]}
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}, indent=4)
    world.settings(LOCAL).write_text(text)
    world.run("connect", "claude", "--observe", "--yes")
    session = world.session()
    assert f"{REASON} {world.project}/x y" in session.heard
    assert not world.marker.exists()
    wait_until(lambda: world.decisions("decision:deny"))
    assert world.decisions("decision:deny")[0]["hooks"][0]["file"] == str(world.settings(LOCAL))
    world.run("disconnect", "claude", "--yes")
    assert world.settings(LOCAL).read_text() == text
    assert not world.settings(PROJECT).exists()
