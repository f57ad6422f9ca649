"""`hooktui [PATH]`: open the app."""

from __future__ import annotations

import sys

import click

from hooktui.cli.console import Refused, project_argument
from hooktui.core import gc_tuning


@click.command("open")
@project_argument
@click.option("--db", metavar="FILE", type=click.Path(dir_okay=False), help="Use another log.")
def open_command(project: str, db: str | None) -> None:
    """Open the app on a project (same as `hooktui [PATH]`)."""
    open_app(project, db)


def open_app(project: str, db: str | None = None, greeting: str = "") -> None:
    """Run the app, with an optional greeting. Exits with the app's code if it failed. Raises Refused without a terminal."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # Textual draws on stderr
        raise Refused("the app needs a terminal; without one, use `hooktui list`, `hooktui log` or `hooktui check`")
    gc_tuning.begin()
    from hooktui.app import HooktuiApp

    app = HooktuiApp(project, db, greeting)
    app.run()
    if app.return_code:
        sys.exit(app.return_code)
