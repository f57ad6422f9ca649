"""Directories are watched from the creation of a watch on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hooktui.formats.directory_watch import DirectoryWatch
from tests.command_world import DEADLINE_S

MOMENT_MS = 20


@pytest.mark.parametrize("polling", ["", "true"], ids=["told by the system", "looking"])
async def test_a_change_before_the_first_wait_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, polling: str) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", polling)
    with DirectoryWatch([str(tmp_path)], step_ms=MOMENT_MS, longest_ms=MOMENT_MS) as watch:
        (tmp_path / "new").touch()
        async with asyncio.timeout(DEADLINE_S):
            assert str(tmp_path / "new") in await watch.changed()


async def test_directories_below_are_not_watched(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    with DirectoryWatch([str(tmp_path)], step_ms=MOMENT_MS, longest_ms=MOMENT_MS) as watch:
        (tmp_path / "below/new").touch()
        (tmp_path / "new").touch()
        assert await watch.changed() == {str(tmp_path / "new")}


async def test_nothing_has_changed_after_a_while(tmp_path: Path) -> None:
    with DirectoryWatch([str(tmp_path)], step_ms=MOMENT_MS, longest_ms=MOMENT_MS) as watch:
        assert await watch.changed(timeout_ms=MOMENT_MS) == set()
