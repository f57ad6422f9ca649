"""`hooktui check`: what is wrong with the hooks."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import click

from hooktui.catalog import catalog, runtime_findings
from hooktui.cli.console import Refused, project_argument
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line
from hooktui.diagnostics import check_output
from hooktui.edit import apply_fixes, fix_all
from hooktui.edit.file_steps import CannotChange
from hooktui.security.documents import ChangedError, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic

_FORMATS: Mapping[str, Callable[[Catalog], str]] = {
    "text": check_output.to_text,
    "json": check_output.to_json,
    "sarif": check_output.to_sarif,
    "github": check_output.to_github,
}


@click.command("check")
@project_argument
@click.option("--format", "form", type=click.Choice(list(_FORMATS)), default="text", show_default=True, help="What to print.")
@click.option("--fix", is_flag=True, help="Apply every safe fix first, and say what remains.")
@click.option("--scope", type=click.Choice(["all", "project"]), default="all", help="project: leave out your own hooks.")
@click.option("--no-log", is_flag=True, help="Leave out what the log knows: what the hooks did and printed lately.")
@click.option("--db", metavar="FILE", type=click.Path(exists=True, dir_okay=False), help="Another log than your own.")
def check_command(project: str, form: str, fix: bool, scope: str, no_log: bool, db: str | None) -> None:
    """Say what is wrong with the hooks, and where.

    Exits 1 when there is an error.
    """
    if fix:
        _fix(project, form, scope)
    found = catalog.load(project)
    if found.settings.keys:
        from hooktui.screens.keys import keymap  # only the screens know what can have a key

        found = keymap.checked(found)
    if not no_log:
        found = _audited(found, db, form)
    if scope == "project":
        found = _of_project(found)
    click.echo(_FORMATS[form](found))
    if check_output.count(found, "error"):
        raise click.exceptions.Exit(1)


def _fix(project: str, form: str, scope: str) -> None:
    """Mend what has a safe fix, and say what was mended: beside the output that machines read.

    At a terminal, hooks that were approved stay so; where nobody looks on, they have changed.
    """
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    found = catalog.load(project)
    plan = fix_all.plan(found, lambda problem: scope != "project" or _is_in_project(problem.file, found.project))
    try:
        apply_fixes.apply(plan, found.hooks if at_terminal else (), project)
    except (CannotChange, ChangedError, OSError) as error:
        raise Refused(f"nothing was fixed: {one_line(refusal(error))}") from error
    for problem in plan.mended:
        click.echo(_fixed(problem), err=form != "text")


def _fixed(problem: Diagnostic) -> str:
    does = problem.fix.label if problem.fix else ""
    place = f"{one_line(paths.short(problem.file))}:{problem.line}:{problem.column}"
    return f"{place}: fixed {problem.code}: {one_line(does)}"


def _audited(found: Catalog, db: str | None, form: str) -> Catalog:
    """With what the log shows; without a log that can be read it is what it was."""
    found, trouble = asyncio.run(runtime_findings.audited(found, db))
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
