"""The rows of `tests/conformance/test_seen_in_claude.py`, run in the real Claude Code."""

from __future__ import annotations

import pytest

from tests.conformance.seen_in_claude import REASON, ROWS, Seen, write
from tests.hosts.claude_code import IN_BOTH_VERSIONS, ClaudeWorld
from tests.hosts.scripted_model import say

_BLOCKS_IN_A_ROW = 8  # denials in a row that Claude accepts from a gate


@IN_BOTH_VERSIONS
@pytest.mark.parametrize("seen", ROWS, ids=lambda seen: seen.name)
def test_claude_does_what_it_was_seen_to_do(world: ClaudeWorld, seen: Seen) -> None:
    write(seen, world.home, world.project)
    did, decision = (seen.did, seen.decision) if world.new_answers or not seen.before else seen.before
    session = world.session()
    assert world.did(session, seen.event) == did
    is_silent = decision == "stop" or bool(seen.before and decision == "none")
    assert (REASON in session.heard) == (bool(seen.told) and not is_silent)
    if decision == "stop":
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
