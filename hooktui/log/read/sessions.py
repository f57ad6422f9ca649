"""Sessions: rows of the list, summaries with denials and hook times, and comparisons of two sessions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.read.connection import as_stored, stored_session
from hooktui.log.read.rows import UNWAITED, DispatchRow

SessionKey = tuple[str, str]


class SessionRow(NamedTuple):
    """One session. `id` is its row in the log, `first` and `last` are ids of dispatches, `hook_ms` is the time spent in hooks.

    `title` is the first line of its first prompt, "" without one. `calls` is the number of tool calls.
    `synthetic`: the session holds tries, not events of an agent. `transcript`: the path of the transcript of a session that is
    not in the log yet, whose `id` is negative. `machine` is "" in a log of this machine.
    """

    id: int
    name: str
    host: str
    project: str
    first: int
    last: int
    events: int
    denials: int
    failures: int
    hook_ms: float
    synthetic: bool = False
    title: str = ""
    transcript: str = ""
    machine: str = ""
    calls: int = 0

    @property
    def key(self) -> SessionKey:
        return self.host, self.name

    @property
    def label(self) -> str:
        """Its title, else its ID. Tries share one session in each project and agent program."""
        return "Tries" if self.synthetic else self.title or self.name or "–"

    @property
    def has_trouble(self) -> bool:
        """Whether an agent's event was denied, or a hook failed on one."""
        return not self.synthetic and bool(self.denials or self.failures)

    @property
    def started(self) -> float:
        """The time of its first event, in seconds since 1970."""
        return ids.seconds(self.first)

    @property
    def last_at(self) -> float:
        """The time of its last event, in seconds since 1970."""
        return ids.seconds(self.last)

    @property
    def length_s(self) -> float:
        """Seconds from its first event to its last."""
        return self.last_at - self.started

    @property
    def hook_share(self) -> float:
        """The share of its length spent waiting for hooks, 0 to 1. A session with one event is as long as that event."""
        hook_s = self.hook_ms / 1000
        return min(hook_s / max(self.length_s, hook_s), 1.0) if hook_s else 0.0


class HookTimes(NamedTuple):
    """A hook's runs in a session, with the milliseconds of those that ended. `unwaited`: some were async."""

    key: str
    name: str
    runs: int
    failures: int
    p50_ms: float
    p95_ms: float
    total_ms: float
    unwaited: bool


class Summary(NamedTuple):
    """The summary of a session: dispatches by effect, the last DENIALS denials, hooks by total time.

    `overruled` counts denials that nobody obeyed; they are among the denials.
    """

    decisions: Mapping[str, int]
    denials: Sequence[DispatchRow]
    hooks: Sequence[HookTimes]
    overruled: int = 0


TRIES = "(SELECT synthetic FROM dispatch WHERE dispatch.id = session.last)"  # whether a session holds tries
# Calls, by their first events or their last where only those are known; the index alone answers.
_OF_SESSION = "SELECT count(*) FROM dispatch WHERE dispatch.session = session.id AND event"
CALLS = f"max(({_OF_SESSION} = 'pre-tool-call'), ({_OF_SESSION} IN ('post-tool-call', 'post-tool-call-failure')))"
# Denials that nobody obeyed stand among the failures of the list. With the plus sign they are found by the index of them alone.
_FROM = """FROM session LEFT JOIN (
    SELECT dispatch.session AS of, count(*) AS ignored FROM dispatch WHERE overruled GROUP BY +dispatch.session
) AS denials_ignored ON denials_ignored.of = session.id"""
_FAILURES = "session.failures + ifnull(ignored, 0)"
SESSIONS = f"""
SELECT id, name, host, project, first, last, events, denials, {_FAILURES} AS failures, hook_ms,
    {TRIES}, '' AS title, '' AS transcript, '' AS machine, {CALLS} AS calls
{_FROM}"""
_TITLE_LENGTH = 200  # characters
# `subject` and `day` are SQL functions of ours (connection.py).
# For min(id), SQLite would rather read every prompt of the log by its event.
TITLE = f"""ifnull(nullif(session.title, ''), (
    SELECT substr(subject(payload), 1, {_TITLE_LENGTH}) FROM content WHERE content.id = (
        SELECT min(dispatch.id) FROM dispatch INDEXED BY dispatch_session
        WHERE dispatch.session = session.id AND dispatch.event = 'pre-agent-turn')))"""
# What is counted in other tables is only counted for the sessions that are listed, unless they are sorted by it.
_MATCHING = f"""
WHERE id IN (
    SELECT id {_FROM}
    WHERE ({{words}})
        AND (:among IS NULL OR id IN (SELECT value FROM json_each(:among)))
        AND (:here IS NULL OR project = as_stored(:here))
        AND (NOT :trouble OR (denials > 0 OR {_FAILURES} > 0) AND NOT {TRIES})
    ORDER BY {{order}} DESC, last DESC LIMIT :limit)
ORDER BY {{order}} DESC, last DESC"""
_HAS_WORD = rf"""(name LIKE :name{{0}} ESCAPE '\' OR host LIKE :name{{0}} ESCAPE '\' OR project LIKE :project{{0}} ESCAPE '\'
    OR day(last) LIKE :text{{0}} ESCAPE '\' OR {TITLE} LIKE :text{{0}} ESCAPE '\')"""
