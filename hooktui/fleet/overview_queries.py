"""What an overview asks of a fleet's table: one bounded statement each.

Collectors store a record at least once, and a dispatch again when one of its hooks ends later. Hooks only ever go from started
to ended, so that counting ids, not records, counts each dispatch as its highest sequence has it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.fleet.clickhouse_client import ClickHouse
from hooktui.fleet.clickhouse_conditions import BoundValues, Conditions
from hooktui.fleet.clickhouse_table import TEAM, USER
from hooktui.fleet.rule_presence import KEPT
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import Query
from hooktui.log.read.terms import NOT_OF_A_FLEET, QueryError

Rows = Sequence[Sequence[Any]]
_DAY_S = 86_400
_KNOWN_DAYS = 7  # how long a machine that sends nothing is still known
_TIMED = 100_000  # newest dispatches that durations are taken from
_MOST_MACHINES, _MOST_PAIRS, _MOST_PAGES = 20_000, 100_000, 5
_OF_MACHINES = ("machine", "team", "user")
_MOST_CONFLICTS = 100  # of a machine
_MOST_HOOKS = 5000  # that one machine lists, so that it leaves room for the others
_FAILED = ", ".join(f"'{state}'" for state in FAILURES)
_DENIED = "('deny', 'stop')"
_TIMED_HOOKS = "JSONExtract(Body, 'hooks', 'Array(Tuple(label String, state String, duration_ms Nullable(Float64)))')"
_LISTED_HOOKS = (
    "JSONExtract(Body, 'hooks',"
    " 'Array(Tuple(label String, scope String, skip Nullable(String), format String, file String, why String, version String,"
    " name String))')"
)
_NEVER_RUNS = ", ".join(f"'{skip}'" for skip in KEPT)


class Answers(NamedTuple):
    """The rows of each statement, columns in the order of its SELECT."""

    machines: Rows
    lost: Rows
    runs: Rows
    durations: Rows
    listed: Rows
    unreadable: Rows
    conflicts: Rows


class OverviewQueries:
    """Asks for the last `window_s` seconds before `now`, of the dispatches that a query finds.

    Its terms `machine:`, `team:` and `user:` choose machines, all others dispatches. What rules do and where they are listed is
    asked of all machines, since a machine is compared with the others.
    """

    def __init__(self, database: ClickHouse, query: Query, window_s: float, now: float) -> None:
        if query.would:
            raise QueryError(NOT_OF_A_FLEET)
        self._db = database
        self._table = database.table
        self._since = now - window_s
        self._now = now
        terms = query.terms
        self._of_machines = query._replace(terms=tuple(term for term in terms if term.field in _OF_MACHINES))
        self._of_dispatches = query._replace(terms=tuple(term for term in terms if term.field not in _OF_MACHINES))

    @property
    def chooses_dispatches(self) -> bool:
        """Whether the query has more than terms that choose machines."""
        return bool(self._of_dispatches.terms)

    async def ask(self) -> Answers:
        """Run all statements. Raises LogError and QueryError."""
        asked = (self._machines(), self._lost(), self._runs(), self._durations(), self._listed(), self._unreadable())
        return Answers(*await asyncio.gather(*asked, self._conflicts()))

    def _from(self, *conditions: str, since: float | None = None) -> str:
        """`FROM … WHERE …`, since a time."""
        time = self._table.since(ids.at_time(self._since if since is None else since))
        where = " AND ".join((time, *conditions, self._table.records))
        return f"FROM {self._table.name} WHERE {where}"

    def _chosen(self, params: BoundValues) -> str:
        return f"({Conditions(self._table, params).of(self._of_machines)})"

    def _counted(self, params: BoundValues) -> str:
        chosen = Conditions(self._table, params).of(self._of_dispatches)
        return f"{self._is_dispatch} AND ({chosen})"

    @property
    def _is_dispatch(self) -> str:
        return f"{self._table.id} <> '' AND {self._table.attribute('hooktui.origin')} <> 'try'"

    @property
    def _is_mark(self) -> str:
        """The condition for records that tell a sequence from which on records are expected; not for those of lost ones."""
        return f"({self._is_dispatch} OR {self._table.id} = '' AND SeverityText = 'INFO')"

    async def _machines(self) -> Rows:
        """Instance, name, version, team, user, last contact, by how many seconds its clock is ahead, events, denials, failures.

        Machines without events by a head or note.
        """
        params, table = BoundValues(), self._table
        in_window = table.since(ids.at_time(self._since))
        counted = f"({in_window} AND {self._counted(params)})"
        denied = f"{table.attribute('hooktui.decision')} IN {_DENIED}"
        failed = f"{table.attribute('hooktui.state')} IN ({_FAILED})"
        known = f"({in_window} OR {table.id} = '')"
        source = self._from(self._chosen(params), known, since=min(self._since, self._now - _KNOWN_DAYS * _DAY_S))
        latest = [f"argMax({table.attribute(name)}, Timestamp)" for name in ("host.name", "service.version", TEAM, USER)]
        return await self._db.rows(
            f"SELECT {table.instance} AS instance, {', '.join(latest)}, toFloat64(maxIf(Timestamp, {table.past})),"
            " greatest(toFloat64(max(Timestamp)) - toFloat64(now()), 0),"
            f" uniqExactIf({table.id_hash}, {counted}), uniqExactIf({table.id_hash}, {counted} AND {denied}),"
            f" uniqExactIf({table.id_hash}, {counted} AND {failed}) {source} GROUP BY instance LIMIT {_MOST_MACHINES}",
            params.values,
        )

    async def _lost(self) -> Rows:
        """Instance and number of sequences without a record, and the first of them.

        A record has the time of its event: one of the window's sequences may be of an event before it.
        """
        table = self._table
        firsts = f"SELECT {table.instance} AS instance, min({table.seq}) AS first {self._from(self._is_mark)}"
        stands_for_lost = f"({table.id} = '' AND SeverityText = 'WARN')"  # a note, fleet_records.gap
        seqs = f"SELECT {table.instance} AS instance, {table.seq} AS seq, {stands_for_lost} AS stands_for_lost"
        source = self._from(since=self._since - _DAY_S)
        return await self._db.rows(
            "SELECT instance, max(seq) + 1 - any(first) - uniqExactIf(seq, NOT stands_for_lost) AS lost"
            f" FROM ({seqs} {source}) AS sent INNER JOIN ({firsts} GROUP BY instance) AS firsts USING instance"
            f" WHERE seq >= first GROUP BY instance HAVING lost > 0 LIMIT {_MOST_MACHINES}"
        )

    async def first_lost(self, instance: str) -> int:
        """The first sequence in the window that a machine's records lack; 0 if there is none."""
        params, table = BoundValues(), self._table
        own = f"{table.instance} = {params.bind(instance)}"
        first = f"SELECT min({table.seq}) {self._from(own, self._is_mark)}"
        source = self._from(own, f"{table.seq} >= ({first})", since=self._since - _DAY_S)
        return int(
            await self._db.value(
                f"SELECT min(before) + 1 FROM (SELECT seq, lagInFrame(seq, 1, seq) OVER (ORDER BY seq) AS before"
                f" FROM (SELECT DISTINCT {table.seq} AS seq {source})) WHERE seq > before + 1 HAVING count() > 0",
                params.values,
            )
        )

    async def _unreadable(self) -> Rows:
        """Instance, name, and number of rows that are not records of hooktui, or not whole."""
        table = self._table
        machine = f"{table.instance} AS instance, any({table.attribute('host.name')})"
        where = f"{table.unreadable} AND ({table.since(ids.at_time(self._since))} OR {table.is_no_time})"
        return await self._db.rows(
            f"SELECT {machine}, count() AS rows FROM {table.name} WHERE {where}"
            f" GROUP BY instance ORDER BY rows DESC LIMIT {_MOST_MACHINES}"
        )

    async def _conflicts(self) -> Rows:
        """Instance, and the first sequences of the last day that have two different records, by hash or id."""
        table = self._table
        differ = f"uniqExact({table.attribute('hooktui.hash')}) > 1 OR uniqExactIf({table.id}, {table.id} <> '') > 1"
        source = self._from(since=max(self._since, self._now - _DAY_S))
        seqs = f"SELECT {table.instance} AS instance, {table.seq} AS seq {source} GROUP BY instance, seq HAVING {differ}"
        return await self._db.rows(
            f"SELECT instance, arraySort(groupArray({_MOST_CONFLICTS})(seq)) FROM ({seqs}) GROUP BY instance"
            f" LIMIT {_MOST_MACHINES}"
        )

    async def _runs(self) -> Rows:
        """Rule, instance, runs, denials, failures, states of these, first and last failure, last success, last run."""
        params, table = BoundValues(), self._table
        lines = table.attribute("hooktui.runs")
        # Few texts of runs differ: they are taken apart after they were grouped.
        alike = (
            f"SELECT {lines} AS lines, {table.instance} AS instance, uniqExactState({table.id_hash}) AS ids,"
            " min(Timestamp) AS first, max(Timestamp) AS last"
            f" {self._from(self._counted(params))} AND lines <> '' GROUP BY {lines}, {table.instance}"
        )
        runs = (
            "SELECT *, splitByChar('\\t', arrayJoin(splitByChar('\\n', lines))) AS run, run[1] AS rule, run[2] AS state,"
            f" run[3] IN {_DENIED} AS denied, state IN ({_FAILED}) AS failed FROM ({alike})"
        )
        return await self._db.rows(
            "SELECT rule, instance, uniqExactMerge(ids) AS runs, uniqExactMergeIf(ids, denied), uniqExactMergeIf(ids, failed),"
            " groupUniqArrayIf(state, failed), toFloat64(minIf(first, failed)), toFloat64(maxIf(last, failed)),"
            f" toFloat64(maxIf(last, state = 'ok')), toFloat64(least(max(last), now64(9))) FROM ({runs})"
            f" GROUP BY rule, instance ORDER BY runs DESC LIMIT {_MOST_PAIRS}",
            params.values,
        )

    async def _durations(self) -> Rows:
        """Rule, and the p50 and p95 of its duration in milliseconds, of the newest dispatches of a day at most."""
        params, table = BoundValues(), self._table
        columns = f"Body, {table.id} AS id, {table.instance} AS instance, {table.seq} AS seq"
        since = max(self._since, self._now - _DAY_S)
        source = self._from(self._chosen(params), self._counted(params), since=since)
        newest = f"SELECT {columns} {source} ORDER BY {table.newest_first} LIMIT {_TIMED}"
        return await self._db.rows(
            f"SELECT run.1 AS rule, quantiles(0.5, 0.95)(run.3) FROM (SELECT arrayJoin({_TIMED_HOOKS}) AS run FROM ({newest}))"
            f" WHERE run.2 <> 'skipped' AND run.3 IS NOT NULL GROUP BY rule LIMIT {_MOST_PAIRS}",
            params.values,
        )

    async def _listed(self) -> Rows:
        """Instance, agent, event and project, and of each hook for it, as the last dispatch lists them: rule, scope, skip,
        format, file, why it never runs, version and name. In the order of these dispatches.

        A machine without hooks has one row, whose rule is "". Always of the last day: what counts is what is in place now.
        Raises LogError if there are so many that some machines would not be judged.
        """
        rows: list[Sequence[Any]] = []
        for _ in range(_MOST_PAGES):
            page = await self._listed_after(str(rows[-1][0]) if rows else "")
            if len(page) < _MOST_PAIRS:
                return [*rows, *page]
            rows += [row for row in page if row[0] != page[-1][0]]  # the limit may have cut the last one's
        raise LogError(f"the machines list more than {_MOST_PAGES * _MOST_PAIRS:,} hooks: not all of them can be compared")

    async def _listed_after(self, instance: str) -> Rows:
        """The rows of the instances after one, as many as one statement may have."""
        table = self._table
        place = ", ".join(table.attribute(name) for name in ("gen_ai.agent.name", "hooktui.event", "hooktui.project"))
        key = f"{table.instance}, {table.id}"
        since = self._now - _DAY_S
        source = self._from(self._is_dispatch, since=since)
        last = f"SELECT {table.instance}, max({table.id}) {source} GROUP BY {table.instance}, {place}"
        params = BoundValues()
        return await self._db.rows(
            f"SELECT {table.instance} AS instance, {place}, hook.1, hook.2, ifNull(hook.3, '') AS skip, hook.4, hook.5,"
            f" if(skip IN ({_NEVER_RUNS}), hook.6, ''), hook.7, hook.8"
            f" FROM {table.name} LEFT ARRAY JOIN {_LISTED_HOOKS} AS hook"
            f" WHERE {table.records} AND {table.since(ids.at_time(since))} AND {table.instance} > {params.bind(instance)}"
            f" AND ({key}) IN ({last}) ORDER BY instance, {table.id} LIMIT {_MOST_HOOKS} BY instance LIMIT {_MOST_PAIRS}",
            params.values,
        )
