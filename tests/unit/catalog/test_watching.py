"""watching.watch notices every change on disk, whenever it happens."""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import TYPE_CHECKING

import pytest

from hooktui.catalog import catalog, watching
from tests.command_world import DEADLINE_S

if TYPE_CHECKING:
    from pathlib import Path

HOOKS = json.dumps({"hooks": {"Stop": [{"type": "command", "command": "true"}]}})


def no_inotify(*_: object) -> None:
    raise OSError


@pytest.fixture(params=["inotify", "watchfiles"])
def project(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "watchfiles":
        monkeypatch.setattr(watching, "Inotify", no_inotify)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    hooks = tmp_path / "project/.github/hooks"
    hooks.mkdir(parents=True)
    for name in ("one.json", "two.json"):
        (hooks / name).write_text(HOOKS)
    return tmp_path / "project"


async def hooks_after(known: catalog.Catalog) -> list[str]:
    fresh = await asyncio.wait_for(anext(watching.watch(known)), DEADLINE_S)
    return [hook.name for hook in fresh.hooks]


async def test_a_file_that_went_before_anybody_watched_is_gone(project: Path) -> None:
    known = catalog.load(str(project))
    (project / ".github/hooks/two.json").unlink()
    assert await hooks_after(known) == ["one.json:Stop:1"]


async def test_a_file_that_changed_before_anybody_watched_is_read_again(project: Path) -> None:
    known = catalog.load(str(project))
    (project / ".github/hooks/two.json").write_text(HOOKS.replace("Stop", "PreToolUse"))
    assert await hooks_after(known) == ["one.json:Stop:1", "two.json:PreToolUse:1"]


async def test_a_directory_that_was_replaced_is_watched_again(project: Path) -> None:
    watched = watching.watch(catalog.load(str(project)))
    hooks = project / ".github/hooks"
    for number in range(3):
        shutil.rmtree(hooks)
        hooks.mkdir()
        (hooks / f"{number}.json").write_text(HOOKS)
        while [hook.name for hook in (await asyncio.wait_for(anext(watched), DEADLINE_S)).hooks] != [f"{number}.json:Stop:1"]:
            pass  # it may have been noticed half done
        (hooks / f"{number}.json").write_text(HOOKS.replace("Stop", "PreToolUse"))
        fresh = await asyncio.wait_for(anext(watched), DEADLINE_S)
        assert [hook.name for hook in fresh.hooks] == [f"{number}.json:PreToolUse:1"]
