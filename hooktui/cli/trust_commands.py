"""`hooktui status`, `trust` and `untrust`: which of a project's hooks may run, by their content (contract.md, "status")."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from hooktui.catalog import catalog
from hooktui.cli.console import Refused, aligned, json_option, print_json, project_argument
from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.security import approval, trust

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.core.model import Hook, Trust

# What became of a file since the last approval, and the colours of what went and what came.
_SINCE = {
    "new": ", new since you approved it",
    "changed": ", changed since you approved it",
    "gone": ", gone since you approved it",
}
_SIGNS = {"-": "red", "+": "green"}
_hook_option = click.option("--hook", "name", metavar="NAME", help="Only the hook of this name or id.")


@click.command("status")
@project_argument
@json_option
def status_command(project: str, as_json: bool) -> None:
    """Show which project hooks are approved."""
    hooks, states = _of_project(project)
    digests = {hook.id: trust.digest(hook) for hook in hooks}
    covers = {hook.id: [name for name, _ in trust.covered(hook)] for hook in hooks}
    if as_json:
        rows = [
            {"id": hook.id, "name": hook.name, "trust": states[hook.id], "hash": digests[hook.id], "covers": covers[hook.id]}
            for hook in hooks
        ]
        print_json({"project": project, "hash": trust.combined(digests), "hooks": rows})
        return
    if not hooks:
        click.echo(f"No project hooks in {one_line(paths.short(project))}.")
        return
    for line in aligned([(states[hook.id], one_line(hook.name), one_line(", ".join(covers[hook.id]))) for hook in hooks]):
        click.echo(line)
    click.echo(f"\nAll together: {trust.combined(digests)}")


@click.command("trust")
@project_argument
@_hook_option
@click.option("--hash", "given", metavar="HASH", help="What `status --json` says of it: approves that and nothing else.")
def trust_command(project: str, name: str | None, given: str | None) -> None:
    """Approve project hooks after showing them.

    Shows every file that would run, then asks.
    """
    hooks, states = _of_project(project, name)
    digests = {hook.id: trust.digest(hook) for hook in hooks}
    waiting = [hook for hook in hooks if states[hook.id] != "trusted"]
    if given is None and not waiting:
        click.echo("Nothing to approve.")
        return
    if given is not None:
        _check_hash(given, digests, name)
    else:
        _ask(project, waiting, states)
    if digests != {hook.id: trust.digest(hook) for hook in hooks}:
        raise Refused("a file changed meanwhile; nothing was approved, look again")
    approval.approve(project, [(hook, digests[hook.id]) for hook in hooks])
    click.echo(f"Approved: {one_line(', '.join(hook.name for hook in hooks))}")


@click.command("untrust")
@project_argument
@_hook_option
def untrust_command(project: str, name: str | None) -> None:
    """Take approvals back: those project hooks run no more."""
    hooks, states = _of_project(project, name)
    approved = [hook for hook in hooks if states[hook.id] != "untrusted"]
    trust.revoke(project, {hook.id for hook in approved})
    click.echo(f"No longer approved: {one_line(', '.join(hook.name for hook in approved)) or 'none was'}")


def _of_project(project: str, name: str | None = None) -> tuple[list[Hook], Mapping[str, Trust]]:
    """The hooks that need approval, all or those of one name, and what of each is approved."""
    found = catalog.load(project)
    hooks = [hook for hook in found.hooks if trust.needs_approval(hook) and name in (None, hook.name, hook.id)]
    if name is not None and not hooks:
        raise click.UsageError(f"{project} has no hook called {name}; `hooktui status` lists them")
    return hooks, found.trust


def _check_hash(given: str, digests: Mapping[str, str], name: str | None) -> None:
    """One hook asked for by name: its own hash; all of them: the one at the top of `status --json`."""
    alone = name is not None and len(digests) == 1
    expected = next(iter(digests.values())) if alone else trust.combined(digests)
    if given != expected:
        raise Refused("that is not the hash of the files as they are now: nothing was approved; see `hooktui status --json`")


def _ask(project: str, hooks: Sequence[Hook], states: Mapping[str, Trust]) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refused("there is no terminal to ask on: look at the files, then give --hash what `hooktui status --json` says")
    for hook in hooks:
        _show(project, hook, states[hook.id])
    noun = "this hook" if len(hooks) == 1 else f"these {len(hooks)} hooks"
    try:
        agreed = click.confirm(f"Let {noun} run whenever an agent fires their event?")
    except click.Abort:
        agreed = False
    if not agreed:
        raise Refused("nothing was approved")


def _show(project: str, hook: Hook, state: Trust) -> None:
    """Every file that the approval covers, whole; in one that changed, the lines that did."""
    click.secho(f"{one_line(hook.name)}  {state}  {one_line(paths.short(hook.file))}", bold=True)
    for file in approval.seen(project, hook):
        about = one_line(file.about)
        click.secho(f"  {one_line(file.name)}{f', {about}' if about else ''}{_SINCE.get(file.state, '')}", fg="cyan")
        for line in file.lines or visible(file.problem or file.text).splitlines():
            click.secho(f"    {visible(line)}", fg=_SIGNS.get(line[:1]) if file.lines else None)
    click.echo()
