"""`hooktui [PATH]`: the app."""

from __future__ import annotations

import sys

import click

from hooktui.cli.console import Refused, project_argument
from hooktui.core import gc_tuning


@click.command("open")
@project_argument
@click.option("--db", metavar="FILE", type=click.Path(dir_okay=False), help="Another log than your own.")
def open_command(project: str, db: str | None) -> None:
    """Open the app on a project, as `hooktui [PATH]` does."""
    open_app(project, db)


def open_app(project: str, db: str | None = None, greeting: str = "") -> None:
    """Run the app until the person leaves it; it begins with a greeting, if there is one.

    Refuses without a terminal. Ends the process with the app's code when the app has failed.
    """
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # Textual draws on stderr
        raise Refused("the app needs a terminal; `hooktui list`, `hooktui log` and `hooktui check` do without one")
    gc_tuning.begin()
    from hooktui.app import HooktuiApp

    app = HooktuiApp(project, db, greeting)
    app.run()
    if app.return_code:
        sys.exit(app.return_code)
