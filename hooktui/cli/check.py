"""`hooktui check`: what is wrong with the hooks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from hooktui import catalog, paths
from hooktui.cli.console import project_argument
from hooktui.diagnostics import output

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
def check_command(project: str, form: str, scope: str) -> None:
    """Say what is wrong with the hooks, and where.

    Exits 1 when there is an error.
    """
    found = catalog.load(project)
    if scope == "project":
        found = _of_project(found)
    click.echo(_FORMATS[form](found))
    if output.count(found, "error"):
        raise click.exceptions.Exit(1)


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
