"""Findings about matchers that match nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.catalog import catalog
from hooktui.core.model import Run
from tests.log_world import LogWorld
from tests.unit.runtime_findings.hooks_that_ran import check, only, place, running

if TYPE_CHECKING:
    import pytest

    from hooktui.core.model import Skip
    from tests.command_world import CommandWorld


def passed_by(world: CommandWorld, monkeypatch: pytest.MonkeyPatch, skip: Skip, times: int, first: int = 0) -> None:
    """Record this many events that the hooks' matchers did not match."""
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(world.home))
    log = LogWorld(str(world.db))
    log.count = first
    runs = [Run(id=0, hook=hook, state="skipped", skip=skip) for hook in catalog.load(str(world.project)).hooks]
    log.add_all([log.made(tool="Bash" if number % 3 else "Read", runs=runs) for number in range(times)])


def test_a_matcher_that_wanted_none_of_500_events(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = world.hook("guard", matcher={"tool": "Shell"})
    passed_by(world, monkeypatch, "tool-mismatch", 499)
    assert check(world) == []
    passed_by(world, monkeypatch, "tool-mismatch", 1, first=499)
    found = only(world, "matches-nothing")
    assert (found["file"], place(found), found["severity"]) == (str(directory / "HOOK.md"), (5, 19, 26), "warning")
    assert "the matcher has matched nothing so far; 0 of the last 500 events, the latest on 2026-01-21" in found["message"]
    assert found["hint"] == "tools in these events: Bash, Read"


def test_a_pattern_for_something_rare_is_info(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.hook("guard", matcher={"tool": "Bash", "pattern": "rm -rf /"})
    passed_by(world, monkeypatch, "pattern-mismatch", 500)
    found = only(world, "matches-nothing")
    assert (found["severity"], place(found)) == ("info", (5, 38, 48))
    assert "info: the pattern has matched nothing so far" in world.run("check").stdout


def test_a_pattern_that_took_too_long_is_reported_once_it_did(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "Shell", "pattern": "(a+)+$"})
    assert check(world) == []
    world.fire(tool_name="Shell", tool_input={"command": "a" * 60 + "!"})
    found = only(world, "slow-regex")
    assert found["message"] == "matching took too long, so the hook did not run; seen at 1 event"
    assert found["line"] == 5


def test_a_matcher_that_wanted_one_event_matches_something(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.hook("guard", matcher={"tool": "Shell"})
    world.fire(tool_name="Shell", tool_input={})
    passed_by(world, monkeypatch, "tool-mismatch", 500)
    assert check(world) == []


def test_the_matcher_of_a_host_is_reported_at_its_value(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    path = running(world, "true", "preToolUse", ".copilot/hooks/a.json")
    path.write_text(path.read_text().replace('"type"', '"matcher": "shell.*",\n"type"'))
    passed_by(world, monkeypatch, "tool-mismatch", 500)
    found = next(one for one in check(world) if one["code"] == "matches-nothing")
    line = path.read_text().split("\n")[found["line"] - 1]
    assert (found["file"], line[found["column"] - 1 : found["end_column"] - 1]) == (str(path), '"shell.*"')
