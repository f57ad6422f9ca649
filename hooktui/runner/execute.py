"""`hooktui exec`: run one of a host's own hook commands and record its decision, byte for byte transparent."""

from __future__ import annotations

import os
import sys

from hooktui import __version__
from hooktui.core.records import Record
from hooktui.runner.exec_relay import relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.runner.exec_relay import Relayed
    from hooktui.runner.hook_files import Files
    from hooktui.runner.journal.locked_file import LockedFile

USAGE = 64
HELP = """\
Usage: hooktui exec [OPTIONS] -- COMMAND [ARGUMENT ...]

  Run one of a host's own hook commands and record its decision. The host gets
  the same bytes, exit code and timing.

Options:
  --host NAME     the host of the hook (default: from the payload)
  --help          show this message
"""
_HOST = "--host"
_STREAMS = ("stdin", "stdout", "stderr")
_BYTES = "surrogateescape"  # any bytes as text, and back


class ExecOptions(Record):
    """The command line of `exec`."""

    host: str | None = None
    argv: tuple[str, ...]


def execute(arguments: list[str], files: Files) -> int:
    """Run and record one command. Returns its exit code, or 64 for a usage error."""
    if arguments[:1] in (["--help"], ["-h"], ["--version"]):
        sys.stdout.write(f"hooktui {__version__}\n" if arguments == ["--version"] else HELP)
        return 0
    try:
        options = _parse(arguments)
    except ValueError as error:
        sys.stderr.write(f"hooktui: {error} (see `hooktui exec --help`)\n")
        return USAGE
    return relay(options.argv, _Recording(options, files))


def _parse(arguments: list[str]) -> ExecOptions:
    if "--" not in arguments:
        raise ValueError("missing -- before the command")
    cut = arguments.index("--")
    host = None
    rest = iter(arguments[:cut])
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name != _HOST:
            raise ValueError(f"unknown option: {argument}")
        host = value if equals else next(rest, "")
        if not host:
            raise ValueError(f"{name} needs a value")
    if not arguments[cut + 1 :]:
        raise ValueError("missing command after --")
    return ExecOptions(argv=tuple(arguments[cut + 1 :]), host=host)


class _Recording:
    """Writes the start and the end of a command beside the log, and judges and records it after that."""

    def __init__(self, options: ExecOptions, files: Files) -> None:
        self._options = options
        self._files = files
        self._written: LockedFile | None = None
        self._log = ""
        self._secrets: Sequence[str] = ()

    def prepare(self) -> None:
        """Import what writing needs, and read the settings if there are any."""
        from hooktui.core import paths
        from hooktui.runner.journal import observations

        assert observations
        self._log, self._secrets = paths.log_path(None), ()
        if any(os.path.exists(path) for path in (paths.config_file(), paths.managed_file())):
            settings = self._files().settings()
            self._log, self._secrets = paths.log_path(settings.log_path), settings.redact

    def begin(self, number: int, stdin: bytes) -> None:
        from hooktui.runner.exec_relay import Relayed

        self._write(Relayed(id=number, status=None, stdin=stdin))

    def keep(self, relayed: Relayed) -> None:
        self._write(relayed)

    def _write(self, relayed: Relayed) -> None:
        from hooktui.core import paths
        from hooktui.runner.journal import observations

        streams = {name: getattr(relayed, name).decode(errors=_BYTES) for name in _STREAMS}
        about = {**relayed.as_dict(), **streams, **self._options.as_dict(), "cwd": paths.working_directory()}
        try:
            self._written = observations.keep(self._log, relayed.id, about, self._secrets, self._written)
        except OSError:
            return  # it is recorded soon

    def record(self, relayed: Relayed) -> None:
        """Judge the command and record its dispatch; heavy imports are fine here."""
        try:
            _record(relayed, self._options, self._log, self._files)
        finally:
            if self._written:
                self._written.remove()


def _record(relayed: Relayed, options: ExecOptions, db: str, files: Files) -> None:
    from hooktui.runner import exec_recorder, upkeep
    from hooktui.runner.journal.recorder import SpoolRecorder

    dispatch, settings = exec_recorder.observed(relayed, options.argv, options.host, files)
    recorder = SpoolRecorder(db, settings.redact)
    recorder.record(dispatch)
    upkeep.start(recorder, settings)


def record_kept(db: str, path: str, files: Files) -> None:
    """Record what a killed `exec` has written."""
    from contextlib import suppress

    from hooktui.core import fast_json
    from hooktui.runner.exec_relay import Relayed

    about = fast_json.read_object(path)
    try:
        streams = {name: about[name].encode(errors=_BYTES) for name in _STREAMS}
        relayed = Relayed(**{**{name: about[name] for name in Relayed._fields}, **streams})
        with suppress(OSError):
            os.chdir(about["cwd"])
        _record(relayed, ExecOptions(argv=tuple(about["argv"]), host=about["host"]), db, files)
    finally:
        os.unlink(path)
