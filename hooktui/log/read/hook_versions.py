"""The whole history of a hook: run counts, latency, and the versions of its text with their differences.

Counted from the index of runs, in some 100 ms for a million events; the latency is that of its newest LATENCIES runs. Synthetic
events do not count.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import dedent
from typing import NamedTuple

import aiosqlite

from hooktui.core import ids
from hooktui.log.read.connection import default_path, reading
from hooktui.log.read.hook_history import ENDED, MATCHED, UNMATCHED
from hooktui.log.read.sessions import percentile

LATENCIES = 1000
TOLD = "transcript:"  # before a version that only a transcript tells of: its text is not recorded
_SCRIPT = "\n--- "  # before the name of each script


class HookVersion(NamedTuple):
    """One text of a hook, the time during which it was considered (seconds since 1970), and how often."""

    version: str
    text: str
    first: float
    last: float
    considered: int


class HookLifetime(NamedTuple):
    """The whole history of a hook.

    `states` counts runs by their end, `skipped` included; `denied` counts events that it denied. `told` counts the runs that
    only transcripts tell of, which leave out most that said nothing. `last_matched` is the last time that its matcher matched,
    0 for never, and `unmatched_since` the number of events since that it did not match. `versions`, as far as their text is
    known, are in order of time.
    """

    states: Mapping[str, int]
    denied: int
    last_matched: float
    unmatched_since: int
    versions: tuple[HookVersion, ...]
    p50_ms: float
    p95_ms: float
    told: int = 0

    @property
    def considered(self) -> int:
        return sum(self.states.values())

    @property
    def ran(self) -> int:
        return self.considered - self.states.get("skipped", 0)


async def read(path: str | None, identity: str, file: str) -> HookLifetime | None:
    """Read the history of the hook of a file, by its identity; None if the log does not have it.

    `path` None means the default log. Raises LogError.
    """
    async with reading(path or default_path()) as connection:
        return await _lifetime(connection, {"key": identity, "file": file}) if connection else None


def difference(before: str, after: str) -> str:
    """A unified diff of two texts; "" if they are equal."""
    return _unified(outdented(before), outdented(after)) or _unified(before, after)


def outdented(text: str) -> str:
    """The text of a hook; the lines of an entry, which begins in the middle of a line, are moved below its beginning."""
    entry, script, others = text.partition(_SCRIPT)
    first, line_feed, rest = entry.partition("\n")
    return first + line_feed + dedent(rest) + script + others


def _unified(before: str, after: str) -> str:
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm=""))


def changes(versions: Sequence[HookVersion]) -> list[tuple[HookVersion, str]]:
    """Each version but the first with its diff from the previous text; "" if only other fields of the hook changed."""
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
    texts = {number: (version, text) for number, version, text in await connection.execute_fetchall(_TEXTS, hook)}
    known = ((texts[version], counts) for version, counts in spans.items() if not texts[version][0].startswith(TOLD))
    versions = sorted((_version(*text, counts) for text, counts in known), key=lambda item: item.first)
    (denied,) = next(iter(await connection.execute_fetchall(_DENIED, hook)))
    (told,) = next(iter(await connection.execute_fetchall(_TOLD, hook)))
    (matched,) = next(iter(await connection.execute_fetchall(_MATCHED, hook)))
    (unmatched,) = next(iter(await connection.execute_fetchall(_SINCE, {**hook, "matched": matched})))
    latencies = sorted(row[0] for row in await connection.execute_fetchall(_LATENCIES, hook)) or [0.0]
    p50_ms, p95_ms = percentile(latencies, 50), percentile(latencies, 95)
    last_matched = ids.seconds(matched) if matched else 0.0
    return HookLifetime(states, denied, last_matched, unmatched, tuple(versions), p50_ms, p95_ms, told)


def _version(version: str, text: str, spans: Sequence[tuple[int, int, int]]) -> HookVersion:
    """`spans`: count, first and last id for each state."""
    counts, first, last = zip(*spans, strict=True)
    return HookVersion(version, text, ids.seconds(min(first)), ids.seconds(max(last)), sum(counts))


_OF_HOOK = "key = as_stored(:key) AND file = as_stored(:file)"
_HOOKS = f"(SELECT id FROM hook WHERE {_OF_HOOK})"
_RUNS = f"FROM run CROSS JOIN dispatch ON dispatch.id = run.dispatch WHERE run.hook IN {_HOOKS} AND dispatch.synthetic = 0"
# Those that were skipped in lists.
_SKIPS = f"FROM skip CROSS JOIN dispatch ON dispatch.skips = skip.list WHERE skip.hook IN {_HOOKS} AND dispatch.synthetic = 0"
_COUNTED = f"""
SELECT run.hook, run.state, count(*), min(run.dispatch), max(run.dispatch) {_RUNS} GROUP BY run.hook, run.state UNION ALL
SELECT skip.hook, 'skipped', count(*), min(dispatch.id), max(dispatch.id) {_SKIPS} GROUP BY skip.hook"""
_TEXTS = f"SELECT id, version, text FROM hook WHERE {_OF_HOOK}"
_DENIED = f"""
SELECT count(*) FROM dispatch CROSS JOIN run ON run.dispatch = dispatch.id
WHERE dispatch.decision <> 'none' AND dispatch.decision IN ('deny', 'stop') AND dispatch.synthetic = 0
    AND run.decision IN ('deny', 'stop') AND run.hook IN {_HOOKS}"""
_TOLD = f"SELECT count(*) {_RUNS} AND ifnull(run.origin, dispatch.origin) = 'transcript'"
_DID, _DID_NOT = (", ".join(f"'{skip}'" for skip in skips) for skips in (MATCHED, UNMATCHED))
_MATCHED = f"""
SELECT max((SELECT ifnull(max(run.dispatch), 0) {_RUNS} AND (run.state <> 'skipped' OR run.skip IN ({_DID}))),
    (SELECT ifnull(max(dispatch.id), 0) {_SKIPS} AND skip.skip IN ({_DID})))"""
_SINCE = f"""
SELECT (SELECT count(*) {_RUNS} AND run.state = 'skipped' AND run.skip IN ({_DID_NOT}) AND run.dispatch > :matched)
    + (SELECT count(*) {_SKIPS} AND skip.skip IN ({_DID_NOT}) AND dispatch.id > :matched)"""
_LATENCIES = f"""
SELECT run.duration_ms {_RUNS} AND run.state IN ({", ".join(f"'{state}'" for state in ENDED)})
ORDER BY run.dispatch DESC LIMIT {LATENCIES}"""
