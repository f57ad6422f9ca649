"""Sessions as the log knows them: a line in the list, what became of each hook, what was denied and why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.log.read import stored_names
from hooktui.log.read.rows import UNWAITED
from hooktui.log.write.entry import FAILURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.log.read.rows import DispatchRow


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One session. `id` is the row's number in the log, `first` and `last` ids of dispatches, `hook_ms` the agent's waiting.

    `synthetic` is a session of tries, which have one of their own.
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

    @property
    def started(self) -> float:
        """When its first event came, in seconds since 1970."""
        return ids.seconds(self.first)

    @property
    def last_at(self) -> float:
        """When its last event came, in seconds since 1970."""
        return ids.seconds(self.last)

    @property
    def length_s(self) -> float:
        """From its first event to its last, in seconds."""
        return self.last_at - self.started

    @property
    def hook_share(self) -> float:
        """What part of its length agents waited for hooks, 0 to 1. A session of one event is as long as that."""
        hook_s = self.hook_ms / 1000
        return min(hook_s / max(self.length_s, hook_s), 1.0) if hook_s else 0.0


@dataclass(frozen=True, slots=True)
class HookTimes:
    """What one hook did in a session; milliseconds of the runs that ended. `unwaited`: no agent waited for some of them."""

    key: str
    name: str
    runs: int
    failures: int
    p50_ms: float
    p95_ms: float
    total_ms: float
    unwaited: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """A session at a glance: dispatches by decision, denials (the last DENIALS, oldest first), hooks slowest first."""

    decisions: Mapping[str, int]
    denials: Sequence[DispatchRow]
    hooks: Sequence[HookTimes]


SESSIONS = """
SELECT id, name, host, project, first, last, events, denials, failures, hook_ms,
    (SELECT synthetic FROM dispatch WHERE dispatch.id = session.last)
FROM session"""
MATCHING = r"""
WHERE name LIKE :name ESCAPE '\' OR host LIKE :name ESCAPE '\' OR project LIKE :project ESCAPE '\'
ORDER BY {order} DESC, last DESC LIMIT :limit"""
# What sessions can be sorted by, most on top, and the SQL of it.
ORDERS: Mapping[str, str] = {
    "last": "last",
    "began": "first",
    "length": "last - first",
    "events": "events",
    "denials": "denials",
    "failures": "failures",
    "in hooks": "hook_ms",
}
RUNS_OF_SESSION = f"""
SELECT hook.key, hook.name, run.state, run.duration_ms, {UNWAITED}
FROM dispatch JOIN run ON run.dispatch = dispatch.id JOIN hook ON hook.id = run.hook
WHERE dispatch.session = ? AND run.state <> 'skipped' ORDER BY hook.key"""
DENIALS = 200  # how many of a session's denials a summary holds


def holding(text: str) -> Mapping[str, str]:
    """What MATCHING is to look for, as the log has it, when a person looks for a text."""
    return {"name": _like(stored_names.session(text)), "project": _like(stored_names.as_stored(text))}


def _like(text: str) -> str:
    literal = re.sub(r"[\\%_]", r"\\\g<0>", text)
    return f"%{literal}%"


def hook_times(runs: Iterable[tuple[str, str, str, float, bool]]) -> list[HookTimes]:
    """Rows of RUNS_OF_SESSION, hook by hook: those first that agents waited for, the one that took most time on top."""
    times = [_times(key, list(group)) for key, group in groupby(runs, itemgetter(0))]
    return sorted(times, key=lambda one: (one.unwaited, -one.total_ms))


def _times(key: str, runs: Sequence[tuple[str, str, str, float, bool]]) -> HookTimes:
    took = sorted(run[3] for run in runs if run[2] != "started") or [0.0]
    failures = sum(run[2] in FAILURES for run in runs)
    unwaited = any(run[4] for run in runs)
    return HookTimes(key, runs[0][1], len(runs), failures, percentile(took, 50), percentile(took, 95), sum(took), unwaited)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that is not below `percent` of the values (nearest rank); they come in order, and there is one."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


@dataclass(frozen=True, slots=True)
class HookPair:
    """One hook in both sessions; None where it did not run."""

    name: str
    first: HookTimes | None
    second: HookTimes | None

    @property
    def slower_ms(self) -> float | None:
        """How much longer its p95 is in the second; None where it did not run in both."""
        return self.second.p95_ms - self.first.p95_ms if self.first and self.second else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`decisions`: how often each was made in the first and the second; `hooks`: those first that differ most in total time."""

    first: SessionRow
    second: SessionRow
    decisions: Sequence[tuple[str, int, int]]
    hooks: Sequence[HookPair]


def compare(first: tuple[SessionRow, Summary], second: tuple[SessionRow, Summary]) -> Comparison:
    """Put two sessions side by side."""
    (one, of_one), (other, of_other) = first, second
    names = sorted({*of_one.decisions, *of_other.decisions})
    decisions = [(name, of_one.decisions.get(name, 0), of_other.decisions.get(name, 0)) for name in names]
    before, after = ({hook.key: hook for hook in summary.hooks} for summary in (of_one, of_other))
    pairs = [_pair(before.get(key), after.get(key)) for key in before.keys() | after.keys()]
    return Comparison(one, other, decisions, sorted(pairs, key=lambda pair: (-_difference(pair), pair.name)))


def _pair(first: HookTimes | None, second: HookTimes | None) -> HookPair:
    either = first or second
    assert either
    return HookPair(either.name, first, second)


def _difference(pair: HookPair) -> float:
    first, second = (one.total_ms if one else 0.0 for one in (pair.first, pair.second))
    return abs(second - first)
