"""An export as Markdown: a summary, the denials with their reasons, and a line for each event."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read import event_subject
from hooktui.log.read.totals import Totals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from hooktui.log.export.exporters import About

    Report = dict[str, Any]

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|#~&!]")
_SUBJECT = 120  # characters of what an event was about


class Markdown:
    """Collects what has to be said, and says it at the end."""

    def __init__(self, about: About) -> None:
        self._about = about
        self._totals = Totals()
        self._denials: list[Sequence[str]] = []
        self._events: list[Sequence[str]] = []

    def add(self, report: Report) -> str:
        """Take one in; nothing is written yet."""
        self._totals.add(report)
        about = event_subject.of_payload(report["payload"])[:_SUBJECT]
        ran = " · ".join(hook["name"] for hook in report["hooks"] if hook["state"] != "skipped")
        moment = report["at"].replace("T", " ").rstrip("Z")
        tool = report["tool_name"] or ""
        self._events.append((moment, report["event"], tool, report["decision"], ran, f"{report['duration_ms']:.0f}", about))
        if report["decision"] in ("deny", "stop"):
            self._denials.append((moment, tool or report["event"], report["reason"] or "", about))
        return ""

    def end(self) -> str:
        """The whole document."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        totals = self._totals
        made = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self._about.made))
        yield "# What hooks decided"
        yield ""
        yield f"Query: {_code(self._about.query) if self._about.query else 'everything'}. Made {made}. Times are UTC."
        if self._about.head:
            yield f"Head of the log: {_code(self._about.head)}, for `hooktui doctor --verify --head …`."
        decisions = ", ".join(f"{count:,} {name}" for name, count in totals.decisions.most_common())
        yield f"{len(self._events):,} events{f': {decisions}' if decisions else ''}; {totals.hook_ms / 1000:,.1f} s in hooks."
        sessions = [(name or "–", host, paths.short(place), f"{n:,}") for (name, host, place), n in totals.sessions.items()]
        yield from _table("Sessions", ("session", "agent", "project", "events"), sessions)
        hooks = [
            (one.name, f"{one.runs:,}", f"{one.failures:,}", f"{one.p50_ms:.0f}", f"{one.p95_ms:.0f}", f"{one.total_ms:,.0f}")
            for one in totals.hooks()
        ]
        yield from _table("Hooks", ("hook", "runs", "failed", "p50 ms", "p95 ms", "total ms"), hooks)
        yield from _table("Denied", ("when", "what", "why", "about"), self._denials)
        yield from _table("Events", ("when", "event", "tool", "decision", "ran", "ms", "about"), self._events)


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table with its title; nothing when it is empty."""
    lines = [_row(map(_text, row)) for row in rows]
    if lines:
        yield from ("", f"## {title}", "", _row(head), _row("---" for _ in head), *lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """A text that stays one: nothing in it is Markdown or HTML."""
    return _SPECIAL.sub(r"\\\g<0>", one_line(text))


def _code(text: str) -> str:
    fence = "`" * (1 + max((len(found) for found in re.findall("`+", text)), default=0))
    return f"{fence} {one_line(text)} {fence}"
