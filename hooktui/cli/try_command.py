"""`hooktui try`: run one hook on one event, or on past events, and print its results."""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import IO, TYPE_CHECKING, Any

import click
from rich.cells import cell_len

from hooktui import hosts
from hooktui.catalog import catalog, hook_states
from hooktui.catalog.hook_states import counted, named
from hooktui.cli import completion_values
from hooktui.cli.console import (
    Refused,
    columns,
    cut,
    directory_option,
    examples,
    json_option,
    print_json,
    shell_word,
)
from hooktui.cli.decision_lines import print_report
from hooktui.cli.progress import CommandInterrupted, ProgressLine, loaded_catalog
from hooktui.cli.text_layout import say
from hooktui.cli.trust_commands import ask
from hooktui.core import fast_json, ids
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit import hook_documents
from hooktui.log.read.rows import iso
from hooktui.runner import interruption
from hooktui.runner.dispatch import rendered_prompt
from hooktui.runner.dispatch_report import report_json
from hooktui.runner.redaction import is_cut
from hooktui.trials import backtest_events, payload_templates, runs
from hooktui.trials.payload_templates import NotApprovedError, TrialError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.log.read.decision_log import DecisionLog
    from hooktui.log.read.recent_events import LoggedOutcome
    from hooktui.trials.backtest_events import PastEvent, PastSummary, PastTrial
    from hooktui.trials.backtest_search import PastCount

_SAMPLES = 20  # events in `samples`


@click.command(
    "try",
    epilog=examples(
        "hooktui try no-curl                # on an example event",
        "hooktui try no-curl --past         # on past calls that it matches",
        "hooktui try no-curl --past since:7d",
    ),
)
@click.argument("name", metavar="HOOK", shell_complete=completion_values.hooks)
@click.option("--payload", metavar="FILE", type=click.File("rb"), help="The event as JSON; - for stdin.")
@click.option("--from", "logged", metavar="ID", shell_complete=completion_values.events, help="An event in the log.")
@click.option(
    "--past",
    metavar="[QUERY]",
    is_flag=False,
    flag_value="",
    shell_complete=completion_values.query_terms,
    help="Past events of this kind: all, those that match a query, or the last N; of this project, for a user's hook of all.",
)
@click.option("--yes", is_flag=True, help="Approve a project hook without being asked.")
@click.option("--preview", is_flag=True, help="Print what would run and its input; run nothing.")
@json_option
@directory_option
def try_command(
    name: str,
    payload: IO[bytes] | None,
    logged: str | None,
    past: str | None,
    yes: bool,
    preview: bool,
    as_json: bool,
    directory: str,
) -> None:
    """Run one hook on an example event, or on past ones.

    HOOK is a label, a name or an ID. A project hook that is not approved is shown first, and runs once you approve it. The
    hook runs under its real limits, by default on an example event that fits its matcher. The log records the run as a try.
    Of a mod, which only Claude Code runs, it prints what `claude plugin validate` says.
    --past runs the hook on the past events that it matches, up to 500, marks different results, and records nothing.
    """
    if sum(source is not None for source in (payload, logged, past)) > 1 or (past is not None and preview):
        raise click.UsageError("--payload, --from and --past are mutually exclusive, as are --past and --preview")
    loaded = loaded_catalog(directory)
    hook = _hook(loaded, name)
    if hook.type == "mod":
        _confirm(hook, loaded)
        return
    if not preview and hook_states.is_unapproved(loaded.trust[hook.id]):
        loaded = _approved(loaded, hook, yes=yes)
        hook = next(other for other in loaded.hooks if other.id == hook.id)
    if past is not None:
        try_past(loaded, hook, past, as_json=as_json)
        return
    event = _payload(loaded, hook, payload, logged)
    try:
        if preview:
            _preview(hook, event, loaded.project, as_json)
        else:
            _run(loaded, hook, event, as_json)
    except TrialError as error:
        raise Refused(refusal(error, hook)) from error


def _hook(loaded: Catalog, name: str) -> Hook:
    """Find a hook by ID or name. Overridden hooks do not count. Raises click.UsageError."""
    by_id = [hook for hook in loaded.hooks if hook.identity == name]
    candidates = by_id or [hook for hook in named(loaded.hooks, name) if not loaded.overridden_by(hook)]
    if len(candidates) > 1 and {hook.plugin for hook in candidates if hook.type == "mod"} != {candidates[0].plugin}:
        raise click.UsageError(f"ambiguous: {name}; choose one of {', '.join(hook.identity for hook in candidates)}")
    if not candidates:
        raise click.UsageError(f"no hook named {name}; `hooktui list` lists them")
    return candidates[0]


