"""What processes have committed since one looked last, and which of it a query means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from tests.log_world import NOON, LogWorld, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
def log(tmp_path: Path) -> LogWorld:
    return LogWorld(str(tmp_path / "log.db"))


@pytest.fixture
async def reader(log: LogWorld) -> AsyncIterator[LogReader]:
    opened = await LogReader.open(log.db)
    yield opened
    await opened.close()


async def test_only_what_came_is_told_in_the_order_in_which_it_did(log: LogWorld, reader: LogReader) -> None:
    log.add(at=NOON)
    before = await reader.commits()
    added = [log.add(at=NOON + 20), log.add(at=NOON + 10)]
    fresh = await reader.committed(before)
    assert (list(fresh.new), list(fresh.changed)) == (added, [])
    again = await reader.committed(fresh.last)
    assert (again.last, list(again.new)) == (fresh.last, [])


async def test_the_end_of_an_async_hook_changes_its_dispatch(log: LogWorld, reader: LogReader) -> None:
    started = run("notify", "started")
    number = log.add(runs=[started])
    before = await reader.commits()
    log.end(started.replace(id=number + 1, state="ok"), number, 0)
    fresh = await reader.committed(before)
    assert (list(fresh.new), list(fresh.changed)) == ([], [number])


@pytest.mark.parametrize("text", ["tool:Shell", "needle", "tool:Shell needle", '"a needle"'])
async def test_those_that_a_query_means_are_told_apart(text: str, log: LogWorld, reader: LogReader) -> None:
    wanted = [log.add(tool="Shell", payload={"k": "a needle"}, at=NOON + second) for second in (5, 1)]
    other = log.add(tool="Write", payload={"k": "hay"}, at=NOON + 3)
    log.add(tool="Shell", payload={"k": "a needle"}, at=NOON + 4)
    assert await reader.matching(parse(text), [*wanted, other]) == sorted(wanted)
    assert await reader.matching(parse(text), []) == []


async def test_without_a_log_nothing_was_committed(reader: LogReader) -> None:
    assert (await reader.commits(), (await reader.committed(0)).last) == (0, 0)
