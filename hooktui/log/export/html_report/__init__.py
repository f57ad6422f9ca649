"""An export as one HTML page that needs nothing else: no network, no other file, a policy that allows only its own script.

The page holds an index of all events, small enough to be read at once, and their contents in compressed pieces, which are read
when one looks at an event or searches in them. Data stand in elements that the browser never runs.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import zlib
from typing import TYPE_CHECKING

from hooktui.log.export.exporters import Totals
from hooktui.log.read import event_subject

if TYPE_CHECKING:
    from typing import Any

    from hooktui.log.export.exporters import ExportHeader
    from hooktui.log.read.sessions import HookTimes

    Report = dict[str, Any]

_HERE = os.path.dirname(__file__)
_SCRIPTS = ("data.js", "charts.js", "detail.js", "list.js", "main.js")
_POLICY = "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'"
_PIECE = 100  # events whose contents are compressed together
_LONGEST = 8000  # characters of one text; the other formats have all that is stored
_SUBJECT = 160


class HtmlReport:
    """Collects events, and is the page at the end."""

    def __init__(self, about: ExportHeader) -> None:
        self._about = about
        self._totals = Totals()
        self._names = _Names()
        self._rows: list[list[Any]] = []
        self._contents: list[str] = []
        self._pieces: list[str] = []

    def add(self, report: Report) -> str:
        """Take one in; nothing is written yet."""
        self._totals.add(report)
        self._rows.append(self._row(report))
        self._contents.append(json.dumps(_shortened(report), ensure_ascii=False, separators=(",", ":")))
        if len(self._contents) == _PIECE:
            self._pack()
        return ""

    def end(self) -> str:
        """The whole page."""
        self._pack()
        script = f'(() => {{\n"use strict";\n{"".join(map(_read, _SCRIPTS))}}})();\n'
        style = _read("page.css")
        parts = {
            "TITLE": html.escape(self._about.query or "every event"),
            "POLICY": _POLICY.format(script=_digest(script), style=_digest(style)),
            "STYLE": style,
            "SCRIPT": script,
            "INDEX": _harmless(self._index()),
            "PIECES": "\n".join(f'<script type="text/plain" class="piece">{piece}</script>' for piece in self._pieces),
        }
        first, *rest = _read("page.html").split("%%")
        return first + "".join(parts[part] if number % 2 == 0 else part for number, part in enumerate(rest))

    def _pack(self) -> None:
        if self._contents:
            packed = zlib.compress("\n".join(self._contents).encode(errors="replace"), 9)
            self._pieces.append(base64.b64encode(packed).decode())
            self._contents = []

    def _row(self, report: Report) -> list[Any]:
        """An event as the list shows it: data.js says what stands where."""
        name = self._names.number
        runs = [
            [name(run["name"]), name(run["state"]), name(run["decision"]), run["started_ms"], run["duration_ms"]]
            for run in report["hooks"]
            if run["state"] != "skipped"
        ]
        return [
            report["at"],
            *(name(report[field]) for field in ("session_id", "event", "tool_name", "decision")),
            report["duration_ms"],
            report["reason"] and report["reason"][:_SUBJECT],
            event_subject.of_payload(report["payload"])[:_SUBJECT],
            runs,
        ]

    def _index(self) -> dict[str, Any]:
        totals = self._totals
        return {
            "query": self._about.query,
            "made": self._about.made,
            "head": self._about.head,
            "piece": _PIECE,
            "names": self._names.known,
            "sessions": [[*session, count] for session, count in totals.sessions.items()],
            "hooks": [_hook(one) for one in totals.hooks()],
            "hook_ms": totals.hook_ms,
            "rows": self._rows,
        }


def _hook(one: HookTimes) -> list[Any]:
    """A hook as the table of them shows it: charts.js says what stands where."""
    return [one.name, one.runs, one.failures, one.p50_ms, one.p95_ms, one.total_ms, one.unwaited]


class _Names:
    """Texts that come again and again, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def known(self) -> list[str]:
        return list(self._numbers)

    def number(self, name: str | None) -> int:
        return self._numbers.setdefault(name or "", len(self._numbers))


def _shortened(value: Any) -> Any:
    """A report whose texts are no longer than a page can hold ten thousand of."""
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}\n… {len(value) - _LONGEST} more characters, not in this page"
    return value


def _harmless(value: Any) -> str:
    """JSON in which nothing can end the element that it stands in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _digest(text: str) -> str:
    """What a content security policy knows an inline script or style by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        return file.read()
