"""How it looks to copy and to delete a hook: made anew with `pytest --snapshot-update`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.app.hook_world import world
from tests.snapshots.test_hooks_screens import LOOKS, looks, shop, state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.app.hook_world import HookWorld

__all__ = ["shop", "world"]


TO_DANGER = (state_of("", "scripts/run.sh"), state_of("j j j", "block-dangerous ─ saved"))


@LOOKS
def test_a_copy_for_claude_code_shows_what_is_lost(
    shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str
) -> None:
    app = shop.app()
    steps = (*TO_DANGER, state_of("c", "Copy block-dangerous to"), state_of("j", "becomes Bash"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))


@LOOKS
def test_what_cannot_be_copied_says_why(
    shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str
) -> None:
    app = shop.app()
    steps = (state_of("", "scripts/run.sh"), state_of("c", "already."))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))


@LOOKS
def test_the_question_before_a_hook_is_deleted(
    shop: HookWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str
) -> None:
    app = shop.app()
    steps = (*TO_DANGER, state_of("d", "Delete block-dangerous?"))
    assert snap_compare(app, terminal_size=size, run_before=looks(app, theme, *steps))
