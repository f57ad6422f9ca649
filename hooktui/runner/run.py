"""`hooktui run`, which agents call for every event. Imports nothing heavy (docs/architecture.md, rule 4)."""

from __future__ import annotations

import os
import sys

from hooktui import __version__, hosts
from hooktui.core import events, fast_json, paths
from hooktui.core import project as projects
from hooktui.core.model import Event
from hooktui.core.records import Record
from hooktui.core.settings import host_names
from hooktui.runner import interruption, pipeline, skip_notices
from hooktui.runner.journal.recorder import SpoolRecorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

    from hooktui.core.model import Dispatch
    from hooktui.core.settings import Settings
    from hooktui.runner.hook_files import Files
    from hooktui.runner.plan import Called, Compiled

USAGE = 64
_WORTH = 4  # hooks that a tool rules out and that are worth being remembered
_DEEPEST = 5_000  # levels of JSON; Python's default limit refuses a fifth of that
_FRAMES_A_LEVEL = 4  # stack frames that later code needs per level
HELP = """\
Usage: hooktui run [EVENT] [OPTIONS]

  Handle one event: read it as JSON from stdin, run the matching hooks, record
  their decisions, and answer the agent.

Options:
  --host NAME     the host that sends the event (default: from the payload)
  --project DIR   a directory of the project (default: work_dir or cwd of the
                  payload)
  --format NAME   run hooks of this format; repeatable (default: agenthooks and
                  the configured formats)
  --dry-run       list the hooks that would run, and why the others would not
  --json          print the full report instead of the host's answer
  --help          show this message

Exit codes: 0 continue, 2 blocked (reason on stderr), 64 usage error. If hooktui
itself fails, the agent continues unless a guard listens to the event: then it
is denied ([run] on_error = "allow" turns that off).

Example:
  echo '{"event_type": "pre-tool-call", "session_id": "s1", "tool_name": "Bash",
         "tool_input": {"command": "ls"}}' | hooktui run --json
"""


class UsageError(ValueError):
    """An invalid command line or invalid stdin."""


class UnreadableStdinError(ValueError):
    """Stdin is not a JSON object."""


class RunOptions(Record):
    """The command line of `run`."""

    event: str | None = None
    host: str | None = None
    project: str | None = None
    formats: tuple[str, ...] = ()
    dry_run: bool = False
    json: bool = False
    lost: bool = False  # by the warm runner, which has read stdin
    help: bool = False
    version: bool = False


def run(arguments: list[str], files: Files) -> int:
    """Handle one event and return the exit code."""
    options, event, directory = RunOptions(), None, None
    try:
        options = parse(arguments)
        if options.help or options.version:
            sys.stdout.write(HELP if options.help else f"hooktui {__version__}\n")
            return 0
        _check_names(options)
        if options.lost:
            raise UnreadableStdinError("the warm runner ended while it handled the event")
        payload = read_stdin(_stdin())
        host = hosts.caller(options.host, payload) if options.host else hosts.detect(payload)
        event = hosts.read(host, payload, options.event, pipeline.now())
        directory = _directory(options, event)
        return _serve(options, event, directory, host, files)
    except UnreadableStdinError as error:
        return _refuse(options, str(error), files)
    except (UsageError, hosts.UnreadableEventError) as error:
        _warn(f"{error} (see `hooktui run --help`)")
        return USAGE
    except Exception as fault:  # noqa: BLE001  # a bug of ours must not fail the agent
        event = event or _unread(options)
        return _survive(fault, options, event, directory or pipeline.directory_of(event, options.project), files)


def parse(arguments: list[str]) -> RunOptions:
    """Parse a command line, without argparse, which would take half of the time budget. Raises UsageError."""
    values: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _FLAGS and not equals:
            values[_FLAGS[name]] = True
        elif name in _VALUED:
            _put(values, _VALUED[name], value if equals else next(rest, None), name)
        elif argument.startswith("-") or "event" in values:
            raise UsageError(f"unknown option: {argument}" if argument.startswith("-") else f"unexpected argument: {argument}")
        else:
            values["event"] = argument
    return RunOptions(**values)


_FLAGS = {"--dry-run": "dry_run", "--json": "json", "--lost": "lost", "--help": "help", "-h": "help", "--version": "version"}
_VALUED = {"--host": "host", "--project": "project", "--format": "formats"}


def _put(values: dict[str, Any], field: str, value: str | None, option: str) -> None:
    if not value:
        raise UsageError(f"{option} needs a value")
    values[field] = (*values.get(field, ()), value) if field == "formats" else value


