"""What a person should know before agreeing to a connection: what it adds and costs, and what it leaves alone."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from hooktui import formats, hosts
from hooktui.catalog.hook_states import counted
from hooktui.connect import connection_states, git_exclude, launcher, transcribed
from hooktui.connect.connection_places import SITES, ConnectionSite, Scope
from hooktui.connect.connection_plan import ConnectionPlan, disconnect, trust_steps
from hooktui.connect.json_text import RefusedError
from hooktui.core import model, paths
from hooktui.core import project as projects
from hooktui.core.model import Hook
from hooktui.formats import files
from hooktui.formats.source_cache import Sources
from hooktui.hosts import Host
from hooktui.scripts import analysis_budget

_REACH: dict[Scope, str] = {
    "local": "in this project",
    "project": "in this project",
    "user": "in all your projects",
    "managed": "for everyone on this machine",
}
_EVENT_MS = 15  # measured: tests/bench


class Unobserved(NamedTuple):
    """A file with commands of the host that are not observed, in a scope; `owner` is the plugin that brings them."""

    file: str
    scope: model.Scope
    owner: str


def notes(plan: ConnectionPlan, directory: str, *, observe: bool = False, spared: Collection[str] = ()) -> Iterator[str]:
    """What a connection of a host that is started in a directory will not do, or do to others, before it is written.

    `observe`: its own commands were to be observed, but for those in the `spared` files.
    """
    site, scope, project = plan.site, plan.scopes[0], projects.root(directory)
    own = site.file(scope, project)
    changed = plan.changes if plan.connects else ()
    contents = {change.path: None if change.then is None else change.then.encode() for change in changed}
    with files.in_place(contents), analysis_budget.limited(connection_states.CHARACTERS):
        read = {name: formats.load(name).discover(directory, Sources(contents=contents)).hooks for name in SITES}
        trouble = partial(_trouble, site.launcher(scope))
        connected = connection_states.states(directory, (hook for hooks in read.values() for hook in hooks), trouble)
    left = _unobserved(read[site.spec.name]) if observe else Counter[Unobserved]()
    steps = trust_steps(plan)
    yield from steps
    yield from (s.sentence for s in connected if s.file == own and s.why and not any(s.why in step for step in steps))
    yield from _for_everyone(plan)
    yield from _on_version_control(plan, project)
    for state in (state for state in connected if state.works and state.host != site.spec.name):
        pairs = ((site.spec.name, scope), (state.host, state.scope))
        programs = (spec for spec in hosts.specs() if not spec.repeats_timestamp())  # those run each hook once
        both = [spec.title for spec in programs if all(_reads(spec, *pair) for pair in pairs)]
        if both:
            yield f"{paths.short(state.file)} is connected too: each hook runs twice in {' and '.join(both)}"
    for item, count in left.items():
        verb = "is" if count == 1 else "are"
        why = "" if item.file in spared else f": {_why_not(item, plan, project)}"
        yield f"{counted(count, 'command')} in {paths.short(item.file)} {verb} not observed{why}"


def _trouble(written: str, program: str) -> str:
    """Why a launcher does not reach hooktui once one is written."""
    return "" if program == written else launcher.trouble(program)


def _for_everyone(plan: ConnectionPlan) -> Iterator[str]:
    """What a connection for everyone on the machine changes besides, and whom it does not reach."""
    if plan.connects and plan.scopes == ("managed",):
        yield plan.site.spec.managed_effect()
        if not launcher.is_open_to_all(sys.executable):
            yield f"other users cannot run {sys.executable}: in their sessions hooktui only says so, and their tools run"


def _on_version_control(plan: ConnectionPlan, project: str) -> Iterator[str]:
    """Warn of a path on this machine in files that others share, or may soon."""
    for change in (change for change in plan.visible if change.is_tracked):
        yield f"git tracks {paths.near(change.path, project)}, which will name a path on this machine: do not commit the change"
    shared = plan.site.file("project", project) if "project" in plan.scopes else ""
    for change in (change for change in plan.visible if change.path == shared and not change.is_tracked):
        if git_exclude.file_for(change.path):
            safe = " or ".join(f"--scope {other}" for other in plan.site.own_scopes if other != "project")
            instead = "" if change.observed else f", or use {safe}"
            file = paths.near(change.path, project)
            yield f"the file names a path on this machine: keep {file} out of version control{instead}"


def _why_not(item: Unobserved, plan: ConnectionPlan, project: str) -> str:
    if item.owner or item.scope == "plugin":
        return f"hooktui does not change the files of {item.owner or 'a plugin'}"
    if item.scope == "managed":
        return "only an administrator can change the file"
    others: Iterator[Scope] = (scope for scope in plan.site.scopes if item.file in plan.site.files(scope, project))
    other = next(others, None)
    if other is None:
        return "connect does not change this file"
    return "a launcher around it would change what it does" if other in plan.scopes else f"use --scope {other} --observe"


def _reads(spec: Host, host: str, scope: model.Scope) -> bool:
    """Whether an agent program reads a host's files of a scope in its default configuration."""
    others = (reads for reads in spec.reads if reads.host == host and not reads.setting())
    return spec.name == host or any(reads.reads_scope(scope) for reads in others)


