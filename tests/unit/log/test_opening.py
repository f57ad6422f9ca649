"""Opening the log, given up at any moment: no thread of it is left, which would speak to an event loop that is closed."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

import pytest

from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def db(tmp_path: Path) -> str:
    world = LogWorld(str(tmp_path / "log.db"))
    world.add()
    return world.db


async def steps(count: int) -> None:
    """Let the event loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)


def ends_with(threads: int) -> bool:
    """Whether so many threads are left in the end: one that has done its last work takes a moment to end."""
    deadline = time.monotonic() + 10.0
    while threading.active_count() != threads and time.monotonic() < deadline:
        time.sleep(0.01)
    return threading.active_count() == threads


@pytest.mark.parametrize("moment", range(12))
def test_opening_that_is_given_up_leaves_no_thread(db: str, moment: int) -> None:
    before = threading.active_count()

    async def give_up() -> None:
        opening = asyncio.create_task(LogReader.open(db))
        await steps(moment)
        opening.cancel()
        try:
            reader = await opening
        except asyncio.CancelledError:
            return
        await reader.close()

    asyncio.run(give_up())
    assert ends_with(before)


@pytest.mark.parametrize("moment", range(12))
def test_reader_that_is_closed_while_it_opens_leaves_no_thread(db: str, moment: int) -> None:
    before = threading.active_count()

    async def close_early() -> None:
        reader = LogReader(db)
        looking = asyncio.create_task(reader.total())
        await steps(moment)
        await reader.close()
        await asyncio.gather(looking, return_exceptions=True)

    asyncio.run(close_early())
    assert ends_with(before)
