"""The newest runs and skips of each hook version: how often it matched, ran and failed, and what it printed.

At most MOST_RUNS runs and MOST_SKIPS skips are read by index, which takes milliseconds for a log of any size. Synthetic events
do not count.
"""

from __future__ import annotations

import json
from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import ids
from hooktui.log.read.connection import reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import aiosqlite

    Skipped = tuple[int, str, str | None]  # the event, the reason and the tool

MOST_RUNS = 200
MOST_SKIPS = 500
TEXT = 4000  # characters kept of a stream
ENDED = ("ok", "failed", "timeout", "invalid-output")
_UNFINISHED = ("started", "interrupted")
UNMATCHED = ("tool-mismatch", "pattern-mismatch")
# Skips after the matcher has matched (runner/verdict.py).
MATCHED = ("untrusted", "gate-limit", "duplicate", "blocked-earlier")


class LoggedRun(NamedTuple):
    """A run that ended; `at` is in seconds since 1970.

    `problems` are the unusable parts of its answer, or the reasons that it failed. `stdout` is kept if it was read as an
    answer, `stderr` if the run failed, both up to TEXT characters. `is_told`: only a transcript tells of it, and most leave out
    runs that said nothing.
    """

    at: float
    state: str
    decision: str
    exit_code: int | None = None
    signal: int | None = None
    problems: tuple[str, ...] = ()
    stdout: str = ""
    stderr: str = ""
    is_told: bool = False


class RunHistory(NamedTuple):
    """The newest runs of a hook, newest first, and the newest events that it was skipped for.

    `unfinished` counts runs without a known end, `skips` the skips by reason. `tools` are those that its matcher did not match,
    the most frequent first; `unmatched_at` is the time of the last such event, in seconds since 1970.
    """

    runs: tuple[LoggedRun, ...] = ()
    unfinished: int = 0
    skips: Mapping[str, int] = {}
    tools: tuple[str, ...] = ()
    unmatched_at: float = 0.0

    @property
    def matched(self) -> int:
        """Events that its matcher matched, whether it ran or not."""
        return len(self.runs) + self.unfinished + sum(self.skips.get(skip, 0) for skip in MATCHED)

    @property
    def unmatched(self) -> int:
        """Events that its matcher did not match."""
        return sum(self.skips.get(skip, 0) for skip in UNMATCHED)

    @property
    def last_at(self) -> float:
        """The time of the last run or unmatched event, in seconds since 1970."""
        return max(self.runs[0].at if self.runs else 0.0, self.unmatched_at)


async def read(path: str, versions: Sequence[str]) -> dict[str, RunHistory]:
    """Read the histories of hook versions; unknown versions are left out. A missing log has none. Raises LogError."""
    async with reading(path) as connection:
        if connection is None:
            return {}
        known = list(await connection.execute_fetchall(_KNOWN, (json.dumps(versions),)))
        lists = _Lists(connection)
        await lists.open([hook for hook, _ in known])
        return {version: await _history(connection, hook, lists) for hook, version in known}


async def has_events(path: str, project: str, hosts: Sequence[str]) -> bool:
    """Whether agents of some hosts have had events in a project; tries do not count. Raises LogError."""
    async with reading(path) as connection:
        values = {"project": project, "hosts": json.dumps(hosts)}
        return connection is not None and bool(list(await connection.execute_fetchall(_HAS_EVENTS, values)))


class _Lists:
    """The newest events of lists of skipped hooks, each list read once for all of its hooks."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._events: dict[int, list[tuple[int, str | None]]] = {}
        self._of_hook: dict[int, list[tuple[int, int, str]]] = {}  # the newest event, the list and the reason

    async def open(self, hooks: Sequence[int]) -> None:
        for hook, *of_list in await self._connection.execute_fetchall(_LISTS, (json.dumps(hooks),)):
            self._of_hook.setdefault(hook, []).append(tuple(of_list))

    async def add(self, hook: int, skipped: list[Skipped]) -> list[Skipped]:
        """Add the events of a hook's lists to others, newest first; at most MOST_SKIPS."""
        for newest, number, skip in sorted(self._of_hook.get(hook, ()), reverse=True):
            if len(skipped) == MOST_SKIPS and skipped[-1][0] > newest:
                break
            listed = [(event, skip, tool) for event, tool in await self._newest(number)]
            skipped = sorted([*skipped, *listed], key=itemgetter(0), reverse=True)[:MOST_SKIPS]
        return skipped

    async def _newest(self, number: int) -> list[tuple[int, str | None]]:
        if number not in self._events:
            rows = await self._connection.execute_fetchall(OF_LIST, (number,))
            self._events[number] = [(event, tool) for event, tool in rows]
        return self._events[number]


