"""Comparing two sessions."""

from __future__ import annotations

import pytest

from hooktui.log.read.reader import LogReader
from tests.log_world import NOON, LogWorld, run


@pytest.fixture(autouse=True)
def fill(log: LogWorld) -> None:
    log.add(
        session="a", decision="deny", runs=[run("guard", duration_ms=10.0), run("format", duration_ms=500.0)], duration_ms=510.0
    )
    log.add(session="a", runs=[run("guard", duration_ms=20.0)], duration_ms=20.0, at=NOON + 10)
    log.add(session="b", runs=[run("guard", duration_ms=30.0), run("lint", duration_ms=5.0)], duration_ms=35.0)


async def test_decisions_and_hook_times_are_compared(reader: LogReader) -> None:
    numbers = {row.name: row.id for row in await reader.sessions()}
    comparison = await reader.comparison(numbers["a"], numbers["b"])
    assert comparison
    assert (comparison.first.name, comparison.second.name) == ("a", "b")
    assert list(comparison.decisions) == [("deny", 1, 0), ("none", 1, 1)]
    assert [(pair.name, pair.slower_ms) for pair in comparison.hooks] == [("format", None), ("lint", None), ("guard", 10.0)]
    assert comparison.hooks[0].second is None


async def test_missing_session_has_no_comparison(reader: LogReader) -> None:
    assert await reader.comparison(1, 99) is None


async def test_hook_share_of_a_session(reader: LogReader) -> None:
    shares = {row.name: row.hook_share for row in await reader.sessions()}
    assert shares["a"] == pytest.approx(0.053)
    assert shares["b"] == 1.0, "a session with one event is as long as that event"
