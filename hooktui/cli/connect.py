"""`hooktui connect` and `disconnect`: add hooktui to a host's hook configuration, and remove it."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Literal, NamedTuple

import click

from hooktui import connect
from hooktui.catalog.hook_states import counted
from hooktui.cli.console import Refused, agrees, directory_option, examples
from hooktui.connect.connection_places import ConnectionSite
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.formats import documents

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HOSTS = f"HOST is one of {', '.join(connect.SITES)}.\n\n"
_host_argument = click.argument("host", metavar="[HOST]", type=click.Choice(list(connect.SITES)), required=False)
_all_option = click.option("--all", "every", is_flag=True, help="Every installed agent program.")
_dry_run_option = click.option("--dry-run", is_flag=True, help="Show the diff only.")
_yes_option = click.option("--yes", "-y", is_flag=True, help="Answer yes to every question.")


def _scope_option(default: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    text = "This project's configuration, your own in this project, yours for all projects, or everyone's on this machine"
    text = f"{text} (default: {default})."
    return click.option("--scope", type=click.Choice(connect.SCOPES), help=text)


@click.command(
    "connect",
    epilog=_HOSTS
    + examples(
        "hooktui connect claude                   # run HOOK.md hooks in Claude Code",
        "hooktui connect claude --dry-run         # only show what it would write",
        "hooktui connect --all                    # in every agent you have",
    ),
)
@_host_argument
@_all_option
@_scope_option("local for Claude Code, else project")
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
@directory_option
def connect_command(
    host: str | None,
    every: bool,
    scope: connect.Scope | None,
    events: Literal["all", "needed"],
    observe: bool,
    dry_run: bool,
    yes: bool,
    directory: str,
) -> None:
    """Run your HOOK.md hooks in an agent, and record what they decide.

    Adds entries to the program's hook file at the project's root, so that your hooks run in it. Says what it will do and asks
    first. Connecting again replaces the entries; `hooktui disconnect` removes them.

    Without --scope, --observe covers every file with hooks of yours, and asks for each one that git tracks.
    """
    project = projects.root(directory)
    sites = _sites(host, every, connect.installed)
    person = _Person(project, dry_run=dry_run, yes=yes)
    request = _ConnectRequest(person, directory, scope, needed_only=events == "needed", observe=observe)
    code = _for_each(sites, partial(request.apply, every=every), every=every)
    if every and (others := [site.spec.title for site in connect.SITES.values() if site not in sites]):
        click.echo(f"Not installed: {', '.join(others)}.")
    sys.exit(code)


class _ConnectRequest(NamedTuple):
    """The options of `connect`, applied to each agent program."""

    person: _Person
    directory: str
    scope: connect.Scope | None
    needed_only: bool
    observe: bool

    def apply(self, site: ConnectionSite, *, every: bool) -> None:
        """Connect one agent program. Raises UsageError, or Refused if it is one of several."""
        called = connect.needed(site.events(), self.person.project) if self.needed_only else site.events()
        plan = self._plan(site, called, every=every)
        if not called:
            click.echo("None of your hooks listens to an event of this host.")
        if _is_done(plan):
            click.echo(f"Nothing to do: {site.spec.title} is already connected.")
            _show_notes(connect.notes(plan, self.directory, observe=True) if self.observe else ())
            return
        spared = self._spared(plan)
        plan = self._plan(site, called, spared, every=every) if spared else plan
        if _is_done(plan):
            raise Refused("nothing was changed")
        if self.person.carries_out(plan, connect.notes(plan, self.directory, observe=self.observe, spared=spared)):
            _report(plan, len(called), self.directory)

    def _plan(
        self, site: ConnectionSite, called: tuple[str, ...], spared: Collection[str] = (), *, every: bool
    ) -> connect.ConnectionPlan:
        chosen = self.scope or (self.observe and _connected_scope(site, self.directory)) or site.scopes[0]
        if chosen not in site.scopes:
            message = f"{site.spec.title} has no scope {chosen}{_only(chosen)}: choose from {', '.join(site.scopes)}"
            raise Refused(message) if every else click.UsageError(message)
        beside = () if self.scope or not self.observe else connect.observable(site, self.directory)
        plan = partial(connect.connect, site.spec.name, chosen, self.person.project, called, observe=self.observe)
        return _planned(partial(plan, beside=beside, spared=spared))

    def _spared(self, plan: connect.ConnectionPlan) -> list[str]:
        """The committed files that the person does not want to be observed; with --scope nothing is asked."""
        committed = [change for change in plan.visible if change.starts_observing and change.is_tracked and not self.scope]
        return [change.path for change in committed if not self.person.shares(change)]


def _only(scope: connect.Scope) -> str:
    """The agent programs that have a scope, if these are few."""
    titles = [site.spec.title for site in connect.SITES.values() if scope in site.scopes]
    return f", which only {titles[0]} has" if len(titles) == 1 else ""


def _connected_scope(site: ConnectionSite, directory: str) -> connect.Scope | None:
    """The scope that a host is connected in, where it stays unless another is named."""
    scopes = {state.scope for state in connect.states(directory) if state.host == site.spec.name}
    return next((scope for scope in site.own_scopes if scope in scopes), None)


def _is_done(plan: connect.ConnectionPlan) -> bool:
    return not plan.visible and not plan.needs_launcher


def _report(plan: connect.ConnectionPlan, events: int, directory: str) -> None:
    own, title = plan.site.file(plan.scopes[0], projects.root(directory)), plan.site.spec.title
    works = any(state.works for state in connect.states(directory) if state.file == own)
    steps = connect.trust_steps(plan) or ["Running sessions may need a restart."] * works
    click.echo(one_line(" ".join((f"Connected {title} ({counted(events, 'event')}).", *steps))))


@click.command("disconnect", epilog=_HOSTS + examples("hooktui disconnect claude", "hooktui disconnect --all"))
@_host_argument
@_all_option
@_scope_option("every connection of this project")
@_dry_run_option
@_yes_option
@directory_option
def disconnect_command(
    host: str | None, every: bool, scope: connect.Scope | None, dry_run: bool, yes: bool, directory: str
) -> None:
    """Undo `connect`, and restore the agent's file.

    Restores an unchanged file byte for byte; from any other file, removes only hooktui's entries.
    """
    project = projects.root(directory)
    changed: list[ConnectionSite] = []
    left: list[str] = []
    person = _Person(project, dry_run=dry_run, yes=yes)

    def disconnect_one(site: ConnectionSite) -> None:
        plan = _planned(partial(connect.disconnect, site.spec.name, project, *([scope] if scope else [])))
        if plan.visible:
            changed.append(site)
        notes = [
            f"{text}: hooktui disconnect {site.spec.name} --scope {scope}" for scope, text in connect.remaining(plan, directory)
        ]
        left.extend(notes)
        if person.carries_out(plan, notes if plan.visible else ()) and plan.visible:
            click.echo(f"Disconnected {site.spec.title}.")

    code = _for_each(_sites(host, every, lambda site: scope is None or scope in site.scopes), disconnect_one, every=every)
    if not changed and not code:
        title = f"{connect.SITES[host].spec.title} is not" if host else "no agent program is"
        click.echo(f"Nothing to do: {title} connected{' in this project' if left else ''}.")
        _show_notes(left)
    sys.exit(code)


def _show_notes(notes: Iterable[str]) -> None:
    for note in notes:
        click.echo(f"Note: {one_line(note)}")


def _sites(host: str | None, every: bool, wanted: Callable[[ConnectionSite], bool]) -> list[ConnectionSite]:
    """The named host, or with `--all` every host that `wanted` accepts."""
    if (host is None) != every:
        raise click.UsageError("name an agent program, or pass --all")
    if host is not None:
        return [connect.SITES[host]]
    sites = [site for site in connect.SITES.values() if wanted(site)]
    if not sites:
        raise Refused(f"no agent program found: name one of {', '.join(connect.SITES)}")
    return sites


def _for_each(sites: list[ConnectionSite], change: Callable[[ConnectionSite], None], *, every: bool) -> int:
    """Change each host and return the exit code. With `--all`, one that refuses does not keep the others from it."""
    code = 0
    for site in sites:
        try:
            change(site)
        except Refused as error:
            if not every:
                raise
            code = error.exit_code
            click.echo(f"{site.spec.title}: {one_line(error.message)}", err=True)
    return code


def _planned(plan: Callable[[], connect.ConnectionPlan]) -> connect.ConnectionPlan:
    try:
        return plan()
    except connect.RefusedError as error:
        raise Refused(f"nothing was changed: {error}") from error


class _Unanswered(click.ClickException):
    """There is a question, and no terminal to ask it at."""

    exit_code = 2


class _Person(NamedTuple):
    """The person at the command line. `yes` answers every question; a dry run asks none and changes nothing."""

    project: str
    dry_run: bool
    yes: bool

    def shares(self, change: connect.ConnectionChange) -> bool:
        """Ask whether the commands in a file that git tracks may be observed."""
        if self.dry_run or self.yes:
            return True
        self._require_terminal()
        count = counted(change.observed, "command")
        return agrees(f"Observe {count} in {one_line(paths.short(change.path))}, which git tracks?")

    def carries_out(self, plan: connect.ConnectionPlan, notes: Iterable[str]) -> bool:
        """Say what a plan does, and apply it if the person agrees. A dry run shows the diff instead and returns False.

        Raises Refused if they do not agree, or the plan cannot be applied.
        """
        if self.dry_run:
            _show_difference(plan, self.project)
            return False
        if plan.obstacle:
            raise Refused(f"nothing was changed: {plan.obstacle}")
        asks = not self.yes and (plan.visible or plan.needs_launcher)
        if asks:
            self._require_terminal()
        for line in connect.summary(plan):
            click.echo(one_line(line))
        _show_notes(notes)
        if asks and not self._agrees(plan):
            raise Refused("nothing was changed")
        try:
            connect.carry_out(plan)
        except documents.ChangedError as error:
            raise Refused(f"nothing was changed: {error}; try again") from error
        except OSError as error:
            raise Refused(f"nothing was changed: {error.strerror}: {error.filename}") from error
        return True

    def _agrees(self, plan: connect.ConnectionPlan) -> bool:
        """Ask until the answer is no look at the diff. Only `y` and `yes` agree."""
        while True:
            try:
                answer = click.prompt("Apply? [y]es, [N]o, show the [d]iff", default="n", show_default=False).strip().lower()
            except click.Abort:
                return False
            if answer not in ("d", "diff"):
                return answer in ("y", "yes")
            _show_difference(plan, self.project)

    def _require_terminal(self) -> None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise _Unanswered("nothing was changed: without a terminal to ask at, pass --yes")


def _show_difference(plan: connect.ConnectionPlan, project: str) -> None:
    for change in plan.visible:
        for line in _difference(change, project):
            click.secho(visible(line), fg=_COLOURS.get(line[:1]))


def _difference(change: connect.ConnectionChange, project: str) -> Iterator[str]:
    """Return a unified diff; a created or deleted file is compared with /dev/null."""
    inside = change.path.startswith(os.path.join(project, ""))
    name = one_line(os.path.relpath(change.path, project) if inside else paths.short(change.path))
    now, then = ((text or "").removeprefix("\ufeff").splitlines() for text in (change.now, change.then))
    names = (name if change.now is not None else "/dev/null", name if change.then is not None else "/dev/null")
    return difflib.unified_diff(now, then, *names, lineterm="")
