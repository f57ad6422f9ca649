"""The log, open while the app is: how much comes, and what is wrong with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import work
from textual.reactive import reactive

from hooktui.core.text_sanitizer import visible
from hooktui.screens.keys.global_bindings import Everywhere

if TYPE_CHECKING:
    from hooktui.log.read.reader import LogReader

_CALM_S = 0.25  # seconds between two counts while the log is busy
_PULSE_S = 5.0  # seconds after which it is counted again although nothing was committed
_UNREADABLE = "log unreadable"


class WithLog(Everywhere):
    """An app with a log. Screens watch `reader` (None until it is open), `events_a_minute`, and `trouble` ("" when well)."""

    reader: reactive[LogReader | None] = reactive(None, init=False)  # Textual has the name `log` for itself
    events_a_minute: reactive[int | None] = reactive(None, init=False)
    newest_event: reactive[int] = reactive(0, init=False)  # the id of the newest dispatch
    newest_callback: reactive[int] = reactive(0, init=False)  # the id of the newest Python agent's function
    trouble: reactive[str] = reactive("", init=False)

    def __init__(self, db: str | None) -> None:
        """`db` is another log than the usual one."""
        super().__init__()
        self.db = db
        self.log_fault = ""  # why the log cannot be read, in a sentence

    def on_ready(self) -> None:
        """Look at the log now and then, once it is open."""
        self.set_interval(_PULSE_S, self._look_at_log)

    @work(exclusive=True, exit_on_error=False, group="log", description="Reading the log")
    async def follow_log(self) -> None:
        """Open the log, and count whenever something comes."""
        from hooktui.log.read.connection import LogError
        from hooktui.log.read.reader import LogReader

        try:
            self.reader = await LogReader.open(self.db)
            async for _ in self.reader.changes():
                await self._feel_pulse()
                await asyncio.sleep(_CALM_S)
        except LogError as error:
            self.log_failed(error)

    @work(exclusive=True, exit_on_error=False, group="pulse", description="Looking at the log")
    async def _look_at_log(self) -> None:
        from hooktui.log.read.connection import LogError

        if self.reader is not None and self.trouble != _UNREADABLE:
            try:
                await self._feel_pulse()
            except LogError as error:
                self.log_failed(error)

    async def _feel_pulse(self) -> None:
        """Count the events of the last minute, and see whether some had to be spooled. Raises LogError."""
        from hooktui.log.read import query
        from hooktui.log.write import spool

        assert self.reader is not None
        self.events_a_minute = await self.reader.count(query.parse("since:1m"))
        self.trouble = "" if spool.is_empty(self.reader.path) else "log spooling"
        self.newest_event = await self.reader.newest_event()
        self.newest_callback = await self.reader.newest_callback()

    def log_failed(self, error: Exception) -> None:
        """The log cannot be read: say so, once."""
        if self.trouble == _UNREADABLE:
            return
        self.log_fault = visible(str(error))
        self.trouble = _UNREADABLE
        self.notify(self.log_fault, title="The log", severity="error", markup=False)

    async def on_unmount(self) -> None:
        """Let go of the log: its threads would keep the process."""
        if self.reader is not None:
            await self.reader.close()
