"""A tool call is one row: found by any of its events, named by the hook that mattered, with its times."""

from __future__ import annotations

from typing import Any

import pytest

from hooktui.core import ids
from hooktui.log.read import search
from hooktui.log.read.query import of_calls, of_trouble, parse
from hooktui.log.read.reader import LogReader
from tests.log_world import NOON, LogWorld, run

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
