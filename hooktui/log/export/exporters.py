"""The formats of an export: JSON Lines, CSV and Markdown; the HTML page is in html_report."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.core.report import effect_word
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.log.read import event_subject
from hooktui.log.read.sessions import hook_times

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from hooktui.core.report import LoggedReport
    from hooktui.log.read.sessions import HookTimes

    Exporter = Callable[["ExportHeader", AsyncIterable[LoggedReport]], AsyncIterator[str]]

_FORMULA = tuple("=+-@＝＋－＠")  # characters that begin a formula in a spreadsheet, even after space
_SPACE = ("\t", "\n")
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|#~&!]")
_MAX_SUBJECT = 120  # characters
_COLUMNS = (
    "id", "at", "event", "tool_name", "decision", "reason", "duration_ms", "host", "session_id", "project", "synthetic",
)  # fmt: skip


class ExportHeader(NamedTuple):
    """The query of an export, its time (seconds since 1970), and the log's head at that time (verify.py).

    `of_fleet`: the reports name their machines.
    """

    query: str
    made: float
    head: str = ""
    of_fleet: bool = False


class Totals:
    """The summary of an export: reports counted as they come."""

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()
        self.sessions: Counter[tuple[str, str, str, str]] = Counter()  # machine, name, host, project
        self.hook_ms = 0.0
        self._runs: list[tuple[str, str, str, float, bool]] = []

    def add(self, report: LoggedReport) -> None:
        self.decisions[effect_word(report["effect"])] += 1
        self.sessions[report.get("machine", ""), report["session_id"], report["host"], report["project"]] += 1
        self.hook_ms += report["duration_ms"] or 0.0
        self._runs += _runs(report)

    def hooks(self) -> list[HookTimes]:
        return hook_times(sorted(self._runs, key=itemgetter(0)))


def _runs(report: LoggedReport) -> Iterator[tuple[str, str, str, float, bool]]:
    for run in report["hooks"]:
        if run["state"] != "skipped":
            duration, answered = run["duration_ms"] or 0.0, report["duration_ms"] or 0.0
            unwaited = run["state"] == "started" or run["started_ms"] + duration > answered + 0.001
            yield run["id"], run["label"], run["state"], duration, unwaited


async def json_lines(_header: ExportHeader, reports: AsyncIterable[LoggedReport]) -> AsyncIterator[str]:
    """One report per line, as `log --json` prints it."""
    async for report in reports:
        yield json.dumps(report) + "\n"


async def csv_lines(header: ExportHeader, reports: AsyncIterable[LoggedReport]) -> AsyncIterator[str]:
    """The column names, then one dispatch per line, for spreadsheets: no cell begins a formula."""
    yield _csv_line([*_COLUMNS, "ran", "not_ran", "effect", "origin", *(["machine"] if header.of_fleet else [])])
    async for report in reports:
        skipped = [f"{hook['label']} ({hook['skip']})" for hook in report["hooks"] if hook["state"] == "skipped"]
        fields: Mapping[str, object] = report
        cells = [
            *(fields[name] for name in _COLUMNS),
            "; ".join(_ran(report)),
            "; ".join(skipped),
            report["effect"],
            report["origin"],
            *([report.get("machine", "")] if header.of_fleet else []),
        ]
        yield _csv_line([_csv_cell(value) for value in cells])


def _csv_cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_SPACE) or text.lstrip().startswith(_FORMULA) else text


def _csv_line(cells: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


async def markdown(header: ExportHeader, reports: AsyncIterable[LoggedReport]) -> AsyncIterator[str]:
    """A summary, the denials with their reasons, and a table of all events."""
    totals = Totals()
    denials: list[Sequence[str]] = []
    events: list[Sequence[str]] = []
    async for report in reports:
        totals.add(report)
        subject = event_subject.of_payload(report["payload"])[:_MAX_SUBJECT]
        time_text = report["at"].replace("T", " ").rstrip("Z")
        tool, duration = report["tool_name"] or "", _rounded(report["duration_ms"])
        effect = effect_word(report["effect"])
        machine = [report.get("machine", "")] if header.of_fleet else []
        events.append((time_text, *machine, report["event"], tool, effect, " · ".join(_ran(report)), duration, subject))
        if report["decision"] in ("deny", "stop"):
            denials.append((time_text, *machine, tool or report["event"], report["reason"] or "", subject))
    place = ("Time", "Machine") if header.of_fleet else ("Time",)
    lines = [
        *_summary(header, totals, len(events)),
        *_table("Denials", (*place, "Tool", "Reason", "Subject"), denials),
        *_table("Events", (*place, "Event", "Tool", "Decision", "Hooks", "ms", "Subject"), events),
    ]
    yield "\n".join(lines) + "\n"


def _summary(header: ExportHeader, totals: Totals, events: int) -> Iterator[str]:
    created = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(header.made))
    yield "# Hook decisions"
    yield ""
    yield f"Query: {_code(header.query) if header.query else 'all events'}. Created {created}. Times are in UTC."
    if header.head:
        yield f"Log head: {_code(header.head)}, for `hooktui doctor --verify --head …`."
    decisions = ", ".join(f"{count:,} {name}" for name, count in totals.decisions.most_common())
    yield f"{events:,} events{f': {decisions}' if decisions else ''}; {totals.hook_ms / 1000:,.1f} s in hooks."
    place = ("Machine",) if header.of_fleet else ()
    sessions = [
        (*((machine,) if header.of_fleet else ()), name or "–", host, paths.short(project), f"{n:,}")
        for (machine, name, host, project), n in totals.sessions.items()
    ]
    yield from _table("Sessions", (*place, "Session", "Agent", "Project", "Events"), sessions)
    hooks = [
        (hook.name, f"{hook.runs:,}", f"{hook.failures:,}", *map(_rounded, (hook.p50_ms, hook.p95_ms, hook.total_ms)))
        for hook in totals.hooks()
    ]
    yield from _table("Hooks", ("Hook", "Runs", "Failed", "p50 ms", "p95 ms", "Total ms"), hooks)


def _rounded(milliseconds: float | None) -> str:
    """A duration, or a dash where none is known."""
    return f"{milliseconds:,.0f}" if milliseconds else "–"


def _ran(report: LoggedReport) -> list[str]:
    return [hook["label"] for hook in report["hooks"] if hook["state"] != "skipped"]


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table with its title; nothing if it is empty."""
    lines = [_row(map(_escape, row)) for row in rows]
    if lines:
        yield from ("", f"## {title}", "", _row(head), _row("---" for _ in head), *lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", one_line(text))


def _code(text: str) -> str:
    fence = "`" * (1 + max((len(ticks) for ticks in re.findall("`+", text)), default=0))
    return f"{fence} {one_line(text)} {fence}"


def best(report: LoggedReport) -> str:
    """The most useful text: the tool's command or file, else the id."""
    return (report["tool_name"] and event_subject.of_payload(report["payload"])) or str(report["id"])


def json_of(value: Any) -> str:
    """Format a value as JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)
