"""`make screenshots`: every screen of the demo, and a rule tried on past work, as SVG in docs/screenshots, for the README."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from textual.pilot import Pilot

from hooktui import demo
from hooktui.app import HooktuiApp
from hooktui.cli.demo import BANNER
from tests import day_of_work
from tests.animation import animated
from tests.app.hook_world import until_shown

OUT = Path(__file__).parent.parent / "docs" / "screenshots"
SIZES = ((120, 40), (80, 24))
THEMES = ("dark", "light")
HOOK = "agenthooks:user:block-dangerous"
# Each picture and the keys that lead to it; `wait` gives the screen time to read, a hook's id opens the hook.
PICTURES: dict[str, Sequence[str]] = {
    "hooks": (HOOK, "wait"),
    "live": ("2", "wait", "slash", *"decision:deny", "enter", "wait", "k", "k", "wait"),
    "sessions": ("3", "wait"),
    "session": ("3", "wait", "j", "j", "enter", "wait"),
    "diagnostics": ("4", "wait"),
}
# A rule in the making: what is typed, and how long each picture is looked at; then the calls that it would have matched.
TYPED = (("", 1.5), ("curl", 1.5), (" .*https", 2.5))
_CALLS_S = 5.0
_LOADED_S = 30.0
_COUNTED_S = 1.5


def main() -> None:
    """Play the demo once and take all pictures of it."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hooktui-", ignore_cleanup_errors=True) as directory:
        world = demo.build(str(Path(directory) / "demo"))
        list(demo.play(world, pace=0))
        with world.entered():
            for size in SIZES:
                for theme in THEMES:
                    for name, keys in PICTURES.items():
                        asyncio.run(_take(world.project, name, keys, size, theme))
    with tempfile.TemporaryDirectory(prefix="hooktui-") as directory, day_of_work.entered(Path(directory)) as project:
        asyncio.run(_take_rule(project))


async def _take_rule(project: str) -> None:
    """Type a rule until the past says what it would have blocked."""
    app, pictures = HooktuiApp(project), list[str]()
    async with app.run_test(size=(100, 28)) as pilot:
        await _loaded(app, pilot)
        for title in (
            "When should it run?",
            "Use an existing hook or create one?",
            "Where should it live?",
            "What should it match?",
        ):
            await pilot.press("a" if title.startswith("When") else "enter")
            await until_shown(pilot, title)
        await pilot.press(*"Bash", "tab")
        for text, _ in TYPED:
            await pilot.press(*("space" if letter == " " else letter for letter in text))
            await pilot.pause(_COUNTED_S)
            await until_shown(pilot, "Would have matched")
            pictures.append(app.export_screenshot(title="hooktui"))
        await pilot.press("ctrl+t")
        await until_shown(pilot, "calls since", "match.")
        await pilot.pause(_COUNTED_S)
        pictures.append(app.export_screenshot(title="hooktui"))
    file = OUT / "rule-100x28-dark.svg"
    file.write_text(animated(pictures, (*(seconds for _, seconds in TYPED), _CALLS_S)), encoding="utf-8")
    print(file.relative_to(OUT.parent.parent))


async def _take(project: str, name: str, keys: Sequence[str], size: tuple[int, int], theme: str) -> None:
    app = HooktuiApp(project, banner=BANNER)
    async with app.run_test(size=size) as pilot:
        app.theme = f"hooktui-{theme}"
        await _loaded(app, pilot)
        for key in keys:
            await _follow(app, pilot, key)
        await _settled(pilot)
        file = OUT / f"{name}-{size[0]}x{size[1]}-{theme}.svg"
        file.write_text(app.export_screenshot(title="hooktui"), encoding="utf-8")
        print(file.relative_to(OUT.parent.parent))


async def _loaded(app: HooktuiApp, pilot: Pilot[None]) -> None:
    async with asyncio.timeout(_LOADED_S):
        while app.catalog is None or app.reader is None:
            await pilot.pause(0.02)


async def _follow(app: HooktuiApp, pilot: Pilot[None], key: str) -> None:
    if key == HOOK:
        app.navigator.open_hook(key)
    elif key == "wait":
        await _settled(pilot)
    else:
        await pilot.press(key)


async def _settled(pilot: Pilot[None]) -> None:
    """Wait until the screen is complete."""
    await pilot.pause(0.4)
    await pilot.pause()


if __name__ == "__main__":
    main()
