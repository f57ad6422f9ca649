"""Ends of turns that hooks held more often than Claude Code obeys."""

from __future__ import annotations

import pytest

from tests.claude_transcript import ClaudeTranscript
from tests.command_world import CommandWorld
from tests.unit.transcripts.past_imports import imported, logged

REASON = "run the tests"


@pytest.fixture
def transcript(world: CommandWorld) -> ClaudeTranscript:
    transcript = ClaudeTranscript(world.home, str(world.project), "s1")
    transcript.prompt("push it")
    return transcript


@pytest.mark.parametrize("says_so", [True, False], ids=["2.1.332", "2.1.197"])
def test_the_ninth_stop_in_a_row_that_a_hook_holds_is_a_stop(
    world: CommandWorld, transcript: ClaudeTranscript, *, says_so: bool
) -> None:
    for number in range(9):
        transcript.stopped(f"done {number}")
        transcript.meta(f"Stop hook feedback:\n[./gate.sh]: {REASON}\n")
    if says_so:
        transcript.note("A hook blocked the turn from ending 9 consecutive times—overriding and ending turn. For …")
    imported(world)
    reports = logged(world, "event:pre-agent-turn-stop")
    assert [(report["decision"], report["outcome"], report["overruled"]) for report in reports] == [
        *[("deny", "denied", False)] * 8, ("none", "passed", True),
    ]  # fmt: skip
    assert [run["decision"] for report in reports for run in report["hooks"]] == ["deny"] * 9
    assert "denied by gate.sh, but it stopped" in world.run("show", reports[-1]["id"]).stdout
    transcript.stopped("the limit was raised")
    imported(world)
    assert [report["overruled"] for report in logged(world, "event:pre-agent-turn-stop")] == [False] * 10
