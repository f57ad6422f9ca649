"""A log's watch reports every write to the log or its spool, with inotify and without."""

from __future__ import annotations

import asyncio
import shutil
from typing import TYPE_CHECKING

import pytest

from hooktui.log.read import log_watch
from hooktui.log.read.log_watch import LogWatch

if TYPE_CHECKING:
    from pathlib import Path

DEADLINE_S = 10
NEVER_S = 3600.0


@pytest.fixture(params=["inotify", "stamps"])
def db(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of a log in a directory of its own, whose changes the system reports or does not."""
    if request.param == "stamps":
        monkeypatch.setattr(log_watch, "_watched", lambda _directory: None)
    (tmp_path / "state").mkdir()
    return tmp_path / "state/log.db"


async def noticed(watch: LogWatch) -> None:
    await asyncio.wait_for(watch.changed(NEVER_S), DEADLINE_S)


@pytest.mark.parametrize("suffix", ["", "-wal", ".spool"])
async def test_a_write_is_reported(db: Path, suffix: str) -> None:
    with LogWatch(str(db)) as watch:
        waiting = asyncio.ensure_future(noticed(watch))
        await asyncio.sleep(0)
        db.with_name(db.name + suffix).write_text("written")
        await waiting


async def test_a_write_between_two_waits_is_reported(db: Path) -> None:
    with LogWatch(str(db)) as watch:
        for text in ("first", "second, longer"):
            db.write_text(text)
            await noticed(watch)


async def test_a_directory_that_appears_later_is_watched(db: Path) -> None:
    db.parent.rmdir()
    with LogWatch(str(db)) as watch:
        db.parent.mkdir()
        db.write_text("written")
        await noticed(watch)


async def test_a_directory_that_was_replaced_is_watched_again(db: Path) -> None:
    db.write_text("written")
    with LogWatch(str(db)) as watch:
        shutil.rmtree(db.parent)
        await noticed(watch)
        db.parent.mkdir()
        db.write_text("written again")
        await noticed(watch)
