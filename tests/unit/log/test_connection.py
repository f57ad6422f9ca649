"""Cancelling the opening of a log leaves no thread that would call into a closed event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress

import pytest

from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld


@pytest.fixture
def db(log: LogWorld) -> str:
    log.add()
    return log.db


async def steps(count: int) -> None:
    """Run the event loop for some iterations."""
    for _ in range(count):
        await asyncio.sleep(0)


def ends_with(threads: int) -> bool:
    """Wait until this many threads are left."""
    deadline = time.monotonic() + 10.0
    while threading.active_count() != threads and time.monotonic() < deadline:
        time.sleep(0.01)
    return threading.active_count() == threads


@pytest.mark.parametrize("moment", range(12))
def test_cancelled_opening_leaves_no_thread(db: str, moment: int) -> None:
    before = threading.active_count()

    async def give_up() -> None:
        opening = asyncio.create_task(LogReader.open(db))
        await steps(moment)
        opening.cancel()
        with suppress(asyncio.CancelledError):
            await (await opening).close()

    asyncio.run(give_up())
    assert ends_with(before)


@pytest.mark.parametrize("moment", range(12))
def test_reader_closed_while_opening_leaves_no_thread(db: str, moment: int) -> None:
    before = threading.active_count()

    async def close_early() -> None:
        reader = LogReader(db)
        counting = asyncio.create_task(reader.total())
        await steps(moment)
        await reader.close()
        await asyncio.gather(counting, return_exceptions=True)

    asyncio.run(close_early())
    assert ends_with(before)
