"""The sessions of a fleet: rows of the list, events, summaries and outlines."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.fleet.clickhouse_client import ClickHouse
from hooktui.fleet.clickhouse_conditions import BoundValues, Conditions, contained
from hooktui.fleet.clickhouse_table import TITLE
from hooktui.fleet.fleet_rows import FleetNumbers, SessionName
from hooktui.log.read import query, session_outline, sessions
from hooktui.log.read.connection import LogError
from hooktui.log.read.rows import DispatchRow
from hooktui.log.read.session_outline import Outline, SessionEvent
from hooktui.log.read.sessions import SessionRow, Summary

_KEY = {"agent": "gen_ai.agent.name", "session": "session.id", "project": "hooktui.project"}
# What sorts sessions, of their records; `in hooks` is the order by hook_ms.
_TOTALS = {
    "last": "max(id)",
    "length": "max(Timestamp) - min(Timestamp)",
    "calls": "uniqExactIf(cityHash64(id), is_call)",
    "denials": "countIf(denied)",
    "failures": "sum(failures)",
    "hook_ms": "sum(duration)",
}
_FAILED = ", ".join(f"'{state}'" for state in FAILURES)
_HAS_TROUBLE = "HAVING (countIf(denied) > 0 OR sum(failures) > 0) AND NOT max(tried)"
_MOST_SESSIONS = 1_000_000
_WINDOWS_DAYS = (1, 8)
# Of each run: key, label, state, duration, and whether the event did not wait for it.
_RUNS = """arrayMap(h -> (JSONExtractString(h, 'id'), JSONExtractString(h, 'label'), JSONExtractString(h, 'state'),
    JSONExtractFloat(h, 'duration_ms'), JSONExtractFloat(h, 'started_ms')),
    arrayFilter(h -> JSONExtractString(h, 'state') <> 'skipped', JSONExtractArrayRaw(Body, 'hooks')))"""
_MACHINES = re.compile(r"-?\b(?:machine|team|user):\S*")  # terms of the filter
_CALL = "JSONExtractString(Body, 'payload', '{}')"


class FleetSessions:
    """Reads sessions. A session belongs to a machine, an agent program and a project."""

    def __init__(self, database: ClickHouse, numbers: FleetNumbers) -> None:
        self._db = database
        self._numbers = numbers

    def condition(self, number: int, params: BoundValues) -> str:
        name, table = self._numbers.session(number), self._db.table
        if name is None:
            return "0"
        values = {"service.instance.id": name.instance, "session.id": name.name, _KEY["agent"]: name.host}
        values[_KEY["project"]] = name.project
        return " AND ".join(f"{table.attribute(attribute)} = {params.bind(value)}" for attribute, value in values.items())

    async def rows(
        self,
        limit: int = 1000,
        text: str = "",
        order: str = "last",
        *,
        project: str | None = None,
        trouble: bool = False,
        among: Collection[int] | None = None,
    ) -> list[SessionRow]:
        """The rows of the list, in one of sessions.ORDERS. `among` are those that `would:` finds: none."""
        if among is not None:
            return []
        params, table = BoundValues(), self._db.table
        where = [] if "machine:" in text else [table.past]
        if project is not None:
            where.append(f"{table.attribute(_KEY['project'])} = {params.bind(project)}")
        where.extend((*self._matching(text, params), table.dispatches))
        trouble_only = "WHERE (denials > 0 OR failures > 0) AND NOT synthetic" if trouble else ""
        # A text is in the title of some records: whether the session has trouble is seen when all were read.
        having, most = ("", _MOST_SESSIONS) if trouble and text else (_HAS_TROUBLE * trouble, limit)
        total = "hook_ms" if order == "in hooks" else order
        columns = self._columns(where)

        def chosen(since: str) -> str:
            """The statement for instance and session, of records that another condition holds for."""
            return (
                f"SELECT instance, session FROM ({columns}{since}) GROUP BY instance, session {having}"
                f" ORDER BY {_TOTALS[total]} DESC, max(id) DESC LIMIT {most}"
            )

        since = await self._window(chosen, most, params) if order == "last" and not text else ""
        listed = self._list(chosen(since), is_cheap=bool(since))
        sql = f"SELECT * FROM ({listed}) {trouble_only} ORDER BY {total} DESC, last DESC LIMIT {limit}"
        return [self._row(row) for row in await self._db.rows(sql, params.values)]

    async def _window(self, chosen: Callable[[str], str], most: int, params: BoundValues) -> str:
        """The condition on the time that the newest sessions end in: of the last days if there are enough."""
        for days in _WINDOWS_DAYS:
            since = f" AND {self._db.table.since(ids.at_time(time.time() - days * 86_400))}"
            count = await self._db.value(f"SELECT count() FROM ({chosen(since)})", params.values)
            if count >= most:
                return since
        return ""

    def _matching(self, text: str, params: BoundValues) -> Iterator[str]:
        """The conditions of the list's filter: terms for machines as in queries, each other word as text. Raises LogError."""
        machines = [term for term in _MACHINES.findall(text) if not term.endswith(":")]  # which is being typed
        if machines:
            try:
                yield Conditions(self._db.table, params).of(query.parse(" ".join(machines)))
            except query.QueryError as error:
                raise LogError(str(error)) from error
        yield from (self._contains(word, params) for word in _MACHINES.sub(" ", text).split())

    def _contains(self, text: str, params: BoundValues) -> str:
        """The condition that a text is in the session's id, the agent program, the project, the machine or the title."""
        pattern = params.bind(contained(text))
        columns = [self._db.table.attribute(name) for name in (*_KEY.values(), "host.name", TITLE)]
        return f"({' OR '.join(f'lower({column}) LIKE {pattern}' for column in columns)})"

    def _columns(self, where: Sequence[str]) -> str:
        table = self._db.table
        key = ", ".join(f"{table.attribute(attribute)} AS {name}" for name, attribute in _KEY.items())
        runs = f"splitByChar('\\n', {table.attribute('hooktui.runs')})"
        return (
            f"SELECT Timestamp, {table.id} AS id, {table.instance} AS instance, {key},"
            f" {table.attribute('host.name')} AS machine, {table.attribute(TITLE)} AS title, {table.seq} AS seq,"
            f" {table.attribute('hooktui.decision')} IN ('deny', 'stop') AS denied,"
            f" {table.attribute('hooktui.event')} = 'pre-tool-call' AS is_call,"
            f" arrayCount(r -> splitByChar('\\t', r)[2] IN ({_FAILED}), {runs}) AS failures, {table.duration_ms} AS duration,"
            f" {table.attribute('hooktui.origin')} = 'try' AS tried FROM {table.name} WHERE {' AND '.join(where)}"
        )

    def _list(self, chosen: str, *, is_cheap: bool = False) -> str:
        """The rows of chosen sessions, each dispatch counted once. If choosing is cheap, names are compared before pairs."""
        table = self._db.table
        session = table.attribute("session.id")
        among = f"({table.instance}, {session}) IN (SELECT instance, session FROM ({chosen}))"
        if is_cheap:
            among = f"{session} IN (SELECT session FROM ({chosen})) AND {among}"
        totals = ", ".join(f"{expression} AS {name}" for name, expression in _TOTALS.items())
        return (
            f"SELECT instance, agent, session, project, any(machine) AS machine, min(id) AS first, {totals},"
            " count() AS events, any(tried) AS synthetic, argMax(title, id) FROM ("
            f"{self._columns([among, table.dispatches])} ORDER BY seq DESC LIMIT 1 BY id, instance)"
            " GROUP BY instance, agent, session, project"
        )

    def _row(self, row: Sequence[Any]) -> SessionRow:
        instance, agent, session, project, machine, first, last, _, calls, denials, failures, hook_ms, events, tried, title = (
            row
        )
        return SessionRow(
            id=self._numbers.of_session(SessionName(instance, agent, session, project)),
            name=session,
            host=agent,
            project=project,
            first=ids.parse(first) or 0,
            last=ids.parse(last) or 0,
            events=events,
            denials=denials,
            failures=failures,
            hook_ms=hook_ms,
            synthetic=bool(tried),
            title=sessions.title(title),
            machine=machine,
            calls=calls,
        )

    async def row(self, number: int) -> SessionRow | None:
        """A session by its number; None if it is gone."""
        params, table = BoundValues(), self._db.table
        condition = self.condition(number, params)
        chosen = f"SELECT {table.instance} AS instance, {table.attribute('session.id')} AS session FROM {table.name}"
        rows = await self._db.rows(self._list(f"{chosen} WHERE {condition} AND {table.dispatches} LIMIT 1"), params.values)
        return next((row for row in map(self._row, rows) if row.id == number), None)

    async def events(self, session: int) -> list[SessionEvent]:
        attributes = ("hooktui.event", "gen_ai.tool.name", "hooktui.decision")
        columns = [self._db.table.attribute(name) for name in attributes]
        columns += [self._db.table.duration_ms, *(self._db.table.attribute(f"hooktui.{name}") for name in ("effect", "state"))]
        columns += ["toUInt8(JSONExtractBool(Body, 'overruled'))", "JSONExtractString(Body, 'outcome')"]
        return [
            SessionEvent(
                number, event, tool or None, decision, duration, effect, state, overruled=overruled, outcome=outcome or None
            )
            for number, event, tool, decision, duration, effect, state, overruled, outcome in await self._of_session(
                session, columns
            )
        ]

    async def _of_session(self, session: int, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """The number of each dispatch of a session, oldest first, with columns of its newest record."""
        params, table = BoundValues(), self._db.table
        named = ", ".join(f"{column} AS c{place}" for place, column in enumerate(columns))
        rows = await self._db.rows(
            f"SELECT {table.id} AS id, {table.instance} AS instance, {named} FROM {table.name}"
            f" WHERE {self.condition(session, params)} AND {table.dispatches}"
            f" ORDER BY {table.seq} DESC LIMIT 1 BY id, instance",
            params.values,
        )
        return sorted((self._numbers.of_dispatch(row[0], row[1]), *row[2:]) for row in rows)

    async def summary(self, session: int, events: Sequence[SessionEvent], denials: Sequence[DispatchRow]) -> Summary:
        runs = []
        for _, waited, of_event in await self._of_session(session, [self._db.table.duration_ms, _RUNS]):
            for key, label, state, duration, started in of_event:
                runs.append((key, label, state, duration, state == "started" or started + duration > waited + 0.01))
        hooks = sessions.hook_times(sorted(runs, key=lambda run: run[0]))
        return sessions.Summary(Counter(event.effect for event in events), denials, hooks)

    async def outline(self, session: int, events: Sequence[SessionEvent]) -> Outline:
        call = self._db.table.attribute("gen_ai.tool.call.id")
        columns = [_CALL.format("tool_use_id"), call, _CALL.format("agent_id"), _CALL.format("subagent_name")]
        names = {number: next(filter(None, found), None) for number, *found in await self._of_session(session, columns)}
        keys = {event.id: names.get(event.id) for event in events if event.event in session_outline.KEYED}
        return session_outline.outline(events, keys)
