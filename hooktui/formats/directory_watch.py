"""Wait for changes in directories, with watchfiles in a thread beside the event loop (decision 106)."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Self

from watchfiles._rust_notify import RustNotify  # `awatch` loads anyio: 16 ms of CPU at the start of the app

_POLL_MS = 300  # between two looks where the system tells of no changes


class DirectoryWatch:
    """Watches existing directories, without those below them, from its creation until the end of its `with` block.

    `step_ms`: between two looks at what the system has reported; a change is passed on once a look finds no other, or after
    `longest_ms`. Raises OSError if the system watches no more.
    """

    def __init__(self, directories: Iterable[str], *, step_ms: int, longest_ms: int) -> None:
        self._watcher = RustNotify([*directories], False, _has_to_poll(), _POLL_MS, False, True)
        self._step_ms, self._longest_ms = step_ms, longest_ms
        self._ended = threading.Event()
        self._thread = ThreadPoolExecutor(1)  # not the loop's own, of which a wait would occupy one for good

    async def changed(self, timeout_ms: int = 0) -> set[str]:
        """The paths that change next; none if nothing changes in time, or when the watch ends. 0 waits forever.

        Raises OSError or RuntimeError, such as for a name that is not UTF-8.
        """
        wait = partial(self._watcher.watch, self._longest_ms, self._step_ms, timeout_ms, self._ended)
        found = await asyncio.get_running_loop().run_in_executor(self._thread, wait)
        return set() if isinstance(found, str) else {path for _, path in found}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the watch. Its thread ends at the next look."""
        self._ended.set()
        self._thread.submit(self._watcher.close)
        self._thread.shutdown(wait=False)


def _has_to_poll() -> bool:
    """Whether the user asks for polling, or this is Linux under Windows, which reports no changes on Windows' disks."""
    wanted = os.environ.get("WATCHFILES_FORCE_POLLING")
    if wanted:
        return wanted.lower() not in {"false", "disable", "disabled"}
    return "microsoft-standard" in os.uname().release.lower()
