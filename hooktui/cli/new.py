"""`hooktui new`: a hook from a template."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from hooktui.cli.console import Refused, project_option, shell_word
from hooktui.core import paths
from hooktui.core.hook_source import HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.edit import create_hook, hook_names, new_hook_places, outlook
from hooktui.edit.change_plan import carry_out
from hooktui.edit.drafts import Draft, Language
from hooktui.edit.file_steps import CannotChange, Write
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats.agenthooks import names
from hooktui.security import trust

if TYPE_CHECKING:
    from hooktui.core.model import Hook
    from hooktui.edit.change_plan import Plan

_RUN_BY = {
    "agenthooks": "Agents run it that speak AgentHooks or call hooktui: `hooktui connect --help`.",
    "claude": "Claude Code runs it by itself, at the latest from its next session on.",
    "vscode": "VS Code runs it by itself, at the latest from its next session on.",
    "copilot": "Copilot CLI runs it by itself, at the latest from its next session on.",
    "azure": "Azure SRE Agent runs it when you have applied the file to your agent.",
}
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
        place = new_hook_places.usual(project, format_name, scope)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    draft = Draft(place, name, event, tool, pattern, lang)
    for fault in draft.faults.values():
        raise click.UsageError(fault)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        plan = create_hook.plan(draft, own=at_terminal)
        carry_out(plan, project)
    except CannotChange as error:
        raise Refused(str(error)) from error
    if remark := names.remark(name):
        click.echo(
            f"hooktui: {remark}: {names.WANTED}{', like ' * bool(hook_names.better(name))}{hook_names.better(name)}", err=True
        )
    _tell_what_was_made(plan)
    does = "denies" if draft.denies else "decides nothing yet"
    opening = create_hook.opening(plan)
    click.echo(f"     {one_line(paths.short(opening.file))}:{opening.line} {does} …")
    called = shell_word(plan.hook.name)
    _tell_who_runs_it(plan.hook, called, project, approved=at_terminal or scope == trust.OWN_SCOPE)
    rest = "write its reason in your own words" if draft.denies else "write what it decides"
    click.echo(f"Next: {rest}, and see what it says with `hooktui try {called}{_elsewhere(' --project {}', project)}`.")


def _elsewhere(option: str, project: str) -> str:
    """How a command names the project, where it is not the one that it would take."""
    return "" if os.path.realpath(os.curdir) == project else option.format(shell_word(project))


def _tell_what_was_made(plan: Plan) -> None:
    for step in reversed(plan.steps):  # what a person asked for, then its script
        match step:
            case Write(path=path, before=before):
                click.echo(f"{'Made' if before is None else 'Added it to'} {one_line(paths.short(path))}")
            case _:
                click.echo(f"Made {one_line(paths.short(plan.hook.file))}")


def _tell_who_runs_it(hook: Hook, called: str, project: str, *, approved: bool) -> None:
    """Who runs the hook, and what has to be done first: nothing of a host's own hook depends on hooktui."""
    if why := outlook.hindrance(hook, project):
        click.echo(f"It does not run: {one_line(why)}. Mend that first.")
    else:
        click.echo(_RUN_BY[hook.format])
    command = f"hooktui trust{_elsewhere(' {}', project)} --hook {called}"
    if approved and hook.scope != trust.OWN_SCOPE:
        click.echo(f"Approved as it is now. After each change of its files: {command}")
    elif not approved and isinstance(hook.source, HookDirectory):
        click.echo(f"It does not run before you approve it: {command}")
    elif not approved:
        click.echo(f"hooktui itself, which tries it, wants your approval: {command}")
