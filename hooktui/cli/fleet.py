"""`hooktui fleet`: for the person who runs a fleet's database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hooktui.catalog.hook_states import counted
from hooktui.cli.console import FleetCommand, Refused, fleet_option, fleet_url, json_option, print_json
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import LogError
from hooktui.log.read.rows import iso
from hooktui.log.read.terms import time_of

if TYPE_CHECKING:
    from hooktui.fleet.clickhouse_client import ClickHouse
    from hooktui.fleet.clickhouse_table import LogTable
    from hooktui.fleet.overview import Overview

T = TypeVar("T")

_UNREAD = 2  # exit code


@click.group("fleet", no_args_is_help=False)
def fleet_command() -> None:
    """Check many machines, and set up the database for their logs."""


@fleet_command.command("status", cls=FleetCommand)
@fleet_option
@click.option("--since", metavar="TIME", default="1d", help="How far back to look: 12h, 7d, 2026-02-01 (default: 1d).")
@json_option
def status_command(fleet: str | None, since: str, as_json: bool) -> None:
    """Print what is missing, differs, fails or is silent in a fleet.

    Exits with 0 if nothing is wrong, 1 if anything is, and 2 if the fleet cannot be read.
    """
    from hooktui.fleet import overview
    from hooktui.log.read import query

    try:
        window_s = time.time() - time_of(since, time.time())
    except ValueError as error:
        raise click.UsageError(f"--since {since}: {error}") from error

    async def read(database: ClickHouse) -> Overview:
        return await overview.read(database, query.parse(""), window_s)

    try:
        state = _status_json(_asked(fleet or fleet_url(""), read))
    except Refused as error:
        click.echo(f"hooktui: {error.message}", err=True)
        raise SystemExit(_UNREAD) from error
    faults = list(_status_lines(state))
    if as_json:
        print_json(state)
    else:
        for fault in faults:
            click.echo(one_line(fault))
        summary = f"{counted(state['machines']['seen'], 'machine')}, {counted(len(faults), 'fault')}"
        click.echo(f"{summary}; hooks compared with {state['baseline']['of']}")
    raise SystemExit(bool(faults))


def _status_json(fleet: Overview) -> dict[str, Any]:
    """The faults of a fleet; its lists are empty and its counts 0 where there is none."""
    from hooktui.fleet.overview import DIFFERS

    machines = sorted(fleet.machines, key=lambda machine: (machine.name, machine.instance))
    faults = [fault for machine in machines for fault in machine.faults]
    return {
        "machines": {"seen": len(machines), "silent": [machine.name for machine in machines if machine.is_silent]},
        "baseline": {
            "of": "managed file" if fleet.is_declared else "most machines",
            "missing": [{"machine": f.machine, "hook": f.rule, "why": f.state} for f in faults if f.state != DIFFERS],
            "differs": [
                {"machine": f.machine, "hook": f.rule, "version": f.version, "expected": f.expected}
                for f in faults
                if f.state == DIFFERS
            ],
        },
        "failing": [
            {"hook": rule.name, "since": iso(rule.failing_since), "machines": list(rule.failing)}
            for rule in fleet.rules
            if rule.failing
        ],
        "lost": [{"machine": machine.name, "records": machine.lost} for machine in machines if machine.lost],
        "clock": [{"machine": machine.name, "ahead_s": round(machine.ahead_s)} for machine in machines if machine.ahead_s],
        "conflicts": [{"machine": machine.name, "seq": seq} for machine in machines for seq in machine.conflicts],
        "unreadable": fleet.unreadable,
    }


def _status_lines(state: Mapping[str, Any]) -> Iterator[str]:
    """The same for people, a fault a line."""
    baseline = state["baseline"]
    yield from (f"✕ {each['machine']}: {each['hook']} {each['why']}" for each in baseline["missing"])
    yield from (f"≠ {each['machine']}: {each['hook']} differs" for each in baseline["differs"])
    for each in state["failing"]:
        yield f"✕ {each['hook']} fails since {each['since']} on {', '.join(each['machines'])}"
    yield from (f"▲ {each['machine']}: {each['records']:,} records lost" for each in state["lost"])
    yield from (f"▲ {each['machine']}: clock ahead by {each['ahead_s']:,} s" for each in state["clock"])
    yield from (f"▲ {each['machine']}: two different records {each['seq']}" for each in state["conflicts"])
    yield from (f"○ {name}: silent" for name in state["machines"]["silent"])
    if state["unreadable"]:
        yield f"▲ {state['unreadable']:,} unreadable"


@fleet_command.command("schema", cls=FleetCommand)
@fleet_option
def schema_command(fleet: str | None) -> None:
    """Print the optional ALTER statements that make a large fleet fast.

    They add columns and indexes to otel_logs, the table that OpenTelemetry collectors write in ClickHouse; rows of other
    services have nothing in them. hooktui itself only reads. The statements with MATERIALIZE apply to what is stored already.
    With --fleet they fit the table there, whose attributes may be of type JSON.
    """
    from hooktui.fleet import clickhouse_table

    table = _asked(fleet, _table) if fleet else clickhouse_table.LogTable()
    for statement in clickhouse_table.schema_statements(table):
        click.echo(statement)


async def _table(database: ClickHouse) -> LogTable:
    return database.table


def _asked(url: str, ask: Callable[[ClickHouse], Awaitable[T]]) -> T:
    """The answer of a fleet's database. Raises Refused."""

    async def answer() -> T:
        from hooktui.fleet.clickhouse_client import ClickHouse

        database = ClickHouse(url)
        await database.open()
        try:
            return await ask(database)
        finally:
            await database.close()

    try:
        return asyncio.run(answer())
    except LogError as error:
        raise Refused(str(error)) from error
