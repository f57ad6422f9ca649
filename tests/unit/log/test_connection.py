"""Cancelling the opening of a log leaves no thread that would call into a closed event loop."""

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
        try:
            reader = await opening
        except asyncio.CancelledError:
            return
        await reader.close()

    asyncio.run(give_up())
    assert ends_with(before)


@pytest.mark.parametrize("moment", range(12))
def test_reader_closed_while_opening_leaves_no_thread(db: str, moment: int) -> None:
    before = threading.active_count()

    async def close_early() -> None:
        reader = LogReader(db)
        looking = asyncio.create_task(reader.total())
        await steps(moment)
        await reader.close()
        await asyncio.gather(looking, return_exceptions=True)

    asyncio.run(close_early())
    assert ends_with(before)
