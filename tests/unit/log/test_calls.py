"""The events of one tool call refer to the first of them, whatever the order in which they are stored."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import permutations
from typing import Any

import pytest

from hooktui.core import ids
from hooktui.core.model import Dispatch
from hooktui.log.store import database, told, word_index
from tests.log_world import NOON, LogWorld
from tests.unit.log.tampering import downgrade, rows

KINDS = ("pre-tool-call", "post-tool-call")


def made(log: LogWorld, event: str, at: float, call: str = "", command: str = "ls", **values: Any) -> Dispatch:
    payload = {"tool_name": "Bash", "tool_input": {"command": command}, **({"tool_use_id": call} if call else {})}
    return log.made(event, tool="Bash", at=NOON + at, payload=payload, **values)


def heads(log: LogWorld) -> dict[int, int | None]:
    """The second since noon of each event, with that of the first event of its call."""

    def second(number: int | None) -> int | None:
        return None if number is None else round(ids.seconds(number) - NOON)

    return {second(number) or 0: second(head) for number, head in rows(log, "SELECT id, head FROM dispatch ORDER BY id")}


@pytest.mark.parametrize("order", permutations(range(4)))
def test_events_of_calls_with_ids_belong_together_in_any_order(log: LogWorld, order: tuple[int, ...]) -> None:
    events = [
        made(log, "pre-tool-call", 0, "a"),
        made(log, "pre-tool-call", 1, "b"),
        made(log, "post-tool-call", 2, "a"),
        made(log, "post-tool-call-failure", 3, "b"),
    ]
    for place in order:
        log.add_all([events[place]])
    assert heads(log) == {0: None, 1: None, 2: 0, 3: 1}


def test_event_without_an_id_joins_the_latest_open_call_of_the_same_tool_and_input(log: LogWorld) -> None:
    log.add_all([made(log, "pre-tool-call", 0), made(log, "pre-tool-call", 1, command="pwd")])
    log.add_all([made(log, "post-tool-call", 2), made(log, "pre-tool-call", 3), made(log, "post-tool-call", 4)])
    assert heads(log) == {0: None, 1: None, 2: 0, 3: None, 4: 3}


def test_permission_question_without_an_id_is_of_its_call(log: LogWorld) -> None:
    log.add_all([made(log, "pre-tool-call", 0, "a"), made(log, "PermissionRequest", 1), made(log, "post-tool-call", 2, "a")])
    assert heads(log) == {0: None, 1: 0, 2: 0}


def test_other_sessions_tries_and_events_without_a_call_stay_alone(log: LogWorld) -> None:
    log.add_all([made(log, "pre-tool-call", 0, "a"), made(log, "post-tool-call", 1, "a", session="s2")])
    log.add_all([made(log, "post-tool-call", 2, "a", synthetic=True), log.made("pre-agent-turn-stop", at=NOON + 3)])
    assert set(heads(log).values()) == {None}


def test_next_event_becomes_the_head_of_a_call_whose_first_was_removed(log: LogWorld) -> None:
    events = [made(log, "pre-tool-call", 0, "a"), made(log, "PermissionRequest", 1), made(log, "post-tool-call", 2, "a")]
    log.add_all(events)
    connection = database.connect(log.db)
    with database.Transaction(connection):
        word_index.remove_dispatch(connection, events[0].id)
    connection.close()
    assert heads(log) == {1: None, 2: 1}


def test_upgrade_groups_the_events_of_older_calls_with_ids(log: LogWorld) -> None:
    log.add_all([made(log, event, at, "a") for at, event in enumerate(KINDS)])
    downgrade(log, 3)
    database.connect(log.db).close()
    assert heads(log) == {0: None, 1: 0}


@pytest.mark.parametrize("sql", [told._SETTLED, told._RESULTS])
def test_results_of_a_call_are_not_sought_among_all_results(log: LogWorld, sql: str) -> None:
    log.add()
    with closing(sqlite3.connect(log.db)) as connection:
        values = {"events": "[1]"} if ":events" in sql else (1,)
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    assert not any(step.endswith("dispatch_event (event=?)") for step in plan), plan
