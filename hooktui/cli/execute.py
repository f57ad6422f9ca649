"""`hooktui exec`: run one of a host's own hook commands and record its decision, byte for byte transparent."""

from __future__ import annotations

import os
import sys

from hooktui import __version__
from hooktui.core.records import Record
from hooktui.engine.exec_relay import relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.engine.exec_witness import Relayed
    from hooktui.log.write.locked_file import LockedFile

USAGE = 64
HELP = """\
Usage: hooktui exec [OPTIONS] -- COMMAND [ARGUMENT ...]

  Run one of a host's own hook commands and record its decision. The host gets the same bytes, exit code and timing.

Options:
  --host NAME     the host of the hook; default: detected from the payload
  --help          show this message
"""
_HOST = "--host"
_STREAMS = ("stdin", "stdout", "stderr")
_BYTES = "surrogateescape"  # any bytes as text, and back
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
    return relay(options.argv, _Recording(options))


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


class _Recording:
    """Keeps what a command did before the host gets the answer, and judges and records it after that."""

    def __init__(self, options: ExecOptions) -> None:
        self._options = options
        self._kept: LockedFile | None = None
        self._log = ""
        self._secrets: Sequence[str] = ()

    def prepare(self) -> None:
        """Import what keeping needs, and read the settings if there are any."""
        from hooktui.core import paths
        from hooktui.log.write import observations

        assert observations
        self._log, self._secrets = paths.log_path(None), ()
        if any(os.path.exists(path) for path in (paths.config_file(), paths.managed_file())):
            from hooktui.core import config  # reads TOML

            settings, _ = config.load_or_defaults()
            self._log, self._secrets = paths.log_path(settings.log_path), settings.redact

    def keep(self, relayed: Relayed) -> None:
        """Write what the command did to a file beside the log."""
        from hooktui.core import paths
        from hooktui.log.write import observations

        streams = {name: getattr(relayed, name).decode(errors=_BYTES) for name in _STREAMS}
        about = {**relayed.as_dict(), **streams, **self._options.as_dict(), "cwd": paths.working_directory()}
        try:
            self._kept = observations.keep(self._log, relayed.id, about, self._secrets)
        except OSError:
            return  # it is recorded soon

    def record(self, relayed: Relayed) -> None:
        """Judge the command and record its dispatch; heavy imports are fine here."""
        try:
            _record(relayed, self._options, self._log)
        finally:
            if self._kept:
                self._kept.remove()


def _record(relayed: Relayed, options: ExecOptions, db: str) -> None:
    from hooktui.engine import exec_recorder
    from hooktui.log.write import upkeep
    from hooktui.log.write.spool_recorder import SpoolRecorder

    dispatch, settings = exec_recorder.observed(relayed, options.argv, options.host)
    recorder = SpoolRecorder(db, settings.redact)
    recorder.record(dispatch)
    upkeep.start(recorder, settings)


def _record_kept(db: str, path: str) -> None:
    """Record what a killed `exec` has kept in a file."""
    from contextlib import suppress

    from hooktui.core import fast_json
    from hooktui.engine.exec_witness import Relayed

    about = fast_json.read_object(path)
    try:
        streams = {name: about[name].encode(errors=_BYTES) for name in _STREAMS}
        relayed = Relayed(**{**{name: about[name] for name in Relayed._fields}, **streams})
        with suppress(OSError):
            os.chdir(about["cwd"])
        _record(relayed, ExecOptions(argv=tuple(about["argv"]), host=about["host"]), db)
    finally:
        os.unlink(path)


if __name__ == "__main__":
    _record_kept(*sys.argv[1:])
