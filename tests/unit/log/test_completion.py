"""Completion of queries with logged values."""

from __future__ import annotations

import pytest

from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld, run


@pytest.fixture(autouse=True)
def fill(log: LogWorld) -> None:
    for tool in ("Shell", "Write", "Search", "Shell"):
        log.add(tool=tool, runs=[run("audit"), run(f"on-{tool}")], session=f"s-{tool}")
    log.add("Notification", host="claude", project="/home/dev/other")


@pytest.mark.parametrize(
    ("field", "beginning", "values"),
    [
        ("tool", "", ["Search", "Shell", "Write"]),
        ("tool", "S", ["Search", "Shell"]),
        ("tool", "x", []),
        ("event", "", ["Notification", "PreToolUse", "pre-tool-call"]),
        ("hook", "on-S", ["on-Search", "on-Shell"]),
        ("session", "s-", ["s-Search", "s-Shell", "s-Write"]),
        ("host", "", ["agenthooks", "claude"]),
        ("project", "/home/dev/o", ["/home/dev/other"]),
        ("slower", "", []),
    ],
)
async def test_values_with_a_prefix_are_listed_once(reader: LogReader, field: str, beginning: str, values: list[str]) -> None:
    assert await reader.values(field, beginning) == values


async def test_number_of_values_is_limited(reader: LogReader) -> None:
    assert await reader.values("tool", "", most=2) == ["Search", "Shell"]
