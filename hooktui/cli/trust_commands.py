"""`hooktui status`, `trust` and `untrust`: approve a project's hooks by their content."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hooktui import config, connect, hosts
from hooktui.catalog import catalog, required_hooks
from hooktui.catalog.hook_states import named
from hooktui.cli import completion_values
from hooktui.cli.console import Refused, agrees, columns, directory_argument, json_option, print_json
from hooktui.cli.text_layout import say, table
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.edit import approval
from hooktui.formats import hook_dependencies
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook, Trust

_SINCE = {
    "new": ", added since you approved it",
    "changed": ", changed since you approved it",
    "gone": ", deleted since you approved it",
}
_NEVER_RUN = "hooktui does not run what is not covered, even if you approve it: your configuration has require_covered = true"
_OF_HOST = "host-untrusted"  # code of hooks that their own host does not trust
_LABEL = 1  # the column of a hook's label
_SHOWN_FILES = 20  # of one hook in a line
_SIGNS = {"-": "red", "+": "green"}
_hook_option = click.option(
    "--hook",
    "name",
    metavar="NAME",
    shell_complete=completion_values.hooks,
    help="Only the hook with this label, name or ID.",
)


@click.command("status")
@directory_argument
@_hook_option
@json_option
def status_command(directory: str, name: str | None, as_json: bool) -> None:
    """Show connected agents and approved project hooks.

    Says which agents call hooktui, what it records, and which project hooks it may run.
    """
    loaded, hooks = _of_project(directory, name)
    connections = connect.states(directory, loaded.hooks)
    loaded = catalog.with_connections(loaded, (), connect.called(connections))
    digests = {hook.identity: trust.digest(hook) for hook in hooks}
    covers = {hook.id: [name for name, _ in trust.covered(hook)] for hook in hooks}
    if as_json:
        print_json(_status_json(loaded, hooks, digests, covers) | {"connections": [state.as_json() for state in connections]})
        return
    lines = [*connect.status_lines(loaded, connections), *(settings.sentence for settings in loaded.managed)]
    for line in (*lines, *(required.sentence for required in required_hooks.unmet(loaded))):
        say(one_line(line), indent=2)
    click.echo()
    if not hooks:
        click.echo(f"No project hooks in {one_line(paths.short(loaded.project))}.")
        return
    for row in table([_row(loaded, hook, covers[hook.id]) for hook in hooks], columns(), _LABEL):
        click.echo("\n".join(row))
    for note in _notes(loaded, hooks, _refusals(hooks, digests)):
        say(one_line(note), indent=2)
    if loaded.settings.require_covered and any(hook_dependencies.gaps(hook) for hook in hooks if loaded.runs(hook)):
        say(_NEVER_RUN)
    click.echo(f"\nHash of all: {trust.combined(digests)}")


def _status_json(
    loaded: Catalog, hooks: Sequence[Hook], digests: Mapping[str, str], covers: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """`status --json` (contract.md), without connections."""
    refusals = _refusals(hooks, digests)
    rows = [
        {
            "id": hook.identity,
            "name": hook.name,
            "label": hook.label,
            "trust": loaded.trust[hook.id],
            "hash": digests[hook.identity],
            "covers": covers[hook.id],
            "why": refusals.get(hook.id),
            "not_covered": hook_dependencies.gaps(hook),
        }
        for hook in hooks
    ]
    return {
        "project": loaded.project,
        "hash": trust.combined(digests),
        "hooks": rows,
        "managed": loaded.managed_json,
        "required": [required.as_json() for required in required_hooks.states(loaded)],
    }


@click.command("trust")
@directory_argument
@_hook_option
@click.option("--hash", "given", metavar="HASH", help="Approve only content with this hash from `status --json`.")
def trust_command(directory: str, name: str | None, given: str | None) -> None:
    """Approve project hooks.

    Shows every file that would run, then asks.
    """
    loaded, hooks = _of_project(directory, name)
    digests = {hook.identity: trust.digest(hook) for hook in hooks}
    for hook in hooks:
        if why := _refusals([hook], digests).get(hook.id):
            raise Refused(f"nothing was approved: {one_line(hook.label)} {why}")
    waiting = [hook for hook in hooks if loaded.trust[hook.id] != "trusted"]
    if given is None and not waiting:
        click.echo("Nothing to approve.")
        return
    if given is not None:
        _check_hash(given, digests, name)
    else:
        ask(loaded.project, waiting, loaded.trust)
    if digests != {hook.identity: trust.digest(hook) for hook in hooks}:
        raise Refused("nothing was approved: a file changed while you were reading; run `hooktui trust` again")
    approval.approve(loaded.project, [(hook, digests[hook.identity]) for hook in hooks])
    click.echo(f"Approved: {one_line(', '.join(hook.label for hook in hooks))}")


@click.command("untrust")
@directory_argument
@_hook_option
def untrust_command(directory: str, name: str | None) -> None:
    """Revoke approvals. The project's hooks no longer run, in any worktree of the repository."""
    loaded, hooks = _of_project(directory, name)
    approved = [hook for hook in hooks if loaded.trust[hook.id] != "untrusted"]
    trust.revoke(loaded.project, {hook.identity for hook in approved})
    names = one_line(", ".join(hook.label for hook in approved))
    click.echo(f"Revoked: {names}" if names else "No hooks were approved.")


