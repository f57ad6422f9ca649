"""The texts that can be copied from a dispatch: its row, its fields, its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from hooktui.log.read import event_subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.core.report import LoggedReport, RunReport

MOST = 200  # marked dispatches
_ROW = ("at", "event", "tool_name", "decision", "session_id", "project")
_FIELDS = {
    "id": "ID", "at": "Time", "event": "Event", "tool_name": "Tool", "decision": "Decision", "reason": "Reason",
    "session_id": "Session", "host": "Agent", "project": "Project",
}  # fmt: skip


class ClipboardItem(NamedTuple):
    """A labelled text to copy."""

    label: str
    text: str


def items(report: LoggedReport, run: RunReport | None, marked: Sequence[LoggedReport]) -> list[ClipboardItem]:
    """The non-empty texts of a report (contract.md), of one of its runs, and of marked reports."""
    return [item for item in _items(report, run, marked) if item.text]


def best(report: LoggedReport) -> str:
    """The most useful text: the tool's command or file, else the id."""
    return (report["tool_name"] and event_subject.of_payload(report["payload"])) or str(report["id"])


def _items(report: LoggedReport, run: RunReport | None, marked: Sequence[LoggedReport]) -> Iterator[ClipboardItem]:
    yield ClipboardItem("Subject", event_subject.of_payload(report["payload"]))
    yield ClipboardItem("Row as text", row(report))
    yield ClipboardItem("Decision as JSON", json_of(report))
    if marked:
        lines = "\n".join(json_of(marked_report, indent=None) for marked_report in marked)
        yield ClipboardItem(f"{len(marked):,} marked as JSON Lines", lines)
    if run is not None:
        yield ClipboardItem(f"Run of {run['name']} as JSON", json_of(run))
        yield ClipboardItem("stdout", run["stdout"])
        yield ClipboardItem("stderr", run["stderr"])
    yield ClipboardItem("Input as JSON", json_of(report["payload"]))
    fields: Mapping[str, object] = report
    for name, label in _FIELDS.items():
        yield ClipboardItem(label, str(fields[name] or ""))


def row(report: LoggedReport) -> str:
    """A dispatch on one line, with columns separated by tabs."""
    hooks = " ".join(run["name"] for run in report["hooks"] if run["state"] != "skipped")
    subject = event_subject.of_payload(report["payload"])
    fields: Mapping[str, object] = report
    texts = (*(fields[name] for name in _ROW), f"{report['duration_ms']:g} ms", hooks, subject)
    return "\t".join(" ".join(str(text or "").split()) for text in texts)


def json_of(value: Any, indent: int | None = 2) -> str:
    """Format a value as JSON."""
    return json.dumps(value, indent=indent, ensure_ascii=False)
