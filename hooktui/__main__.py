"""Entry point of the `hooktui` command and of `python -m hooktui`. Only `run` and `exec` start without click.

With `python -m hooktui` nothing is imported from the current directory. The exception is the package `hooktui` itself: Python
looks for it there before any of its code runs. Agents therefore call `hooktui` or `python -I -m hooktui`, which do not.
"""

from __future__ import annotations

import sys

try:
    if not sys.flags.safe_path and sys.path and sys.path[0] in ("", __import__("os").getcwd()):
        del sys.path[0]  # never import a project's json.py or sqlite3.py
except FileNotFoundError:
    pass  # the current directory was deleted: nothing can be imported from it

import gc
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from hooktui.core.bundle_finder import BundleFinder
    from hooktui.runner.hook_files import HookFiles


_THRESHOLDS = (50_000, 5, 80)  # of garbage collection: most of what a command creates lives as long as it


def main(bundle: str = "", finder: BundleFinder | None = None) -> NoReturn:
    """Run the command line and exit.

    The launcher names its `bundle`, and the finder that imports from it, None if it cannot be used.
    """
    _fill_streams()
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command in ("run", "exec"):
        from hooktui.runner.command import answer

        gc.disable()  # these processes are too short to need it
        code = answer(command, sys.argv[2:], _hook_files)
        if bundle and (finder is None or finder.is_stale):
            _renew(bundle)
        os._exit(code)  # interpreter shutdown would take as long as the event itself
    gc.set_threshold(*_THRESHOLDS)
    if len(sys.argv) == 1:
        from hooktui.cli import opening

        if (code_of_app := opening.open_here()) is not None:
            sys.exit(code_of_app)
    from hooktui.cli.main import main as for_people

    sys.exit(for_people())


def _hook_files() -> HookFiles:
    """The readers of hook files, which import most of hooktui."""
    from hooktui.catalog.hook_files import CatalogFiles

    return CatalogFiles()


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


if __name__ == "__main__":
    main()
