"""The `hooktui` command: agents' calls are served here without anything heavy, people's by click."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_INTERRUPTED = 130  # what a shell gives for ctrl+c


def main() -> NoReturn:
    """Serve one command line."""
    _fill_streams()
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command in ("run", "exec"):
        gc.disable()  # they end before there is anything to collect
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
        sys.stderr.write("hooktui: stopped\n")
        return _INTERRUPTED


def _fill_streams() -> None:
    """Stand-ins for streams that the caller has closed: no other file may ever get their numbers."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
            setattr(sys, name, os.fdopen(fd, "w" if fd else "r"))


def _end(code: int) -> NoReturn:
    """Leave at once: tearing the interpreter down would cost as much as the event itself."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # whoever asked has gone
            code = code or 1
    os._exit(code)
