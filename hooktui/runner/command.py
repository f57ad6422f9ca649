"""Serve `run` and `exec` whatever happens: a fault of ours, an interruption, a caller that has gone."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hooktui.runner.hook_files import Files

_BLOCKED = 2


def answer(command: str, arguments: list[str], files: Files) -> int:
    """Serve `run` or `exec` and flush the answer. Returns the exit code."""
    code = _served(command, arguments, files)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the caller has closed the pipe
            code = code or 1
    return code


def _served(command: str, arguments: list[str], files: Files) -> int:
    try:
        return _run(arguments, files) if command == "run" else _execute(arguments, files)
    except KeyboardInterrupt:
        import _signal

        sys.stderr.write("hooktui: interrupted\n")
        sys.stderr.flush()
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.raise_signal(_signal.SIGINT)
        raise


def _run(arguments: list[str], files: Files) -> int:
    """Handle an event. A fault that keeps even the guards from being known denies it."""
    try:
        from hooktui.runner.run import run

        return run(arguments, files)
    except Exception as fault:  # noqa: BLE001  # the host takes any code but 2 as permission
        sys.stderr.write(f"hooktui: event denied: internal error: {type(fault).__name__}: {fault}\n")
        return _BLOCKED


def _execute(arguments: list[str], files: Files) -> int:
    """Run a host's own command. It runs unobserved if hooktui cannot even be loaded."""
    try:
        from hooktui.runner.execute import execute
    except (ImportError, OSError):
        command = arguments[arguments.index("--") + 1 :] if "--" in arguments[:-1] else []
        if not command:
            raise
        os.execvp(command[0], command)
    return execute(arguments, files)
