"""The Hooks screen's response time with 1,000 hooks loaded: `python -m tests.bench.bench_editor NAME PROJECT`.

Prints the median in milliseconds, from the key to the screen with its effect and the bytes for the terminal; of `reading`
the longest. bench.py runs it in a home of its own; the hook that is typed into is called `long`.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

from textual import events
from textual._compositor import CompositorUpdate
from textual.pilot import Pilot
from textual.screen import Screen

from hooktui.app import HooktuiApp
from hooktui.core import gc_tuning, paths
from hooktui.screens.hooks.problem_list import ProblemList
from hooktui.screens.hooks.screen import HooksScreen
from hooktui.screens.widgets.editor import Editor
from tests.bench.bench_live import WRITER

_REST_S = 0.5  # between two keys: the whole screen is idle
_BETWEEN_S = 0.05  # likewise, while somebody holds one
_BEATS = 20
LONG = "agenthooks:user:long"


class PaintedApp(HooktuiApp):
    """Notes when it painted the awaited text, and renders the bytes that a real terminal would get."""

    def __init__(self, project: str) -> None:
        super().__init__(project)
        self._is_so: Callable[[], bool] = lambda: False
        self._seen: asyncio.Future[float] = asyncio.Future()  # when the awaited text was painted, in `perf_counter` seconds

    def _display(self, screen: Screen[object], renderable: Any) -> None:
        super()._display(screen, renderable)
        if isinstance(renderable, CompositorUpdate):
            renderable.render_segments(self.console)
            if not self._seen.done() and self._is_so():
                self._seen.set_result(time.perf_counter())

    @property
    def hooks(self) -> HooksScreen:
        screen = self.screen
        assert isinstance(screen, HooksScreen)
        return screen

    @property
    def editor(self) -> Editor:
        return self.hooks.query_one("#source-0 Editor", Editor)

    async def after(self, does: Callable[[], object], is_so: Callable[[], bool]) -> float:
        """Milliseconds until an action has taken effect and is painted."""
        self._is_so, self._seen = is_so, asyncio.Future()
        began = time.perf_counter()
        does()
        return (await self._seen - began) * 1000

    def hit(self, key: str) -> None:
        """As a terminal does."""
        self.post_message(events.Key(key, key if len(key) == 1 else None))


async def _typing(app: PaintedApp, pilot: Pilot[None]) -> float:
    """A letter in the middle of the text."""
    await _edit(app, pilot, 250)
    return await _median(lambda: _letter(app, "x"))


async def _problems(app: PaintedApp, pilot: Pilot[None]) -> float:
    """The problem, from the last letter of a wrong word on; every other time, its disappearance."""
    await _edit(app, pilot, 4)
    problems = app.hooks.query_one(ProblemList)
    app.editor.action_cursor_line_end()
    app.editor.action_cursor_left()  # before the quote

    async def beat() -> float:
        wrong = not problems.rows
        return await app.after(lambda: app.hit("z" if wrong else "backspace"), lambda: bool(problems.rows) is wrong)

    return await _median(beat)


async def _moving(app: PaintedApp, _pilot: Pilot[None]) -> float:
    """The cursor on the next hook, which is shown on the right before the next key."""

    async def beat() -> float:
        line = app.hooks.hooks.cursor_line
        return await app.after(lambda: app.hit("j"), lambda: app.hooks.hooks.cursor_line > line)

    return await _median(beat)


async def _reading(app: PaintedApp, _pilot: Pilot[None]) -> float:
    """The cursor on the next hook and back, at worst, while transcripts are read and an agent's hooks write to the log."""
    tree = app.hooks.hooks
    keys = cycle("jk")

    async def beat() -> float:
        line = tree.cursor_line
        return await app.after(lambda: app.hit(next(keys)), lambda: tree.cursor_line != line)

    command = (sys.executable, "-c", WRITER, paths.log_path(None), "5", "1000")
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as writer:
        taken = [await beat()]
        while app.reading or len(taken) < _BEATS:
            await asyncio.sleep(_BETWEEN_S)
            taken.append(await beat())
        assert writer.poll() is None, "the session ended before the reading"
        writer.terminate()
    return max(taken[1:])


async def _opening(app: PaintedApp, _pilot: Pilot[None]) -> float:
    """The tree, from loaded to painted hooks; each time with one hook more or less."""
    catalog = app.catalog
    assert catalog is not None
    turns = cycle((catalog._replace(hooks=catalog.hooks[1:]), catalog))

    async def beat() -> float:
        fresh = next(turns)
        return await app.after(lambda: setattr(app, "catalog", fresh), lambda: app.catalog is fresh)

    return await _median(beat)


async def _reload(app: PaintedApp, _pilot: Pilot[None]) -> float:
    """A problem that another process writes, in its hook's row; every other time, its disappearance."""
    assert app.catalog is not None
    hook = app.catalog.hooks[0]  # its row is visible
    right, wrong = (Path(app.project, name) for name in ("right.md", "wrong.md"))
    right.write_text(hook.text)
    wrong.write_text(hook.text.replace("---\n", "---\ntimeout: 1\n", 1))
    copy = ["sh", "-c", 'while read -r text; do cp "$text" "$0"; done', hook.file]
    writer = subprocess.Popen(copy, stdin=subprocess.PIPE, text=True, bufsize=1)
    assert writer.stdin is not None
    to_writer = writer.stdin

    def problems() -> bool:
        return any(one.id == hook.id and one.problems for one in app.catalog.hooks) if app.catalog else False

    async def beat() -> float:
        is_wrong = problems()
        return await app.after(lambda: to_writer.write(f"{right if is_wrong else wrong}\n"), lambda: problems() is not is_wrong)

    median = await _median(beat)
    to_writer.close()
    writer.wait()
    return median


async def _letter(app: PaintedApp, letter: str) -> float:
    length = len(app.editor.text)
    return await app.after(lambda: app.hit(letter), lambda: len(app.editor.text) > length)


async def _edit(app: PaintedApp, pilot: Pilot[None], line: int) -> None:
    app.navigator.open_hook(LONG, line)
    while app.editor.document.line_count < 500:
        await pilot.pause(0.05)
    await pilot.pause(_REST_S)
    app.hit("enter")
    while not app.editor.has_focus:
        await pilot.pause(0.05)


async def _median(beat: Callable[[], Awaitable[float]]) -> float:
    """Of many, the first of which warms up."""
    taken = []
    for _ in range(_BEATS + 1):
        taken.append(await beat())
        await asyncio.sleep(_REST_S)
    return statistics.median(taken[1:])


async def _measure(name: str, project: str) -> float:
    app = PaintedApp(project)
    async with app.run_test(size=(120, 40)) as pilot:
        while app.catalog is None:
            await pilot.pause(0.05)
        await pilot.pause(2 * _REST_S)
        return await MEASURES[name](app, pilot)


MEASURES: Mapping[str, Callable[[PaintedApp, Pilot[None]], Awaitable[float]]] = {
    "typing": _typing,
    "problems": _problems,
    "moving": _moving,
    "reading": _reading,
    "opening": _opening,
    "reload": _reload,
}

if __name__ == "__main__":
    gc_tuning.begin()  # as the program does
    print(asyncio.run(_measure(*sys.argv[1:])))
