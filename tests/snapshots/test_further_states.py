"""States that are looked at in one size each: many hooks, a conflict, problems on a wide terminal, the letters to jump by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.app.hook_world import read, until_shown, world, write
from tests.snapshots.test_hooks_screens import LARGE, SMALL, TO_BROKEN, WIDE, looks, shop, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

    from tests.app.hook_world import HookWorld

__all__ = ["shop", "world"]


def test_many_hooks(shop: HookWorld, snap_compare: Callable[..., bool]) -> None:
    for number in range(120):
        event = ("pre-tool-call", "post-tool-call", "pre-session")[number % 3]
        shop.add(f"check-{number:03}", event, scope="user", front=f"priority: {number}\n")
    app = shop.app()
    assert snap_compare(app, terminal_size=WIDE, run_before=looks(app, "hooktui-light", state_of("", "─ saved")))


def test_diagnostics_on_a_wide_terminal(shop: HookWorld, snap_compare: Callable[..., bool]) -> None:
    app = shop.app()
    steps = (*TO_BROKEN, state_of("4", "bad-regex"), state_of("", "valid regular expression"))
    assert snap_compare(app, terminal_size=WIDE, run_before=looks(app, "hooktui-dark", *steps))


def test_a_conflict(world: HookWorld, snap_compare: Callable[..., bool]) -> None:
    file = world.add("guard")
    app = world.app()
    look = looks(app, "hooktui-light", state_of("", "# guard"), state_of("enter ctrl+home x", "modified"))

    async def conflict(pilot: Pilot[None]) -> None:
        await look(pilot)  # type: ignore[misc]
        write(file, read(file) + "\ntheirs\n")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Changed underneath")
        await pilot.press("c")
        await until_shown(pilot, "Compare HOOK.md", "1 warning")  # that it has changed is known, too

    assert snap_compare(app, terminal_size=LARGE, run_before=conflict)


def test_letters_to_jump_by(shop: HookWorld, snap_compare: Callable[..., bool]) -> None:
    app = shop.app()
    assert snap_compare(app, terminal_size=SMALL, run_before=looks(app, "hooktui-dark", *TO_BROKEN, state_of("ctrl+o", " a ")))
