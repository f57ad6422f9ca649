"""`hooktui fleet`: for the person who runs a fleet's database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click

from hooktui.cli.console import FleetCommand, Refused, fleet_option
from hooktui.log.read.connection import LogError

if TYPE_CHECKING:
    from hooktui.fleet.clickhouse_client import ClickHouse
    from hooktui.fleet.clickhouse_table import LogTable

T = TypeVar("T")


@click.group("fleet", no_args_is_help=False)
def fleet_command() -> None:
    """Set up the database for the logs of many machines."""


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
