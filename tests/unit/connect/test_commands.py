"""`hooktui connect` and `disconnect` as a person runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.command_world import CommandWorld

if TYPE_CHECKING:
    from pathlib import Path

CLAUDE = ".claude/settings.local.json"
LAUNCHER = ".local/share/hooktui/hook"


@pytest.fixture
def world(tmp_path: Path) -> CommandWorld:
    return CommandWorld(tmp_path)


EVENTS = {
    "claude": """SessionStart SessionEnd UserPromptSubmit Stop PreToolUse PostToolUse PostToolUseFailure SubagentStart
        SubagentStop PreCompact PostCompact StopFailure""",
    "vscode": "SessionStart UserPromptSubmit Stop PreToolUse PostToolUse SubagentStart SubagentStop PreCompact",
    "copilot": """sessionStart sessionEnd userPromptSubmitted agentStop preToolUse postToolUse postToolUseFailure subagentStart
        subagentStop preCompact errorOccurred""",
}
FILES = {"claude": CLAUDE, "vscode": ".github/hooks/hooktui.json", "copilot": ".github/hooks/hooktui-copilot.json"}


@pytest.mark.parametrize("host", FILES)
def test_each_host_calls_hooktui_for_all_its_events(world: CommandWorld, host: str) -> None:
    world.run("connect", host)
    written = json.loads((world.project / FILES[host]).read_text())["hooks"]
    assert list(written) == EVENTS[host].split()
    for event, (item,) in written.items():
        (entry,) = item.get("hooks", [item])
        event_word = f" {event}" if host == "copilot" else ""
        assert (entry.get("command") or entry["bash"]) == f"{world.home}/{LAUNCHER} {host}{event_word}"


def test_the_written_entries_have_no_diagnostics(world: CommandWorld) -> None:
    for host in FILES:
        world.run("connect", host)
    found = world.run("check", "--format", "json", "--scope", "project", "--no-log").json()
    assert (found["hooks"], found["diagnostics"]) == (0, [])


def test_a_dry_run_shows_the_difference_and_writes_nothing(world: CommandWorld) -> None:
    shown = world.run("connect", "claude", "--dry-run").stdout
    assert "+++ .claude/settings.local.json" in shown
    assert '+            "command": ' in shown
    assert list(world.project.iterdir()) == []
    world.run("connect", "claude")
    before = (world.project / CLAUDE).read_bytes()
    assert "--- .claude/settings.local.json\n+++ /dev/null" in world.run("disconnect", "claude", "--dry-run").stdout
    assert (world.project / CLAUDE).read_bytes() == before


def test_a_second_connect_has_nothing_to_do(world: CommandWorld) -> None:
    world.run("connect", "claude")
    assert "Nothing to do" in world.run("connect", "claude").stdout
    assert "Nothing to do" in world.run("connect", "claude", "--dry-run").stdout


def test_disconnecting_an_unconnected_host_does_nothing(world: CommandWorld) -> None:
    assert "not connected" in world.run("disconnect", "vscode").stdout


def test_needed_events_are_those_of_the_hooks_and_those_that_begin_a_turn_for_a_gate(world: CommandWorld) -> None:
    assert "None of your hooks" in world.run("connect", "claude", "--events", "needed").stdout
    world.hook("guard")
    world.run("connect", "claude", "--events", "needed")
    assert list(json.loads((world.project / CLAUDE).read_text())["hooks"]) == ["PreToolUse"]
    world.hook("gate", scope="project", trigger="before_stop")
    world.run("connect", "claude", "--events", "needed")
    assert list(json.loads((world.project / CLAUDE).read_text())["hooks"]) == [
        "SessionStart", "UserPromptSubmit", "Stop", "PreToolUse",
    ]  # fmt: skip


def test_at_a_terminal_it_asks_and_a_no_changes_nothing(world: CommandWorld) -> None:
    ended = world.at_terminal("connect", "claude", types="n\n")
    assert ended.code == 1
    assert "settings.local.json: call hooktui for 12 events" in ended.stdout
    assert "Apply?" in ended.stdout
    assert "+++" not in ended.stdout
    assert list(world.project.iterdir()) == []
    ended = world.at_terminal("connect", "claude", types="d\ny\n")
    assert ended.code == 0
    assert "+++ .claude/settings.local.json" in ended.stdout
    assert world.at_terminal("disconnect", "claude", "--yes").code == 0
    assert list(world.project.iterdir()) == []


def test_the_user_scope_is_the_home(world: CommandWorld) -> None:
    world.run("connect", "copilot", "--scope", "user")
    assert (world.home / ".copilot/hooks/hooktui-copilot.json").exists()
    assert list(world.project.iterdir()) == []
    world.run("disconnect", "copilot", "--scope", "user")
    assert not (world.home / ".copilot").exists()


def test_a_refusal_is_one_line_that_names_file_and_place(world: CommandWorld) -> None:
    (world.project / ".claude").mkdir()
    (world.project / CLAUDE).write_text('{\n  "model": x\n}\n')
    ended = world.run("connect", "claude", code=1)
    path = world.project / CLAUDE
    assert ended.stderr == f"hooktui: nothing was changed: {path} cannot be edited: line 2: x is not a JSON value\n"


@pytest.mark.parametrize(("text", "why"), [('{"disableAllHooks": true}', "disableAllHooks"), ("{} // mine", "comments")])
def test_connect_says_that_the_host_will_not_call(world: CommandWorld, text: str, why: str) -> None:
    (world.project / ".claude").mkdir()
    (world.project / CLAUDE).write_text(text)
    output = world.run("connect", "claude").stdout
    assert "Note: Claude Code does not call hooktui" in output
    assert why in output
    assert "from its next session" not in output


def test_connection_in_a_shared_file_belongs_out_of_version_control(world: CommandWorld) -> None:
    output = world.run("connect", "claude", "--scope", "project").stdout
    assert ".claude/settings.json out of version control, or use --scope local or --scope user" in output


def test_two_connections_that_one_program_reads_are_noticed(world: CommandWorld) -> None:
    world.run("connect", "vscode")
    assert "hooktui.json is connected too: each hook runs twice in VS Code\n" in world.run("connect", "copilot").stdout


def test_doctor_tells_who_calls_and_whose_python_is_gone(world: CommandWorld) -> None:
    assert "connect an agent program with" in world.run("doctor").stdout
    world.run("connect", "claude")
    assert "Claude Code calls hooktui for 12 events" in world.run("doctor").stdout
    launcher = world.home / LAUNCHER
    launcher.write_text(launcher.read_text().replace(sys.executable, "/gone/python"))
    ended = world.run("doctor", code=1)
    assert "/gone/python cannot be run" in ended.stdout
    assert "hooktui connect claude --scope local" in ended.stdout
    world.run("connect", "claude")
    assert "/gone" not in world.run("doctor").stdout


def test_the_written_entry_runs_the_hook(world: CommandWorld) -> None:
    """End to end, as a host would: the command in its file, its payload on stdin."""
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="before_tool")
    world.run("connect", "copilot")
    entry = json.loads((world.project / ".github/hooks/hooktui-copilot.json").read_text())["hooks"]["preToolUse"][0]
    payload = {"sessionId": "s", "timestamp": 1, "cwd": str(world.project), "toolName": "bash", "toolArgs": {"command": "ls"}}
    done = subprocess.run(
        ["bash", "-c", entry["bash"]],
        input=json.dumps(payload),
        env=world.environment,
        cwd=world.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "no\n")
    assert json.loads(done.stdout) == {"permissionDecision": "deny", "permissionDecisionReason": "no"}
