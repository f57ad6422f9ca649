"""Entry point of the `hooktui` command. Handles `run` and `exec` without heavy imports; click handles the rest."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_INTERRUPTED = 130  # the shell's exit code for ctrl+c


def main() -> NoReturn:
    """Run the command line and exit."""
    _fill_streams()
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command in ("run", "exec"):
        gc.disable()  # these processes are too short to need it
        _end(_served(command))
    from hooktui.cli import people

    sys.exit(people.main())


def _served(command: str) -> int:
    try:
        if command == "run":
            from hooktui.cli.run import run

            return run(sys.argv[2:])
        from hooktui.cli.execute import execute

        return execute(sys.argv[2:])
    except KeyboardInterrupt:
        sys.stderr.write("hooktui: interrupted\n")
        return _INTERRUPTED


def _fill_streams() -> None:
    """Open the null device for closed standard streams, so that no other file gets their descriptors."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor is this one
            setattr(sys, name, os.fdopen(fd, "w" if fd else "r"))


def _end(code: int) -> NoReturn:
    """Exit without interpreter shutdown, which would take as long as the event itself."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the caller has closed the pipe
            code = code or 1
    os._exit(code)
