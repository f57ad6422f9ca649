"""`hooktui new`: a hook from a template."""

from __future__ import annotations

import os
import sys

import click

from hooktui import catalog, paths, templates, trust
from hooktui.cli.console import Refused, project_option
from hooktui.plain import one_line

_ROOTS = {"user": lambda _project: paths.agenthooks_user_root(), "project": paths.agenthooks_project_root}


@click.command("new")
@click.argument("name")
@click.option("--event", required=True, metavar="E", help="When it runs, in any format's spelling, like pre-tool-call.")
@click.option("--format", type=click.Choice(["agenthooks"]), help="How it is written.", expose_value=False)
@click.option("--scope", type=click.Choice(list(_ROOTS)), default="project", show_default=True, help="Who owns it.")
@click.option("--tool", metavar="RE", help="Only for tools whose name this regex finds.")
@click.option("--pattern", metavar="RE", help="Only when this regex finds something in the tool's input.")
@click.option("--lang", type=click.Choice(["sh", "py"]), default="sh", show_default=True, help="What its script is written in.")
@project_option
def new_command(
    name: str,
    event: str,
    scope: str,
    tool: str | None,
    pattern: str | None,
    lang: templates.Language,
    project: str,
) -> None:
    """Make a hook from a template.

    HOOK.md and a script that reads its event and shows every answer it may give.
    """
    try:
        draft = templates.Draft(name, event, tool, pattern, lang)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    root = _ROOTS[scope](project)
    try:
        path = templates.create(root, draft)
    except FileExistsError as error:
        raise Refused(f"{error.filename} is there already; choose another name or edit that one") from error
    click.echo(f"Made {one_line(paths.short(path))}")
    click.echo(f"     {one_line(paths.short(os.path.join(os.path.dirname(path), draft.entry)))}")
    if scope == "project":
        _tell_about_trust(project, path, name)
    click.echo(f"Next: edit the script, see what it says with `hooktui try {one_line(name)}`,")
    click.echo("      and have your agent call hooktui: `hooktui connect --help`.")


def _tell_about_trust(project: str, path: str, name: str) -> None:
    """Approve what a person has just made, at a terminal; anything else must be approved by a person who looks at it."""
    command = f"hooktui trust --hook {one_line(name)}"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(f"It does not run before you approve it: {command}")
        return
    made = [hook for hook in catalog.load(project).hooks if hook.file == path]
    trust.approve(project, {hook.id: trust.digest(hook) for hook in made})
    click.echo(f"Approved as it is now. After each change of its files: {command}")