async def _history(connection: aiosqlite.Connection, hook: int, lists: _Lists) -> RunHistory:
    values = {"hook": hook}
    rows = list(await connection.execute_fetchall(RUNS, values))
    own = [(event, skip, tool) for event, skip, tool in await connection.execute_fetchall(SKIPS, values)]
    skipped = await lists.add(hook, own)
    counts = Counter((skip, tool) for _, skip, tool in skipped).most_common()
    tools = dict.fromkeys(tool for (skip, tool), _ in counts if tool and skip in UNMATCHED)
    unmatched = next((event for event, skip, _ in skipped if skip in UNMATCHED), 0)
    runs = tuple(_run(row) for row in rows if row[1] in ENDED)
    skips = Counter(skip for _, skip, _ in skipped)
    return RunHistory(runs, len(rows) - len(runs), skips, tuple(tools), ids.seconds(unmatched) if unmatched else 0.0)


def _run(row: Sequence[Any]) -> LoggedRun:
    number, state, decision, exit_code, signal, problems, stdout, stderr, is_told = row
    texts = tuple(map(str, json.loads(problems))) if problems else ()
    return LoggedRun(ids.seconds(number), state, decision, exit_code, signal, texts, stdout or "", stderr or "", bool(is_told))


_HAS_EVENTS = """
SELECT 1 FROM session WHERE project = as_stored(:project) AND host IN (SELECT value FROM json_each(:hosts))
    AND EXISTS (SELECT 1 FROM dispatch WHERE session = session.id AND synthetic = 0) LIMIT 1"""
_KNOWN = "SELECT id, version FROM hook WHERE version IN (SELECT value FROM json_each(?))"
_OF_HOOK = """
FROM run CROSS JOIN dispatch ON dispatch.id = run.dispatch
WHERE run.hook = :hook AND run.state = '{state}' AND dispatch.synthetic = 0"""
_ROWS = f"""
SELECT run.dispatch, run.state, run.decision, run.exit_code, run.signal,
    CASE WHEN json_valid(run.effects) AND json_type(run.effects, '$.problems') = 'array'
        THEN json_extract(run.effects, '$.problems') END,
    CASE WHEN run.state = 'invalid-output' OR run.effects IS NOT NULL OR run.via IN ('json', 'permission')
        THEN substr(run.stdout, 1, {TEXT}) END,
    CASE WHEN run.state IN ('failed', 'timeout') THEN substr(run.stderr, 1, {TEXT}) END,
    ifnull(run.origin, dispatch.origin) = 'transcript'
{_OF_HOOK}"""
# The index returns each state's runs in order: SQLite merges them and stops at the limit.
RUNS = f"{' UNION ALL '.join(_ROWS.format(state=state) for state in (*ENDED, *_UNFINISHED))} ORDER BY 1 DESC LIMIT {MOST_RUNS}"
SKIPS = f"SELECT dispatch.id, skip, tool {_OF_HOOK.format(state='skipped')} ORDER BY run.dispatch DESC LIMIT {MOST_SKIPS}"
_LISTS = """
SELECT hook, (SELECT ifnull(max(id), 0) FROM dispatch WHERE dispatch.skips = skip.list), list, skip
FROM skip WHERE hook IN (SELECT value FROM json_each(?))"""
OF_LIST = f"SELECT id, tool FROM dispatch WHERE skips = ? AND synthetic = 0 ORDER BY id DESC LIMIT {MOST_SKIPS}"
