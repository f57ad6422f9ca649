"""Read the transcripts of agents while the app is open, in a process of its own, and tell how far that is."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from hooktui.catalog.host_support import title
from hooktui.config import worker_process

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import App

    from hooktui.transcripts.session_index import SessionHead

_MODULE = "hooktui.transcripts.follow_process"
_LONGEST_LINE = 1 << 24  # bytes
_LOOK_S = 2.0  # between two looks for the transcripts of an agent that has not run yet


class HistoryState(Protocol):
    """What the reader of transcripts keeps up to date for the screens."""

    unread: Sequence[SessionHead]  # sessions that are not in the log yet, newest first
    reading: str  # how far the import is, "" while there is none
    transcript_places: Sequence[str]  # where transcripts were looked for; empty until then, and if they are not read


class History:
    """Starts the process that reads transcripts, and updates a `HistoryState`."""

    def __init__(self, app: App[Any], state: HistoryState, db: str | None) -> None:
        """`db` is another log file than the user's own; `app` runs the worker and shows errors."""
        self._app = app
        self._state = state
        self._db = db
        self._process: asyncio.subprocess.Process | None = None
        self._about = ""  # whose sessions are read

    def start(self) -> None:
        """Read what is new in the transcripts, and then what is written."""
        self._app.run_worker(
            self._follow(), group="history", description="Reading transcripts", exclusive=True, exit_on_error=False
        )

    def cancel(self) -> None:
        """End the import; the next start of the app continues it."""
        self._order("cancel")

    def read_next(self, path: str) -> None:
        self._order(f"read {path}")

    def _order(self, order: str) -> None:
        if self._process is not None and self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(order.encode() + b"\n")

    async def _follow(self) -> None:
        self._state.transcript_places, has_any = await asyncio.to_thread(_look)
        while self._state.transcript_places and not has_any:  # no agent has run yet
            await asyncio.sleep(_LOOK_S)
            _, has_any = await asyncio.to_thread(_look)
        if not has_any:
            return
        self._process = await worker_process.start((_MODULE, *([self._db] if self._db else [])), limit=_LONGEST_LINE)
        try:
            assert self._process.stdout
            while line := await self._process.stdout.readline():
                self._take(json.loads(line))
        finally:
            process, self._process = self._process, None
            self._state.reading = ""
            await worker_process.end(process)

    def _take(self, message: Mapping[str, Any]) -> None:
        from hooktui.transcripts.session_index import SessionHead

        if "heads" in message:
            self._state.unread = (*self._state.unread, *(SessionHead(**head) for head in message["heads"]))
            self._about = sessions_text(title(head.host) for head in self._state.unread)
        elif "progress" in message:
            progress = message["progress"]
            share = progress["bytes_done"] / max(progress["bytes_total"], 1)
            self._state.reading = f"Reading {self._about or 'transcripts'}… {share:.0%}"
        elif "unindexed" in message:
            count = message["unindexed"]
            self._state.reading = f"Indexing {count:,} events for search…" if count else ""
        else:
            self._state.reading = ""
            if message["ended"]:  # what is left of the heads holds no events
                self._state.unread = ()


def sessions_text(titles: Any) -> str:
    """The number of sessions of each agent: `214 Claude Code and 12 Codex sessions`."""
    counts = Counter(titles).most_common()
    parts = [f"{count:,} {title}" for title, count in counts]
    noun = "session" if sum(count for _, count in counts) == 1 else "sessions"
    return f"{' and '.join(filter(None, (', '.join(parts[:-1]), parts[-1])))} {noun}" if parts else ""


def _look() -> tuple[Sequence[str], bool]:
    """Where the transcripts of the agents in the configuration are, and whether any exists. Blocks."""
    from hooktui.connect import transcribed
    from hooktui.transcripts import transcript_places

    readable = transcribed.readable()
    return [transcript_places.directories(host)[0] for host in readable], bool(transcript_places.existing(readable))
