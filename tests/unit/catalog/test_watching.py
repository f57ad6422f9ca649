"""watching.watch notices every change on disk, whenever it happens."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from hooktui.catalog import catalog, watching
from hooktui.core import paths
from tests.command_world import DEADLINE_S

HOOKS = json.dumps({"hooks": {"Stop": [{"type": "command", "command": "true"}]}})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


async def reported(project: Path, monkeypatch: pytest.MonkeyPatch) -> asyncio.Future[catalog.Catalog]:
    """The next catalog of a watch that has compared stamps already, so that only a report of the system leads to it."""
    looks = list[bool]()

    def look(*_: object) -> bool:
        looks.append(True)
        return False

    watched = watching.watch(catalog.load(str(project)))
    with monkeypatch.context() as patched:
        patched.setattr(paths, "changed_since", look)
        waiting = asyncio.ensure_future(anext(watched))
        async with asyncio.timeout(DEADLINE_S):
            while not looks:
                await asyncio.sleep(0.01)
    return waiting


async def test_what_a_link_leads_to_is_watched(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = project / "elsewhere/two.json"
    target.parent.mkdir()
    (project / ".github/hooks/two.json").rename(target)
    (project / ".github/hooks/two.json").symlink_to(target)
    waiting = await reported(project, monkeypatch)
    target.write_text(HOOKS.replace("Stop", "PreToolUse"))
    fresh = await asyncio.wait_for(waiting, DEADLINE_S)
    assert [hook.name for hook in fresh.hooks] == ["one.json:Stop:1", "two.json:PreToolUse:1"]


async def test_a_file_that_was_saved_by_renaming_is_read_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = await reported(project, monkeypatch)
    draft = project / ".github/hooks/.two.json.new"
    draft.write_text(HOOKS.replace("Stop", "PreToolUse"))
    draft.rename(project / ".github/hooks/two.json")
    fresh = await asyncio.wait_for(waiting, DEADLINE_S)
    assert [hook.name for hook in fresh.hooks] == ["one.json:Stop:1", "two.json:PreToolUse:1"]


async def test_a_directory_that_appears_later_is_watched(project: Path) -> None:
    watched = watching.watch(catalog.load(str(project)))
    settings = project / ".claude/settings.json"
    for _ in range(2):
        settings.parent.mkdir()
        settings.write_text(HOOKS)
        while len((await asyncio.wait_for(anext(watched), DEADLINE_S)).hooks) != 3:
            pass  # the directory may be noticed before the file
        shutil.rmtree(settings.parent)
        while len((await asyncio.wait_for(anext(watched), DEADLINE_S)).hooks) != 2:
            pass


async def test_a_file_whose_name_is_not_utf8_stops_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = await reported(project, monkeypatch)
    with open(bytes(project / ".github/hooks") + b"/\xff", "wb"):
        pass
    (project / ".github/hooks/two.json").unlink()
    fresh = await asyncio.wait_for(waiting, DEADLINE_S)
    assert [hook.name for hook in fresh.hooks] == ["one.json:Stop:1"]
