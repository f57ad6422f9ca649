"""Cancelled searches and verifications end, and do not affect the next ones."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import suppress

import pytest

from hooktui.log.read import query, verify
from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld, run


async def count(reader: LogReader, words: str) -> int:
    return len(await reader.newest(query.parse(words)))


async def test_search_after_a_cancelled_search_is_complete(log: LogWorld, reader: LogReader) -> None:
    log.add_all([log.made(tool="Shell") for _ in range(600)])
    async with asyncio.timeout(60):
        for moment in range(100):
            search = asyncio.create_task(count(reader, "-decision:deny"))
            await asyncio.sleep(moment * 3e-5)
            search.cancel()
            with suppress(asyncio.CancelledError):
                await search
            assert await count(reader, "tool:Shell") == 600


def test_cancelled_verification_ends_early(log: LogWorld) -> None:
    log.add_all([log.made(tool="Shell", runs=[run("guard")]) for _ in range(600)])
    answers = iter([False, True])
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        verify.session(log.db, 1, lambda: next(answers))
    assert list(answers) == []
