"""A log's watch reports every write to the log or its spool."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from hooktui.log.read.log_watch import LogWatch, written_within

DEADLINE_S = 10
NEVER_S = 3600.0


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """The path of a log in a directory of its own."""
    (tmp_path / "state").mkdir()
    return tmp_path / "state/log.db"


async def noticed(written: asyncio.Event) -> None:
    await asyncio.wait_for(written_within(written, NEVER_S), DEADLINE_S)


@pytest.mark.parametrize("suffix", ["", "-wal", ".spool"])
async def test_a_write_is_reported(db: Path, suffix: str) -> None:
    async with LogWatch(str(db)).watching() as written:
        waiting = asyncio.ensure_future(noticed(written))
        await asyncio.sleep(0)
        db.with_name(db.name + suffix).write_text("written")
        await waiting


async def test_a_write_between_two_waits_is_reported(db: Path) -> None:
    async with LogWatch(str(db)).watching() as written:
        for text in ("first", "second, longer"):
            db.write_text(text)
            await noticed(written)


async def test_a_directory_that_appears_later_is_watched(db: Path) -> None:
    db.parent.rmdir()
    async with LogWatch(str(db)).watching() as written:
        db.parent.mkdir()
        await noticed(written)
        db.write_text("written")
        await noticed(written)


async def test_a_directory_that_was_replaced_is_watched_again(db: Path) -> None:
    db.write_text("written")
    async with LogWatch(str(db)).watching() as written:
        shutil.rmtree(db.parent)
        await noticed(written)
        db.parent.mkdir()
        db.write_text("written again")
        await noticed(written)


async def test_a_file_whose_name_is_not_utf8_stops_nothing(db: Path) -> None:
    async with LogWatch(str(db)).watching() as written:
        with open(bytes(db.parent) + b"/\xff", "wb"):
            await noticed(written)
        db.write_text("written")
        await noticed(written)


async def test_one_watch_serves_all_who_wait(db: Path) -> None:
    watch = LogWatch(str(db))
    async with watch.watching() as first:
        async with watch.watching() as second:
            db.write_text("written")
            await noticed(first)
            await noticed(second)
        db.write_text("written again")
        await noticed(first)
