"""Reads a fleet's overview for a screen, again and again while that is shown."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.binding import Binding
from textual.content import Content

from hooktui.core.text_sanitizer import one_line
from hooktui.fleet import overview
from hooktui.fleet.fleet_log import FleetLog
from hooktui.fleet.overview import Overview
from hooktui.log.read import query
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import QueryError
from hooktui.screens.services.app_context import app_context
from hooktui.screens.widgets.empty import NO_MACHINES, fleet_fault

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from textual.screen import Screen

    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.query import Query

    TextPart = tuple[str, str]  # a text and its style

_REST_S = 5.0  # between two readings
_SHARE = 10  # and at least this many times as long as one took, so that the server has other things to do

# Of both screens. They have the actions.
FLEET_BINDINGS: list[Binding] = [
    Binding("S", "sort", "Sort", tooltip="Sort by the next column", id="sort"),
    Binding("plus,equals_sign", "window(1)", "Longer", key_display="+", tooltip="Longer time window", id="more"),
    Binding("minus", "window(-1)", "Shorter", key_display="-", tooltip="Shorter time window", id="less"),
    Binding("D", "only_trouble", "Trouble", tooltip="Show only what has trouble, or all", id="only-trouble"),
    Binding("y", "copy", "Copy the name", show=False, id="copy"),
]


class Window(NamedTuple):
    """A time window up to now."""

    name: str
    seconds: float


WINDOWS = (Window("hour", 3600.0), Window("day", 86_400.0), Window("week", 604_800.0), Window("30 days", 2_592_000.0))


class FleetReading:
    """The overview of the app's time window. Screens show what the one before has read until their own reading ends."""

    def __init__(self, screen: Screen[None], show: Callable[[], None], wanted: Callable[[], Query] | None = None) -> None:
        """`show` is called after each reading; `wanted` is the query to read the overview of."""
        self.overview = Overview()
        self.is_reading = False
        self._screen = screen
        self._show = show
        self._wanted = wanted or (lambda: query.parse(""))
        self._fault = ""  # why the server does not answer
        self._shown: object = None  # what the overview is of

    def start(self) -> None:
        app = self._screen.app
        self._screen.watch(app, "reader", self._follow)
        self._screen.watch(app, "trouble", self._show)
        self._screen.watch(app, "fleet_window", self.catch_up, init=False)

    @property
    def window(self) -> Window:
        return WINDOWS[app_context(self._screen).fleet_window]

    def _window_after(self, step: int) -> int:
        """The window that is a step longer or shorter; the same where there is none."""
        return min(max(app_context(self._screen).fleet_window + step, 0), len(WINDOWS) - 1)

    def can_change_window(self, step: object) -> bool | None:
        """Whether there is a longer or shorter window; None, which dims the key, if there is not."""
        return True if self._window_after(int(str(step))) != app_context(self._screen).fleet_window else None

    def change_window(self, step: int) -> None:
        app_context(self._screen).fleet_window = self._window_after(step)
        self._screen.refresh_bindings()

    def catch_up(self) -> None:
        """Read at once if the screen is shown, and shows something else than wanted."""
        reader = app_context(self._screen).reader
        if isinstance(reader, FleetLog) and self._screen.is_current:
            self._take_from(reader)
            if self._shown != self._key:
                self.read_now()

    def read_now(self) -> None:
        if isinstance(reader := app_context(self._screen).reader, FleetLog):
            self.is_reading = bool(self.overview.took_s)
            self._take_from(reader)
            self._follow(reader)

    @property
    def _key(self) -> object:
        return (*(term.source for term in self._wanted().terms), self.window)

    def _take_from(self, reader: FleetLog) -> None:
        if self._key in reader.overviews:
            self.overview, self._shown = reader.overviews[self._key], self._key
        self._show()

    def _follow(self, reader: DecisionLog | None) -> None:
        if isinstance(reader, FleetLog):
            work: Any = partial(self._read_again_and_again, reader)
            self._screen.run_worker(work, group="follow", description="Reading the fleet", exclusive=True, exit_on_error=False)

    async def _read_again_and_again(self, reader: FleetLog) -> None:
        """Read while the screen is shown; a server that does not answer is asked again."""
        while True:
            began = time.monotonic()
            if self._screen.is_current:
                await self._read(reader)
                self.is_reading = False
                self._show()
            failed_s = time.monotonic() - began  # a server that is too slow works on what it was asked
            await asyncio.sleep(max(_REST_S, _SHARE * self.overview.took_s, failed_s))

    async def _read(self, reader: FleetLog) -> None:
        wanted, window, key = self._wanted(), self.window, self._key
        try:
            fresh = await overview.read(reader.database, wanted, window.seconds)
        except (LogError, QueryError) as error:
            self._fault = one_line(str(error))
            return
        self._fault = ""
        if not wanted.terms:
            reader.overviews[key] = fresh
        if key == self._key:
            self.overview, self._shown = fresh, key

    # What is shown

    def title(self, noun: str, *, words: str = "", only_trouble: bool = False) -> Content:
        return Content.assemble(
            noun,
            (f" ─ last {self.window.name}", "$foreground"),
            (" …" if self.is_reading else "", "$secondary"),
            (f" ─ {one_line(words.strip())}" if words.strip() else "", "$foreground"),
            (" ─ only trouble" if only_trouble else "", "$error"),
            (f" ─ ✕ {self._fault}" if self._fault else "", "$error"),
        )

    def nothing(self, noun: str, words: str, *, only_trouble: bool) -> tuple[str, Sequence[tuple[str, str]]]:
        """Why a list is empty, and the key to press."""
        if why := self.why_empty:
            return why, ()
        if words.strip():
            return f"No {noun} match “{one_line(words)}”.", [("esc", "show all")]
        if only_trouble:
            return f"No {noun} with trouble.", [("{only-trouble}", "show all")]
        return f"No {noun} in the last {self.window.name}.", [("{more}", "a longer time")]

    @property
    def why_empty(self) -> str:
        """Why nothing is known of the fleet; "" if something is."""
        if fault := self._fault or app_context(self._screen).log_monitor.fault:
            return fleet_fault(fault)
        if not self.overview.took_s:
            return "Reading the fleet…"
        return "" if self.overview.machines or self._wanted().terms else NO_MACHINES
