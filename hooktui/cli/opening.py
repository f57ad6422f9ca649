"""Open the app. `hooktui` alone does so without the command line's parser, which takes as long to import as the first paint."""

from __future__ import annotations

import os
import sys

from hooktui.core import gc_tuning

_INTERRUPTED = 130


class NoTerminalError(Exception):
    """The app was started without a terminal."""


def open_here() -> int | None:
    """Run the app on the current directory and return its exit code; None if the parser has to say why it cannot run."""
    try:
        directory = os.getcwd()
        require_terminal()
    except (FileNotFoundError, NoTerminalError):
        return None
    try:
        return run(directory)
    except OSError as error:
        sys.stderr.write(f"hooktui: {error.strerror or error}\n")
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED


def require_terminal() -> None:
    """Raise NoTerminalError unless all three streams are terminals: Textual draws on stderr."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise NoTerminalError("the app needs a terminal; without one, use `hooktui list`, `hooktui log` or `hooktui check`")


def run(directory: str, db: str | None = None, banner: str = "", mode: str = "hooks", fleet: str | None = None) -> int:
    """Run the app on a screen, with a banner, and return its exit code. Raises NoTerminalError."""
    require_terminal()
    gc_tuning.begin()
    from hooktui.app import HooktuiApp

    app = HooktuiApp(directory, db, banner=banner, mode=mode, fleet=fleet)
    app.run()
    return app.return_code or 0
