"""All hooks of a user and a project in firing order, with their diagnostics."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import hooktui.formats as hook_formats
from hooktui import config, diagnostics, hosts
from hooktui.catalog import plan_writer
from hooktui.core import events, paths, patterns
from hooktui.core import project as projects
from hooktui.core.model import ONLY_IN_AGENT, Diagnostic, HookDirectory, Mod, Obstacle
from hooktui.diagnostics import relevant_hosts, runtime_rules
from hooktui.diagnostics.relevant_hosts import RelevantHosts
from hooktui.diagnostics.unread_files import unread_files
from hooktui.formats import files, mods, permissions, regexes
from hooktui.formats.asked_once import asked_once
from hooktui.formats.hook_identity import identity_of
from hooktui.formats.source_cache import Sources
from hooktui.runner import plan, trust
from hooktui.scripts import analysis_budget

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

    from hooktui.config.managed import RequiredHook
    from hooktui.core.model import Hook, Trust
    from hooktui.core.settings import Settings
    from hooktui.diagnostics.runtime_rules import LastSeen
    from hooktui.formats.files import Contents

_COMPILING_S = 0.05  # CPU seconds for checking matchers while an event waits
_OF_APPROVAL = ("untrusted", "changed-since-trusted", "not-covered")  # told of hooks that hooktui itself runs
_CHARACTERS = 512 * 1024  # of scripts and commands of hooks that are not approved, read while an event waits
_ALL_COMPILING_S = 2.0  # the same while a person waits
_ALL_CHARACTERS = 3 * 1024 * 1024
_SCOPES = ("managed", "user", "project", "local", "agent", "plugin")
_OF_CALLERS = (
    "never-fires",
    "not-connected",
    "matches-nothing",
)  # of a HOOK.md, before the log is read (diagnostics/caller_rules.py)
_EVENTS = {event: place for place, event in enumerate(events.CANONICAL)}


class Catalog(NamedTuple):
    """A snapshot. `hooks` are in firing order per event; `trust` is by hook ID; `files` are the files that were read.

    `project` is the project's root, `directory` the directory inside it in which agents are started.

    `sources` caches results for the next load; `begun_ns` is the start of the load in nanoseconds since 1970. `seen`
    are the problems that the log shows (log_links.audited). `relevant` are the hosts for which hooks are checked. `managed` are
    the managed settings of all hosts, those in force first. `required` are the hooks that the administrator requires.
    """

    project: str
    directory: str
    hooks: tuple[Hook, ...]
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    watched: tuple[str, ...]
    trust: Mapping[str, Trust]
    settings: Settings
    sources: Sources
    begun_ns: int = 0
    seen: tuple[LastSeen, ...] = ()
    relevant: RelevantHosts = RelevantHosts()
    managed: tuple[hook_formats.ManagedSettings, ...] = ()
    required: tuple[RequiredHook, ...] = ()

    def __repr__(self) -> str:
        """Name the directory only: asyncio spells out what `run` returns."""
        return f"Catalog({self.directory!r})"

    @property
    def own_hooks(self) -> tuple[Hook, ...]:
        """The hooks without the entries of `hooktui connect`, which are counted nowhere."""
        return tuple(hook for hook in self.hooks if not hook.calls_hooktui)

    @property
    def managed_json(self) -> dict[str, str] | None:
        """The managed settings in force, as in `status --json` and `doctor --json` (contract.md)."""
        for settings in self.managed:
            if not settings.why_unread:
                return {"host": settings.host, "source": settings.source, "file": settings.file, "date": settings.date}
        return None

    def runs(self, hook: Hook) -> bool:
        """Whether hooktui itself runs a hook, which then needs approval; other hooks are run by their host."""
        return hook.format in self.settings.formats and hook.type not in ONLY_IN_AGENT

    def overridden_by(self, hook: Hook) -> str | None:
        """The ID of the trusted project hook of the same name that replaces this user hook."""
        return next((rival for rival in hook.rivals if self.trust.get(rival) == "trusted"), None)


def load(
    directory: str,
    formats: Sequence[str] | None = None,
    last: Catalog | None = None,
    named: Collection[str] | None = None,
    reviewed: Collection[str] = (),
    tell: Callable[[Hashable], None] = lambda _: None,
) -> Catalog:
    """Load all hooks of the project of a directory, or those of some `formats`. Errors in files become diagnostics.

    With the `last` catalog, only changed files are read again. `named`: check the hooks for these hosts only. Of the hooks
    with `reviewed` identities, all scripts and commands are read. `tell` is called with the key of each part that was read.
    """
    directory = paths.canonical(directory)
    sources = Sources(last.sources if last else None, tell=tell)
    approved = trust.approvals(projects.root(directory))
    whole = {*approved, *reviewed}
    return _made(directory, formats, sources, lambda hook: trust.state(hook, approved, partial(_digest, sources)), named, whole)


class _Digested(NamedTuple):
    digest: str
    watched: tuple[str, ...]


def _digest(sources: Sources, hook: Hook) -> str:
    """The digest that an approval would store, cached until one of the hook's files changes."""

    def compute() -> _Digested:
        return _Digested(digest=trust.digest(hook), watched=trust.reached(hook))

    return sources.keep(("digest", hook.id), compute, given=hook).digest


