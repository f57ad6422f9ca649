"""Cancelled searches and verifications end, and do not affect the next ones."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from hooktui.log.read import query, verify
from hooktui.log.read.reader import LogReader
from tests.log_world import run

if TYPE_CHECKING:
    from tests.log_world import LogWorld


async def found(reader: LogReader, words: str) -> int:
    return sum([len(batch) async for batch in reader.search(query.parse(words))])


async def test_search_after_a_search_cancelled_at_any_time_finds_everything(log: LogWorld) -> None:
    for _ in range(600):
        log.add(tool="Shell")
    reader = await LogReader.open(log.db)
    async with asyncio.timeout(60):
        for moment in range(300):
            search = asyncio.create_task(found(reader, "-decision:deny"))
            await asyncio.sleep(moment * 1e-5)
            search.cancel()
            with suppress(asyncio.CancelledError):
                await search
            assert await found(reader, "tool:Shell") == 600
    await reader.close()


def test_cancelled_verification_ends_early(log: LogWorld) -> None:
    for _ in range(600):
        log.add(tool="Shell", runs=[run("guard")])
    answers = iter([False, True])
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        verify.session(log.db, 1, lambda: next(answers))
    assert list(answers) == []
