"""`hooktui exec`: run one of a host's own hook commands and record its decision, byte for byte transparent."""

from __future__ import annotations

import sys

from hooktui import __version__
from hooktui.core.records import Record
from hooktui.engine.exec_relay import relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.engine.exec_witness import Relayed

USAGE = 64
HELP = """\
Usage: hooktui exec [OPTIONS] -- COMMAND [ARGUMENT ...]

  Run one of a host's own hook commands and record its decision. The host gets the same bytes, exit code and timing.

Options:
  --host NAME     the host of the hook; default: detected from the payload
  --help          show this message
"""
_HOST = "--host"
_FORMER = ("--name", "--file")  # in entries of earlier versions, as is --async; today the entry itself tells


class ExecOptions(Record):
    """The command line of `exec`."""

    host: str | None = None
    argv: tuple[str, ...]


def execute(arguments: list[str]) -> int:
    """Run and record one command. Returns its exit code, or 64 for a usage error."""
    if arguments[:1] in (["--help"], ["-h"], ["--version"]):
        sys.stdout.write(f"hooktui {__version__}\n" if arguments == ["--version"] else HELP)
        return 0
    try:
        options = _parse(arguments)
    except ValueError as error:
        sys.stderr.write(f"hooktui: {error} (see `hooktui exec --help`)\n")
        return USAGE
    return relay(options.argv, lambda relayed: _record(options, relayed))


def _parse(arguments: list[str]) -> ExecOptions:
    if "--" not in arguments:
        raise ValueError("missing -- before the command")
    cut = arguments.index("--")
    host = None
    rest = iter(arguments[:cut])
    for argument in rest:
        if argument == "--async":
            continue
        name, equals, value = argument.partition("=")
        if name not in (_HOST, *_FORMER):
            raise ValueError(f"unknown option: {argument}")
        given = value if equals else next(rest, "")
        if not given:
            raise ValueError(f"{name} needs a value")
        host = given if name == _HOST else host
    if not arguments[cut + 1 :]:
        raise ValueError("missing command after --")
    return ExecOptions(argv=tuple(arguments[cut + 1 :]), host=host)


def _record(options: ExecOptions, relayed: Relayed) -> None:
    """Record the run. The host has its answer, so heavy imports are fine here."""
    from hooktui.core import paths
    from hooktui.engine import exec_recorder
    from hooktui.log.write import upkeep
    from hooktui.log.write.spool_recorder import SpoolRecorder

    dispatch, settings = exec_recorder.observed(relayed, options.argv, options.host)
    recorder = SpoolRecorder(paths.log_path(settings.log_path), settings.redact)
    recorder.record(dispatch)
    upkeep.start(recorder, settings)
