"""The API of hook tests, as the app uses it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.hook_tests import example_files, kept_examples, reach, suite_run
from hooktui.hook_tests.example import Example, Result
from hooktui.hook_tests.suite_run import Options
from tests.command_world import CommandWorld
from tests.unit.hook_tests.examples_world import DENIES, FORCE, guard, leftovers, write

pytestmark = pytest.mark.slow  # runs hooks

TRUSTING = Options(trusts=True)


async def test_results_are_told_as_they_come_and_returned_in_the_order_of_the_files(here: CommandWorld) -> None:
    guard(here)
    write(here, *[FORCE] * 4, {"tool": "ReadFile"})
    told: list[Result] = []
    suite = example_files.load(str(here.project))
    results = await suite_run.run(suite, TRUSTING, told.append)
    assert [result.example for result in results.results] == list(suite.examples)
    assert sorted(result.example.name for result in told) == sorted(example.name for example in suite.examples)
    assert [result.passed for result in results.results] == [False] * 4 + [True]


async def test_cancelling_ends_hooks_and_removes_copies(here: CommandWorld, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    guard(here, script=f"#!/bin/sh\necho $$ > {begun}.new; mv {begun}.new {begun}; exec sleep 100\n", timeout=200_000)
    write(here, FORCE)
    running = asyncio.create_task(suite_run.run(example_files.load(str(here.project)), TRUSTING))
    while not begun.exists():
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert leftovers(here) == []
    assert not Path(f"/proc/{begun.read_text().strip()}").exists()


async def test_a_hook_that_kills_its_runner_fails_only_its_example(here: CommandWorld) -> None:
    guard(here, script="#!/bin/sh\nkill -9 $PPID\n")
    write(here, FORCE, {"tool": "ReadFile"}, FORCE)
    results = await suite_run.run(example_files.load(str(here.project)), TRUSTING)
    assert [result.passed for result in results.results] == [False, True, False]
    assert results.results[0].why == ("the process that ran it has ended: killed",)
    assert leftovers(here) == []


async def test_an_event_of_the_log_is_run_for_todays_decision_before_it_is_kept(here: CommandWorld) -> None:
    guard(here, script=DENIES)
    suite = example_files.load(str(here.project))
    example = Example(name="", file="", line=1, tool="Shell", input={"command": "git push --force"})
    (result,) = (await suite_run.run(suite._replace(examples=(example,)), replace(TRUSTING, is_whole=False))).results
    assert result.got
    kept = kept_examples.keep_example(suite, example, result.got)
    kept.step.do()
    (read,) = example_files.load(str(here.project)).examples
    assert (read.name, read.expect) == (
        "git push --force is denied",
        {"decision": "deny", "by": "no-force-push", "reason": "no force pushes"},
    )


def test_the_examples_of_each_hook_are_known_without_running_them(here: CommandWorld) -> None:
    guard(here)
    guard(here, "other", matcher={"tool": "Other"})
    write(here, FORCE, {"tool": "ReadFile"}, {**FORCE, "name": "named", "tool": "X", "expect": {"by": "other"}})
    suite = example_files.load(str(here.project))
    hooks, _ = catalog.unchecked(str(here.project), hosts.names(), ())
    reached = {identity.rpartition(":")[2]: examples for identity, examples in reach.reached(suite, hooks).items()}
    assert [example.name for example in reached["no-force-push"]] == ["example 1"]
    assert [example.name for example in reached["other"]] == ["named"]