def _stdin() -> bytes:
    if sys.stdin.isatty():
        _warn("waiting for a JSON event on stdin (ctrl+d to end, ctrl+c to cancel)")
    return sys.stdin.buffer.read()


def read_stdin(content: bytes) -> dict[str, Any]:
    """Parse the event. Raises UnreadableStdinError.

    The recursion limit leaves room to process every event that parses, so depth cannot bypass a guard.
    """
    sys.setrecursionlimit(_DEEPEST)
    try:
        payload = fast_json.loads(content)
    except ValueError as error:
        raise UnreadableStdinError(f"stdin is not valid JSON: {error}") from error
    except RecursionError as error:
        raise UnreadableStdinError(f"stdin is nested deeper than {_DEEPEST:,} levels") from error
    sys.setrecursionlimit(_DEEPEST * _FRAMES_A_LEVEL)
    if not isinstance(payload, dict):
        raise UnreadableStdinError("stdin must be a JSON object")
    return payload


def _directory(options: RunOptions, event: Event) -> str:
    directory = pipeline.directory_of(event, options.project)
    if options.project and not os.path.isdir(directory):
        raise UsageError(f"--project: not a directory: {options.project}")
    return directory


def _serve(options: RunOptions, event: Event, directory: str, host: str, files: Files) -> int:
    only_reports = options.json or options.dry_run
    compiled, recorder = _compiled(files, options, event, directory, None if only_reports else pipeline.called(event))
    interruption.handle_signals(*interruption.ENDING)
    settings = compiled.settings
    project = projects.root(directory)
    connection = options.host if hosts.spec(host).repeats_timestamp() and not only_reports else None
    if connection:
        from hooktui.runner import repeated_events

        earlier = repeated_events.find(event, connection, project)
        if earlier:
            return _answered(host, earlier, ())
    elif not only_reports and host != (options.host or host) and files().calls_hooktui(host, event, directory):
        return _answered(host, pipeline.unhandled(event, project, "", denied=False), ())
    handled = pipeline.handle(
        event,
        project,
        compiled.hooks,
        settings,
        recorder,
        files,
        dry_run=options.dry_run,
        started_in=directory,
        mismatches=compiled.mismatches,
    )
    warnings = (*([compiled.trouble] if compiled.trouble else []), *handled.warnings)
    if only_reports:
        code = _reported(handled.dispatch, warnings, options)
    else:
        if connection:
            repeated_events.remember(handled.dispatch, connection, settings.redact)
        code = _answered(host, handled.dispatch, warnings)
    if compiled.loaded and not only_reports and sum(run.skip == "tool-mismatch" for run in handled.dispatch.runs) >= _WORTH:
        from hooktui.runner import tool_skip_cache

        tool_skip_cache.remember(directory, options.formats, compiled, handled.dispatch, recorder)
    if not options.dry_run:
        _keep_up(recorder, settings)
    if interruption.was_interrupted() and not handled.dispatch.blocks:
        interruption.end_by_signal()
    return code


def _compiled(
    files: Files, options: RunOptions, event: Event, directory: str, called: Called | None
) -> tuple[Compiled, SpoolRecorder]:
    """The hooks of an event, without those that its tool is known to rule out and whose list is kept; the recorder."""
    compiled = pipeline.compiled(files, directory, options.formats, event.name, called)
    recorder = SpoolRecorder(paths.log_path(compiled.settings.log_path), compiled.settings.redact)
    if not compiled.mismatches or recorder.has_list(compiled.mismatches.version):
        return compiled, recorder
    return _compiled(files, options, event, directory, None)


def _keep_up(recorder: SpoolRecorder, settings: Settings) -> None:
    """Start what the log needs after an event, and the warm runner; the agent has its answer."""
    if recorder.has_grown or settings.prunes or settings.ships:
        from hooktui.runner import upkeep

        upkeep.start(recorder, settings)
    if settings.warm:
        from hooktui.runner.warm import runtime

        runtime.start_on_first_use()


def _answered(host: str, dispatch: Dispatch, warnings: tuple[str, ...]) -> int:
    """Answer the host. With a denial, the model reads stderr, so warnings go to the log only."""
    spec = hosts.spec(host)
    are_shown = spec.notices != "log" and (not dispatch.blocks or dispatch.event.name in spec.notices_beside_denial)
    notices = skip_notices.take(dispatch) if are_shown else ()
    messages = tuple(f"hooktui: {text}" for text in notices) if spec.notices == "systemMessage" else ()
    answer = hosts.answer(host, dispatch.replace(system_messages=(*dispatch.system_messages, *messages)))
    if messages:
        notices = ()
        if answer.exit_code == hosts.BLOCKED:
            answer = answer.replace(stdout=fast_json.dumps({"systemMessage": "\n".join(messages)}) + "\n")
    shown = () if answer.exit_code == hosts.BLOCKED else (*notices, *warnings)
    _say(sys.stderr, answer.stderr + "".join(map(_warning, shown)))
    _say(sys.stdout, answer.stdout)
    return answer.exit_code


