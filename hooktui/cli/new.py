"""`hooktui new`: a hook from a template."""

from __future__ import annotations

import sys

import click

from hooktui import paths, trust
from hooktui.changing.plan import carry_out
from hooktui.changing.standing import HOSTS
from hooktui.changing.steps import CannotChange
from hooktui.cli.console import Refused, project_option, shell_word
from hooktui.editing import making, naming, places
from hooktui.editing.drafts import Draft, Language
from hooktui.formats import names
from hooktui.plain import one_line

_SCOPES = ("project", "local", "user", "agent")


@click.command("new")
@click.argument("name")
@click.option("--event", required=True, metavar="E", help="When it runs, in any format's spelling, like pre-tool-call.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(HOSTS)),
    default="agenthooks",
    show_default=True,
    help="How it is written.",
)
@click.option("--scope", type=click.Choice(_SCOPES), default="project", show_default=True, help="Who owns it.")
@click.option("--tool", metavar="RE", help="Only for tools that this matches, as the format has it.")
@click.option("--pattern", metavar="RE", help="Only when this regex finds something in the tool's input.")
@click.option("--lang", type=click.Choice(["sh", "py"]), default="sh", show_default=True, help="What its script is written in.")
@project_option
def new_command(
    name: str,
    event: str,
    format_name: str,
    scope: str,
    tool: str | None,
    pattern: str | None,
    lang: Language,
    project: str,
) -> None:
    """Make a hook from a template.

    HOOK.md, or an entry in a host's own file, and a script that shows every answer it may give. Before a tool call it denies
    what --tool and --pattern find; otherwise it decides nothing, until you write more.
    """
    try:
        place = places.usual(project, format_name, scope)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    draft = Draft(place, name, event, tool, pattern, lang)
    for fault in draft.faults.values():
        raise click.UsageError(fault)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        plan = making.plan(draft, own=at_terminal)
        carry_out(plan, project)
    except CannotChange as error:
        raise Refused(str(error)) from error
    called, opening = shell_word(plan.hook.name), making.opening(plan)
    if remark := names.remark(name):
        click.echo(f"hooktui: {remark}: {names.WANTED}{', like ' * bool(naming.better(name))}{naming.better(name)}", err=True)
    click.echo(f"Made {one_line(paths.short(plan.hook.file))}")
    click.echo(
        f"     {one_line(paths.short(opening.file))}:{opening.line} {'denies' if draft.denies else 'decides nothing yet'} …"
    )
    if scope != trust.OWN_SCOPE:
        _tell_about_trust(called, at_terminal)
    click.echo(f"Next: see what it says with `hooktui try {called}`, write its reason in your own words,")
    click.echo("      and have your agent call hooktui: `hooktui connect --help`.")


def _tell_about_trust(name: str, approved: bool) -> None:
    """What a person has just made, at a terminal, is approved; anything else by a person who looks at it."""
    command = f"hooktui trust --hook {name}"
    if approved:
        click.echo(f"Approved as it is now. After each change of its files: {command}")
    else:
        click.echo(f"It does not run before you approve it: {command}")
