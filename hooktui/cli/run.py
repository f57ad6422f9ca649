"""`hooktui run`: what an agent calls for every event. Nothing heavy is imported here (architecture.md, rule 2)."""

from __future__ import annotations

import os
import sys

from hooktui import __version__, hosts
from hooktui.core import events, fast_json, paths
from hooktui.core.model import Event
from hooktui.core.records import Record
from hooktui.core.settings import FORMATS
from hooktui.engine import interruption, pipeline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from hooktui.core.model import Dispatch

USAGE = 64
_DEEPEST = 5_000  # levels of an event's JSON; Python's own limit would refuse a fifth of it
_FRAMES_A_LEVEL = 4  # what those take, at most, who walk through the event afterwards
HELP = """\
Usage: hooktui run [EVENT] [OPTIONS]

  Handle one event, read as JSON on stdin: run the hooks that match, record what they decided, answer the agent.

Options:
  --host NAME     how stdin is read and the answer written; told from the payload when absent
  --project DIR   whose hooks; default: work_dir or cwd of the payload
  --format NAME   which formats' hooks to run; may be repeated; default: agenthooks and those of your configuration
  --dry-run       run nothing, say what would run and why the rest would not
  --json          print the full report in place of the host's answer
  --help          show this message

Exit codes: 0 go on, 2 blocked (the reason is on stderr), 64 wrong use. A fault of hooktui itself never blocks an agent
unless your configuration says [run] on_error = "deny".
"""


class UsageError(ValueError):
    """A command line or stdin that cannot be understood."""


class Options(Record):
    """The command line of `run`."""

    event: str | None = None
    host: str | None = None
    project: str | None = None
    formats: tuple[str, ...] = ()
    dry_run: bool = False
    json: bool = False
    help: bool = False
    version: bool = False


def run(arguments: list[str]) -> int:
    """Serve one event; the exit code."""
    options, event, project = Options(), None, None
    try:
        options = parse(arguments)
        if options.help or options.version:
            sys.stdout.write(HELP if options.help else f"hooktui {__version__}\n")
            return 0
        payload = read_stdin(_stdin())
        host = hosts.load(_known(options.host or hosts.detect(payload), hosts.NAMES, "--host"))
        event = host.read(payload, options.event, pipeline.now())
        project = _project(options, event)
        return _serve(options, event, project, host)
    except (UsageError, hosts.UnreadableEvent) as error:
        _warn(f"{error} (see `hooktui run --help`)")
        return USAGE
    except Exception as fault:  # noqa: BLE001  # an agent must never fail because we are broken
        event = event or _unread(options)
        return _survive(fault, event, project or pipeline.project_of(event, options.project))


def parse(arguments: list[str]) -> Options:
    """The options in a command line; raises UsageError. By hand: argparse costs half of what `run` may."""
    values: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _FLAGS and not equals:
            values[_FLAGS[name]] = True
        elif name in _VALUED:
            _put(values, _VALUED[name], value if equals else next(rest, None), name)
        elif argument.startswith("-") or "event" in values:
            raise UsageError(f"run does not understand {argument!r}")
        else:
            values["event"] = argument
    return Options(**values)


_FLAGS = {"--dry-run": "dry_run", "--json": "json", "--help": "help", "-h": "help", "--version": "version"}
_VALUED = {"--host": "host", "--project": "project", "--format": "formats"}


def _put(values: dict[str, Any], field: str, value: str | None, option: str) -> None:
    if not value:
        raise UsageError(f"{option} needs a value")
    values[field] = (*values.get(field, ()), value) if field == "formats" else value


def _stdin() -> bytes:
    if sys.stdin.isatty():
        _warn("waiting for an event as JSON on stdin: ctrl+d ends it, ctrl+c stops")
    return sys.stdin.buffer.read()


