"""Keep the log open while the app runs, and watch its rate and its health."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Protocol

from hooktui.core import ids, paths
from hooktui.core.text_sanitizer import visible

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from textual.app import App

    from hooktui.catalog.catalog import Catalog
    from hooktui.connect import ConnectionState
    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.screens.services.hook_tests import ProjectExamples

_MIN_INTERVAL_S = 1.0  # between two counts while the log is busy
_POLL_S = 5.0  # between two counts while events grow older and nothing is committed
_RETRY_S = 5.0  # before a server that did not answer is asked again
_DAY_S = 86_400.0
_UNREADABLE_S = 30 * _DAY_S  # unreadable rows are counted that far back
_UNREADABLE, _FLEET_UNREADABLE = "log unreadable", "fleet unreadable"
_SPOOLING = "log spooling"


class LogState(Protocol):
    """What the monitor keeps up to date for the screens."""

    reader: DecisionLog | None  # None until the log is open
    events_a_minute: int | None
    unreadable: int  # rows of a fleet that are skipped
    newest_event: int  # ID of the newest dispatch
    newest_callback: int  # ID of the newest callback registered by a Python agent
    trouble: str  # "" while the log is healthy


class LogMonitor:
    """Opens the log and updates a `LogState`; `fault` says in a sentence why the log is unreadable, "" while it is readable."""

    def __init__(
        self, app: App[Any], state: LogState, open_log: Callable[[], Awaitable[DecisionLog]], *, is_remote: bool = False
    ) -> None:
        """`app` runs the workers and shows errors; `open_log` raises LogError. A remote log is opened again after an error."""
        self._app = app
        self._state = state
        self._open = open_log
        self._is_remote = is_remote
        self._unreadable = _FLEET_UNREADABLE if is_remote else _UNREADABLE
        self._is_open = False
        self.fault = ""

    def start(self) -> None:
        self._app.set_interval(_POLL_S, self._poll)
        self._work(self._follow, "log", "Reading the log")

    async def close(self) -> None:
        """Close the log: its threads would keep the process alive."""
        if self._state.reader is not None:
            await self._state.reader.close()

    def fail(self, error: Exception) -> None:
        """Report once that the log is unreadable. A remote one is opened again, for the screen that failed reads it no more."""
        self._report(error)
        if self._is_remote and self._is_open:
            self._is_open = False
            self._work(self._follow_again, "log", "Reading the log")

    def _report(self, error: Exception) -> None:
        if self._state.trouble == self._unreadable:
            return
        self.fault = visible(str(error))
        self._state.trouble = self._unreadable
        self._app.notify(self.fault, title="Log", severity="error", markup=False)

    def _work(self, work: Any, group: str, description: str) -> None:
        self._app.run_worker(work, group=group, description=description, exclusive=True, exit_on_error=False)

    async def _follow(self) -> None:
        await self._follow_once()
        if self._is_remote:
            await self._follow_again()

    async def _follow_again(self) -> None:
        while True:
            await asyncio.sleep(_RETRY_S)
            await self._follow_once()

    async def _follow_once(self) -> None:
        """Open the log and follow it until it becomes unreadable; screens read a log that is opened again from its start."""
        from hooktui.log.read.connection import LogError

        before = self._state.reader
        try:
            self._state.reader = reader = await self._open()
            self._is_open = True
            if before is not None:
                await before.close()
            async for _ in reader.changes():
                await self._update(reader)
                await asyncio.sleep(_MIN_INTERVAL_S)
        except LogError as error:
            self._is_open = False
            self._report(error)

    def _poll(self) -> None:
        is_old_news = not self._state.events_a_minute and not self._state.trouble
        if self._state.reader is not None and self._state.trouble != self._unreadable and not is_old_news:
            self._work(self._update_once, "pulse", "Checking the log")

    async def _update_once(self) -> None:
        from hooktui.log.read.connection import LogError

        assert self._state.reader is not None
        try:
            await self._update(self._state.reader)
        except LogError as error:
            self.fail(error)

    async def _update(self, reader: DecisionLog) -> None:
        """Count the events of the last minute, without tries, and check for spooled entries. Raises LogError."""
        from hooktui.log.read import query

        state = self._state
        state.events_a_minute = await reader.count(query.parse("since:1m -origin:try"))
        state.trouble = _SPOOLING if reader.has_spooled_entries else await _shipping_trouble(reader.path)
        state.newest_event = await reader.newest_event()
        state.newest_callback = await reader.newest_callback()
        today = time.time() // _DAY_S * _DAY_S  # the same question all day: slow answers are kept
        state.unreadable = await reader.unreadable(ids.at_time(today - _UNREADABLE_S))
        self.fault = ""


async def _shipping_trouble(db: str | None) -> str:
    """Why a log that is shipped is not; "" for any other log."""
    if db is None or not paths.stamp(paths.ship_state(db)):
        return ""
    from hooktui.fleet import ship_status

    return await asyncio.to_thread(ship_status.headline, db)


class CatalogLoader:
    """Reads hooks from disk, runtime diagnostics and Python callbacks from the log, key faults from the configuration.

    `connections` and `examples` are those that the last catalog has.
    """

    def __init__(self, directory: str, db: str | None) -> None:
        self._directory = directory
        self._db = db
        self.connections: tuple[ConnectionState, ...] = ()
        self.examples: ProjectExamples | None = None

    def load(self, last: Catalog | None) -> Catalog:
        """Load all hooks; `last` is the catalog to take unchanged files from. Blocks: call it in a thread."""
        from hooktui.catalog import catalog

        return self._complete(catalog.load(self._directory, last=last))

    async def watch(self, first: Catalog) -> AsyncIterator[Catalog]:
        """Yield a fresh catalog each time a hook file or an example changes."""
        from hooktui.catalog import watching
        from hooktui.screens.services import hook_tests

        async for fresh in watching.watch(first, (hook_tests.directory(first.project),)):
            yield await asyncio.to_thread(self._complete, fresh)

    def _complete(self, catalog: Catalog) -> Catalog:
        if catalog.settings.keys:
            from hooktui.screens.keys import keymap

            catalog = keymap.checked(catalog)
        return self._with_examples(asyncio.run(self._with_log(self._with_connections(catalog))))

    def _with_examples(self, catalog: Catalog) -> Catalog:
        from hooktui.screens.services import hook_tests

        catalog, self.examples = hook_tests.with_examples(catalog)
        return catalog

    def _with_connections(self, catalog: Catalog) -> Catalog:
        from hooktui import connect
        from hooktui.catalog.catalog import with_connections

        self.connections = connect.states(catalog.directory, catalog.hooks)
        return with_connections(catalog, connect.problems(self.connections), connect.called(self.connections))

    async def _with_log(self, catalog: Catalog) -> Catalog:
        from hooktui.catalog import log_links

        audited, _ = await log_links.audited(catalog, self._db)
        return await log_links.with_callbacks(audited, self._db)
