"""Completion of the query language."""

from __future__ import annotations

import pytest

from hooktui.screens.widgets.query_line import QueryCompleter


async def values(field: str, beginning: str) -> list[str]:
    known = {"tool": ["Shell", "Some thing", "Search"], "event": ["Notification", "pre-tool-call"]}
    return [name for name in known.get(field, ()) if name.startswith(beginning)]


@pytest.mark.parametrize(
    ("line", "choices", "completed"),
    [
        ("to", ["tool:"], "tool:"),
        ("x -to", ["-tool:"], "x -tool:"),
        ("tool:S", ["tool:Shell", "tool:Search"], "tool:Shell"),
        ("-tool:Se", ["-tool:Search"], "-tool:Search"),
        ("decision:d", ["decision:deny"], "decision:deny"),
        ("event:pre-tool-c", ["event:pre-tool-call"], "event:pre-tool-call"),
        ("event:Notif", ["event:Notification"], "event:Notification"),
        ("since:1", ["since:10m", "since:1h", "since:1d"], "since:10m"),
        ("tool:Shell", ["tool:Shell"], None),
        ("nofield:x", [], None),
        ("word", [], None),
    ],
)
async def test_the_last_term_is_completed(line: str, choices: list[str], completed: str | None) -> None:
    words = QueryCompleter(values)
    assert list(await words.choices(line)) == choices
    assert await words.get_suggestion(line) == completed


async def test_an_empty_line_may_begin_with_any_field_and_suggests_none() -> None:
    words = QueryCompleter(values)
    assert "tool:" in await words.choices("tool:Shell ")
    assert await words.get_suggestion("tool:Shell ") is None
