"""Output helpers, errors and options shared by the commands for people."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click
from rich.cells import cell_len, set_cell_size

from hooktui import config
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.core.text_sanitizer import one_line
from hooktui.runner.journal import spool


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError as error:
        raise click.UsageError("the current directory no longer exists: name a project") from error


_directory = click.Path(exists=True, file_okay=False, resolve_path=True)
directory_argument = click.argument("directory", metavar="[PATH]", default=_here, type=_directory)
_a_directory = "A directory of the project (default: the current directory)."
directory_option = click.option("--project", "directory", metavar="DIR", default=_here, type=_directory, help=_a_directory)
project_option = click.option(
    "--project",
    metavar="DIR",
    default=_here,
    type=_directory,
    callback=lambda _context, _option, directory: projects.root(directory),
    help=_a_directory,
)


def examples(*lines: str) -> str:
    """Return the epilog of a command's help: commands to copy, each with a remark behind `#`."""
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))


class _LogFile(click.Path):
    """A log that exists, be it only as a spool that nothing has taken in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_spooled = os.path.isfile(spool.path_of(value)) and not os.path.exists(value)
        return value if is_spooled else super().convert(value, param, ctx)


class FleetCommand(click.Command):
    """A command with --fleet, whose URL may be left out: the next argument is one only if it looks like one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        following = zip(args, [*args[1:], ""], strict=False)
        given = ["--fleet=" if word == "--fleet" and "://" not in after else word for word, after in following]
        rest = super().parse_args(ctx, given)
        if ctx.params.get("db") and ctx.params.get("fleet"):
            raise click.UsageError("--db and --fleet name two logs: choose one", ctx)
        return rest


def fleet_url(url: str) -> str:
    """A fleet's URL, by default the configured one. Raises click.UsageError."""
    configured = url or str(config.fleet_values().values.get("url", ""))
    if not configured:
        raise click.UsageError(f"--fleet needs a URL, or `url` in [fleet] of {paths.short(paths.config_file())}")
    return configured


fleet_option = click.option(
    "--fleet",
    metavar="[URL]",
    callback=lambda _ctx, _option, url: None if url is None else fleet_url(url),
    help="Read a fleet's log in ClickHouse (default: `url` in [fleet]).",
)
db_option = click.option("--db", metavar="FILE", type=_LogFile(exists=True, dir_okay=False), help="Use another log.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class Refused(click.ClickException):
    """An operation that cannot be carried out: one line on stderr, exit code 1."""

    exit_code = 1


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print a value as ASCII JSON, which cannot contain escape sequences. `indent=None` prints one line."""
    click.echo(json.dumps(value, indent=indent))


def agrees(question: str) -> bool:
    """Ask a yes-or-no question at the terminal, on stderr."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        return False


def shell_word(name: str) -> str:
    """Quote a name for a shell command in a message."""
    return shlex.quote(one_line(name))


def columns() -> int | None:
    """Return the terminal's width, or None if the output is not a terminal and must not be cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Format rows as aligned columns. The last column may have any length."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join((*(set_cell_size(cell, width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1])).rstrip()
        for row in rows
    ]


def cut(line: str, width: int | None) -> str:
    """Cut a line to a width in cells."""
    if width is None or cell_len(line) <= width:
        return line
    return set_cell_size(line, max(width - 1, 0)) + "…"
