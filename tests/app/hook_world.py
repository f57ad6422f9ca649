"""A home with a project and hooks, and functions that read the app's screen and wait for it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from rich.cells import cell_len
from textual import events
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.app import App
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.strip import Strip
from textual.worker import Worker

from hooktui.app import HooktuiApp
from hooktui.catalog import catalog
from hooktui.core import paths
from hooktui.runner import trust
from hooktui.screens import textual_patches

_DEADLINE_S = 60.0  # a busy machine is not the app's fault
_LOOK_S = 0.02  # between two checks
_CALM_LOOKS = 2  # in a row, with all messages handled in between
_PAUSE_S = 1.0  # longer than any pause after which the app begins to read or test something
_ENDLESS = ("dialog", "follow", "history", "leave", "log", "pulse", "save", "watch")  # groups of workers that may wait forever

SMALL, LARGE = (80, 24), (120, 40)
QUIET = "#!/bin/sh\ncat >/dev/null\n"
BLOCKER = '#!/bin/sh\ncat >/dev/null\necho "not that" >&2\nexit 2\n'


class HookWorld:
    """Files below one home, so that paths on the screen are the same wherever the tests run."""

    def __init__(self, home: Path) -> None:
        self.project = paths.canonical(str(home / "shop"))
        os.makedirs(self.project)

    def add(
        self,
        name: str,
        event: str = "pre-tool-call",
        *,
        scope: str = "project",
        script: str = QUIET,
        front: str = "",
        approved: bool = True,
    ) -> str:
        """Write a hook; the path of its HOOK.md. `front` holds more lines of frontmatter."""
        root = paths.agenthooks_user_root() if scope == "user" else paths.agenthooks_project_root(self.project)
        directory = os.path.join(root, name)
        os.makedirs(os.path.join(directory, "scripts"))
        file = os.path.join(directory, "HOOK.md")
        write(file, f"---\nname: {name}\ndescription: The hook {name}\ntrigger: {event}\n{front}---\n\n# {name}\n")
        entry = os.path.join(directory, "scripts", "run.sh")
        write(entry, script)
        os.chmod(entry, 0o755)
        if approved and scope != "user":
            self.approve(name)
        return file

    def approve(self, name: str) -> None:
        """Approve a project's hook as it is now."""
        hooks = catalog.load(self.project, ("agenthooks",)).hooks
        made = [hook for hook in hooks if hook.name == name and hook.scope != "user"]
        trust.approve(self.project, {hook.identity: trust.digest(hook) for hook in made})

    def app(self) -> HooktuiApp:
        """The app, not yet run."""
        return HooktuiApp(self.project)

    def running(self, *texts: str, **how: Any) -> AbstractAsyncContextManager[Pilot[None]]:
        """The app, once these texts are shown; `how` as in `running`."""
        return running(self.app(), *texts, **how)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HookWorld:
    """A home of its own, with an empty project."""
    places = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    for variable in (*places, "HOOKTUI_DB", "NO_COLOR", "SSH_CONNECTION"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", paths.canonical(str(tmp_path)))
    monkeypatch.setattr(textual_patches, "_PATIENCE_S", 3600.0)  # a key that waits forever is a failure
    return HookWorld(tmp_path)


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


@asynccontextmanager
async def running(
    app: App[None], *texts: str, key: str = "", size: tuple[int, int] = LARGE, notifications: bool = False
) -> AsyncIterator[Pilot[None]]:
    """The app at a terminal size, after a key, once these texts are shown."""
    async with app.run_test(size=size, notifications=notifications) as pilot:
        if key:
            await pilot.press(key)
        await until_shown(pilot, *texts)
        yield pilot


def shown(pilot: Pilot[None]) -> str:
    """The text on the screen, line by line: without its colors, and without the cost of a screenshot."""
    app = pilot.app
    compositor = app.screen._compositor
    rows = [[" "] * compositor.size.width for _ in range(compositor.size.height)]
    visible_screen_stack.set(app._background_screens)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "_filters", [])  # of colors
        drawn = list(compositor._get_renders(compositor.size.region))
    for region, clip, strips in reversed(drawn):  # the first one covers the others
        area = region.intersection(clip)
        for y, strip in zip(area.line_range, strips, strict=False):
            cells = _cells(strip)[: area.width]
            rows[y][area.x : area.x + len(cells)] = cells
    return "\n".join(map("".join, rows))


def _cells(strip: Strip) -> list[str]:
    """The text of a strip by cell: that of the second half of a wide character is empty."""
    letters = list(strip.text)
    if strip.cell_length == len(letters):
        return letters
    cells: list[str] = []
    for letter in letters:
        width = cell_len(letter)
        if width:
            cells += [letter, *[""] * (width - 1)]
        elif cells:
            cells[-1] += letter
    return cells


