"""`hooktui fleet`: for the person who runs a fleet's database."""

from __future__ import annotations

import click


@click.group("fleet")
def fleet_command() -> None:
    """Set up the database of a fleet's log."""


@fleet_command.command("schema")
def schema_command() -> None:
    """Print the optional ALTER statements that make a large fleet fast.

    They add columns and indexes to otel_logs, the table that OpenTelemetry collectors write in ClickHouse. hooktui itself only
    reads. The statements that begin with MATERIALIZE read what is stored already.
    """
    from hooktui.fleet import accelerators

    for statement in accelerators.statements():
        click.echo(statement)