def edited(last: Catalog, contents: Contents) -> Catalog:
    """The catalog as if some files, by path, were saved with these contents in the app.

    Other files are assumed unchanged, and the log's problems stay until the hook is saved.
    """
    sources = Sources(last.sources, contents)
    approved = [hook.identity for hook in last.hooks if last.trust[hook.id] == "trusted"]
    with files.in_place(contents):
        made = _made(last.directory, None, sources, lambda hook: _trust_after_edit(last, hook), last.relevant.named, approved)
        made = made._replace(relevant=made.relevant._replace(called=last.relevant.called, silent=last.relevant.silent))
        made = with_own_agents(made) if last.relevant.has_own_agents else made
        if not last.seen:
            return made
        return with_sightings(made, runtime_rules.again(last.seen, made.hooks, contents, made.sources))


def with_contents(today: Catalog, formats: Sequence[str], contents: Contents) -> Catalog:
    """The catalog of some formats as if files, by path, had these contents; None for those that were missing."""
    sources = Sources(today.sources, contents)
    with files.in_place(contents):
        return _made(today.directory, formats, sources, lambda hook: today.trust.get(hook.id, "untrusted"), None, ())


def with_own_agents(catalog: Catalog) -> Catalog:
    """The catalog of a project whose HOOK.md hooks are run by agents that no connection is for: they need none."""
    relevant = catalog.relevant._replace(has_own_agents=True)
    settled = _OF_CALLERS if relevant.awaits_connection else _OF_CALLERS[:2]
    directories = {hook.id for hook in catalog.hooks if isinstance(hook.source, HookDirectory)}
    kept = [problem for problem in catalog.diagnostics if problem.code not in settled or problem.hook not in directories]
    return catalog._replace(relevant=relevant, diagnostics=tuple(kept), hooks=tuple(with_problems(catalog.hooks, kept)))


def with_sightings(catalog: Catalog, sightings: Iterable[LastSeen]) -> Catalog:
    """Add the log's problems to the catalog's diagnostics."""
    sightings = tuple(sightings)
    merged = runtime_rules.merged(catalog.diagnostics, sightings)
    return with_diagnostics(catalog._replace(diagnostics=(), seen=sightings), merged)


def with_connections(catalog: Catalog, problems: Sequence[Diagnostic], called: Collection[tuple[str, str]] = ()) -> Catalog:
    """Add the problems of connections, and the events for which hosts call hooktui all the same."""
    troubled = {host for problem in problems if problem.code == "not-connected" for host in problem.hosts}
    relevant = catalog.relevant._replace(called=frozenset(called), silent=frozenset(troubled - {host for host, _ in called}))
    return with_diagnostics(catalog._replace(relevant=relevant), problems)


def with_diagnostics(catalog: Catalog, diagnostics: Iterable[Diagnostic]) -> Catalog:
    """Add the diagnostics that matter here."""
    every = (*catalog.diagnostics, *relevant_hosts.kept(diagnostics, catalog.hooks, catalog.relevant))
    ordered = tuple(sorted(every, key=_place))
    return catalog._replace(diagnostics=ordered, hooks=tuple(with_problems(catalog.hooks, ordered)))


def _trust_after_edit(last: Catalog, hook: Hook) -> Trust:
    """Trust stays as it was. A new hook is trusted if all hooks of its file are (edit/hook_documents.py)."""
    if hook.id in last.trust:
        return last.trust[hook.id]
    neighbors = {last.trust[other.id] for other in last.hooks if other.file == hook.file and trust.needs_approval(other)}
    return "trusted" if neighbors == {"trusted"} else trust.state(hook, {})


