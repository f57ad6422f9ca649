"""The formats of an export: JSON Lines, CSV and Markdown; the HTML page is in html_report."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.read import event_subject
from hooktui.log.read.sessions import hook_times

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from hooktui.log.read.sessions import HookTimes

    Report = dict[str, Any]

_FORMULA = tuple("=+-@＝＋－＠")  # what a spreadsheet would take for one, also behind space
_SPACE = ("\t", "\n")
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|#~&!]")
_SUBJECT = 120  # characters of what an event was about


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """What is exported, and when (seconds since 1970); `head` is that of the log then (verify.py)."""

    query: str
    made: float
    head: str = ""


class Exporter(Protocol):
    """Turns reports into a text, piece by piece."""

    def add(self, report: Report) -> str:
        """What can be written now that this one has come."""

    def end(self) -> str:
        """The rest."""


class Totals:
    """Counts reports as they come."""

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()
        self.sessions: Counter[tuple[str, str, str]] = Counter()  # name, host, project
        self.hook_ms = 0.0
        self.first = ""
        self.last = ""
        self._runs: list[tuple[str, str, str, float, bool]] = []

    def add(self, report: Report) -> None:
        """Count one more; they come oldest first."""
        self.decisions[report["decision"]] += 1
        self.sessions[report["session_id"], report["host"], report["project"]] += 1
        self.hook_ms += report["duration_ms"]
        self.first = self.first or report["at"]
        self.last = report["at"]
        self._runs += _runs(report)

    def hooks(self) -> list[HookTimes]:
        """Each hook's runs, as a session's summary has them."""
        return hook_times(sorted(self._runs, key=itemgetter(0)))


def _runs(report: Report) -> Iterator[tuple[str, str, str, float, bool]]:
    for run in report["hooks"]:
        if run["state"] != "skipped":
            unwaited = run["state"] == "started" or run["started_ms"] + run["duration_ms"] > report["duration_ms"] + 0.001
            yield run["id"], run["name"], run["state"], run["duration_ms"], unwaited


class JsonLines:
    """One report a line, as `log --json` prints it."""

    def __init__(self, about: ExportHeader) -> None:
        del about  # each line stands for itself

    def add(self, report: Report) -> str:
        """Its line."""
        return json.dumps(report) + "\n"

    def end(self) -> str:
        """Nothing more."""
        return ""


class Csv:
    """One dispatch a line, for spreadsheets: no cell begins like a formula."""

    COLUMNS = (
        "id", "at", "event", "tool_name", "decision", "reason", "duration_ms", "host", "session_id", "project", "synthetic",
    )  # fmt: skip

    def __init__(self, about: ExportHeader) -> None:
        del about
        self._head = [*self.COLUMNS, "ran", "not_ran"]

    def add(self, report: Report) -> str:
        """Its line; the names of the columns before the first."""
        ran = [hook["name"] for hook in report["hooks"] if hook["state"] != "skipped"]
        skipped = [f"{hook['name']} ({hook['skip']})" for hook in report["hooks"] if hook["state"] == "skipped"]
        cells = [*(report[name] for name in self.COLUMNS), "; ".join(ran), "; ".join(skipped)]
        head, self._head = self._head, []
        return (_csv_line(head) if head else "") + _csv_line([_cell(value) for value in cells])

    def end(self) -> str:
        """The names of the columns, where there was nothing."""
        return _csv_line(self._head) if self._head else ""


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_SPACE) or text.lstrip().startswith(_FORMULA) else text


def _csv_line(cells: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


class Markdown:
    """Collects what has to be said, and says it at the end."""

    def __init__(self, about: ExportHeader) -> None:
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
