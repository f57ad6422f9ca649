"""The events of one tool call: stored in any order they belong together, and make one row with its times."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import permutations
from typing import Any

import pytest

from hooktui.core import ids
from hooktui.core.model import Dispatch
from hooktui.log.read import search
from hooktui.log.read.query import of_calls, of_trouble, parse
from hooktui.log.read.reader import LogReader
from hooktui.log.store import database, reported, word_index
from tests.log_world import NOON, LogWorld, run
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


@pytest.mark.parametrize("sql", [reported._SETTLED, reported._RESULTS])
def test_results_of_a_call_are_not_sought_among_all_results(log: LogWorld, sql: str) -> None:
    log.add()
    with closing(sqlite3.connect(log.db)) as connection:
        values = {"events": "[1]"} if ":events" in sql else (1,)
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    assert not any(step.endswith("dispatch_event (event=?)") for step in plan), plan


CALL = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "a"}
OTHER = {**CALL, "tool_use_id": "b"}


def add(log: LogWorld, event: str, second: float, payload: dict[str, Any] = CALL, **values: Any) -> int:
    return log.add(event, tool="Bash", at=NOON + second, payload=payload, **values)


@pytest.fixture
def two_calls(log: LogWorld) -> tuple[int, int]:
    """Two calls at once, of which the first ends last, and a prompt before them; the ids of their first events."""
    log.add("pre-agent-turn", at=NOON - 1, payload={"prompt": "build it"})
    first = add(log, "pre-tool-call", 0, runs=[run("guard")], duration_ms=100.0)
    second = add(log, "pre-tool-call", 1, OTHER)
    add(log, "post-tool-call", 2, OTHER)
    add(log, "post-tool-call", 3.1, runs=[run("audit"), run("lint", "failed", stderr="oops")], duration_ms=50.0)
    return first, second


@pytest.mark.parametrize(
    ("words", "found"),
    [("", 3), ("event:post-tool-call", 2), ("state:failed", 1), ("oops", 1), ("make", 2), ("-make", 1), ("event:none-such", 0)],
)
async def test_call_is_found_once_by_any_of_its_events(
    reader: LogReader, two_calls: tuple[int, int], words: str, found: int
) -> None:
    wanted = of_calls(parse(words))
    numbers = list(await reader.newest(wanted))
    assert len(numbers) == found == await reader.count(wanted)
    assert numbers == sorted(set(numbers), reverse=True)
    assert await reader.matching(wanted, numbers) == numbers[::-1]


@pytest.mark.parametrize("spans", [(1,), (1, 1), (2, 1), (3,)])
@pytest.mark.parametrize("words", ["", "event:*-tool-call", "make", "-decision:deny"])
async def test_call_is_found_once_wherever_the_spans_of_a_search_end(
    reader: LogReader, two_calls: tuple[int, int], words: str, spans: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = of_calls(parse(words))
    at_once = list(await reader.newest(wanted))
    monkeypatch.setattr(search, "_SPANS", spans)
    assert list(await reader.newest(wanted)) == at_once
    assert set(two_calls) <= set(at_once)


async def test_row_of_a_call_has_the_hook_that_failed_and_the_times(reader: LogReader, two_calls: tuple[int, int]) -> None:
    row, quiet = await reader.calls(two_calls)
    assert (row.id, row.state, row.failed, row.duration_ms) == (two_calls[0], "failed", ("lint",), 150.0)
    assert set(row.ran) == {"guard", "audit", "lint"}
    assert row.tool_ms == pytest.approx(3000.0, abs=1)
    assert (row.title, len(row.events)) == ("build it", 2)
    assert quiet.tool_ms == pytest.approx(987.5, abs=1)


async def test_reports_of_a_call_are_those_of_its_events(reader: LogReader, two_calls: tuple[int, int]) -> None:
    assert [report["event"] for report in await reader.call(two_calls[1])] == ["pre-tool-call", "post-tool-call"]


async def test_next_denial_or_failure_is_a_row(reader: LogReader, two_calls: tuple[int, int]) -> None:
    trouble = of_calls(of_trouble(parse("")))
    assert await reader.neighbour(trouble, 0, 1) == two_calls[0]
    assert await reader.neighbour(trouble, two_calls[1], -1) == two_calls[0]
    assert await reader.neighbour(trouble, two_calls[0], 1) is None


async def test_calls_are_counted(reader: LogReader, log: LogWorld, two_calls: tuple[int, int]) -> None:
    assert await reader.total_calls() == await reader.total_calls(log.project) == 3
    assert [row.calls for row in await reader.sessions()] == [2]
    assert await reader.heads([ids.at_time(NOON + 2) + 1]) == [two_calls[1]]
