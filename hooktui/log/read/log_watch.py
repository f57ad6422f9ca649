"""Wait for changes of a log's files, with watchfiles."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module

from hooktui.core.paths import nearest_directory

# Between two looks at what the system has reported, while events come and after a pause; a change is passed on at the second.
_STEP_MS, _CALM_STEP_MS = 10, 50
_PAUSE_MS = 10_000
_REST_S = 0.125  # after a change, so that followers read the log at most seven times a second
_RETRY_S = 1.0  # until the next attempt to watch


class LogWatch:
    """Reports what any process writes to a log or its spool. One watch serves all who wait, in one event loop."""

    def __init__(self, db: str) -> None:
        self._db = os.path.abspath(db)
        self._directory = os.path.dirname(self._db)
        self._written = set[asyncio.Event]()  # of those who wait
        self._following: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[asyncio.Event]:
        """The event that is set after each change, until the block ends. The waiter clears it."""
        await asyncio.to_thread(import_module, "hooktui.formats.directory_watch")
        written = asyncio.Event()
        self._written.add(written)
        if self._following is None:
            self._following = asyncio.create_task(self._follow())
            await asyncio.sleep(0)  # until it watches
        try:
            yield written
        finally:
            self._written.remove(written)
            if not self._written:
                self._following.cancel()
                self._following = None

    async def _follow(self) -> None:
        is_calm = True  # nothing has come yet
        while True:
            is_calm = await self._follow_in(nearest_directory(self._directory), is_calm=is_calm)
            self._report()  # what was written meanwhile

    async def _follow_in(self, directory: str, *, is_calm: bool) -> bool:
        """Report changes until others are to be watched for: none came for a while, the first came after such a calm, or this
        directory is gone or a lower one has appeared. Whether it is calm now.
        """
        from hooktui.formats.directory_watch import DirectoryWatch

        try:
            with DirectoryWatch([directory], step_ms=_CALM_STEP_MS if is_calm else _STEP_MS, longest_ms=0) as watch:
                while changed := await watch.changed(0 if is_calm else _PAUSE_MS):
                    if is_calm:
                        return False
                    if any(path.startswith(self._db) for path in changed):
                        self._report()
                    if any(f"{self._directory}/".startswith(f"{path}/") for path in changed):
                        return False
                    await asyncio.sleep(_REST_S)
            return True
        except (OSError, RuntimeError):  # it is gone, a name in it is not UTF-8, or the system watches no more
            await asyncio.sleep(_RETRY_S)
        return is_calm

    def _report(self) -> None:
        for written in self._written:
            written.set()


async def written_within(written: asyncio.Event, timeout_s: float) -> None:
    """Wait for a change since the last call ended, or since the watch began."""
    with suppress(TimeoutError):
        await asyncio.wait_for(written.wait(), timeout_s)
    written.clear()