@asked_once()
def _made(
    directory: str,
    formats: Sequence[str] | None,
    sources: Sources,
    trusted: Callable[[Hook], Trust],
    named: Collection[str] | None,
    whole: Collection[str],
) -> Catalog:
    settings, faults = config.load_with_faults()
    with analysis_budget.limited(_ALL_CHARACTERS, _read_whole(whole)) as limit:
        parsed = _parse(directory, tuple(formats or hosts.names()), settings, sources)
    for name in formats or hosts.names():
        parsed = _with_mods(parsed, mods.discover(hosts.spec(name), directory, sources))
    states = {hook.id: trusted(hook) for hook in parsed.hooks}
    project = projects.root(directory)
    relevant = relevant_hosts.find(parsed.hooks, project, named)._replace(switched_off=parsed.switched_off)
    own = (paths.config_file(), paths.managed_file(), trust.store_path(), paths.launcher())
    read_only = {hook.id for hook in parsed.hooks if hook.read_only}
    checked = diagnostics.check(parsed, states, relevant, sources, limit)
    wrong = [*map(_of_configuration, faults)]
    wrong += unread_files(project, directory)
    wrong += [problem.replace(fix=None) if problem.fix and problem.hook in read_only else problem for problem in checked]
    run_here = {hook.id for hook in parsed.hooks if hook.format in settings.formats and hook.type not in ONLY_IN_AGENT}
    wrong = [problem for problem in wrong if problem.code not in _OF_APPROVAL or problem.hook in run_here]
    ordered = sorted(wrong, key=_place)
    return Catalog(
        project=project,
        directory=directory,
        hooks=tuple(with_problems(parsed.hooks, ordered)),
        diagnostics=tuple(ordered),
        files=parsed.files,
        watched=(*parsed.watched, *relevant_hosts.watched(project), *own),
        trust=states,
        settings=settings,
        sources=sources,
        begun_ns=sources.begun_ns,
        relevant=relevant,
        managed=parsed.managed,
        required=config.managed_values().required,
    )


def _with_mods(parsed: hook_formats.Parsed, found: hook_formats.Parsed) -> hook_formats.Parsed:
    """Add mods, which answer before the hooks of their event."""
    if not found.watched:
        return parsed
    both = hook_formats.merged([found, parsed])
    return both._replace(hooks=tuple(sorted(both.hooks, key=_firing_order)))


def _of_configuration(fault: config.ConfigFault) -> Diagnostic:
    line = max(fault.line, 1)
    return Diagnostic(severity="error", code="bad-value", message=fault.message, file=fault.file, line=line, end_line=line)


def compiled(directory: str, formats: Sequence[str]) -> plan.Compiled:
    """Load what `run` needs and store it as an index. Empty `formats` means the configured ones.

    Of project hooks that are not approved, no matchers are compiled, and few scripts and commands are read: a clone could delay
    an event with them.
    """
    begun_ns = time.time_ns()
    settings, trouble = config.load_or_defaults()
    names = tuple(formats or settings.formats)
    approved = trust.approvals(projects.root(directory))
    with analysis_budget.limited(_CHARACTERS, _read_whole(approved)):
        parsed = _parse(directory, names, settings, Sources(), _COMPILING_S)
    codes = plan_writer.compiled_regexes(hook for hook in parsed.hooks if trust.is_own(hook) or hook.identity in approved)
    patterns.provide(codes)
    result = plan.Compiled(hooks=parsed.hooks, settings=settings, trouble=trouble)
    variables = [variable for name in names for variable in hosts.spec(name).moved.values()]
    watched = (*parsed.watched, trust.store_path()) if any(map(trust.needs_approval, parsed.hooks)) else parsed.watched
    plan_writer.store(directory, formats, result, watched, begun_ns, variables, codes)
    return result


def unchecked(directory: str, formats: Sequence[str], reviewed: Collection[str]) -> tuple[tuple[Hook, ...], Settings]:
    """The hooks of a directory in firing order and the user's settings, without looking for problems. Nothing is stored.

    Of the hooks with `reviewed` identities, all scripts and commands are read.
    """
    settings, _ = config.load_or_defaults()
    with analysis_budget.limited(_ALL_CHARACTERS, _read_whole(reviewed)):
        return _parse(paths.canonical(directory), tuple(formats), settings, Sources()).hooks, settings


def _read_whole(identities: Collection[str]) -> Callable[[Hook], bool]:
    """Whether a hook is the user's own or has one of these identities; of several alike, any."""
    known = {key.partition("#")[0] for key in identities}
    return lambda hook: trust.is_own(hook) or hook.id in known or identity_of(hook) in known


def list_json(catalog: Catalog) -> list[dict[str, Any]]:
    """`hooktui list --json` (contract.md)."""
    return [_hook_json(catalog, hook) for hook in catalog.hooks]


def _parse(
    directory: str, formats: tuple[str, ...], settings: Settings, sources: Sources, compiling_s: float = _ALL_COMPILING_S
) -> hook_formats.Parsed:
    with regexes.budget(compiling_s):
        parsed = hook_formats.merged(hook_formats.load(name).discover(directory, sources) for name in formats)
    hooks = [_refused(switched(hook, settings), sources) for hook in parsed.hooks]
    hooks = with_rivals(hooks) if settings.allow_override else hooks
    return parsed._replace(hooks=tuple(sorted(hooks, key=_firing_order)))


