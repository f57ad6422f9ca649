"""Fixtures of the snapshots: compare the screen with approved pictures, and a project to show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex
from textual.pilot import Pilot

from tests.app.decision_world import decided
from tests.app.hook_world import BLOCKER, HookWorld, until_still, world
from tests.snapshots.looking import AsBefore, Size, named

__all__ = ["decided", "world"]


class Pictures(SVGImageExtension):  # type: ignore[misc]  # it is not typed
    """The file of a size and theme of a test, such as `test_hooks[80x24-dark].svg`."""

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        name: str = super().get_snapshot_name(test_location=test_location, index=index)
        return name.replace("][", "-")


@pytest.fixture
def as_before(snapshot: SnapshotAssertion, tmp_path: Path) -> AsBefore:
    """Compare the screen with its pictures in some sizes and themes, each `of` a state if a test has several."""
    pictures = snapshot.use_extension(Pictures)

    async def compare(pilot: Pilot[None], *tones: str, of: str = "", sizes: Sequence[Size] = ()) -> None:
        other = []
        for size in sizes or (None,):
            if size is not None and size != pilot.app.size:
                await pilot.resize_terminal(*size)
            for tone in sorted(tones, key=lambda tone: pilot.app.theme != f"hooktui-{tone}"):  # a change restyles every widget
                pilot.app.theme = f"hooktui-{tone}"
                await until_still(pilot)
                picture = pilot.app.export_screenshot(title=pilot.app.title, simplify=True)
                name = "-".join(filter(None, (size and named(size), tone, of)))
                if picture != pictures(name=name):
                    file = tmp_path / f"{name}.svg"
                    file.write_text(picture)
                    other.append(str(file))
        assert not other, f"looks otherwise (if that is meant, look at it and run pytest --snapshot-update): {', '.join(other)}"

    return compare


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
