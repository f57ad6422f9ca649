"""`hooktui export`: write decisions to a file."""

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
@click.option(
    "--format", "name", type=click.Choice(list(export_file.FORMATS)), help="Output format (default: the extension of FILE)."
)
@click.option("-o", "--output", metavar="FILE", required=True, help="The file to write; - for stdout.")
@click.option("-n", "limit", metavar="N", type=click.IntRange(min=0), help="Export only the newest N.")
@db_option
def export_command(terms: tuple[str, ...], name: str | None, output: str, limit: int | None, db: str | None) -> None:
    """Export decisions as JSON Lines, CSV, Markdown or HTML.

    QUERY is a query as in `hooktui log`; session:abc exports one session. The HTML page is self-contained. Only you can read
    the file. An existing file is replaced once the new one is complete.
    """
    wanted = parsed(terms)
    chosen = name or export_file.format_of(output)
    if chosen is None:
        raise click.UsageError(f"--format is required: {output} has none of the extensions {', '.join(export_file.FORMATS)}")

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
