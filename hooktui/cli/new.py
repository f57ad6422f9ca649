"""`hooktui new`: create a hook from a template."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from hooktui import hosts
from hooktui.cli.console import Refused, project_option, shell_word
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.edit import copy_targets, create_hook, drafts, guard_template, new_hook_places
from hooktui.edit.change_plan import carry_out
from hooktui.edit.drafts import HookDraft, Language
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.file_steps import CannotChange, Write
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.agenthooks.hook_file import FORMAT
from hooktui.security import trust

if TYPE_CHECKING:
    from hooktui.core.model import Hook
    from hooktui.edit.change_plan import ChangePlan

_SCOPES = ("project", "local", "user", "agent")


@click.command("new")
@click.argument("name")
@click.option("--event", metavar="E", help="The event, such as pre-tool-call or PreToolUse.")
@click.option(
    "--format", "format_name", type=click.Choice(list(HOSTS)), default="agenthooks", show_default=True, help="File format."
)
@click.option("--scope", type=click.Choice(_SCOPES), default="project", show_default=True, help="Where the hook lives.")
@click.option("--tool", metavar="RE", help="Match these tools, in the syntax of the format.")
@click.option("--pattern", metavar="RE", help="Match tool input with this regex.")
@click.option("--lang", type=click.Choice(["sh", "py"]), default="sh", show_default=True, help="Language of the script.")
@click.option(
    "--template",
    type=click.Choice([guard_template.NAME]),
    help=f"{guard_template.NAME}: a guard that denies edits of hooks, of hooktui's files and of agents' settings.",
)
@project_option
def new_command(
    name: str,
    event: str | None,
    format_name: str,
    scope: str,
    tool: str | None,
    pattern: str | None,
    lang: Language,
    template: str | None,
    project: str,
) -> None:
    """Create a hook from a template.

    Writes a HOOK.md, or an entry in a host's own file, and a script that lists every answer it may give. Before a tool call,
    the hook denies what --tool and --pattern match. Otherwise it decides nothing until you edit it.
    """
    try:
        place = new_hook_places.default_place(project, format_name, scope)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if template:
        if format_name != FORMAT or (event or guard_template.EVENT) != guard_template.EVENT or tool or pattern:
            raise click.UsageError(f"--template: {template} is a HOOK.md on {guard_template.EVENT} with a script of its own")
        event = guard_template.EVENT
    if not event:
        raise click.UsageError("Missing option '--event'.")
    draft = HookDraft(place, name, event, tool, pattern, lang, is_guard=bool(template))
    for fault in draft.faults.values():
        raise click.UsageError(fault)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        plan = create_hook.plan(draft, own=at_terminal)
        carry_out(plan, project)
    except CannotChange as error:
        raise Refused(str(error)) from error
    if remark := frontmatter.name_problem(name):
        better = drafts.corrected_name(name)
        click.echo(f"hooktui: {remark}: {frontmatter.NAME_RULE}{f', such as {better}' if better else ''}", err=True)
    _print_created(plan)
    effect = "denies matching calls" if draft.denies or draft.is_guard else "decides nothing yet"
    opening = create_hook.edit_position(plan)
    click.echo(f"     {one_line(paths.short(opening.file))}:{opening.line} {effect}")
    quoted_name = shell_word(plan.hook.name)
    _print_next_steps(plan.hook, quoted_name, project, approved=at_terminal or scope == trust.OWN_SCOPE)
    task = "edit the files to protect" if draft.is_guard else "edit the reason" if draft.denies else "edit the script"
    click.echo(f"Next: {task}, then run `hooktui try {quoted_name}{_elsewhere(' --project {}', project)}`.")


def _elsewhere(option: str, project: str) -> str:
    """Return the option that names the project, or "" for the current directory."""
    return "" if os.path.realpath(os.curdir) == project else option.format(shell_word(project))


def _print_created(plan: ChangePlan) -> None:
    for step in reversed(plan.steps):  # the hook, then its script
        path, is_new = (step.path, step.before is None) if isinstance(step, Write) else (plan.hook.file, True)
        click.echo(f"{'Created' if is_new else 'Added to'} {one_line(paths.short(path))}")


def _print_next_steps(hook: Hook, quoted_name: str, project: str, *, approved: bool) -> None:
    """Print which host runs the hook, and whether it needs approval first."""
    if why := copy_targets.why_not_run(hook, project):
        click.echo(f"It does not run yet: {one_line(why)}. Fix that first.")
    else:
        click.echo(hosts.spec(hook.format).runs_new_hooks)
    command = f"hooktui trust{_elsewhere(' {}', project)} --hook {quoted_name}"
    if approved and hook.scope != trust.OWN_SCOPE:
        click.echo(f"Approved. After a change, approve it again: {command}")
    elif not approved and isinstance(hook.source, HookDirectory):
        click.echo(f"It needs approval to run: {command}")
    elif not approved:
        click.echo(f"`hooktui try` needs approval to run it: {command}")
