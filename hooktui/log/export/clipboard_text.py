"""What can be copied of a decision: its row, each of its fields, the whole of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from hooktui.log.read import event_subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Report = Mapping[str, Any]

_FIELDS = ("id", "at", "event", "tool_name", "decision", "reason", "session_id", "host", "project")
MOST = 200  # of marked decisions
_ROW = ("at", "event", "tool_name", "decision", "session_id", "project")


class ClipboardItem(NamedTuple):
    """One thing to copy: what it is, and its text."""

    name: str
    text: str


def copies(report: Report, run: Report | None, marked: Sequence[Report]) -> list[ClipboardItem]:
    """All of a report (contract.md), of one of its runs, and of other reports that were marked, that says something."""
    return [copy for copy in _copies(report, run, marked) if copy.text]


def best(report: Report) -> ClipboardItem:
    """What is wanted most: the tool's command or file if it has one, else the id."""
    about = event_subject.of_payload(report["payload"]) if report["tool_name"] else ""
    return ClipboardItem("about", about) if about else ClipboardItem("id", str(report["id"]))


def _copies(report: Report, run: Report | None, marked: Sequence[Report]) -> Iterator[ClipboardItem]:
    yield ClipboardItem("about", event_subject.of_payload(report["payload"]))
    yield ClipboardItem("row, as text", row(report))
    yield ClipboardItem("decision, as JSON", json_of(report))
    if marked:
        yield ClipboardItem(f"{len(marked):,} marked, as JSON lines", "\n".join(json_of(one, indent=None) for one in marked))
    if run is not None:
        yield ClipboardItem(f"run of {run['name']}, as JSON", json_of(run))
        yield ClipboardItem("stdout", run["stdout"])
        yield ClipboardItem("stderr", run["stderr"])
    yield ClipboardItem("input, as JSON", json_of(report["payload"]))
    for name in _FIELDS:
        yield ClipboardItem(name.partition("_")[0], str(report[name] or ""))


def row(report: Report) -> str:
    """A decision on one line, its columns set apart by tabs."""
    hooks = " ".join(run["name"] for run in report["hooks"] if run["state"] != "skipped")
    about = event_subject.of_payload(report["payload"])
    texts = (*(report[name] for name in _ROW), f"{report['duration_ms']:g} ms", hooks, about)
    return "\t".join(" ".join(str(text or "").split()) for text in texts)


def json_of(value: Any, indent: int | None = 2) -> str:
    """A value as JSON."""
    return json.dumps(value, indent=indent, ensure_ascii=False)
