"""The Sessions screen shows which sessions are intact."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

from hooktui.app import HooktuiApp
from hooktui.core import ids
from hooktui.log.store import database
from hooktui.screens.sessions.session_list import SessionList
from tests.app.decision_world import DecisionWorld, decided, world
from tests.app.hook_world import shown, until_shown
from tests.log_world import NOON, busy_day

__all__ = ["decided", "world"]

_SIZE = (120, 40)
_SMALL = (80, 24)


async def test_an_edited_record_is_marked_in_the_list_and_in_the_timeline(decided: DecisionWorld) -> None:
    decided.edit(busy_day(decided)["denied"])
    async with decided.running("✕ edited tidy the build directory", "✕ 1 altered · 2 sessions", key="3") as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "✕ Log altered (1 fault)", "edited Wed 21 Jan 12:00", "✕ edited")


async def test_the_mark_has_its_word_on_a_small_terminal_too(decided: DecisionWorld) -> None:
    decided.edit(busy_day(decided)["denied"])
    async with decided.app().run_test(size=_SMALL) as pilot:
        await pilot.press("3")
        await until_shown(pilot, "✕ edited tidy the build", "✕ 1 altered · 2 sessions")


async def test_what_is_altered_after_it_was_verified_is_marked_when_it_is_opened(decided: DecisionWorld) -> None:
    named = busy_day(decided)
    async with decided.running("tidy the build directory", "2 sessions", key="3") as pilot:
        decided.edit(named["denied"])
        await pilot.press("enter")
        await until_shown(pilot, "✕ Log altered (1 fault)")
        await pilot.press("escape")
        await until_shown(pilot, "✕ edited tidy the build directory")


async def test_verifying_pauses_while_a_session_opens_and_then_continues(decided: DecisionWorld) -> None:
    busy_day(decided)
    async with decided.running("2 sessions", key="3") as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "tidy the build directory", "Slowest hooks")
        await pilot.press("escape")
        await until_shown(pilot, "tidy the build directory")


async def test_unreadable_record_is_reported_once(decided: DecisionWorld) -> None:
    busy_day(decided)
    with closing(sqlite3.connect(decided.db)) as log:
        log.execute("ALTER TABLE run RENAME COLUMN exit_code TO code")
    async with decided.running("Verifying the sessions", "LogError", key="3", notifications=True) as pilot:
        assert isinstance(pilot.app, HooktuiApp)
        assert pilot.app.reader is not None
        pilot.app.screen.query_one(SessionList).verify(pilot.app.reader)
        await pilot.pause()
        assert shown(pilot).count("Verifying the sessions") == 1


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
