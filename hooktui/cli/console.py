"""What the commands for people share: how they print, how they refuse, and the project argument."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Any

import click
from rich.cells import cell_len, set_cell_size

from hooktui.core.text_sanitizer import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError as error:
        raise click.UsageError("the current directory is gone: name a project") from error


_directory = click.Path(exists=True, file_okay=False, resolve_path=True)
project_argument = click.argument("project", metavar="[PATH]", default=_here, type=_directory)
project_option = click.option(
    "--project", metavar="DIR", default=_here, type=_directory, help="The project; default: the current directory."
)
db_option = click.option("--db", metavar="FILE", type=click.Path(exists=True, dir_okay=False), help="Another log.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")


class Refused(click.ClickException):
    """Something that cannot be done as things are: exit code 1, and one line that says what to do."""

    exit_code = 1


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """JSON in ASCII: no escape sequence of a hook reaches a terminal this way either. None: on one line."""
    click.echo(json.dumps(value, indent=indent))


def shell_word(name: str) -> str:
    """A name as it is typed in a shell, for the commands that are told: quoted where that must be."""
    return shlex.quote(one_line(name))


def columns() -> int | None:
    """The terminal's width; None when the output goes elsewhere and nothing must be cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines whose columns stand below each other; the last column is as long as it likes."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join((*(set_cell_size(cell, width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1])).rstrip()
        for row in rows
    ]


def cut(line: str, width: int | None) -> str:
    """A line as far as it fits."""
    if width is None or cell_len(line) <= width:
        return line
    return set_cell_size(line, max(width - 1, 0)) + "…"
