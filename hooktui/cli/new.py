"""`hooktui new`: a hook from a template."""

from __future__ import annotations

import sys

import click

from hooktui import paths
from hooktui.cli.console import Refused, project_option
from hooktui.editing import making, templates
from hooktui.plain import one_line


@click.command("new")
@click.argument("name")
@click.option("--event", required=True, metavar="E", help="When it runs, in any format's spelling, like pre-tool-call.")
@click.option("--format", type=click.Choice(["agenthooks"]), help="How it is written.", expose_value=False)
@click.option("--scope", type=click.Choice(making.SCOPES), default="project", show_default=True, help="Who owns it.")
@click.option("--tool", metavar="RE", help="Only for tools whose name this regex finds.")
@click.option("--pattern", metavar="RE", help="Only when this regex finds something in the tool's input.")
@click.option("--lang", type=click.Choice(["sh", "py"]), default="sh", show_default=True, help="What its script is written in.")
@project_option
def new_command(
    name: str,
    event: str,
    scope: making.NewScope,
    tool: str | None,
    pattern: str | None,
    lang: templates.Language,
    project: str,
) -> None:
    """Make a hook from a template.

    HOOK.md and a script that shows every answer it may give. Before a tool call it denies what --tool and --pattern find;
    otherwise it notes in the log that it ran, until you write more.
    """
    try:
        draft = templates.Draft(name, event, tool, pattern, lang)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        made = making.make(project, scope, draft, approve=at_terminal)
    except FileExistsError as error:
        raise Refused(f"{error.filename} is there already; choose another name or edit that one") from error
    click.echo(f"Made {one_line(paths.short(made.file))}")
    click.echo(f"     {one_line(paths.short(made.script))}:{made.line} {'denies' if draft.denies else 'notes'} …")
    if scope == "project":
        _tell_about_trust(name, at_terminal)
    click.echo(f"Next: see what it says with `hooktui try {one_line(name)}`, write its reason in your own words,")
    click.echo("      and have your agent call hooktui: `hooktui connect --help`.")


def _tell_about_trust(name: str, approved: bool) -> None:
    """What a person has just made, at a terminal, is approved; anything else by a person who looks at it."""
    command = f"hooktui trust --hook {one_line(name)}"
    if approved:
        click.echo(f"Approved as it is now. After each change of its files: {command}")
    else:
        click.echo(f"It does not run before you approve it: {command}")
