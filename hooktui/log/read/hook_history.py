"""What became of hooks lately, each version of one by itself: how often it matched, ran and failed, and what it printed then.

Only the newest runs and skips of a hook are looked at, by the index of its runs: a log of any size is read in some
milliseconds. Synthetic events do not count.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hooktui.core import ids
from hooktui.log.read.connection import explained, open_readonly

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    import aiosqlite

MOST_RUNS = 200
MOST_SKIPS = 500
TEXT = 4000  # characters kept of a stream
ENDED = ("ok", "failed", "timeout", "invalid-output")
_UNFINISHED = ("started", "interrupted")
UNMATCHED = ("tool-mismatch", "pattern-mismatch")
# Skips that come after the matcher has said yes (runner/verdict.py).
_MATCHED = ("untrusted", "gate-limit", "duplicate", "blocked-earlier")


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """One run that ended; `at` is in seconds since 1970.

    `problems` are what of its answer could not be used, or why it failed. `stdout` is kept where it was read as an answer,
    `stderr` where the run failed, both up to TEXT characters.
    """

    at: float
    state: str
    decision: str
    exit_code: int | None = None
    signal: int | None = None
    problems: tuple[str, ...] = ()
    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class RunHistory:
    """The newest MOST_RUNS runs of a hook, and the newest MOST_SKIPS events that it was considered for and not run on.

    `ran` comes newest first. `unfinished` are runs whose end is not known, `skips` how often it was skipped for which reason.
    `tools` are those that its matcher did not want, the most frequent first; `unmatched_at` is when it did not match last, in
    seconds since 1970.
    """

    ran: tuple[LoggedRun, ...] = ()
    unfinished: int = 0
    skips: Mapping[str, int] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    unmatched_at: float = 0.0

    @property
    def matched(self) -> int:
        """Events that its matcher wanted, whatever kept it from running then."""
        return len(self.ran) + self.unfinished + sum(self.skips.get(skip, 0) for skip in _MATCHED)

    @property
    def unmatched(self) -> int:
        """Events of its kind that its matcher did not want."""
        return sum(self.skips.get(skip, 0) for skip in UNMATCHED)

    @property
    def considered(self) -> int:
        """Events that its matcher was asked about."""
        return self.matched + self.unmatched

    @property
    def last_at(self) -> float:
        """When it ran or did not match last, in seconds since 1970."""
        return max(self.ran[0].at if self.ran else 0.0, self.unmatched_at)

    def count(self, state: str) -> int:
        """How many of the runs ended in a state."""
        return sum(run.state == state for run in self.ran)


async def read(path: str, versions: Sequence[str]) -> dict[str, RunHistory]:
    """The histories of hooks by their version; those that the log does not know are left out.

    Raises LogError; a missing log knows nothing.
    """
    connection = await open_readonly(path)
    if connection is None:
        return {}
    async with explained(path):
        try:
            known = await connection.execute_fetchall(_KNOWN, (json.dumps(versions),))
            return {version: await _history(connection, hook) for hook, version in known}
        finally:
            await connection.close()


async def _history(connection: aiosqlite.Connection, hook: int) -> RunHistory:
    values = {"hook": hook}
    runs = list(await connection.execute_fetchall(RUNS, values))
    skips: dict[str, int] = {}
    tools: list[str] = []
    unmatched = 0
    for skip, tool, count, last in await connection.execute_fetchall(SKIPS, values):
        skips[skip] = skips.get(skip, 0) + count
        if skip in UNMATCHED:
            unmatched = max(unmatched, last)
            tools += [tool] if tool and tool not in tools else []
    ran = tuple(_ran(row) for row in runs if row[1] in ENDED)
    return RunHistory(ran, len(runs) - len(ran), skips, tuple(tools), ids.seconds(unmatched) if unmatched else 0.0)


def _ran(row: Sequence[Any]) -> LoggedRun:
    number, state, decision, exit_code, signal, problems, stdout, stderr = row
    said = json.loads(problems) if problems else ()
    return LoggedRun(ids.seconds(number), state, decision, exit_code, signal, tuple(map(str, said)), stdout or "", stderr or "")


_KNOWN = "SELECT id, version FROM hook WHERE version IN (SELECT value FROM json_each(?))"
_OF_HOOK = """
FROM run CROSS JOIN dispatch ON dispatch.id = run.dispatch
WHERE run.hook = :hook AND run.state = '{state}' AND dispatch.synthetic = 0"""
_RUN = f"""
SELECT run.dispatch, run.state, run.decision, run.exit_code, run.signal,
    CASE WHEN json_valid(run.effects) AND json_type(run.effects, '$.problems') = 'array'
        THEN json_extract(run.effects, '$.problems') END,
    CASE WHEN run.state = 'invalid-output' OR run.effects IS NOT NULL OR run.via IN ('json', 'permission')
        THEN substr(run.stdout, 1, {TEXT}) END,
    CASE WHEN run.state IN ('failed', 'timeout') THEN substr(run.stderr, 1, {TEXT}) END
{_OF_HOOK}"""
# Each state's runs come in order from the index: SQLite merges them and stops at the limit.
RUNS = f"{' UNION ALL '.join(_RUN.format(state=state) for state in (*ENDED, *_UNFINISHED))} ORDER BY 1 DESC LIMIT {MOST_RUNS}"
SKIPS = f"""
SELECT skip, tool, count(*) AS times, max(id)
FROM (SELECT skip, tool, dispatch.id {_OF_HOOK.format(state="skipped")} ORDER BY run.dispatch DESC LIMIT {MOST_SKIPS})
GROUP BY skip, tool ORDER BY times DESC"""
