"""The Live screen over a big log: `python -m tests.bench.bench_live LOG.db` (generate_log.py makes one; it is written to).

Prints as JSON the milliseconds until the first rows of the screen, of a filter and of a search, the count of matches, a page,
another process's commit and the list of sessions are shown; and the megabytes that the whole app holds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from textual.strip import Strip

from hooktui.app import HooktuiApp
from hooktui.core import gc_tuning
from hooktui.screens.live.screen import LiveScreen
from hooktui.screens.sessions.screen import SessionsScreen
from hooktui.screens.widgets.decision_list import DecisionList
from hooktui.screens.widgets.filter import Filter
from tests.bench.figure import peak_mb

_PAGES = 50
_RATE, _EVENTS = 5, 60  # a second, and in total
WRITER = """
import sys, time
from tests.log_world import LogWorld, LogWriter, run
world, began = LogWorld(sys.argv[1]), time.time()
world.recorder = LogWriter(sys.argv[1], patience_s=2.0)  # as the program has
for number in range(int(sys.argv[3])):
    time.sleep(max(began + number / int(sys.argv[2]) - time.time(), 0))
    added = world.add(tool="Fresh", at=time.time(), session="fresh", runs=[run("audit")], payload={"command": "x" * 1000})
    print(added, time.time(), flush=True)
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log")
    parser.add_argument("--project", default=".")
    parser.add_argument("--word", default="timeout", help="the word to search for")
    options = parser.parse_args()
    gc_tuning.begin()  # as the program does
    print(json.dumps(asyncio.run(_measure(HooktuiApp(options.project, options.log), options.log, options.word))))


async def _measure(app: HooktuiApp, log: str, word: str) -> dict[str, float]:
    took: dict[str, float] = {}
    async with app.run_test(size=(120, 40)) as pilot:
        while app.catalog is None:  # the app is open
            await pilot.pause(0.1)
        app.all_projects = True  # the log is of others
        await pilot.pause(0.5)
        app.all_projects = True  # the log is of others
        took["open"] = await until(
            lambda: isinstance(app.screen, LiveScreen) and app.screen.is_mounted and is_there(app.screen.decisions),
            lambda: app.switch_mode("live"),
        )
        assert isinstance(app.screen, LiveScreen)
        decisions, line = app.screen.decisions, app.screen.query_one("#filter", Filter)
        await until(lambda: decisions.results.complete)
        took |= await _paging(decisions)
        await pilot.pause(0.5)  # a person who pages does not type at once
        for name, words in (("filter", "decision:deny"), ("search", word)):
            before = decisions.results
            began = time.perf_counter()
            line.value = words
            await until(lambda before=before: decisions.results is not before and is_there(decisions))  # type: ignore[misc]
            took[name] = (time.perf_counter() - began) * 1000
            await until(lambda: decisions.results.complete)
            took[f"{name} counted"] = (time.perf_counter() - began) * 1000
            took[f"{name} found"] = len(decisions.results)
        line.value = ""
        await until(lambda: decisions.results.complete and len(decisions.results) > took["search found"])
        took["fresh"] = await _fresh(decisions, log)
        took["sessions"] = await until(lambda: has_sessions(app), lambda: app.switch_mode("sessions"))
        took["memory"] = peak_mb()
    return took


async def until(done: Callable[[], object], begin: Callable[[], object] = lambda: None) -> float:
    """Begin an action and wait for its end; the milliseconds that it took."""
    began = time.perf_counter()
    begin()
    while not done():
        await asyncio.sleep(0.001)
    return (time.perf_counter() - began) * 1000


async def _paging(decisions: DecisionList) -> dict[str, float]:
    """The milliseconds from a movement until every row is painted."""
    moves = {"home": decisions.action_first, "end": decisions.action_last}
    took = {name: [await _moved(decisions, move) for _ in range(5)] for name, move in moves.items()}
    decisions.go_to(len(decisions.results) // 2)
    took["page"] = [await _moved(decisions, lambda: decisions.action_page(1)) for _ in range(_PAGES)]
    decisions.action_last()
    return {name: statistics.median(times) for name, times in took.items()}


async def _moved(decisions: DecisionList, move: Callable[[], object]) -> float:
    await asyncio.sleep(0.02)
    began = time.perf_counter()
    move()
    while not is_there(decisions):
        await asyncio.sleep(0)
    for y in range(decisions.size.height):
        decisions.render_line(y)
    return (time.perf_counter() - began) * 1000


async def _fresh(decisions: DecisionList, log: str) -> float:
    """The 95th percentile of the milliseconds from the commit of another process until the row is painted."""
    painted: dict[int, float] = {}
    render_line = decisions.render_line

    def noticing(y: int) -> Strip:
        row = y + decisions.scroll_offset.y
        if row < len(decisions.results) and decisions.row(decisions.results[row]) is not None:
            painted.setdefault(decisions.results[row], time.time())
        return render_line(y)

    decisions.render_line = noticing  # type: ignore[method-assign]
    command = (sys.executable, "-c", WRITER, log, str(_RATE), str(_EVENTS))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        while writer.poll() is None:
            await asyncio.sleep(0.1)
        assert writer.stdout is not None
        committed = {int(number): float(at) for number, at in map(str.split, writer.stdout)}
    await until(lambda: max(committed) in painted)
    return (
        statistics.quantiles([painted[number] - at for number, at in committed.items() if number in painted], n=20)[-1] * 1000
    )


def is_there(decisions: DecisionList) -> bool:
    """Whether every row in view has been read."""
    top = decisions.scroll_offset.y
    rows = decisions.results.between(top, top + decisions.size.height)
    return bool(rows) and all(decisions.row(number) is not None for number in rows)


def has_sessions(app: HooktuiApp) -> bool:
    return isinstance(app.screen, SessionsScreen) and app.screen.is_mounted and bool(app.screen.sessions.rows)


if __name__ == "__main__":
    main()
