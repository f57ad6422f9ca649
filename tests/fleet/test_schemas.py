"""Versions of the collectors' exporter make different tables: the same questions have the same answers on each."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hooktui.fleet import clickhouse_table, overview
from hooktui.fleet.clickhouse_table import ACCELERATORS
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.query import parse
from tests.fleet import overview_world
from tests.fleet.world import BY_MINUTES, JSON, SCHEMAS, STANDARD, log_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.command_world import CommandWorld
    from tests.fleet.world import EngineProcess
    from tests.log_world import LogWorld

DAY_S = 86_400.0
ACCELERATED = f"{JSON}, accelerated"
QUERIES = (
    "",
    "decision:deny",
    "-state:timeout host:claude",
    "hook:block-* state:ok",
    "machine:dev-3 tool:Shell",
    "session:s-0 since:20h",
    "until:12h project:shop",
    "slower:1ms",
    '"push --force"',
)


@pytest.fixture(scope="module")
def answers(engine: EngineProcess, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Mapping[str, Any]]:
    """The answers of the fleet of overview_world.py in each schema; dispatches have the same numbers in all of them."""
    now = time.time()
    rows = overview_world.rows(tmp_path_factory.mktemp("logs"), now)
    return {schema: asyncio.run(_answers(engine, schema, rows)) for schema in (*SCHEMAS, ACCELERATED)}


async def _answers(engine: EngineProcess, schema: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    database = "schema"
    engine.create(database, schema.removesuffix(", accelerated"))
    log = await FleetLog.open(engine.url("reader", database=database))
    if schema == ACCELERATED:
        for statement in clickhouse_table.schema_statements(replace(log.database.table, name=f"{database}.otel_logs")):
            engine.client.command(statement)
        log = await log.reopened()
    engine.insert(rows, database)
    try:
        found: dict[str, Any] = {text: list(await log.newest(parse(text))) for text in QUERIES}
        found["counts"] = [await log.count(parse(text)) for text in QUERIES]
        sessions = await log.sessions()
        found["sessions"] = sessions
        found["events"] = await log.session_events(sessions[3].id)
        found["rows"] = await log.rows(found["decision:deny"])
        seen = await overview.read(log.database, parse(""), DAY_S)
        found["overview"] = (
            sorted(seen.machines, key=lambda machine: machine.name),
            sorted(seen.rules, key=lambda rule: rule.name),
        )
        found["values"] = await log.values("hook", "")
        found["reads from the table's end"] = await _reads_from_end(log)
    finally:
        await log.close()
    return found


async def _reads_from_end(log: FleetLog) -> bool:
    """Whether a page is read in the table's own order, so that it needs no sort of everything."""
    table = log.database.table
    columns = f"{table.id} AS id, {table.instance} AS instance, {table.seq} AS seq"
    page = f"SELECT {columns} FROM {table.name} WHERE {table.dispatches} ORDER BY {table.newest_first} LIMIT 9"
    return any("ReadType: InReverseOrder" in line for (line,) in await log.database.rows(f"EXPLAIN actions = 1 {page}"))


@pytest.mark.parametrize("schema", [*SCHEMAS[1:], ACCELERATED])
def test_answers_are_those_of_the_standard_schema(answers: Mapping[str, Mapping[str, Any]], schema: str) -> None:
    expected = answers[STANDARD]
    assert {asked: answer for asked, answer in answers[schema].items() if answer != expected[asked]} == {}
    assert [asked for asked in expected if not expected[asked]] == []


@pytest.mark.parametrize("schema", SCHEMAS)
async def test_first_dispatch_of_a_day_is_found(engine: EngineProcess, log: LogWorld, schema: str) -> None:
    midnight = time.time() // DAY_S * DAY_S - DAY_S
    log.add("pre-tool-call", tool="Shell", at=midnight - 57_600.0)
    log.add("pre-tool-call", tool="Shell", at=midnight + 1.95)  # one second behind midnight, and all of its day
    engine.create("midnight", schema)
    engine.insert(log_rows(log.db), "midnight")
    fleet = await FleetLog.open(engine.url("reader", database="midnight"))
    assert len(await fleet.rows(await fleet.newest(parse("")))) == 2
    await fleet.close()


@pytest.mark.parametrize("schema", [STANDARD, BY_MINUTES, JSON])
def test_printed_statements_fit_the_table(engine: EngineProcess, world: CommandWorld, schema: str) -> None:
    engine.create("altered", schema)
    printed = world.run("fleet", "schema", "--fleet", engine.url("reader", database="altered")).stdout.splitlines()
    for statement in printed:
        engine.client.command(statement.replace("otel_logs", "altered.otel_logs"))
    columns = engine.client.query("SELECT count() FROM system.columns WHERE database = 'altered' AND name LIKE 'Hooktui%'")
    assert columns.result_rows == [(len(ACCELERATORS),)]
