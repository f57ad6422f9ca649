"""`hooktui connect` and `disconnect`: wire hooktui into a host's own hook configuration, and out again."""

from __future__ import annotations

import difflib
import os
import sys
from typing import TYPE_CHECKING, Literal

import click

from hooktui import connect
from hooktui.cli.console import Refused, project_option
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.security import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_host_argument = click.argument("host", type=click.Choice(list(connect.PLACES)))
_scope_option = click.option(
    "--scope",
    type=click.Choice(connect.SCOPES),
    default="project",
    show_default=True,
    help="Whose configuration: this project's, or yours for all projects.",
)
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only show the difference.")
_yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


@click.command("connect")
@_host_argument
@_scope_option
@click.option(
    "--events",
    type=click.Choice(["all", "needed"]),
    default="all",
    show_default=True,
    help="For which events hooktui is called: needed are those your hooks listen to.",
)
@click.option("--observe", is_flag=True, help="Also record what the host's own hooks decide, without changing it.")
@_dry_run_option
@_yes_option
@project_option
def connect_command(
    host: str,
    scope: connect.Scope,
    events: Literal["all", "needed"],
    observe: bool,
    dry_run: bool,
    yes: bool,
    project: str,
) -> None:
    """Have an agent program call hooktui for its events.

    Writes entries into the program's own hook file, so that your hooks work in it; shows the difference first. Doing it again,
    with other options, changes what was written; `hooktui disconnect` takes it out.
    """
    place = connect.PLACES[host]
    chosen = place.events() if events == "all" else connect.needed(place.events(), project)
    plan = _planned(lambda: connect.connect(host, scope, project, chosen, observe=observe))
    if not chosen:
        click.echo("No hook of yours listens to an event of this host.")
    if not plan.visible:
        click.echo(f"Nothing to do: {place.title} is as it should be.")
        return
    if _carried_out(plan, project, dry_run=dry_run, yes=yes):
        click.echo(f"{place.title} calls hooktui for {len(chosen)} events from its next session on.")
        for note in connect.notes(place, scope, project):
            click.echo(f"Note: {one_line(note)}")


@click.command("disconnect")
@_host_argument
@_scope_option
@_dry_run_option
@_yes_option
@project_option
def disconnect_command(host: str, scope: connect.Scope, dry_run: bool, yes: bool, project: str) -> None:
    """Take out what `connect` wrote.

    A file that nobody has changed since is as it was before, to the byte; from any other only hooktui's own entries go.
    """
    plan = _planned(lambda: connect.disconnect(host, scope, project))
    title = connect.PLACES[host].title
    if not plan.visible:
        _carried_out(plan, project, dry_run=dry_run, yes=True)
        click.echo(f"Nothing to do: {title} is not connected.")
    elif _carried_out(plan, project, dry_run=dry_run, yes=yes):
        click.echo(f"{title} does not call hooktui any more.")


def _planned(plan: Callable[[], connect.Plan]) -> connect.Plan:
    try:
        return plan()
    except connect.RefusedError as error:
        raise Refused(f"nothing was changed: {error}") from error


def _carried_out(plan: connect.Plan, project: str, *, dry_run: bool, yes: bool) -> bool:
    """Show what will change, ask if there is somebody to ask, and do it; False after a dry run."""
    for change in plan.visible:
        for line in _difference(change, project):
            click.secho(visible(line), fg=_COLOURS.get(line[:1]))
    if dry_run:
        return False
    if not yes and sys.stdin.isatty() and not click.confirm("Write this?", default=True):
        raise Refused("nothing was changed")
    try:
        connect.carry_out(plan)
    except documents.ChangedError as error:
        raise Refused(f"nothing was changed: {error}; try again") from error
    except OSError as error:
        raise Refused(f"nothing was changed: {error.strerror}: {error.filename}") from error
    return True


def _difference(change: connect.Change, project: str) -> Iterator[str]:
    """A unified diff; a file that comes or goes is compared with nothing."""
    inside = change.path.startswith(os.path.join(project, ""))
    name = one_line(os.path.relpath(change.path, project) if inside else paths.short(change.path))
    now, then = ((text or "").removeprefix("\ufeff").splitlines() for text in (change.now, change.then))
    names = (name if change.now is not None else "/dev/null", name if change.then is not None else "/dev/null")
    return difflib.unified_diff(now, then, *names, lineterm="")
