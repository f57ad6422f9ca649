"""A hook over all the time that the log knows it: how often it did what, how long it took, when its text changed and how.

Counted from the index of runs, which a million events make some hundred milliseconds; only latencies are those of its newest
LATENCIES runs. Synthetic events do not count.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.log.read.connection import default_path, explained, open_readonly
from hooktui.log.read.hook_history import ENDED, UNMATCHED
from hooktui.log.read.sessions import percentile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import aiosqlite

LATENCIES = 10_000
BUCKETS = 24


@dataclass(frozen=True, slots=True)
class HookVersion:
    """One text of a hook that the log knows, from when until when it was considered (seconds since 1970), and how often."""

    version: str
    text: str
    first: float
    last: float
    considered: int


@dataclass(frozen=True, slots=True)
class LatencyBucket:
    """The runs that began within a span of time (seconds since 1970); milliseconds of those."""

    start: float
    end: float
    runs: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class HookLifetime:
    """All that became of a hook.

    `states` counts runs by how they ended, `skipped` among them; `denied` are events that it denied. `last_matched` is when it
    was last considered and not kept out by its matcher, 0 for never, and `unmatched_since` how many events of its kind came
    after that. `versions` and `buckets` come oldest first.
    """

    states: Mapping[str, int]
    denied: int
    last_matched: float
    unmatched_since: int
    versions: tuple[HookVersion, ...]
    buckets: tuple[LatencyBucket, ...]

    @property
    def considered(self) -> int:
        """Events of its kind."""
        return sum(self.states.values())

    @property
    def ran(self) -> int:
        """Those that it ran on."""
        return self.considered - self.states.get("skipped", 0)


async def read(path: str | None, keys: Sequence[str], file: str) -> HookLifetime | None:
    """The lifetime of the hook of a file, by the ids under which the log may have it; None when the log does not know it.

    `path` None is the usual log. Raises LogError.
    """
    path = path or default_path()
    connection = await open_readonly(path)
    if connection is None:
        return None
    async with explained(path):
        try:
            return await _lifetime(connection, {"keys": json.dumps(keys), "file": file})
        finally:
            await connection.close()


def difference(before: str, after: str) -> str:
    """What one text changed of another, as a unified diff; "" when nothing."""
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm=""))


def changes(versions: Sequence[HookVersion]) -> list[tuple[HookVersion, str]]:
    """Each version but the first with what it changed of the text before; "" when only something else about the hook did."""
    return [(after, difference(before.text, after.text)) for before, after in pairwise(versions)]


async def _lifetime(connection: aiosqlite.Connection, hook: Mapping[str, str]) -> HookLifetime | None:
    counted = list(await connection.execute_fetchall(_COUNTED, hook))
    if not counted:
        return None
    states: dict[str, int] = {}
    spans: dict[int, list[tuple[int, int, int]]] = {}
    for version, state, count, first, last in counted:
        states[state] = states.get(state, 0) + count
        spans.setdefault(version, []).append((count, first, last))
    texts = {row[0]: row[1:] for row in await connection.execute_fetchall(_TEXTS, hook)}
    versions = [_version(texts[version], seen) for version, seen in spans.items()]
    (denied,) = next(iter(await connection.execute_fetchall(_DENIED, hook)))
    (matched,) = next(iter(await connection.execute_fetchall(_MATCHED, hook)))
    (unmatched,) = next(iter(await connection.execute_fetchall(_SINCE, {**hook, "matched": matched})))
    latencies = [(ids.seconds(row[0]), row[1]) for row in await connection.execute_fetchall(_LATENCIES, hook)]
    ordered = tuple(sorted(versions, key=lambda one: one.first))
    return HookLifetime(states, denied, ids.seconds(matched) if matched else 0.0, unmatched, ordered, tuple(buckets(latencies)))


def _version(row: Sequence[str], seen: Sequence[tuple[int, int, int]]) -> HookVersion:
    """A row of _TEXTS; `seen`: how often it was considered, first and last, by how that ended."""
    version, text = row
    counts, first, last = zip(*seen, strict=True)
    return HookVersion(version, text, ids.seconds(min(first)), ids.seconds(max(last)), sum(counts))


def buckets(latencies: Iterable[tuple[float, float]]) -> list[LatencyBucket]:
    """Moments and milliseconds, in any order, as at most BUCKETS spans of the same length; those without a run are left out."""
    known = sorted(latencies)
    if not known:
        return []
    first = known[0][0]
    length = max((known[-1][0] - first) / BUCKETS, 0.001)
    spans: dict[int, list[float]] = {}
    for moment, took in known:
        spans.setdefault(min(int((moment - first) / length), BUCKETS - 1), []).append(took)
    return [_bucket(first + place * length, length, sorted(took)) for place, took in spans.items()]


def _bucket(start: float, length: float, took: Sequence[float]) -> LatencyBucket:
    return LatencyBucket(start, start + length, len(took), percentile(took, 50), percentile(took, 95))


_OF_HOOK = "key IN (SELECT as_stored(value) FROM json_each(:keys)) AND file = as_stored(:file)"
_HOOKS = f"(SELECT id FROM hook WHERE {_OF_HOOK})"
_RUNS = f"FROM run CROSS JOIN dispatch ON dispatch.id = run.dispatch WHERE run.hook IN {_HOOKS} AND dispatch.synthetic = 0"
_COUNTED = f"SELECT run.hook, run.state, count(*), min(run.dispatch), max(run.dispatch) {_RUNS} GROUP BY run.hook, run.state"
_TEXTS = f"SELECT id, version, text FROM hook WHERE {_OF_HOOK}"
_DENIED = f"""
SELECT count(*) FROM dispatch CROSS JOIN run ON run.dispatch = dispatch.id
WHERE dispatch.decision <> 'none' AND dispatch.decision IN ('deny', 'stop') AND dispatch.synthetic = 0
    AND run.decision IN ('deny', 'stop') AND run.hook IN {_HOOKS}"""
_NOT_MATCHED = ", ".join(f"'{skip}'" for skip in UNMATCHED)
_MATCHED = f"SELECT ifnull(max(run.dispatch), 0) {_RUNS} AND (run.state <> 'skipped' OR run.skip NOT IN ({_NOT_MATCHED}))"
_SINCE = f"SELECT count(*) {_RUNS} AND run.state = 'skipped' AND run.dispatch > :matched"
_LATENCIES = f"""
SELECT run.dispatch, run.duration_ms {_RUNS} AND run.state IN ({", ".join(f"'{state}'" for state in ENDED)})
ORDER BY run.dispatch DESC LIMIT {LATENCIES}"""