def _refused(hook: Hook, sources: Sources) -> Hook:
    """The hook with an obstacle if others can change its files, be it the owner of a managed one."""
    if hook.obstacle or hook.calls_hooktui:
        return hook
    exposed = next(iter(permissions.exposures(hook, sources)), None)
    why = f"{paths.near(exposed.path, hook.root)} is writable by {exposed.writers}" if exposed and exposed.is_refused else ""
    if trust.is_managed(hook):
        why = permissions.changeable(hook)
    host_runs = not isinstance(hook.source, HookDirectory)
    return hook.replace(obstacle=Obstacle(skip="invalid", why=why, host_runs=host_runs)) if why else hook


def switched(hook: Hook, settings: Settings) -> Hook:
    """Enable hooks by the user's configuration that their own file disables (formats.md §4)."""
    on = not hook.enabled and not hook.why_disabled and any(map(hook.goes_by, settings.enable))
    return hook.replace(enabled=True) if on else hook


def with_problems(hooks: Iterable[Hook], diagnostics: Iterable[Diagnostic]) -> list[Hook]:
    """Add to each hook the codes of its diagnostics, each once, by position."""
    codes: dict[str | None, dict[str, None]] = {}
    for diagnostic in diagnostics:
        for hook in (diagnostic.hook, *diagnostic.other_hooks):
            codes.setdefault(hook, {})[diagnostic.code] = None
    with_codes = ((known, tuple(codes.get(known.id, ()))) for known in hooks)
    return [known if known.problems == problems else known.replace(problems=problems) for known, problems in with_codes]


def _place(diagnostic: Diagnostic) -> tuple[str, int, int, str]:
    return (diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.code)


def with_rivals(hooks: Iterable[Hook]) -> list[Hook]:
    """Add to each user hook the project hooks that could replace it: those of the same name that can run."""
    hooks = list(hooks)
    directories = [hook for hook in hooks if isinstance(hook.source, HookDirectory)]
    rivals: dict[str, list[str]] = {}
    for hook in directories:
        if not trust.is_own(hook) and hook.enabled and not hook.obstacle:
            rivals.setdefault(hook.name, []).append(hook.id)
    overridable = {hook.id for hook in directories if hook.scope == "user" and hook.name in rivals}
    return [hook.replace(rivals=tuple(rivals[hook.name])) if hook.id in overridable else hook for hook in hooks]


def _firing_order(hook: Hook) -> tuple[Any, ...]:
    """By event, then format; AgentHooks by priority, scope and name (formats.md §2), managed first; others as written."""
    event = (_EVENTS.get(hook.event, len(_EVENTS)), hook.event, hosts.spec(hook.format).rank)
    if isinstance(hook.source, HookDirectory):
        return (*event, not trust.is_managed(hook), -hook.priority, _SCOPES.index(hook.scope), hook.name, hook.id)
    return event


def _hook_json(catalog: Catalog, hook: Hook) -> dict[str, Any]:
    values = _common_json(catalog, hook)
    return {**values, **_mod_json(hook, hook.source)} if isinstance(hook.source, Mod) else values


def _mod_json(hook: Hook, mod: Mod) -> dict[str, Any]:
    """What `list --json` says otherwise, or besides, about a mod (contract.md, "Mods")."""
    own = {"matcher_computed": mod.is_matcher_computed, "gates": mod.gates, "catches": mod.catches}
    return {"format": mods.FORMAT, "why": hook.why_disabled or None, **own}


def _common_json(catalog: Catalog, hook: Hook) -> dict[str, Any]:
    return {
        "id": hook.identity,
        "name": hook.name,
        "label": hook.label,
        "version": hook.content,
        "event": hook.event,
        "event_as_written": hook.event_as_written,
        "format": hook.format,
        "scope": hook.scope,
        "file": hook.file,
        "line": hook.line,
        "description": hook.description,
        "matcher": {"tool": hook.tool, "pattern": hook.pattern}
        if isinstance(hook.source, HookDirectory)
        else {"tool": hook.tool},
        "type": hook.type,
        "command": hook.command,
        "prompt": hook.prompt,
        "commands": dict(hook.commands),
        "cwd": hook.cwd,
        "env": dict(hook.env),
        "timeout_ms": hook.timeout_ms,
        "async": hook.is_async,
        "priority": hook.priority,
        "fail_mode": hook.fail_mode,
        "enabled": hook.enabled,
        "why": hook.why_disabled or (hook.obstacle.why if hook.obstacle else None),
        "owner": hook.owner or None,
        "editable": not hook.read_only,
        "trust": catalog.trust[hook.id],
        "overridden_by": catalog.overridden_by(hook),
        "problems": list(hook.problems),
        "connection": hook.calls_hooktui,
        "metadata": dict(hook.metadata),
    }
