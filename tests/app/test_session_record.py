"""The Sessions screen shows which sessions were altered."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

from hooktui.core import ids
from hooktui.log.store import database
from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import until_shown
from tests.log_world import NOON, busy_day

__all__ = ["decided", "world"]

_SIZE = (120, 40)


async def test_an_edited_record_is_told_of_the_session_under_the_cursor_and_in_its_timeline(decided: DecisionWorld) -> None:
    decided.edit(busy_day(decided)["denied"])
    async with decided.running("tidy the build directory", "✕ Log altered (1 fault)", key="3") as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "✕ Log altered (1 fault)", "edited Wed 21 Jan 12:00", "✕ edited")


async def test_what_is_altered_after_it_was_verified_is_marked_when_it_is_opened(decided: DecisionWorld) -> None:
    named = busy_day(decided)
    async with decided.running("tidy the build directory", "2 sessions", key="3") as pilot:
        decided.edit(named["denied"])
        await pilot.press("enter")
        await until_shown(pilot, "✕ Log altered (1 fault)")


async def test_an_unreadable_record_makes_the_log_unreadable(decided: DecisionWorld) -> None:
    busy_day(decided)
    with closing(sqlite3.connect(decided.db)) as log:
        log.execute("ALTER TABLE run RENAME COLUMN exit_code TO code")
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "● log unreadable")


async def test_a_session_from_before_there_was_a_chain_is_neither_whole_nor_altered(decided: DecisionWorld) -> None:
    at = ids.at_time(NOON)
    with closing(sqlite3.connect(decided.db)) as log, log:
        with open(os.path.join(os.path.dirname(database.__file__), "schema.sql"), encoding="utf-8") as schema:
            log.executescript(schema.read())
        log.execute("INSERT INTO session VALUES (1, 'of-old', 'agenthooks', ?, ?, ?, 1, 0, 0, 1)", (decided.project, at, at))
        log.execute("INSERT INTO dispatch VALUES (?, 1, 'pre-session', NULL, 'none', '', '', NULL, 1, 0)", (at,))
        log.execute("INSERT INTO content VALUES (?, '{}', NULL)", (at,))
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "of-old", "1 session")


async def test_a_session_that_was_deleted_whole_is_missed_in_the_list(decided: DecisionWorld) -> None:
    busy_day(decided)
    with closing(sqlite3.connect(decided.db)) as log:
        for table in ("dispatch", "link"):
            log.execute(f"DELETE FROM {table} WHERE session = (SELECT id FROM session WHERE name = 's-a1')")
        log.execute("DELETE FROM session WHERE name = 's-a1'")
        log.commit()
    async with decided.app().run_test(size=_SIZE) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "s-b2", "✕ records are missing · hooktui doctor --verify")
