"""`hooktui check`: report problems with the hooks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

import click

from hooktui import connect, hosts
from hooktui.catalog import catalog
from hooktui.catalog.catalog import Catalog
from hooktui.cli.console import Refused, columns, db_option, directory_argument, examples
from hooktui.cli.progress import loaded_catalog
from hooktui.cli.text_layout import folded
from hooktui.core import paths
from hooktui.core.atomic_write import error_message
from hooktui.core.text_sanitizer import one_line
from hooktui.diagnostics import check_output
from hooktui.diagnostics.causes import without_effects
from hooktui.hook_tests.example import DIRECTORY
from hooktui.log import presence
from hooktui.runner import trust

_INDENT = 4  # of the lines of a problem
_FORMATS: Mapping[str, Callable[[Catalog], str]] = {
    "text": check_output.to_text,
    "json": check_output.to_json,
    "sarif": check_output.to_sarif,
    "github": check_output.to_github,
}


@click.command("check", epilog=examples("hooktui check --fix", "hooktui check --scope project --format github    # for CI"))
@directory_argument
@click.option("--format", "form", type=click.Choice(list(_FORMATS)), default="text", show_default=True, help="Output format.")
@click.option("--fix", is_flag=True, help="Apply all safe fixes, then report what remains.")
@click.option("--scope", type=click.Choice(["all", "project"]), default="all", help="Check all hooks, or only the project's.")
@click.option(
    "--host",
    "named",
    multiple=True,
    metavar="NAME",
    type=click.Choice(hosts.names()),
    help=f"Check for this host only; repeatable: {', '.join(hosts.names())} (default: each file's own host and others in use).",
)
@click.option("--no-log", is_flag=True, help="Leave out problems found in the log.")
@db_option
def check_command(
    directory: str, form: str, fix: bool, scope: str, named: tuple[str, ...], no_log: bool, db: str | None
) -> None:
    """Report problems with hooks, with file, line and column.

    Exits with code 1 if there is an error.
    """
    if fix:
        _fix(directory, form, scope, named)
    loaded = loaded_catalog(directory, named or None)
    if loaded.settings.keys:
        from hooktui.screens.keys import keymap  # the screens define the actions

        loaded = keymap.checked(loaded)
    if not no_log:
        loaded = _audited(loaded, db, form)
    broken = [state for state in connect.states(directory, loaded.hooks) if not named or state.host in named]
    loaded = catalog.with_connections(loaded, connect.problems(broken), connect.called(broken))
    loaded = _with_untested(loaded)
    if scope == "project":
        loaded = loaded._replace(
            hooks=tuple(hook for hook in loaded.hooks if hook.scope != "user" and not trust.is_managed(hook)),
            files=tuple(file for file in loaded.files if _is_in_project(file, loaded.project)),
            diagnostics=tuple(problem for problem in loaded.diagnostics if _is_in_project(problem.file, loaded.project)),
        )
    report = _FORMATS[form](loaded)
    if form == "text":
        report = "\n".join(line for told in report.split("\n") for line in folded(told, columns(), _INDENT))
    click.echo(_with_dim_codes(report) if form == "text" else report)
    if any(problem.severity == "error" for problem in without_effects(loaded.diagnostics)):
        raise click.exceptions.Exit(1)


def _with_dim_codes(report: str) -> str:
    return re.sub(r" \[[a-z-]+\]$", lambda code: click.style(code[0], dim=True), report, flags=re.MULTILINE)


def _fix(directory: str, form: str, scope: str, named: tuple[str, ...]) -> None:
    """Apply all safe fixes, keeping approvals, and report them: on stderr for machine-readable formats."""
    from hooktui.edit import apply_fixes
    from hooktui.edit.file_steps import ChangeRefusedError
    from hooktui.formats.documents import ChangedError

    loaded = catalog.load(directory, named=named or None)
    plan = apply_fixes.plan(loaded, lambda problem: scope != "project" or _is_in_project(problem.file, loaded.project))
    try:
        apply_fixes.apply(plan, loaded.hooks, loaded.project)
    except (ChangeRefusedError, ChangedError, OSError) as error:
        raise Refused(f"nothing was fixed: {one_line(error_message(error))}") from error
    for problem in plan.fixed:
        label = one_line(problem.fix.label) if problem.fix else ""
        click.echo(_with_dim_codes(f"{check_output.place(problem)}: fixed: {label} [{problem.code}]"), err=form != "text")


def _with_untested(loaded: Catalog) -> Catalog:
    """Add the guards that no example reaches, in a project that has examples."""
    if not os.path.isdir(os.path.join(loaded.project, DIRECTORY)):
        return loaded
    from hooktui.hook_tests import example_files, reach

    return catalog.with_diagnostics(loaded, reach.untested(example_files.load(loaded.directory), loaded.hooks))


def _audited(loaded: Catalog, db: str | None, form: str) -> Catalog:
    """Add problems found in the log. An unreadable log is a warning."""
    if not presence.exists(db or paths.log_path(loaded.settings.log_path)):
        return loaded
    import asyncio

    from hooktui.catalog import log_links

    loaded, trouble = asyncio.run(log_links.audited(loaded, db))
    if trouble and form == "text":
        click.echo(f"hooktui: problems in the log are left out: {one_line(trouble)}", err=True)
    return loaded


def _is_in_project(file: str, project: str) -> bool:
    """Whether a file belongs to the project. If the home is the project, its configuration still belongs to the user."""
    return _is_below(file, project) and not _is_below(file, paths.config_home())


def _is_below(file: str, directory: str) -> bool:
    return os.path.join(file, "").startswith(os.path.join(directory, ""))