def _row(loaded: Catalog, hook: Hook, covers: Sequence[str]) -> tuple[str, ...]:
    """A hook's approval, label, host and file, and the files that an approval covers."""
    place = one_line(paths.near(hook.file, loaded.project))
    files = one_line(", ".join(covers[:_SHOWN_FILES]))
    more = f" and {len(covers) - _SHOWN_FILES:,} more (all with --json)" if len(covers) > _SHOWN_FILES else ""
    is_run_by_host = not loaded.runs(hook) and loaded.trust[hook.id] != "trusted"
    state = f"run by {hosts.spec(hook.format).title}" if is_run_by_host else loaded.trust[hook.id]
    return (state, one_line(hook.label), hook.format, f"{place}: {files}{more}" if files else place)


def _notes(loaded: Catalog, hooks: Sequence[Hook], refusals: Mapping[str, str]) -> Iterator[str]:
    """What keeps hooks from running: their own host's trust, and, where hooktui runs them, what an approval cannot cover."""
    shown = {hook.id for hook in hooks}
    for problem in loaded.diagnostics:
        if problem.code == _OF_HOST and problem.hook in shown:
            yield f"{problem.message} ({paths.near(problem.file, loaded.project)})"
    for hook in filter(loaded.runs, hooks):
        if hook.id in refusals:
            yield f"{hook.label} {refusals[hook.id]}"
        for gap in hook_dependencies.gaps(hook):
            yield f"{hook.label}: not covered by an approval: {gap}"


def _refusals(hooks: Sequence[Hook], digests: Mapping[str, str]) -> dict[str, str]:
    return {hook.id: f"cannot be approved: {trust.refusal(hook)}" for hook in hooks if not digests[hook.identity]}


def _of_project(directory: str, name: str | None = None) -> tuple[Catalog, list[Hook]]:
    """Return the project's catalog, and its hooks that need approval, all or those of one name."""
    loaded = catalog.load(directory)
    hooks = list(filter(trust.needs_approval, loaded.hooks))
    hooks = hooks if name is None else named(hooks, name)
    if name is not None and not hooks:
        raise click.UsageError(f"no hook named {name} in {loaded.project}; `hooktui status` lists them")
    if name is not None and any(hook.is_unread for hook in hooks):
        reviewed = {hook.identity for hook in hooks}
        loaded = catalog.load(directory, reviewed=reviewed)
        hooks = [hook for hook in loaded.hooks if hook.identity in reviewed]
    return loaded, hooks


def _check_hash(given: str, digests: Mapping[str, str], name: str | None) -> None:
    """Compare with the hash of the named hook, or with that of all hooks."""
    alone = name is not None and len(digests) == 1
    expected = next(iter(digests.values())) if alone else trust.combined(digests)
    if given != expected:
        raise Refused("nothing was approved: the hash does not match the current files; see `hooktui status --json`")


def ask(project: str, hooks: Sequence[Hook], states: Mapping[str, Trust]) -> None:
    """Show what an approval covers, and ask at the terminal. Raises Refused."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refused("cannot ask without a terminal: review the files, then pass --hash from `hooktui status --json`")
    for hook in hooks:
        _show(project, hook, states[hook.id])
    noun = "this hook" if len(hooks) == 1 else f"these {len(hooks)} hooks"
    if not agrees(f"Approve {noun}?"):
        raise Refused("nothing was approved")


def _show(project: str, hook: Hook, state: Trust) -> None:
    """Print every file that the approval covers; for a changed file, its diff."""
    from hooktui.log.read.hook_versions import outdented

    click.secho(f"{one_line(hook.label)}  {state}  {one_line(paths.short(hook.file))}", bold=True)
    for file in approval.covered_files(project, hook):
        about = one_line(file.about)
        click.secho(f"  {one_line(file.name)}{f', {about}' if about else ''}{_SINCE.get(file.state, '')}", fg="cyan")
        text = outdented(file.text) if file.name == approval.ENTRY else file.text
        for line in file.lines or visible(file.problem or text).splitlines():
            click.secho(f"    {visible(line)}", fg=_SIGNS.get(line[:1]) if file.lines else None)
    for gap in hook_dependencies.gaps(hook):
        click.secho(f"  not covered: {one_line(gap)}", fg="yellow")
    if hook_dependencies.gaps(hook) and config.load_or_defaults()[0].require_covered:
        click.secho(f"  {_NEVER_RUN}", fg="yellow")
    click.echo()
