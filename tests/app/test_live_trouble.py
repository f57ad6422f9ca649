"""An unreadable log is explained in place of its rows."""

from __future__ import annotations

import sqlite3

from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import until_shown

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def test_log_that_cannot_be_opened_is_explained_on_both_screens(decided: DecisionWorld) -> None:
    decided.add()
    with sqlite3.connect(decided.db) as connection:
        connection.execute("PRAGMA user_version = 99")
    async with decided.app().run_test(size=_SIZE) as pilot:
        for key in ("2", "3"):
            await pilot.press(key)
            await until_shown(pilot, "Cannot read the log.", "log.db was written by a newer")
            await until_shown(pilot, "update hooktui, or name another log", "spooled in a file", "hooktui doctor")


async def test_log_that_turns_out_to_be_damaged_is_explained_in_place_of_the_rows(decided: DecisionWorld) -> None:
    for _ in range(200):
        decided.add(payload={"text": "x" * 5000})
    with sqlite3.connect(decided.db) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(decided.db, "r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 1_000_000)
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("2")
        await until_shown(pilot, "Cannot read the log", "log.db cannot be read: database disk image is malformed")