def _confirm(mod: Hook, loaded: Catalog) -> None:
    """Print what Claude Code says of a mod, which nothing else can run. Raises Refused."""
    from hooktui.trials import mod_validation

    try:
        is_so, sentence = mod_validation.validate(mod, loaded.hooks)
    except mod_validation.ValidationError as error:
        raise Refused(str(error)) from error
    if not is_so:
        raise Refused(sentence)
    click.echo(one_line(sentence))


def _approved(loaded: Catalog, hook: Hook, *, yes: bool) -> Catalog:
    """Approve a hook that the person has seen, or with `yes`; the catalog afterwards. Raises Refused."""
    reviewed = hook_documents.review(hook, loaded.project)
    if not yes:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            command = f"hooktui trust --hook {shell_word(hook.label)}"
            raise Refused(f"{hook.label} is not approved: review it with `{command}`, or pass --yes")
        ask(loaded.project, [hook], loaded.trust)
    hook_documents.approve(hook, loaded.project, reviewed)
    return catalog.load(loaded.directory, last=loaded)


def _payload(loaded: Catalog, hook: Hook, file: IO[bytes] | None, logged: str | None) -> dict[str, Any]:
    if logged is not None:
        from hooktui.cli.log import read_reports

        kept = read_reports(logged)[0]["payload"]
        if not isinstance(kept, dict) or is_cut(json.dumps(kept, ensure_ascii=False)):
            raise Refused(f"the log has only part of the input of {logged}; use --payload instead")
        return payload_templates.payload_again(kept)
    if file is None:
        return payload_templates.payload_for(hook, loaded.project)
    try:
        given = fast_json.loads(file.read())
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"the payload is not valid JSON: {error}") from error
    if not isinstance(given, dict):
        raise click.UsageError("the payload must be a JSON object")
    return given


def _run(loaded: Catalog, hook: Hook, payload: dict[str, Any], as_json: bool) -> None:
    interruption.handle_signals(signal.SIGTERM)
    handled = runs.run(loaded, hook, payload)
    print_report(report_json(handled.dispatch), as_json=as_json)
    if as_json:
        return
    listeners = sum(other.event == hook.event for other in loaded.own_hooks)
    if listeners > 1:
        click.echo(f"A try runs one hook; {listeners} listen to {hook.event_as_written}.")
    for warning in handled.warnings:
        click.echo(f"hooktui: {one_line(warning)}", err=True)


def _preview(hook: Hook, payload: dict[str, Any], project: str, as_json: bool) -> None:
    """Print the command, directory, timeout and input; for a prompt hook, the prompt."""
    event = payload_templates.event_of(hook, payload, project)
    host = hosts.spec(hook.format)
    stdin, directory = host.hook_stdin(hook, event), host.hook_directory(hook, event, project)
    prompt = rendered_prompt(hook, stdin) if hook.type == "prompt" else None
    if as_json:
        run = {"argv": hook.arguments(project), "cwd": directory, "timeout_ms": hook.timeout_ms}
        print_json({"hook": hook.identity, **run, "stdin": stdin, "prompt": prompt})
        return
    action = "ask a model" if prompt else f"run {hook.command or 'its script'} in {directory}"
    click.echo(f"would {one_line(action)} (timeout {hook.timeout_ms} ms) with input:")
    click.echo(visible(prompt or json.dumps(stdin, indent=2, ensure_ascii=False)))


_SIGNS = {"decision": "≠", "unknown": "?", "effect": "~", "none": " "}


def refusal(error: Exception, hook: Hook) -> str:
    """Explain why a hook cannot be tried, with the command that approves it if that helps."""
    remedy = f"; review and approve it with `hooktui trust --hook {shell_word(hook.label)}`"
    return f"{error}{remedy if isinstance(error, NotApprovedError) else ''}"


