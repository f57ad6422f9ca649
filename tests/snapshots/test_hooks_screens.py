"""How the Hooks and Diagnostics screens, their dialogs and the help look: made anew with `pytest --snapshot-update`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from tests.app.hook_world import BLOCKER, until_shown, until_still, world

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from hooktui.app import HooktuiApp
    from tests.app.hook_world import HookWorld

__all__ = ["world"]

SMALL, LARGE, WIDE = (80, 24), (120, 40), (200, 60)
LOOKS = pytest.mark.parametrize(
    ("size", "theme"),
    [
        pytest.param(size, f"hooktui-{tone}", id=f"{size[0]}x{size[1]}-{tone}")
        for size in (SMALL, LARGE)
        for tone in ("dark", "light")
    ],
)


@pytest.fixture
def shop(world: HookWorld) -> HookWorld:
    """A project with a hook in every state."""
    danger = "matcher:\n  tool: Shell\n  pattern: rm -rf /|mkfs\npriority: 999\ntimeout: 5000\n"
    world.add("block-dangerous", scope="user", script=BLOCKER, front=danger)
    world.add("tests-pass", "pre-agent-turn-stop", scope="user")
    world.add("tests-pass", "pre-agent-turn-stop", front="timeout: 60000\n")
    world.add("no-secrets", front="matcher:\n  pattern: '(password|token'\npriority: 900\n")
    world.add("deploy-guard", approved=False)
    world.add("format-py", "post-tool-call", front="async: true\ncolour: red\n")
    return world


def looks(app: HooktuiApp, theme: str, *steps: tuple[list[str], str]) -> Callable[[Pilot[None]], object]:
    """Bring the app to a state: keys to press, each time until a text is shown."""

    async def run(pilot: Pilot[None]) -> None:
        app.theme = theme
        await until_shown(pilot, "/min")
        for number, (keys, text) in enumerate(steps, start=1):
            if number == len(steps):
                await until_still(pilot)  # what stands behind a dialog is complete too
            await pilot.press(*keys)
            await until_shown(pilot, text)
        await until_still(pilot)
        for field in app.screen.query(Input):
            field.cursor_blink = False  # the one thing on the screen that time changes
        await pilot.pause()

    return run


def state_of(keys: str, text: str) -> tuple[list[str], str]:
    return (keys.split(), text)


TO_BROKEN = (state_of("", "scripts/run.sh"), state_of("j j j j", "no-secrets ─ saved"), state_of("", "1 problem"))
TO_UNTRUSTED = (*TO_BROKEN, state_of("j", "deploy-guard ─ saved"))


@LOOKS
def test_hooks(shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    app = shop.app()
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *TO_BROKEN))


def test_hooks_on_a_wide_terminal(shop: HookWorld, snap_compare: Callable[..., bool]) -> None:
    app = shop.app()
    assert snap_compare(app, terminal_size=WIDE, run_before=looks(app, "hooktui-dark", *TO_BROKEN))


@LOOKS
def test_editor(shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    app = shop.app()
    steps = (*TO_BROKEN, state_of("enter ctrl+home down x", "modified"), state_of("", "xname"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))


@LOOKS
def test_diagnostics(shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    app = shop.app()
    steps = (*TO_BROKEN, state_of("4", "bad-regex"), state_of("", "valid regular expression" if size == LARGE else "pattern:"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))


@LOOKS
def test_approving(shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    app = shop.app()
    steps = (*TO_UNTRUSTED, state_of("p", "Approve deploy-guard?"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))


@LOOKS
def test_help(shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    app = shop.app()
    steps = (*TO_BROKEN, state_of("question_mark", "Make a new hook"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))


@LOOKS
def test_first_run(world: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str) -> None:
    app = world.app()
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, state_of("", "No hooks here yet.")))


def test_unsaved_changes(shop: HookWorld, snap_compare: Callable[..., bool]) -> None:
    app = shop.app()
    steps = (*TO_BROKEN, state_of("enter ctrl+home x", "modified"), state_of("escape q", "Unsaved changes"))
    assert snap_compare(app, terminal_size=SMALL, run_before=looks(app, "hooktui-dark", *steps))


@LOOKS
def test_all_fixes_before_they_are_applied(
    shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str
) -> None:
    shop.add("lint", "PostToolUse", scope="user", script="echo '{}'\n", front="timeot: 5000\npriority: 5000\n")
    app = shop.app()
    to_fixes = (state_of("", "scripts/run.sh"), state_of("4", "no-shebang"), state_of("F", "Fix 4 problems?"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *to_fixes))
