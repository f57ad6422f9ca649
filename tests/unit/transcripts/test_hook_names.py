"""A hook that Claude Code's transcript calls by another name than its command is the hook of the file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.claude_transcript import ClaudeTranscript
from tests.command_world import CommandWorld
from tests.unit.transcripts.past_imports import imported, logged
from tests.unit.transcripts.test_unnamed_hooks import REASON, aged, states

COMMAND = {"type": "command", "command": "./lint.sh"}


@pytest.fixture
def transcript(world: CommandWorld) -> ClaudeTranscript:
    transcript = ClaudeTranscript(world.home, str(world.project), "s1")
    transcript.prompt("push it")
    return transcript


def settings(world: CommandWorld, *entries: dict[str, Any], event: str = "PreToolUse") -> None:
    file = world.project / ".claude/settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"hooks": {event: [{"hooks": entries}]}}))
    aged(world)


@pytest.mark.parametrize(
    ("entry", "name", "label"),
    [
        ({**COMMAND, "statusMessage": "Linting"}, "Linting", "lint.sh"),
        ({"type": "command", "command": "/bin/sh", "args": ["./lint.sh", "x y"]}, "/bin/sh ./lint.sh x y", "lint.sh"),
        ({"type": "prompt", "prompt": "Is it ok? $ARGUMENTS"}, "Is it ok? $ARGUMENTS", "Is it ok? $ARGUMENTS"),
    ],
    ids=["its status message", "its words", "its prompt"],
)
def test_a_hook_is_known_by(
    world: CommandWorld, transcript: ClaudeTranscript, entry: dict[str, Any], name: str, label: str
) -> None:
    settings(world, entry, {"type": "command", "command": "./other.sh"})
    transcript.failed_hook(transcript.call("ls"), name)
    imported(world)
    (report,) = logged(world, "event:pre-tool-call")
    assert states(report) == [(label, "failed", "none"), ("other.sh", "unrecorded", "none")]


def test_a_status_message_of_two_commands_names_neither(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    both = [{"type": "command", "command": command, "statusMessage": "Checking"} for command in ("./one.sh", "./two.sh")]
    settings(world, *both)
    transcript.failed_hook(transcript.call("ls"), "Checking")
    imported(world)
    (report,) = logged(world, "event:pre-tool-call")
    assert states(report) == [
        ("Checking", "failed", "none"), ("one.sh", "unrecorded", "none"), ("two.sh", "unrecorded", "none"),
    ]  # fmt: skip


def test_a_stop_that_is_told_by_command_and_by_status_message_is_one_run(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    settings(world, {**COMMAND, "statusMessage": "Linting"}, event="Stop")
    transcript.stopped()
    transcript.meta(f"Stop hook feedback:\n[./lint.sh]: {REASON}\n")
    transcript.stop_summary("Linting")
    imported(world)
    (report,) = logged(world, "event:pre-agent-turn-stop")
    assert (states(report), report["hooks_recorded"]) == ([("lint.sh", "ok", "deny")], "all")
