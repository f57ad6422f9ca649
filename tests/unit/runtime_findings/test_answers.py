"""Findings about answers that decide nothing."""

from __future__ import annotations

from tests.command_world import CommandWorld
from tests.unit.runtime_findings.hooks_that_ran import answering, check, command_of, fire, only, place


def test_output_that_no_host_can_read_is_named(world: CommandWorld) -> None:
    directory = world.hook("guard", '#!/bin/sh\necho "all [good]\x1b[31m"\n')
    world.fire()
    found = only(world, "host-rejects-output")
    assert (found["file"], place(found), found["hosts"]) == (str(directory / "scripts/run"), (1, 1, 10), [])
    assert "the answer has no effect: stdout is not valid JSON" in found["message"]
    assert "the hook printed “all [good]\x1b[31m”; seen in its only run" in found["message"]
    assert "\x1b" not in world.run("check").stdout


def test_an_answer_that_claude_rejects_is_reported_at_the_command(world: CommandWorld) -> None:
    path = answering(world, {"hookSpecificOutput": {"permissionDecision": "deny"}})
    fire(world, "claude")
    found = only(world, "host-rejects-output")
    assert (found["file"], place(found), found["hosts"]) == (str(path), command_of(path), ["claude"])
    assert found["message"].startswith("the answer has no effect: hookSpecificOutput has no hookEventName: ")
    assert 'the hook printed “{"hookSpecificOutput": {"permissionDecision": "deny"}}”; seen in its only run' in found["message"]


def test_a_part_of_an_answer_that_does_not_count(world: CommandWorld) -> None:
    world.hook("guard", """#!/bin/sh\necho '{"modified_input": [1]}'\n""")
    world.fire()
    assert only(world, "host-rejects-output")["message"].startswith(
        "part of the answer is ignored: modified_input must be an object: ignored; seen in its only run"
    )


def test_a_valid_answer_has_no_problem(world: CommandWorld) -> None:
    world.hook("guard", """#!/bin/sh\necho '{"decision": "deny", "reason": "no"}'\n""")
    answering(world, {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}})
    world.fire()
    fire(world, "claude")
    assert check(world) == []
