"""An export as one self-contained HTML page: no network, no other file, a policy that allows only its own script.

The page holds an index of all events, read at once, and their contents in compressed chunks, read when an event is opened or
searched. Data is in elements that the browser never executes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import zlib
from typing import TYPE_CHECKING

from hooktui.core.report import effect_word
from hooktui.log.export.exporters import Totals
from hooktui.log.read import event_subject

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator
    from typing import Any

    from hooktui.core.report import LoggedReport
    from hooktui.log.export.exporters import ExportHeader

_HERE = os.path.dirname(__file__)
_SCRIPTS = ("data.js", "charts.js", "detail.js", "list.js", "main.js")
_POLICY = "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'"
_CHUNK = 100  # events compressed together
_MAX_TEXT = 8000  # characters of one text; the other formats have the whole
_MAX_SUBJECT = 160


async def html_page(header: ExportHeader, reports: AsyncIterable[LoggedReport]) -> AsyncIterator[str]:
    """The whole page as one text."""
    page = _Page(header)
    async for report in reports:
        page.add(report)
    yield page.render()


class _Page:
    def __init__(self, header: ExportHeader) -> None:
        self._header = header
        self._totals = Totals()
        self._names = _NameTable()
        self._rows: list[list[Any]] = []
        self._contents: list[str] = []
        self._chunks: list[str] = []

    def add(self, report: LoggedReport) -> None:
        self._totals.add(report)
        self._rows.append(self._row(report))
        self._contents.append(json.dumps(_truncated(report), ensure_ascii=False, separators=(",", ":")))
        if len(self._contents) == _CHUNK:
            self._pack()

    def render(self) -> str:
        self._pack()
        script = f'(() => {{\n"use strict";\n{"".join(map(_read, _SCRIPTS))}}})();\n'
        style = _read("page.css")
        parts = {
            "TITLE": html.escape(self._header.query or "all events"),
            "POLICY": _POLICY.format(script=_digest(script), style=_digest(style)),
            "STYLE": style,
            "SCRIPT": script,
            "INDEX": json.dumps(self._index(), separators=(",", ":")).replace("<", "\\u003c"),  # closes no script element
            "CHUNKS": "\n".join(f'<script type="text/plain" class="chunk">{chunk}</script>' for chunk in self._chunks),
        }
        first, *rest = _read("page.html").split("%%")
        return first + "".join(parts[part] if number % 2 == 0 else part for number, part in enumerate(rest))

    def _pack(self) -> None:
        if self._contents:
            packed = zlib.compress("\n".join(self._contents).encode(errors="replace"), 9)
            self._chunks.append(base64.b64encode(packed).decode())
            self._contents = []

    def _row(self, report: LoggedReport) -> list[Any]:
        """The index entry of an event; data.js names its columns."""
        name = self._names.number
        runs = [
            [name(run["label"]), name(run["state"]), name(run["decision"]), run["started_ms"], run["duration_ms"]]
            for run in report["hooks"]
            if run["state"] != "skipped"
        ]
        return [
            report["at"],
            *(name(report[field]) for field in ("session_id", "event", "tool_name")),
            name(effect_word(report["effect"])),
            report["duration_ms"],
            report["reason"] and report["reason"][:_MAX_SUBJECT],
            event_subject.of_payload(report["payload"])[:_MAX_SUBJECT],
            runs,
            name(report.get("machine", "")),
        ]

    def _index(self) -> dict[str, Any]:
        totals = self._totals
        return {
            "query": self._header.query,
            "made": self._header.made,
            "head": self._header.head,
            "chunk": _CHUNK,
            "names": self._names.known,
            "sessions": [[*session, count] for session, count in totals.sessions.items()],
            "hooks": [hook[1:] for hook in totals.hooks()],
            "hook_ms": totals.hook_ms,
            "rows": self._rows,
        }


class _NameTable:
    """Repeated texts, stored once and referred to by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def known(self) -> list[str]:
        return list(self._numbers)

    def number(self, name: str | None) -> int:
        return self._numbers.setdefault(name or "", len(self._numbers))


def _truncated(value: Any) -> Any:
    """Shorten long texts, so that a page can hold 10,000 reports."""
    if isinstance(value, dict):
        return {key: _truncated(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_truncated(item) for item in value]
    if isinstance(value, str) and len(value) > _MAX_TEXT:
        return f"{value[:_MAX_TEXT]}\n… {len(value) - _MAX_TEXT} more characters, not in this report"
    return value


def _digest(text: str) -> str:
    """The hash by which a content security policy allows an inline script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _read(name: str) -> str:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        return file.read()