def _reported(dispatch: Dispatch, warnings: tuple[str, ...], options: RunOptions) -> int:
    """Print the report, or what would run. The exit codes are the same for every host."""
    warnings = (*skip_notices.notices(skip_notices.skipped_guards(dispatch)), *warnings)
    _say(sys.stderr, "".join(map(_warning, warnings)))
    _say(sys.stdout, _report(dispatch, warnings) if options.json else _forecast(dispatch))
    return hosts.BLOCKED if options.json and dispatch.blocks else 0


def _say(stream: TextIO, text: str) -> None:
    """Write to a stream. Hosts get every byte, terminals no escape sequences; a closed stream changes no decision."""
    try:
        if stream.isatty():
            from hooktui.core.text_sanitizer import visible

            text = visible(text)
        stream.write(text)
        stream.flush()
    except OSError:
        return


def _forecast(dispatch: Dispatch) -> str:
    """Render a dry run as text: the hooks that would run, and why the others would not."""
    lines = [f"{run.state:<10}{_visible(run.hook.label)}  {run.skip or ''}  {_visible(run.why)}\n" for run in dispatch.runs]
    return "".join(lines) or f"no hook listens to {_visible(dispatch.event.name)}\n"


def _report(dispatch: Dispatch, warnings: tuple[str, ...]) -> str:
    from hooktui.runner.dispatch_report import report_json

    return fast_json.dumps({**report_json(dispatch), "warnings": warnings}) + "\n"


def _check_names(options: RunOptions) -> None:
    given = [(name, "--format") for name in options.formats]
    for name, option in [(options.host, "--host"), *given] if options.host else given:
        if name not in host_names():
            raise UsageError(f"{option}: unknown value: {name} (choose from {', '.join(hosts.names())})")


def _unread(options: RunOptions) -> Event:
    """The event of the command line, for stdin that cannot be read."""
    written = options.event or "unreadable"
    return Event(
        name=events.canonical(written) or written,
        as_written=written,
        known=False,
        host=options.host or hosts.DEFAULT,
        session_id="",
        work_dir=paths.working_directory(),
        timestamp=pipeline.now(),
    )


def _refuse(options: RunOptions, problem: str, files: Files) -> int:
    """Deny stdin that is not a JSON object if a guard listens to any event; else it is a usage error."""
    from hooktui.runner import faults

    event = _unread(options)
    directory = pipeline.directory_of(event, options.project)
    fault = None if options.dry_run else faults.unreadable(event, directory, options.formats, problem, files)
    if fault is None:
        _warn(f"{problem} (see `hooktui run --help`)")
        return USAGE
    return _denied(fault.dispatch, options)


def _survive(problem: Exception, options: RunOptions, event: Event, directory: str, files: Files) -> int:
    """Record and report an internal error: it denies an event that a guard listens to, and any other continues."""
    from hooktui.runner import faults

    fault = faults.internal(event, directory, options.formats, problem, files)
    if fault.dispatch.blocks and not options.dry_run:
        return _denied(fault.dispatch, options)
    _say(sys.stderr, "".join(f"{_visible(line)}\n" for line in (fault.dispatch.reason, fault.warning) if line))
    if options.json or options.dry_run:
        return 0
    answer = faults.message_to_person(fault.dispatch)
    _say(sys.stdout, answer.stdout)
    return answer.exit_code


def _denied(dispatch: Dispatch, options: RunOptions) -> int:
    """Answer the host that an event is denied which was not handled."""
    from hooktui.runner import faults

    dispatch = dispatch.replace(reason=_visible(dispatch.reason or ""))
    if options.json:
        _say(sys.stderr, f"{dispatch.reason}\n")
        _say(sys.stdout, _report(dispatch, dispatch.warnings))
        return hosts.BLOCKED
    answer = faults.answer(dispatch)
    _say(sys.stderr, answer.stderr)
    _say(sys.stdout, answer.stdout)
    return answer.exit_code


def _warn(message: str) -> None:
    _say(sys.stderr, _warning(message))


def _warning(message: str) -> str:
    return f"hooktui: {_visible(message)}\n"


def _visible(text: str) -> str:
    """Escape control characters and newlines, so that a warning is one line."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
