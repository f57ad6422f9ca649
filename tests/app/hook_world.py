"""A person's home with a project and hooks in it, and eyes and patience for the app that shows them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest
from textual import events
from textual._compositor import LayoutUpdate

from hooktui import catalog, paths, trust
from hooktui.app import HooktuiApp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

_DEADLINE_S = 30.0
_STILL_S = 0.4  # longer than any pause after which the app begins to read or test something
_ENDLESS = ("dialog", "follow", "leave", "log", "pulse", "watch")  # groups of workers that wait for what may never come

QUIET = "#!/bin/sh\ncat >/dev/null\n"
BLOCKER = '#!/bin/sh\ncat >/dev/null\necho "not that" >&2\nexit 2\n'


class HookWorld:
    """Everything below one home, so that paths on the screen are the same wherever the tests run."""

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
        made = [hook for hook in catalog.load(self.project).hooks if hook.name == name and hook.scope != "user"]
        trust.approve(self.project, {hook.id: trust.digest(hook) for hook in made})

    def app(self) -> HooktuiApp:
        """The app, not yet run."""
        return HooktuiApp(self.project)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HookWorld:
    """A home of its own, with an empty project."""
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOOKTUI_DB", "NO_COLOR", "SSH_CONNECTION"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", paths.canonical(str(tmp_path)))
    return HookWorld(tmp_path)


def write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def shown(pilot: Pilot[None]) -> str:
    """The text on the screen, line by line: what a screenshot would hold, without the work of drawing it."""
    app = pilot.app
    drawn = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(drawn, LayoutUpdate)
    return "\n".join("".join(segment.text for segment in line) for line in drawn.strips)


async def until(pilot: Pilot[None], condition: Callable[[], Any]) -> None:
    """Wait for something to hold; fail with the screen when it does not come."""
    deadline = time.monotonic() + _DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"still not so:\n{shown(pilot)}"
        await pilot.pause(0.02)


async def until_shown(pilot: Pilot[None], *texts: str) -> None:
    """Wait for texts to stand on the screen."""
    await until(pilot, lambda: all(text in shown(pilot) for text in texts))


async def until_still(pilot: Pilot[None]) -> None:
    """Wait until nothing is being read or tested any more, and the screen stays as it is."""
    before, deadline = "", time.monotonic() + _DEADLINE_S
    while before != (now := shown(pilot)) or any(worker.group not in _ENDLESS for worker in pilot.app.workers):
        assert time.monotonic() < deadline, f"never still:\n{now}"
        before = now
        await pilot.pause(_STILL_S)


def type_ahead(pilot: Pilot[None], *keys: str) -> None:
    """Hit keys faster than the app can follow: all are there before it looks at the first."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


def has_focus(pilot: Pilot[None], selector: str) -> bool:
    """Whether a widget has the focus."""
    return pilot.app.screen.query_one(selector).has_focus


async def type_text(pilot: Pilot[None], text: str) -> None:
    """Type, key by key."""
    await pilot.press(*(_KEYS.get(letter, letter) for letter in text))


_KEYS = {" ": "space", "\n": "enter", "-": "minus", "_": "underscore", "/": "slash", ".": "full_stop"}
