"""`would:` in queries: what today's hooks would decide on what is in the log."""

from __future__ import annotations

import json

import pytest

from hooktui.catalog import catalog
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from hooktui.trials.what_if import Audit
from tests.command_world import CommandWorld
from tests.unit.trials.test_what_if import NO_PUSH, called, log_of


@pytest.fixture
def pushed(here: CommandWorld) -> CommandWorld:
    """A log of two calls of a guard's tool, one of which it would deny, and of an event that it does not match."""
    here.hook("guard", NO_PUSH, matcher={"tool": "Bash"})
    log = log_of(here)
    for command in ("ls", "git push"):
        called(log, command)
    log.add("post-session")
    return here


def commands(world: CommandWorld, *query: str) -> list[str]:
    lines = world.run("log", *query, "--json").stdout.splitlines()
    return [report["payload"].get("tool_input", {}).get("command", report["event"]) for report in map(json.loads, lines)]


def test_a_query_finds_what_todays_hooks_would_decide(pushed: CommandWorld) -> None:
    assert commands(pushed, "would:deny") == ["git push"]
    assert commands(pushed, "would:none") == ["ls", "post-session"]
    assert commands(pushed, "-would:deny") == ["ls", "post-session"]
    assert commands(pushed, "would:deny", "event:post-session") == []
    assert commands(pushed, "would:match") == ["ls", "git push"]
    assert len(commands(pushed)) == 3  # nothing of it was recorded


async def test_until_the_hooks_have_run_the_events_that_they_match_may_be_anything(pushed: CommandWorld) -> None:
    audit, reader = Audit(catalog.load(str(pushed.project))), await LogReader.open(str(pushed.db))
    try:
        wanted = parse("would:deny")
        assert await reader.count(wanted) == 0
        await audit.match(reader, wanted)
        assert await reader.count(audit.answer(wanted)) == len(audit.undecided) == 2
        await audit.decide()
        assert await reader.count(audit.answer(wanted)) == 1
    finally:
        await reader.close()


def test_a_wrong_decision_is_named_with_the_valid_ones(here: CommandWorld) -> None:
    refusal = here.run("log", "would:denied", code=2).stderr
    assert "would:denied: unknown would: did you mean deny? valid: none, allow, ask, deny, stop, match" in refusal
    assert "cannot be followed" in here.run("log", "would:deny", "--follow", code=2).stderr