def read_stdin(content: bytes) -> dict[str, Any]:
    """The JSON object an agent sent. Raises UsageError, and RecursionError for what is nested too deep to be read.

    Depth is no way around a guard: there is room for walking through all that was read.
    """
    sys.setrecursionlimit(_DEEPEST)
    try:
        payload = fast_json.loads(content)
    except ValueError as error:
        raise UsageError(f"stdin is no JSON: {error}") from error
    except RecursionError as error:
        raise RecursionError(f"stdin is nested deeper than {_DEEPEST:,} levels") from error
    sys.setrecursionlimit(_DEEPEST * _FRAMES_A_LEVEL)
    if not isinstance(payload, dict):
        raise UsageError("stdin is JSON, but no object")
    return payload


def _project(options: Options, event: Event) -> str:
    for name in options.formats:
        _known(name, FORMATS, "--format")
    project = pipeline.project_of(event, options.project)
    if options.project and not os.path.isdir(project):
        raise UsageError(f"--project {options.project} is no directory")
    return project


def _serve(options: Options, event: Event, project: str, host: hosts.Host) -> int:
    found = pipeline.compiled(project, options.formats)
    interruption.heed(*interruption.ENDING)
    handled = pipeline.handle(event, project, found.hooks, found.settings, dry_run=options.dry_run)
    warnings = (*([found.trouble] if found.trouble else []), *handled.warnings)
    answer = _report(handled.dispatch, warnings) if options.json else host.answer(handled.dispatch)
    if options.dry_run and not options.json:
        answer = answer.replace(stdout=_forecast(handled.dispatch))
    _say(sys.stderr, answer.stderr + "".join(map(_warning, warnings)))
    _say(sys.stdout, answer.stdout)
    return answer.exit_code


def _say(stream: TextIO, text: str) -> None:
    """What was decided and recorded stands, also when nobody can be told. A host gets every byte, a terminal no escapes."""
    try:
        stream.write(_harmless(text) if stream.isatty() else text)
        stream.flush()
    except OSError:
        return


def _harmless(text: str) -> str:
    """What a hook printed, its escape sequences as signs."""
    from hooktui.core.text_sanitizer import visible

    return visible(text)


def _forecast(dispatch: Dispatch) -> str:
    """A dry run for a person: what would run, and why the rest would not."""
    lines = [f"{run.state:<10}{_visible(run.hook.name)}  {run.skip or ''}  {_visible(run.why)}\n" for run in dispatch.runs]
    return "".join(lines) or f"no hook listens to {_visible(dispatch.event.name)}\n"


def _report(dispatch: Dispatch, warnings: tuple[str, ...]) -> hosts.Answer:
    """The answer of `--json`: the same exit codes whatever the host (contract.md)."""
    from hooktui.engine.dispatch_report import report_json

    report = {**report_json(dispatch), "warnings": warnings}
    return hosts.Answer(exit_code=hosts.BLOCKED if dispatch.blocks else 0, stdout=fast_json.dumps(report) + "\n")


def _known(name: str, names: tuple[str, ...], option: str) -> str:
    if name not in names:
        raise UsageError(f"{option} {name} is unknown: one of {', '.join(names)}")
    return name


def _unread(options: Options) -> Event:
    """What stands in the log for an event that could not be read: all that the command line says of it."""
    written = options.event or "unreadable"
    return Event(
        name=events.canonical(written) or written,
        as_written=written,
        known=False,
        host=options.host or "agenthooks",
        session_id="",
        work_dir=paths.here(),
        timestamp=pipeline.now(),
    )


def _survive(fault: Exception, event: Event, project: str) -> int:
    """Our own fault: record it, say so, and let the agent go on unless the user's configuration wants otherwise."""
    from hooktui.core import config

    message = f"internal fault, the event was not handled: {type(fault).__name__}: {fault}"
    _warn(message)
    settings, _ = config.load_or_defaults()
    denied = settings.on_error == "deny"
    trouble = pipeline.record_fault(event, project, settings, message, denied=denied)
    if trouble:
        _warn(trouble)
    return hosts.BLOCKED if denied else 0


def _warn(message: str) -> None:
    _say(sys.stderr, _warning(message))


def _warning(message: str) -> str:
    return f"hooktui: {_visible(message)}\n"


def _visible(text: str) -> str:
    """Escape sequences made visible; newlines folded: a warning is one line."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