# Sort keys of the session list, all descending, as SQL.
ORDERS: Mapping[str, str] = {
    "last": "last",
    "length": "last - first",
    "calls": CALLS,
    "denials": "denials",
    "failures": _FAILURES,
    "in hooks": "hook_ms",
}
# The same of a row.
SORT_KEYS: Mapping[str, Callable[[SessionRow], float]] = {
    "last": lambda row: row.last,
    "length": lambda row: row.last - row.first,
    "calls": lambda row: row.calls,
    "denials": lambda row: row.denials,
    "failures": lambda row: row.failures,
    "in hooks": lambda row: row.hook_ms,
}
RUNS_OF_SESSION = f"""
SELECT hook.key, ifnull(hook.label, hook.name), run.state, run.duration_ms, {UNWAITED}
FROM dispatch JOIN run ON run.dispatch = dispatch.id JOIN hook ON hook.id = run.hook
WHERE dispatch.session = ? AND run.state <> 'skipped' ORDER BY hook.key"""
DENIALS = 200  # in a summary


def matching(text: str, order: str) -> tuple[str, Mapping[str, str]]:
    """The SQL that selects and orders sessions with every word of a typed text, and the parameters of these words."""
    words = dict(enumerate(text.split()))
    spellings: Mapping[str, Callable[[str], str]] = {"name": stored_session, "project": as_stored, "text": str}
    values = {f"{name}{at}": _like(stored(word)) for at, word in words.items() for name, stored in spellings.items()}
    return _MATCHING.format(words=" AND ".join(map(_HAS_WORD.format, words)) or "1", order=ORDERS[order]), values


def title(prompt: str | None) -> str:
    """The title of a session with this first prompt: its first line."""
    return next((line.strip() for line in (prompt or "").splitlines() if line.strip()), "")


def _like(text: str) -> str:
    literal = re.sub(r"[\\%_]", r"\\\g<0>", text)
    return f"%{literal}%"


def hook_times(runs: Iterable[tuple[str, str, str, float, bool]]) -> list[HookTimes]:
    """Aggregate rows of RUNS_OF_SESSION by hook: awaited hooks first, then by total time."""
    times = [_times(key, list(group)) for key, group in groupby(runs, itemgetter(0))]
    return sorted(times, key=lambda hook: (hook.unwaited, -hook.total_ms))


def _times(key: str, runs: Sequence[tuple[str, str, str, float, bool]]) -> HookTimes:
    durations = sorted(run[3] for run in runs if run[2] != "started" and run[3]) or [0.0]  # not those that nobody tells
    failures = sum(run[2] in FAILURES for run in runs)
    unwaited = any(run[4] for run in runs)
    p50, p95 = percentile(durations, 50), percentile(durations, 95)
    return HookTimes(key, runs[0][1], len(runs), failures, p50, p95, sum(durations), unwaited)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile of sorted values, of which there is at least one."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


class HookPair(NamedTuple):
    """One hook in two sessions; None where it did not run."""

    name: str
    first: HookTimes | None
    second: HookTimes | None

    @property
    def slower_ms(self) -> float | None:
        """The increase of its p95 in the second session; None unless it ran in both."""
        return self.second.p95_ms - self.first.p95_ms if self.first and self.second else None


class Comparison(NamedTuple):
    """Two sessions compared: the counts of each decision, and the hooks by their difference in total time."""

    first: SessionRow
    second: SessionRow
    decisions: Sequence[tuple[str, int, int]]
    hooks: Sequence[HookPair]


def compare(first: tuple[SessionRow, Summary], second: tuple[SessionRow, Summary]) -> Comparison:
    """Compare two sessions."""
    (first_row, first_summary), (second_row, second_summary) = first, second
    counts, second_counts = first_summary.decisions, second_summary.decisions
    decisions = [(name, counts.get(name, 0), second_counts.get(name, 0)) for name in sorted({*counts, *second_counts})]
    before, after = ({hook.key: hook for hook in summary.hooks} for summary in (first_summary, second_summary))
    names = {key: hook.name for key, hook in (after | before).items()}
    pairs = [HookPair(name, before.get(key), after.get(key)) for key, name in names.items()]
    return Comparison(first_row, second_row, decisions, sorted(pairs, key=lambda pair: (-_difference(pair), pair.name)))


def _difference(pair: HookPair) -> float:
    first, second = (hook.total_ms if hook else 0.0 for hook in (pair.first, pair.second))
    return abs(second - first)