async def until(
    pilot: Pilot[None], condition: Callable[[], Any], waits_for: Callable[[], str] = lambda: "still not so"
) -> None:
    """Wait for a condition; on timeout, fail, say what it `waits_for`, and show the screen."""
    deadline = time.monotonic() + _DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"{waits_for()}:\n{_unfinished(pilot.app)}\n{shown(pilot)}"
        await asyncio.sleep(_LOOK_S)
    await pilot.pause(0)  # messages that came with it have been handled, too


def _unfinished(app: App[None]) -> str:
    """What the app is still at, and where, and what is wrong with its log."""
    fault = [f"log: {app.log_monitor.fault}"] if isinstance(app, HooktuiApp) and app.log_monitor.fault else []
    return "\n".join([*fault, *(f"{worker.group}: {worker.state.name} {_stack(worker)}" for worker in app.workers)])


def _stack(worker: Worker[Any]) -> str:
    """The innermost awaiting call of each coroutine and generator of a worker."""
    places, waits = [], worker._task.get_coro() if worker._task else None
    while waits is not None:
        if frame := getattr(waits, "cr_frame", None) or getattr(waits, "ag_frame", None):
            places.append(f"{frame.f_code.co_name}:{frame.f_lineno}")
        waits = getattr(waits, "cr_await", None) or getattr(waits, "ag_await", None)
    return " > ".join(places)


async def until_shown(pilot: Pilot[None], *texts: str) -> None:
    """Wait for texts to appear on the screen, which is read again only once the app has drawn something."""
    seen = _Seen(pilot)

    def missing() -> list[str]:
        return [text for text in texts if text not in seen.text]

    await until(pilot, lambda: seen.is_new() and not missing(), lambda: f"not shown: {', '.join(map(repr, missing()))}")


class _Seen:
    """The text on the screen when it was last looked at."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.text = ""
        self._pilot = pilot
        self._seen: tuple[Compositor, int] | None = None

    def is_new(self) -> bool:
        """Look at the screen, if it has changed since the last time; whether it has."""
        compositor = self._pilot.app.screen._compositor
        now = compositor, _CHANGES.get(compositor, 0)
        if now == self._seen:
            return False
        self._seen, self.text = now, shown(self._pilot)
        return True


_CHANGES: WeakKeyDictionary[Compositor, int] = WeakKeyDictionary()  # how often each screen's picture has changed
_render_update = Compositor.render_update


def _render_when_read(compositor: Compositor, full: bool = False, *about: Any, **how: Any) -> Any:
    """Draw the screen for a test that reads it: no terminal gets what changed, and drawing that takes a third of the time."""
    if full:
        return _render_update(compositor, full, *about, **how)
    _CHANGES[compositor] = _CHANGES.get(compositor, 0) + 1
    compositor._dirty_regions.clear()
    return None


Compositor.render_update = _render_when_read  # type: ignore[assignment]


async def until_known(pilot: Pilot[None]) -> None:
    """Wait until the app has counted the events of the last minute, and knows what is recorded."""
    app = pilot.app
    assert isinstance(app, HooktuiApp)
    await until(pilot, lambda: app.events_a_minute is not None and app.recording is not None)


async def until_still(pilot: Pilot[None]) -> None:
    """Wait until the app is idle, so that the screen no longer changes."""
    app, before, calm = pilot.app, "", 0
    while calm < _CALM_LOOKS:
        await until(pilot, lambda: not _is_busy(app))
        await pilot.wait_for_scheduled_animations()  # and for all messages
        now = shown(pilot)
        calm = calm + 1 if now == before and not _is_busy(app) else 0
        before = now


def _is_busy(app: App[None]) -> bool:
    """Whether the app reads or tests something, or waits for a pause in typing to begin."""
    nodes = [app, *(node for screen in app.screen_stack for node in screen.walk_children(with_self=True))]
    soon = [timer for node in nodes for timer in node._timers if timer._repeat == 0 and timer._interval < _PAUSE_S]
    waits = any(timer._task is not None and not timer._task.done() for timer in soon)
    return waits or any(worker.group not in _ENDLESS for worker in app.workers)


def type_ahead(pilot: Pilot[None], *keys: str) -> None:
    """Press keys faster than the app can follow: all are queued before it handles the first."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


def has_focus(pilot: Pilot[None], selector: str) -> bool:
    """Whether a widget has the focus."""
    return pilot.app.screen.query_one(selector).has_focus


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type faster than the app can follow, and wait until it has caught up."""
    app = pilot.app
    assert isinstance(app, HooktuiApp)
    for letter in text:
        enter = letter == "\n"
        app.post_message(events.Key("enter" if enter else _character_to_key(letter), "\r" if enter else letter))
    await pilot.pause()
    await until(pilot, lambda: app.type_ahead.is_idle)
