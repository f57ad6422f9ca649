"""Dispatches committed since a position, and those that match a query."""

from __future__ import annotations

import pytest

from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from tests.log_world import NOON, LogWorld, run


async def test_new_dispatches_come_in_commit_order(log: LogWorld, reader: LogReader) -> None:
    log.add(at=NOON)
    before = await reader.commits()
    added = [log.add(at=NOON + 20), log.add(at=NOON + 10)]
    fresh = await reader.committed(before)
    assert (list(fresh.new), list(fresh.changed)) == (added, [])
    again = await reader.committed(fresh.last)
    assert (again.last, list(again.new)) == (fresh.last, [])


async def test_end_of_an_async_hook_changes_its_dispatch(log: LogWorld, reader: LogReader) -> None:
    started = run("notify", "started")
    number = log.add(runs=[started])
    before = await reader.commits()
    log.end(started.replace(id=number + 1, state="ok"), number, 0)
    fresh = await reader.committed(before)
    assert (list(fresh.new), list(fresh.changed)) == ([], [number])


@pytest.mark.parametrize("text", ["tool:Shell", "needle", "tool:Shell needle", '"a needle"'])
async def test_matching_selects_the_dispatches_of_a_query(text: str, log: LogWorld, reader: LogReader) -> None:
    wanted = [log.add(tool="Shell", payload={"k": "a needle"}, at=NOON + second) for second in (5, 1)]
    other = log.add(tool="Write", payload={"k": "hay"}, at=NOON + 3)
    log.add(tool="Shell", payload={"k": "a needle"}, at=NOON + 4)
    assert await reader.matching(parse(text), [*wanted, other]) == sorted(wanted)
    assert await reader.matching(parse(text), []) == []


async def test_missing_log_has_no_commits(reader: LogReader) -> None:
    assert (await reader.commits(), (await reader.committed(0)).last) == (0, 0)
