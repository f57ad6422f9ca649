"""The app reads transcripts by itself: past sessions are there at the first start, and running ones appear as they go on."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from textual.pilot import Pilot

from hooktui.screens.services.history import sessions_text
from hooktui.screens.widgets.banner import Banner
from tests.app.decision_world import DecisionWorld, decided, live, world
from tests.app.hook_world import shown, until, until_shown, write
from tests.claude_transcript import ClaudeTranscript

__all__ = ["decided", "world"]

_SIZE = (120, 40)


def transcript(world: DecisionWorld, session: str = "past", *, project: str = "") -> ClaudeTranscript:
    """A session with a prompt and a shell command that ended."""
    written = ClaudeTranscript(Path(os.environ["HOME"]), project or world.project, session)
    written.prompt("Tidy the build directory")
    written.result(written.call("ls build"))
    return written


async def test_a_past_session_is_listed_and_opens_though_nothing_was_ever_connected(decided: DecisionWorld) -> None:
    transcript(decided)
    async with decided.running("claude", "Tidy the build directory", "1 session", key="3") as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "Tidy the build directory", "Bash ls build")


def row_with(pilot: Pilot[None], words: str) -> str:
    """The first line on the screen that contains some words."""
    return next(line for line in shown(pilot).splitlines() if words in line)


def with_a_guard_of_bash(world: DecisionWorld) -> None:
    """A hook of Claude Code that listens to one tool; its files are older than any event."""
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    path = Path(world.project, ".claude/settings.json")
    path.parent.mkdir()
    write(str(path), json.dumps({"hooks": {"PreToolUse": [entry]}}))
    for old in (path, path.parent):
        os.utime(old, (1_700_000_000, 1_700_000_000))


async def test_an_event_of_a_running_session_appears_in_live_marked_by_its_origin_and_one_without_a_listener_is_quiet(
    decided: DecisionWorld,
) -> None:
    with_a_guard_of_bash(decided)
    running = transcript(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await until_shown(pilot, "● following", "Bash ls build")
        running.call("make test")
        await until_shown(pilot, "Bash make test", "not recorded")
        await until_shown(pilot, "≡ from Claude Code's transcript")
        assert screen.decisions.following
        running.call("the notes", tool="Think")
        await until_shown(pilot, "Think the notes")
        await until(pilot, lambda: "not recorded" not in row_with(pilot, "Think the notes"))
        assert "not recorded" in row_with(pilot, "Bash ls build")


async def test_an_event_that_is_recorded_too_stays_one_row(decided: DecisionWorld) -> None:
    running = transcript(decided, "s1")
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        call = running.call("make test")
        await until_shown(pilot, "Bash make test")
        rows = len(screen.decisions.results)
        payload = {
            "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": decided.project, "tool_name": "Bash",
            "tool_input": {"command": "make test"}, "tool_use_id": call,
        }  # fmt: skip
        decided.add(tool="Bash", session="s1", host="claude", payload=payload, decision="deny", reason="not now")
        await until_shown(pilot, "✕ deny")
        await until(pilot, lambda: len(screen.decisions.results) == rows)
        await until(pilot, lambda: shown(pilot).count("Bash make test  ") == 1)


async def test_older_events_that_are_imported_take_their_place_and_leave_the_cursor_alone(decided: DecisionWorld) -> None:
    decided.add(tool="Shell", session="s1")
    transcript(decided)
    async with decided.app().run_test(size=_SIZE) as pilot:
        screen = await live(pilot)
        await until_shown(pilot, "Bash ls build")
        rows, current = len(screen.decisions.results), screen.decisions.current
        old = ClaudeTranscript(Path(os.environ["HOME"]), decided.project, "old")
        old.at = 1_768_990_000.0
        old.prompt("Before")
        await until(pilot, lambda: len(screen.decisions.results) > rows)
        assert screen.decisions.current == current


async def test_a_project_without_sessions_shows_those_of_all_projects_and_says_so(decided: DecisionWorld) -> None:
    transcript(decided, project="/somewhere/else")
    async with decided.app().run_test(size=_SIZE, notifications=True) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "none in", "yet: all projects", "Tidy the build directory", "else")
        await pilot.press("P")
        await until_shown(pilot, "This project has no sessions yet.", "yet: all projects")
        decided.add(tool="Shell", session="here")
        await until_shown(pilot, "P all projects", "here")
        await until(pilot, lambda: "Tidy the build directory" not in shown(pilot))


async def test_without_transcripts_sessions_says_where_it_looked_and_the_first_session_of_an_agent_appears(
    decided: DecisionWorld,
) -> None:
    async with decided.running("No sessions yet.", key="3") as pilot:
        await until_shown(pilot, "there are none in", "~/.claude", "~/.codex", "K  connect an agent")
        transcript(decided)
        await until_shown(pilot, "Tidy the build directory")


async def test_with_the_history_off_no_transcript_is_read(decided: DecisionWorld) -> None:
    transcript(decided)
    os.makedirs(os.path.join(os.environ["HOME"], ".config/hooktui"))
    write(os.path.join(os.environ["HOME"], ".config/hooktui/config.toml"), "[history]\nenabled = false\n")
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "No sessions yet.", "Transcripts are not read")


async def test_escape_cancels_the_import_that_the_banner_shows(decided: DecisionWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    app = decided.app()
    cancelled: list[str] = []
    monkeypatch.setattr(app.history, "cancel", lambda: cancelled.append("import"))
    async with app.run_test(size=_SIZE) as pilot:
        await pilot.press("3")
        app.reading = "Reading 214 Claude Code sessions… 63%"
        await until_shown(pilot, "Reading 214 Claude Code sessions… 63% · esc cancel")
        await pilot.press("escape")
        assert cancelled
        app.reading = ""
        await until(pilot, lambda: not pilot.app.screen.query_one(Banner).display)
        await pilot.press("escape")
        assert len(cancelled) == 1


def test_the_banner_counts_the_sessions_of_each_agent() -> None:
    assert sessions_text(["Claude Code"]) == "1 Claude Code session"
    assert sessions_text(["Claude Code"] * 214 + ["Codex"] * 2 + ["Qwen"]) == "214 Claude Code, 2 Codex and 1 Qwen sessions"
    assert not sessions_text([])
