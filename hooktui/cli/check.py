"""`hooktui check`: what is wrong with the hooks."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click

from hooktui import audit, catalog, paths
from hooktui.cli.console import project_argument
from hooktui.diagnostics import output
from hooktui.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hooktui.catalog import Catalog

_FORMATS: Mapping[str, Callable[[Catalog], str]] = {
    "text": output.to_text,
    "json": output.to_json,
    "sarif": output.to_sarif,
    "github": output.to_github,
}


@click.command("check")
@project_argument
@click.option("--format", "form", type=click.Choice(list(_FORMATS)), default="text", show_default=True, help="What to print.")
@click.option("--scope", type=click.Choice(["all", "project"]), default="all", help="project: leave out your own hooks.")
@click.option("--no-log", is_flag=True, help="Leave out what the log knows: what the hooks did and printed lately.")
@click.option("--db", metavar="FILE", type=click.Path(exists=True, dir_okay=False), help="Another log than your own.")
def check_command(project: str, form: str, scope: str, no_log: bool, db: str | None) -> None:
    """Say what is wrong with the hooks, and where.

    Exits 1 when there is an error.
    """
    found = catalog.load(project)
    if not no_log:
        found = _audited(found, db, form)
    if scope == "project":
        found = _of_project(found)
    click.echo(_FORMATS[form](found))
    if output.count(found, "error"):
        raise click.exceptions.Exit(1)


def _audited(found: Catalog, db: str | None, form: str) -> Catalog:
    """With what the log shows; without a log that can be read it is what it was."""
    found, trouble = asyncio.run(audit.audited(found, db))
    if trouble and form == "text":
        click.echo(f"hooktui: what the hooks did is left out: {one_line(trouble)}", err=True)
    return found


def _of_project(found: Catalog) -> Catalog:
    """Without the user's hooks and configuration."""
    return found.replace(
        hooks=tuple(hook for hook in found.hooks if hook.scope != "user"),
        files=tuple(file for file in found.files if _is_in_project(file, found.project)),
        diagnostics=tuple(one for one in found.diagnostics if _is_in_project(one.file, found.project)),
    )


def _is_in_project(file: str, project: str) -> bool:
    """A home may be opened as a project, and its configuration still is the user's."""
    return _is_below(file, project) and not _is_below(file, paths.config_home())


def _is_below(file: str, directory: str) -> bool:
    return os.path.join(file, "").startswith(os.path.join(directory, ""))
