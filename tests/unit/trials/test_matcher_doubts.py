"""Doubts about a matcher, and the evidence for them."""

from __future__ import annotations

from hooktui.core.model import Hook
from hooktui.trials import matcher_tester
from hooktui.trials.matcher_tester import FEW, Doubt
from tests.log_world import LogWorld
from tests.unit.trials.test_matcher_tester import PROJECT, call, examined, hook


async def said(log: LogWorld, one: Hook, then: Hook | None = None) -> list[str]:
    cases = await matcher_tester.cases(one, PROJECT, log.db)
    return [doubt.text for doubt in matcher_tester.examine(one, cases, then).doubts]


async def test_a_matcher_that_matched_nothing_or_everything_says_of_how_much(log: LogWorld) -> None:
    for number in range(FEW):
        call(log, f"ls {number}", tool=("Shell", "Read")[number % 2])
    assert await said(log, hook(tool="Bash")) == ["matches none of 20 logged events from 2 tools"]
    assert await said(log, hook(pattern="ls")) == ["matches every one of 20 logged events from 2 tools"]
    assert await said(log, hook()) == []  # it has no matcher, so that is intended
    assert await said(log, hook(tool="Shell")) == []


async def test_few_events_are_counted_and_called_few(log: LogWorld) -> None:
    call(log, "ls")
    nothing, everything = await examined(log, hook(tool="Bash")), await examined(log, hook(pattern="ls"))
    assert nothing.doubts == (Doubt("matches none of 1 logged event from 1 tool: too few to tell", "info"),)
    assert everything.doubts == (Doubt("matches every one of 1 logged event from 1 tool: too few to tell", "info"),)


async def test_a_matcher_that_leaves_out_a_known_tool_does_not_match_everything(log: LogWorld) -> None:
    for _ in range(FEW):
        call(log, "ls")
    assert await said(log, hook(tool="Shell")) == []
