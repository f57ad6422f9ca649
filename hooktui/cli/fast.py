"""Entry point of the `hooktui` command. Handles `run` and `exec` without heavy imports; click handles the rest."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from hooktui.core.bundle_finder import BundleFinder

_BLOCKED = 2


def main(bundle: str = "", finder: BundleFinder | None = None) -> NoReturn:
    """Run the command line and exit.

    The launcher names its `bundle`, and the finder that imports from it, None if it cannot be used.
    """
    _fill_streams()
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command in ("run", "exec"):
        gc.disable()  # these processes are too short to need it
        code = answered(command)
        if bundle and (finder is None or finder.is_stale):
            _renew(bundle)
        os._exit(code)  # interpreter shutdown would take as long as the event itself
    if len(sys.argv) == 1:
        from hooktui.cli import opening

        if (code_of_app := opening.open_here()) is not None:
            sys.exit(code_of_app)
    from hooktui.cli import people

    sys.exit(people.main())


def answered(command: str) -> int:
    """Serve `run` or `exec` and flush the answer. Returns the exit code."""
    code = _served(command)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the caller has closed the pipe
            code = code or 1
    return code


def _served(command: str) -> int:
    try:
        return _run() if command == "run" else _execute()
    except KeyboardInterrupt:
        import _signal

        sys.stderr.write("hooktui: interrupted\n")
        sys.stderr.flush()
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.raise_signal(_signal.SIGINT)
        raise


def _run() -> int:
    """Handle an event. A fault that keeps even the guards from being known denies it."""
    try:
        from hooktui.cli.run import run

        return run(sys.argv[2:])
    except Exception as fault:  # noqa: BLE001  # the host takes any code but 2 as permission
        sys.stderr.write(f"hooktui: event denied: internal error: {type(fault).__name__}: {fault}\n")
        return _BLOCKED


def _execute() -> int:
    """Run a host's own command. It runs unobserved if hooktui cannot even be loaded."""
    try:
        from hooktui.cli.execute import execute
    except (ImportError, OSError):
        command = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv[:-1] else []
        if not command:
            raise
        os.execvp(command[0], command)
    return execute(sys.argv[2:])


def _fill_streams() -> None:
    """Open the null device for closed standard streams, so that no other file gets their descriptors."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor is this one
            setattr(sys, name, os.fdopen(fd, "w" if fd else "r"))


def _renew(bundle: str) -> None:
    """Start a process that writes the bundle again; the agent does not wait for it."""
    if not os.access(os.path.dirname(bundle), os.W_OK):
        return
    from hooktui.core import background

    background.start(sys.executable, "-I", "-m", "hooktui.connect.bundle", bundle)
