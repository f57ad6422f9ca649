"""The Live screen over a big log: `python tests/bench/bench_live.py LOG.db` (generate_log.py makes one).

Prints how soon the first rows are there after the screen is opened, how long a page down takes until its rows are there, and
how much memory the whole app holds.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import time
from typing import TYPE_CHECKING

from hooktui.app import HooktuiApp
from hooktui.screens.live import LiveScreen

if TYPE_CHECKING:
    from hooktui.screens.widgets.decision_list import DecisionList

_PAGES = 50


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log")
    parser.add_argument("--project", default=".")
    options = parser.parse_args()
    asyncio.run(_measure(HooktuiApp(options.project, options.log)))


async def _measure(app: HooktuiApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        while app.catalog is None:  # the app is open
            await pilot.pause(0.1)
        await pilot.pause(0.5)
        began = time.perf_counter()
        app.switch_mode("live")
        while not (isinstance(app.screen, LiveScreen) and app.screen.is_mounted and _is_there(app.screen.decisions)):
            await asyncio.sleep(0.001)
        _print("first rows", time.perf_counter() - began)
        decisions = app.screen.decisions
        while not decisions.found.complete:
            await asyncio.sleep(0.001)
        _print(f"all {len(decisions.found):,} rows", time.perf_counter() - began)
        decisions.action_first()
        pages = [await _page_down(decisions) for _ in range(_PAGES)]
        _print("page down, median", statistics.median(pages))
        _print("page down, worst", max(pages))
        print(f"{'memory at most':<24}{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:8.0f} MB")


async def _page_down(decisions: DecisionList) -> float:
    await asyncio.sleep(0.02)
    began = time.perf_counter()
    decisions.action_page(1)
    while not _is_there(decisions):
        await asyncio.sleep(0)
    for y in range(decisions.size.height):
        decisions.render_line(y)
    return time.perf_counter() - began


def _is_there(decisions: DecisionList) -> bool:
    """Whether every row in view is more than a place for one."""
    top = decisions.scroll_offset.y
    rows = decisions.found.between(top, top + decisions.size.height)
    return bool(rows) and all(decisions.row(number) is not None for number in rows)


def _print(what: str, seconds: float) -> None:
    print(f"{what:<24}{seconds * 1000:8.1f} ms")


if __name__ == "__main__":
    main()
