"""The rows of `tests/conformance/test_seen_in_claude.py`, run in the real Claude Code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.seen_in_claude import IN_ONE_SESSION, REASON, ROWS, USER, Seen, write
from tests.hosts.claude_code import IN_BOTH_VERSIONS, ClaudeWorld
from tests.hosts.scripted_model import bash, say

if TYPE_CHECKING:
    from tests.conformance.seen_in_claude import Did

_BLOCKS_IN_A_ROW = 8  # denials in a row that Claude accepts from a gate
pytestmark = IN_BOTH_VERSIONS


def expected(world: ClaudeWorld, seen: Seen) -> tuple[Did, bool]:
    """What this version does, and whether the model reads the reason."""
    did, decision = (seen.did, seen.decision) if world.new_answers or not seen.before else seen.before
    is_silent = decision == "stop" or bool(seen.before and decision == "none")
    return did, bool(seen.told) and not is_silent


def test_claude_does_in_one_session_what_it_was_seen_to_do(world: ClaudeWorld) -> None:
    """The model makes a call for each row, whose hook has an `if` for that call alone."""
    groups: list[dict[str, Any]] = []
    for number, seen in enumerate(IN_ONE_SESSION):
        write(seen, world.home, world.project)
        (group,) = json.loads(world.settings(USER).read_text())["hooks"]["PreToolUse"]
        group["hooks"][0]["if"] = f"Bash(touch {number}.ran)"
        groups.append(group)
    world.write(USER, {"hooks": {"PreToolUse": groups}})
    session = world.session(*(bash(f"touch {number}.ran") for number in range(len(IN_ONE_SESSION))), say("all done"))
    results = session.heard.split("tool_result")[1:]
    did = ["ran" if (world.project / f"{number}.ran").exists() else "kept" for number in range(len(results))]
    assert {seen.name: (did[number], REASON in results[number]) for number, seen in enumerate(IN_ONE_SESSION)} == {
        seen.name: expected(world, seen) for seen in IN_ONE_SESSION
    }


@pytest.mark.parametrize("seen", [seen for seen in ROWS if seen not in IN_ONE_SESSION], ids=lambda seen: seen.name)
def test_claude_does_what_it_was_seen_to_do(world: ClaudeWorld, seen: Seen) -> None:
    write(seen, world.home, world.project)
    session = world.session()
    assert (world.did(session, seen.event), REASON in session.heard) == expected(world, seen)
    if seen.decision == "stop" and (world.new_answers or not seen.before):
        assert session.turns == 1
    if seen.tool_input:
        assert world.marker.read_text() == f"{seen.tool_input['description']}\n"
    if seen.runs is not None:
        assert len((world.project / "runs.txt").read_text().splitlines()) == seen.runs


def test_a_gate_makes_claude_continue_at_most_eight_times(world: ClaudeWorld) -> None:
    gate = next(seen for seen in ROWS if seen.did == "on")
    write(gate, world.home, world.project)
    session = world.session(*(say(f"turn {number}") for number in range(20)))
    assert session.turns == _BLOCKS_IN_A_ROW + 1
