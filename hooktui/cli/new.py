"""`hooktui new`: create a hook from a template or from a rule of the gallery."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from hooktui import hosts
from hooktui.cli.console import Refused, columns, examples, project_option, shell_word
from hooktui.cli.text_layout import hanging, say
from hooktui.core import paths
from hooktui.core.model import Hook, HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.edit import copy_targets, create_hook, drafts, new_hook_places
from hooktui.edit.change_plan import ChangePlan, carry_out
from hooktui.edit.drafts import HookDraft, Language
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.file_steps import ChangeRefusedError, Write
from hooktui.edit.gallery import rule_drafts
from hooktui.edit.gallery.gallery_rules import RULES
from hooktui.edit.new_hook_places import NewHookPlace
from hooktui.formats.agenthooks import frontmatter
from hooktui.hook_tests import new_rule_examples
from hooktui.hook_tests.example import DIRECTORY
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.edit.file_steps import Step
    from hooktui.trials.backtest_search import PastCount

_SCOPES = ("project", "local", "user", "agent")


def _list_rules(project: str) -> None:
    counts = _past_counts(project)
    numbers = {name: f"about {count.matched:,}" if count.matched else "0" for name, count in counts.items()}
    rows = [[rule.name, *([numbers.get(rule.name, "")] if numbers else []), rule.summary] for rule in RULES.values()]
    for line in hanging(rows, columns()):
        click.echo(line)
    every = next((count.matching(0).text.removeprefix("0 ") for count in counts.values()), "")
    remark = f"The numbers: how many {every} each would have acted on. " if every else ""
    click.echo()
    say(f"{remark}Install one with `hooktui new --from RULE`.")


def _past_counts(project: str) -> Mapping[str, PastCount]:
    import asyncio

    from hooktui.log.read.connection import LogError
    from hooktui.trials import gallery_counts
    from hooktui.trials.payload_templates import TrialError

    try:
        return asyncio.run(gallery_counts.counts(project, None, gallery_counts.PATIENCE_S))
    except (LogError, TrialError):
        return {}  # the list is worth having without


@click.command(
    "new",
    epilog=examples(
        "hooktui new no-curl --event pre-tool-call --pattern curl",
        "hooktui new --list                           # the rules of the gallery",
        "hooktui new --from gate-push --format claude",
    ),
)
@click.argument("name", required=False)
@click.option("--event", metavar="E", help="The event, such as pre-tool-call or PreToolUse.")
@click.option(
    "--format",
    "format_name",
    metavar="FORMAT",
    type=click.Choice(list(HOSTS)),
    default="agenthooks",
    help=f"File format: {', '.join(HOSTS)} (default: agenthooks).",
)
@click.option("--scope", type=click.Choice(_SCOPES), default="project", show_default=True, help="Where the hook lives.")
@click.option("--tool", metavar="RE", help="Match these tools, in the syntax of the format.")
@click.option("--pattern", metavar="RE", help="Match tool input with this regex.")
@click.option("--lang", type=click.Choice(["sh", "py", "uv"]), help="Language of the script: sh (default), Python, or uv run.")
@click.option(
    "--from", "--template", "rule_name", metavar="RULE", type=click.Choice(list(RULES)), help="Install a gallery rule."
)
@click.option("--list", "lists", is_flag=True, help="List the rules of the gallery.")
@project_option
def new_command(
    name: str | None,
    event: str | None,
    format_name: str,
    scope: str,
    tool: str | None,
    pattern: str | None,
    lang: Language | None,
    rule_name: str | None,
    lists: bool,
    project: str,
) -> None:
    """Create a hook, or install a rule of the gallery.

    Writes a HOOK.md, or an entry in a host's own file, and a script that lists every answer it may give. Before a tool call,
    the hook denies what --tool and --pattern match. Otherwise it decides nothing until you edit it.
    """
    if lists:
        _list_rules(project)
        return
    try:
        place = new_hook_places.default_place(project, format_name, scope)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if rule_name:
        if event or tool or pattern:
            raise click.UsageError(f"--from: {rule_name} has its own event and matcher")
        draft = _rule_draft(rule_name, place, name, lang)
    else:
        draft = _draft(place, name, event, tool, pattern, lang)
    for fault in draft.faults.values():
        raise click.UsageError(fault)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        plan = new_rule_examples.with_examples(create_hook.plan(draft, own=at_terminal), draft)
        carry_out(plan, project)
    except ChangeRefusedError as error:
        raise Refused(str(error)) from error
    _report(draft, plan, project, approved=at_terminal or scope == trust.OWN_SCOPE)


def _report(draft: HookDraft, plan: ChangePlan, project: str, *, approved: bool) -> None:
    if remark := frontmatter.name_problem(draft.name):
        better = drafts.corrected_name(draft.name)
        click.echo(f"hooktui: {remark}: {frontmatter.NAME_RULE}{f', such as {better}' if better else ''}", err=True)
    _print_created(plan)
    effect = draft.rule.summary if draft.rule else "denies matching calls" if draft.denies else "decides nothing yet"
    opening = create_hook.edit_position(plan)
    click.echo(f"     {one_line(paths.short(opening.file))}:{opening.line} {effect[0].lower()}{effect[1:]}")
    quoted_name = shell_word(plan.hook.label)
    _print_next_steps(plan.hook, quoted_name, project, approved=approved)
    task = "read the script" if draft.rule else "edit the reason" if draft.denies else "edit the script"
    click.echo(f"Next: {task}, then run `hooktui try {quoted_name}{_elsewhere(' --project {}', project)}`.")


def _draft(
    place: NewHookPlace, name: str | None, event: str | None, tool: str | None, pattern: str | None, lang: Language | None
) -> HookDraft:
    """Return the draft of a hook from the template. Raises UsageError if something is missing."""
    if not name:
        raise click.UsageError("Missing argument 'NAME'.")
    if not event:
        raise click.UsageError("Missing option '--event'.")
    _require_language(lang, drafts.languages(place))
    return HookDraft(place, name, event, tool, pattern, lang or "sh")


def _rule_draft(rule_name: str, place: NewHookPlace, name: str | None, lang: Language | None) -> HookDraft:
    """Return the draft of a rule. Raises UsageError if it cannot be installed there."""
    rule = RULES[rule_name]
    if refusal := rule_drafts.refusal(rule, place):
        raise click.UsageError(f"--from: {rule_name} cannot be installed there: {refusal}")
    _require_language(lang, rule_drafts.languages(rule, place))
    return rule_drafts.draft(rule, place, name or "", lang)


def _require_language(lang: Language | None, available: tuple[Language, ...]) -> None:
    if lang and lang not in available:
        missing = " (install uv first)" if lang == "uv" and not shutil.which("uv") else ""
        raise click.UsageError(f"--lang: {lang} is not available here: use {' or '.join(available)}{missing}")


def _elsewhere(option: str, project: str) -> str:
    """Return the option that names the project, or "" for the current directory."""
    return "" if os.path.realpath(os.curdir) == project else option.format(shell_word(project))


def _print_created(plan: ChangePlan) -> None:
    def is_examples(step: Step) -> bool:
        return DIRECTORY in step.path

    steps = list(reversed(plan.steps))
    for step in sorted(steps, key=is_examples):  # the hook, its script, its examples
        path, is_new = (step.path, step.before is None) if isinstance(step, Write) else (plan.hook.file, True)
        use = " (examples for `hooktui test`)" if is_examples(step) else ""
        click.echo(f"{'Created' if is_new else 'Added to'} {one_line(paths.short(path))}{use}")


def _print_next_steps(hook: Hook, quoted_name: str, project: str, *, approved: bool) -> None:
    """Print which host runs the hook, and whether it needs approval first."""
    if why := copy_targets.why_not_run(hook, project):
        say(f"It does not run yet: {one_line(why)}. Fix that first.")
    else:
        say(hosts.spec(hook.format).runs_new_hooks)
    command = f"hooktui trust{_elsewhere(' {}', project)} --hook {quoted_name}"
    if isinstance(hook.source, HookDirectory) and hook.scope != trust.OWN_SCOPE:  # hosts run their own
        state = "Approved. After a change, approve it again" if approved else "It needs approval to run"
        click.echo(f"{state}: {command}")
