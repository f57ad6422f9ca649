"""Opening a long session in the app."""

from __future__ import annotations

import asyncio
import os
import time

from textual.pilot import Pilot

from hooktui.app import HooktuiApp
from hooktui.screens.sessions.screen import SessionsScreen
from hooktui.screens.sessions.timeline import Timeline
from tests.bench import generate_log
from tests.bench.figure import Figure, peak_mb
from tests.command_world import CommandWorld

_EVENTS = 10_000
_PAGES = 30


def session(world: CommandWorld) -> Figure:
    """From choosing a session of 10,000 events until its rows are shown; then pages down through it."""
    db = world.home / "log.db"
    generate_log.generate(str(db), 3 * _EVENTS, session_events=_EVENTS)  # three in parallel
    os.environ.update(world.environment)
    opened, moved = asyncio.run(_measured(str(world.project), str(db)))
    megabytes = peak_mb()
    detail = f"{_EVENTS:,} events; a page down {moved:.0f} ms; {megabytes:.0f} MB, the log's making included"
    return Figure(opened, 300, "ms", detail)


async def _measured(project: str, db: str) -> tuple[float, float]:
    """Milliseconds to open the session, and to page down in it (median of _PAGES)."""
    app = HooktuiApp(project, db)
    async with app.run_test(size=(120, 40)) as pilot:
        while app.catalog is None:
            await pilot.pause(0.05)
        app.all_projects = True  # the log is of others
        await pilot.press("3")
        screen = app.screen
        assert isinstance(screen, SessionsScreen)
        while not screen.sessions.rows:
            await pilot.pause(0.05)
        await pilot.pause(1.0)
        began = time.perf_counter()
        screen.open_session(screen.sessions.rows[0].id)
        timeline = screen.view.timeline
        while not (screen.is_open and _is_there(timeline)):
            await asyncio.sleep(0.001)
        opened = time.perf_counter() - began
        return opened * 1000, await _pages(pilot, timeline) * 1000


async def _pages(pilot: Pilot[None], timeline: Timeline) -> float:
    taken = []
    for _ in range(_PAGES):
        await pilot.pause(0.02)
        began = time.perf_counter()
        timeline.action_page(1)
        while not _is_there(timeline):
            await asyncio.sleep(0)
        taken.append(time.perf_counter() - began)
    return sorted(taken)[_PAGES // 2]


def _is_there(timeline: Timeline) -> bool:
    """Whether every row in view has been read."""
    top = timeline.scroll_offset.y
    rows = timeline.results.between(top, top + timeline.size.height)
    return bool(rows) and all(timeline.row(number) is not None for number in rows)
