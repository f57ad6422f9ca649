"""`hooktui fleet`: for the person who runs a fleet's database."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import click

from hooktui.cli.console import FleetCommand, Refused, fleet_option


@click.group("fleet", no_args_is_help=False)
def fleet_command() -> None:
    """Set up the database for the logs of many machines."""


@fleet_command.command("schema", cls=FleetCommand)
@fleet_option
def schema_command(fleet: str | None) -> None:
    """Print the optional ALTER statements that make a large fleet fast.

    They add columns and indexes to otel_logs, the table that OpenTelemetry collectors write in ClickHouse. hooktui itself only
    reads. The statements that begin with MATERIALIZE read what is stored already. With --fleet they fit the table there, whose
    attributes may be of type JSON.
    """
    from hooktui.fleet import clickhouse_table

    columns = asyncio.run(_columns(fleet)) if fleet else clickhouse_table.STANDARD_COLUMNS
    for statement in clickhouse_table.schema_statements(columns=columns):
        click.echo(statement)


async def _columns(url: str) -> Mapping[str, str]:
    """The columns of a fleet's table, with their types. Raises Refused."""
    from hooktui.fleet.clickhouse_client import ClickHouse
    from hooktui.log.read.connection import LogError

    database = ClickHouse(url)
    try:
        await database.open()
    except LogError as error:
        raise Refused(str(error)) from error
    await database.close()
    return database.table.columns
