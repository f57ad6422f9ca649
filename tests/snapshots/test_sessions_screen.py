"""How the Sessions screen and its dialogs look: small, usual and large, dark and light."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hooktui.screens.themes import DARK, LIGHT
from tests.app.decision_world import decided, world
from tests.app.hook_world import until_shown
from tests.log_world import busy_day

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.pilot import Pilot

    from tests.app.decision_world import DecisionWorld

__all__ = ["decided", "world"]

looks = pytest.mark.parametrize(
    ("size", "theme"),
    [((80, 24), DARK.name), ((120, 40), LIGHT.name), ((200, 60), DARK.name)],
    ids=["80x24-dark", "120x40-light", "200x60-dark"],
)


@pytest.fixture
def pictured(
    decided: DecisionWorld, snap_compare: Callable[..., bool], size: tuple[int, int], theme: str
) -> Callable[..., bool]:
    """Whether the app looks as before after these keys, once these texts stand there."""
    busy_day(decided)

    def compare(*keys: str, texts: tuple[str, ...]) -> bool:
        async def before(pilot: Pilot[None]) -> None:
            pilot.app.theme = theme
            await pilot.press("3")
            await until_shown(pilot, "2 sessions", "0/min")
            await pilot.press(*keys)
            await until_shown(pilot, *texts)

        return snap_compare(decided.app(), terminal_size=size, run_before=before)

    return compare


@looks
def test_sessions(pictured: Callable[..., bool]) -> None:
    assert pictured("s", "c", texts=("by began", "s-a1 marked"))


@looks
def test_timeline(pictured: Callable[..., bool]) -> None:
    assert pictured("enter", texts=("╭ ", "Slowest hooks", "✔ whole", "+9.0s"))


@looks
def test_comparison(pictured: Callable[..., bool]) -> None:
    assert pictured("c", "j", "c", texts=("Two sessions", "Decisions"))


@pytest.mark.parametrize(("size", "theme"), [((80, 24), DARK.name)], ids=["80x24-dark"])
def test_export(pictured: Callable[..., bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert pictured("x", texts=("Export session s-a1", "~/hooktui-session-s-a1.html"))
