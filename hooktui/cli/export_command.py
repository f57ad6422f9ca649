"""`hooktui export`: a query or a session as a file."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from hooktui.cli.console import db_option
from hooktui.cli.log import QueryCommand, parsed, with_reader
from hooktui.core import paths
from hooktui.log.export import export_file

if TYPE_CHECKING:
    from typing import TextIO

    from hooktui.log.read.reader import LogReader

_STDOUT = "-"


@click.command("export", cls=QueryCommand)
@click.argument("terms", metavar="[QUERY]", nargs=-1)
@click.option("--format", "name", type=click.Choice(list(export_file.FORMATS)), help="Default: the suffix of FILE.")
@click.option("-o", "--output", metavar="FILE", required=True, help="The file to write; - is standard output.")
@click.option("-n", "limit", metavar="N", type=click.IntRange(min=0), help="Only the newest N.")
@db_option
def export_command(terms: tuple[str, ...], name: str | None, output: str, limit: int | None, db: str | None) -> None:
    """Write what a query wants to a file.

    As JSON Lines, CSV, Markdown, or one HTML page that needs no network. QUERY is what `hooktui log` takes; session:abc is one
    session. The file is readable by you alone, and takes the place of one that is there only when it is whole.
    """
    wanted = parsed(terms)
    chosen = name or export_file.format_of(output)
    if chosen is None:
        raise click.UsageError(f"--format is needed: {output} does not end with one of {', '.join(export_file.FORMATS)}")

    def write(out: TextIO) -> int:
        async def read(reader: LogReader) -> int:
            return await export_file.export(reader, wanted, chosen, out, limit)

        return with_reader(db, read)

    if output == _STDOUT:
        write(sys.stdout)
        return
    with export_file.whole_file(output, replace=True) as out:
        count = write(out)
    click.echo(f"{paths.short(os.path.abspath(output))}: {count:,} {'event' if count == 1 else 'events'}", err=True)
