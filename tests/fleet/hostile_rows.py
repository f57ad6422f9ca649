"""Rows that anybody with the collector's token could send: each column, attribute and field of a report with every value."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hooktui.core import ids

SENDER = "evil"
ESCAPE = "\x1b]0;PWNED\x07\x1b[31m\x9b2J"
TEXTS = ("", "x", ESCAPE, "[bold red]markup[/]", "null", "-1", "1e308", "NaN", "a\tb\nc\rd", "\u202eright", "w" * 100_000)
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e308,
    10**30,
    "",
    "x",
    ESCAPE,
    [],
    [None],
    [[1]],
    {},
    {"a": {"b": [ESCAPE]}},
    [{"label": ESCAPE}],
)
BODIES = (
    "",
    "x",
    "null",
    "[]",
    '"text"',
    "{}",
    '{"id": "\\ud800"}',
    '{"a": NaN}',
    "[" * 2000 + "]" * 2000,
    '{"id":"a","id":"b"}',
    "\x00",
    ESCAPE,
)
TIMES = ("1970-01-01 00:00:00", "2019-12-31 23:59:59", "2100-01-01 00:00:00", "2261-12-31 00:00:00")


def rows(like: dict[str, Any], at: float) -> list[dict[str, Any]]:
    """Rows made of a dispatch's, each with one thing changed; a microsecond apart, from a time on."""
    return [row for number, change in enumerate(_changes(like)) if (row := _changed(like, change, at, number)) is not None]


def of_sender(like: dict[str, Any], at: float, number: int = 0) -> dict[str, Any]:
    """The dispatch of a row as another of a machine SENDER."""
    row, identifier = copy.deepcopy(like), ids.text(ids.at_time(at) + (number << 12))
    row["Timestamp"] = f"{ids.seconds(ids.parse(identifier) or 0):.6f}"
    row["ResourceAttributes"] |= {"service.instance.id": SENDER, "host.name": SENDER}
    row["LogAttributes"] |= {"hooktui.id": identifier, "hooktui.seq": str(number + 1), "hooktui.hash": f"{number:064x}"}
    row["Body"] = json.dumps(json.loads(row["Body"]) | {"id": identifier})
    return row


def _changes(like: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The path of what is changed, and its value; ... to leave it out."""
    yield from ((("Timestamp",), value) for value in TIMES)
    yield from ((("Body",), value) for value in BODIES)
    yield from (((column,), value) for column in ("EventName", "SeverityText") for value in TEXTS)
    for column in ("ResourceAttributes", "LogAttributes"):
        yield from (((column, name), value) for name in like[column] if name != "service.name" for value in (..., *TEXTS))
    report = json.loads(like["Body"])
    yield from ((("Body", name), value) for name in report for value in (..., *VALUES))
    yield from ((("Body", "hooks", name), value) for name in report["hooks"][0] for value in (..., *VALUES))
    deep: Any = "deep"
    for _ in range(900):
        deep = [deep]
    yield ("Body", "payload"), deep


def _changed(like: dict[str, Any], change: tuple[tuple[str, ...], Any], at: float, number: int) -> dict[str, Any] | None:
    (column, *path), value = change
    row = of_sender(like, at, number)
    if not path:
        row[column] = value
        return row
    whole = json.loads(row[column]) if column == "Body" else row[column]
    inner = whole["hooks"][0] if len(path) == 2 else whole
    inner[path[-1]] = value
    if value is ...:
        del inner[path[-1]]
    row[column] = json.dumps(whole) if column == "Body" else whole
    return row