def unobserved(site: ConnectionSite, directory: str) -> Counter[Unobserved]:
    """The number of the host's own commands that are not observed, by file."""
    return _unobserved(formats.load(site.spec.name).discover(directory).hooks)


def _unobserved(hooks: Iterable[Hook]) -> Counter[Unobserved]:
    alone = (hook for hook in hooks if hook.type == "command" and hook.enabled and not hook.calls_hooktui and not hook.obstacle)
    return Counter(Unobserved(hook.file, hook.scope, hook.owner) for hook in alone if hook.unwrapped_text == hook.text)


def observable(site: ConnectionSite, directory: str) -> list[Scope]:
    """The scopes with commands that are not observed, but could be."""
    project, alone = projects.root(directory), {item.file for item in unobserved(site, directory)}
    return [scope for scope in site.own_scopes if alone.intersection(site.files(scope, project))]


def remaining(plan: ConnectionPlan, directory: str) -> Iterator[tuple[Scope, str]]:
    """What a plan to disconnect leaves of the connection in other scopes: each scope, and a sentence."""
    for scope in (scope for scope in plan.site.scopes if scope not in plan.scopes):
        try:
            changes = disconnect(plan.site.spec.name, projects.root(directory), scope).visible
        except RefusedError:
            continue
        connected = {state.file for state in connection_states.states(directory)} if changes else ()
        for change in (change for change in changes if change.path in plan.site.files(scope, projects.root(directory))):
            does = f"connects {plan.site.spec.title}" if change.path in connected else "records your hooks"
            yield scope, f"{paths.short(change.path)} still {does} {_REACH[scope]}"


def gains(plan: ConnectionPlan, unobserved: int) -> tuple[str, str, str]:
    """What hooktui knows of a host without a connection, what this one adds, and what it costs, a line each.

    `unobserved` is the number of commands that it leaves alone.
    """
    title, observed = plan.site.spec.title, plan.observed
    known = f"what {title} did and what its hooks denied"
    if plan.site.spec not in transcribed.readable():
        known = f"nothing; hooktui reads no transcripts of {title}"
    added = ["HOOK.md hooks", "every event"] if plan.calls else []
    hooks = f"your {counted(observed + unobserved, 'hook')}"
    if observed:
        added.append(f"all output of {f'{observed} of ' if unobserved else ''}{hooks}")
    alone = f"; {hooks} {'are' if unobserved > 1 else 'is'} not observed" if unobserved and not observed else ""
    each = f" and {_EVENT_MS} ms an observed hook" if observed else ""
    return (
        f"Known without it: {known}.",
        f"It adds {', '.join(added)}{alone}.",
        f"It costs about {_EVENT_MS} ms an event (a tool call has two){each}.",
    )
