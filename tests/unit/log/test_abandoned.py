"""A search that is given up, as when somebody goes on typing, does no harm to the next one."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from hooktui.log import query
from hooktui.log.reader import LogReader

if TYPE_CHECKING:
    from tests.log_world import LogWorld


async def found(reader: LogReader, words: str) -> int:
    return sum([len(batch) async for batch in reader.search(query.parse(words))])


async def test_at_whatever_moment_a_search_is_abandoned_the_next_one_finds_everything(log: LogWorld) -> None:
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
