"""`hooktui connect` and `disconnect`: add hooktui to a host's hook configuration, and remove it."""

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
_host_argument = click.argument("host", type=click.Choice(list(connect.SITES)))
_scope_option = click.option(
    "--scope",
    type=click.Choice(connect.SCOPES),
    default="project",
    show_default=True,
    help="Change this project's configuration, or yours for all projects.",
)
_dry_run_option = click.option("--dry-run", is_flag=True, help="Show the diff only.")
_yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


@click.command("connect")
@_host_argument
@_scope_option
@click.option(
    "--events",
    type=click.Choice(["all", "needed"]),
    default="all",
    show_default=True,
    help="Connect all events, or only those that your hooks listen to.",
)
@click.option("--observe", is_flag=True, help="Also record the decisions of the host's own hooks.")
@_dry_run_option
@_yes_option
@project_option
def connect_command(
    host: str, scope: connect.Scope, events: Literal["all", "needed"], observe: bool, dry_run: bool, yes: bool, project: str
) -> None:
    """Connect an agent program to hooktui.

    Adds entries to the program's hook file, so that your hooks run in it. Shows a diff and asks first. Connecting again
    replaces the entries; `hooktui disconnect` removes them.
    """
    site = connect.SITES[host]
    chosen = site.events() if events == "all" else connect.needed(site.events(), project)
    plan = _planned(lambda: connect.connect(host, scope, project, chosen, observe=observe))
    if not chosen:
        click.echo("None of your hooks listens to an event of this host.")
    if not plan.visible and not plan.needs_launcher:
        click.echo(f"Nothing to do: {site.spec.title} is already connected.")
        return
    if _carried_out(plan, project, dry_run=dry_run, yes=yes):
        click.echo(f"Connected {site.spec.title} ({len(chosen)} events). Its next session calls hooktui.")
        for note in connect.notes(site, scope, project):
            click.echo(f"Note: {one_line(note)}")


@click.command("disconnect")
@_host_argument
@_scope_option
@_dry_run_option
@_yes_option
@project_option
def disconnect_command(host: str, scope: connect.Scope, dry_run: bool, yes: bool, project: str) -> None:
    """Disconnect an agent program from hooktui.

    Restores an unchanged file byte for byte; from any other file, removes only hooktui's entries.
    """
    plan = _planned(lambda: connect.disconnect(host, scope, project))
    title = connect.SITES[host].spec.title
    if not plan.visible:
        _carried_out(plan, project, dry_run=dry_run, yes=True)
        click.echo(f"Nothing to do: {title} is not connected.")
    elif _carried_out(plan, project, dry_run=dry_run, yes=yes):
        click.echo(f"Disconnected {title}.")


def _planned(plan: Callable[[], connect.ConnectionPlan]) -> connect.ConnectionPlan:
    try:
        return plan()
    except connect.RefusedError as error:
        raise Refused(f"nothing was changed: {error}") from error


def _carried_out(plan: connect.ConnectionPlan, project: str, *, dry_run: bool, yes: bool) -> bool:
    """Show the diff, ask if there is a terminal, and apply the plan. Returns False after a dry run."""
    for change in plan.visible:
        for line in _difference(change, project):
            click.secho(visible(line), fg=_COLOURS.get(line[:1]))
    if dry_run:
        return False
    if not yes and sys.stdin.isatty() and not click.confirm("Apply these changes?", default=True):
        raise Refused("nothing was changed")
    try:
        connect.carry_out(plan)
    except documents.ChangedError as error:
        raise Refused(f"nothing was changed: {error}; try again") from error
    except OSError as error:
        raise Refused(f"nothing was changed: {error.strerror}: {error.filename}") from error
    return True


def _difference(change: connect.ConnectionChange, project: str) -> Iterator[str]:
    """Return a unified diff; a created or deleted file is compared with /dev/null."""
    inside = change.path.startswith(os.path.join(project, ""))
    name = one_line(os.path.relpath(change.path, project) if inside else paths.short(change.path))
    now, then = ((text or "").removeprefix("\ufeff").splitlines() for text in (change.now, change.then))
    names = (name if change.now is not None else "/dev/null", name if change.then is not None else "/dev/null")
    return difflib.unified_diff(now, then, *names, lineterm="")