def try_past(loaded: Catalog, hook: Hook, chosen: str, *, as_json: bool) -> None:
    """Try a hook on past events: those that match a query, or the last N. Prints a line for each result, or one JSON object."""
    from hooktui.cli.log import parsed, with_reader

    last = int(chosen) if chosen.isdecimal() else None
    if last is not None and not 0 < last <= backtest_events.MAX_EVENTS:
        raise click.UsageError(f"--past: {last} is not between 1 and {backtest_events.MAX_EVENTS}")
    query = parsed((chosen,) if last is None else ())
    if query.would:
        raise click.UsageError("--past: would: asks what all hooks decide; name another term")
    rows: list[PastEvent] = []
    begun = time.monotonic()

    def search(count: PastCount) -> None:
        progress.show(f"Searching {count.searched:,} of {counted(count.total, 'event')}…")

    async def play(reader: DecisionLog) -> PastTrial:
        plan = await backtest_events.plan(loaded, hook, last=last, path=reader.path, query=query, tell=search)

        def report(row: PastEvent) -> None:
            rows.append(row)
            if not as_json and (row.matched or row.change != "none"):
                progress.clear()
                click.echo(_line(row, columns()))
            ended = max(len(rows) - len(plan.decided), 0)  # the others come first
            progress.show(f"Tried on {ended:,} of {counted(len(plan.waiting), 'event')}…")

        await backtest_events.play(plan, report)
        return plan

    try:
        with ProgressLine() as progress:
            plan = with_reader(None, play)
    except KeyboardInterrupt:
        summary = backtest_events.summary(rows)
        tried = f"tried on {counted(summary.matched, 'event')}{summary.of_decisions}"
        raise CommandInterrupted(f"{tried}; nothing was recorded") from None
    except TrialError as error:
        raise Refused(refusal(error, hook)) from error
    seconds = time.monotonic() - begun
    if as_json:
        print_json(_past_json(plan, rows, seconds))
        return
    say(_past_text(plan, backtest_events.summary(rows), seconds), indent=2)


def _past_json(plan: PastTrial, rows: Sequence[PastEvent], seconds: float) -> dict[str, Any]:
    summary = backtest_events.summary(rows)
    samples = [row for row in backtest_events.in_order(rows) if row.matched or row.change != "none"][:_SAMPLES]
    return {
        "hook": plan.hook.identity,
        "events": plan.events,
        "matched": summary.matched + plan.untried,
        "changed": summary.changed,
        "decisions": dict(summary.decisions),
        "left_out": plan.left_out,
        "untried": plan.untried,
        "runs": plan.runs,
        "duration_ms": round(seconds * 1000, 3),
        "samples": [_sample(row) for row in samples],
        "rows": [_row_json(row) for row in sorted(rows, key=lambda row: row.event.id)],
    }


def _past_text(plan: PastTrial, summary: PastSummary, seconds: float) -> str:
    matched = summary.matched + plan.untried
    left_out = f"; {plan.left_out:,} left out, logged only in part" if plan.left_out else ""
    left_out += f"; {plan.untried:,} older matches not tried" if plan.untried else ""
    took = f"{counted(plan.runs, 'run')} in {seconds:.1f} s"
    matches = f"{matched:,} of {counted(plan.events, 'event')} matched{summary.of_decisions}"
    never = f"; the hook never runs: {plan.why_never}" if plan.why_never else ""
    return f"{matches}; {summary.of_changes} ({took}){left_out}{never}"


def _line(row: PastEvent, width: int | None) -> str:
    moment = time.strftime("%m-%d %H:%M:%S", time.localtime(row.event.at))
    decisions = f"{_word(row.before)} → {_word(row.after)}"
    line = f"{_SIGNS[row.change]} {moment}  {decisions:<15} {row.event.tool or '–':<10} {one_line(row.about)}"
    note = f"  {one_line(row.denied_then)}" if row.denied_then else ""
    return cut(line, width and width - cell_len(note)) + (click.style(note, dim=True) if note else "")


def _word(outcome: LoggedOutcome | None) -> str:
    return outcome.decision if outcome and outcome.state != "skipped" else "–"


def _row_json(row: PastEvent) -> dict[str, Any]:
    then, now = (outcome and outcome._asdict() for outcome in (row.before, row.after))
    return {**_event_json(row), "about": row.about, "then": then, "now": now, "changed": row.change == "decision"}


def _sample(row: PastEvent) -> dict[str, Any]:
    was, now = (outcome.decision if outcome else "none" for outcome in (row.before, row.after))
    return {**_event_json(row), "input": row.about, "was": was, "now": now, "denied_by": row.event.denied_by}


def _event_json(row: PastEvent) -> dict[str, Any]:
    return {"id": ids.text(row.event.id), "at": iso(row.event.at), "tool_name": row.event.tool}
