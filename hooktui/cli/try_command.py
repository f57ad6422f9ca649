"""`hooktui try`: run one hook on an event and see what it says."""

from __future__ import annotations

import json
import signal
from typing import IO, TYPE_CHECKING, Any

import click

from hooktui import simulate
from hooktui.catalog import catalog
from hooktui.cli.console import Refused, json_option, print_json, project_option
from hooktui.cli.decision_lines import report_lines
from hooktui.cli.try_past import refusal, try_past
from hooktui.core import fast_json
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.engine import interruption, protocols
from hooktui.engine.dispatch_report import report_json
from hooktui.engine.launch import arguments, rendered_prompt
from hooktui.security.redaction import is_cut
from hooktui.simulate import past_events

if TYPE_CHECKING:
    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook


@click.command("try")
@click.argument("name", metavar="HOOK")
@click.option("--payload", metavar="FILE", type=click.File("rb"), help="The event as JSON; - for standard input.")
@click.option("--from", "logged", metavar="ID", help="An event of the log.")
@click.option(
    "--past", "events", metavar="N", type=click.IntRange(1, past_events.MOST), help="The last N logged events of its kind."
)
@click.option("--preview", is_flag=True, help="Run nothing; show what would be run and what it would read.")
@json_option
@project_option
def try_command(
    name: str, payload: IO[bytes] | None, logged: str | None, events: int | None, preview: bool, as_json: bool, project: str
) -> None:
    """Run one hook on an event and show what it says.

    HOOK is a name or an id; it runs under its real limits. Without --payload and --from the event is made up so that it fits.
    The log keeps the try, marked as one, in a session of its own. --past runs it on what has happened in the project, and shows
    where it says something else than then.
    """
    if sum(map(bool, (payload, logged, events))) > 1 or (events and preview):
        raise click.UsageError("give one of --payload, --from and --past; --past has no preview")
    found = catalog.load(project)
    hook = _hook(found, name)
    if events:
        try_past(found, hook, events, as_json=as_json)
        return
    event = _payload(found, hook, payload, logged)
    try:
        if preview:
            _preview(hook, event, project, as_json)
        else:
            _run(found, hook, event, as_json)
    except simulate.CannotTry as error:
        raise Refused(refusal(error, hook)) from error


def _hook(found: Catalog, name: str) -> Hook:
    """The hook of an id or a name; of two of one name, the one that is not replaced by the other."""
    by_id = [hook for hook in found.hooks if hook.id == name]
    named = [hook for hook in found.hooks if hook.name == name]
    standing = [hook for hook in named if not found.overridden_by(hook)]
    candidates = by_id or standing
    if len(candidates) > 1:
        raise click.UsageError(f"there are several hooks {name}; give one of {', '.join(hook.id for hook in candidates)}")
    if not candidates:
        raise click.UsageError(f"there is no hook {name}; `hooktui list` has the names")
    return candidates[0]


def _payload(found: Catalog, hook: Hook, file: IO[bytes] | None, logged: str | None) -> dict[str, Any]:
    if logged:
        from hooktui.cli.log import read_report

        kept = read_report(logged)["payload"]
        if not isinstance(kept, dict) or is_cut(json.dumps(kept, ensure_ascii=False)):
            raise Refused(f"the input of {logged} was too long to be kept whole; try it with --payload")
        return simulate.payload_again(kept)
    if file is None:
        return simulate.payload_for(hook, found.project)
    try:
        given = fast_json.loads(file.read())
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"the payload is no JSON: {error}") from error
    if not isinstance(given, dict):
        raise click.UsageError("the payload is JSON, but no object")
    return given


def _run(found: Catalog, hook: Hook, payload: dict[str, Any], as_json: bool) -> None:
    interruption.heed(signal.SIGTERM)
    handled = simulate.run(found, hook, payload)
    report = report_json(handled.dispatch)
    if as_json:
        print_json(report)
        return
    for line in report_lines(report):
        click.echo(line)
    for warning in handled.warnings:
        click.echo(f"hooktui: {one_line(warning)}", err=True)


def _preview(hook: Hook, payload: dict[str, Any], project: str, as_json: bool) -> None:
    """What would be run, where, for how long, and what it would read; of a prompt hook, what a model would be asked."""
    event = simulate.event_of(hook, payload, project)
    protocol = protocols.load(hook.format)
    stdin, directory = protocol.stdin(hook, event), protocol.directory(hook, event, project)
    prompt = rendered_prompt(hook, stdin) if hook.type == "prompt" else None
    if as_json:
        plan = {
            "argv": arguments(hook, project),
            "cwd": directory,
            "timeout_ms": hook.timeout_ms,
            "stdin": stdin,
            "prompt": prompt,
        }
        print_json({"hook": hook.id, **plan})
        return
    what = "ask a model" if prompt else f"run {hook.command or 'its script'} in {directory}"
    click.echo(f"would {one_line(what)}, {hook.timeout_ms} ms at most, with")
    click.echo(visible(prompt or json.dumps(stdin, indent=2, ensure_ascii=False)))
