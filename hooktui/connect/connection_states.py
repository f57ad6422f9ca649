"""Whether hosts really call hooktui, and why not: what `doctor`, `status`, `list` and `check` report of connections."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from hooktui import formats, hosts
from hooktui.catalog.hook_states import counted
from hooktui.connect import connection_places, json_text, launcher, transcribed
from hooktui.connect.connection_places import SITES, ConnectionSite
from hooktui.core import events, model, paths
from hooktui.core.model import Diagnostic, Hook
from hooktui.diagnostics import relevant_hosts
from hooktui.formats.files import UnreadableFileError
from hooktui.hosts.base import HostTrust
from hooktui.scripts import analysis_budget

CHARACTERS = 256 * 1024  # of commands that are read to find connections
_SHORTEST_MS = 1000  # the least timeout in which hooktui surely answers


class ConnectionState(NamedTuple):
    """A file that connects a host. `why` says why the host does not call hooktui, or that it runs hooks twice.

    `works`: the host calls hooktui. `events` are those that the file connects in full, `line` is the first entry's.
    `program` is the launcher, or the Python of an older entry. `host_trust` is the host's own approval of the entries, None if
    it has none. `observed` and `unobserved` count the host's own commands that are wrapped, and all others; `observes`: some in
    the same scope are. `is_transcribed`: hooktui reads the host's transcripts. `is_repeated`: another file connects it, too.
    `names` are the events' names in the file.
    """

    host: str
    scope: model.Scope
    file: str
    events: int
    line: int
    program: str
    works: bool = True
    why: str = ""
    host_trust: str | None = None
    observed: int = 0
    unobserved: int = 0
    observes: bool = False
    is_transcribed: bool = False
    is_repeated: bool = False
    names: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, object]:
        """An element of `connections` in `status --json` (contract.md)."""
        names = ("host", "scope", "file", "works", "why", "host_trust")
        return {name: getattr(self, name) for name in names}

    @property
    def trouble(self) -> str:
        """Why the host does not call hooktui, in one line that need not name the file."""
        return f"{hosts.spec(self.host).title} does not call hooktui: {self.why}"

    @property
    def sentence(self) -> str:
        title, place = hosts.spec(self.host).title, paths.short(self.file)
        if not self.works:
            return f"{title} does not call hooktui ({place}): {self.why}"
        called = f"{title} calls hooktui for {counted(self.events, 'event')} ({place})"
        if self.why:
            return f"{called}, but {self.why}"
        total = self.observed + self.unobserved
        if self.observed:
            part = f"{self.observed} of " if self.unobserved else ""
            return f"{called}, and records {part}{counted(total, 'hook')} of your own"
        known = "known from its transcripts only" if self.is_transcribed else "not recorded"
        return f"{called}; your own hooks are {known}" if total else called


def states(
    directory: str, hooks: Iterable[Hook] | None = None, trouble: Callable[[str], str] = launcher.trouble
) -> tuple[ConnectionState, ...]:
    """The connections of hosts that are started in a directory, by its own files and the user's; `hooks` if they are loaded.

    `trouble` tells why a launcher does not reach hooktui.
    """
    if hooks is None:
        with analysis_budget.limited(CHARACTERS):
            hooks = [hook for name in SITES for hook in formats.load(name).discover(directory).hooks]
    hooks = tuple(hooks)
    by_host = {name: [hook for hook in hooks if hook.format == name] for name in SITES}
    listed = [state for found in by_host.values() for state in _listed(found, trouble)]
    return (*_repeated(listed), *(state for site in SITES.values() for state in _unread(site, directory)))


def called(connections: Iterable[ConnectionState]) -> frozenset[tuple[str, str]]:
    """The pairs of a host and one of its events for which it calls hooktui."""
    return frozenset((state.host, event) for state in connections if state.works for event in state.names)


def problems(connections: Sequence[ConnectionState]) -> tuple[Diagnostic, ...]:
    """The diagnostics of connections that do not work, or that make hooks run twice."""
    return tuple(
        Diagnostic(
            severity="warning",
            code="runs-twice" if state.is_repeated else "not-connected",
            message=state.sentence,
            file=state.file,
            line=state.line,
            end_line=state.line,
            hint=remedy(state),
            hosts=(state.host,),
        )
        for state in connections
        if state.why
    )


def remedy(state: ConnectionState) -> str:
    """The command that repairs a connection, or ends a repeated one; "" if the cause is in the host's own settings."""
    if state.is_repeated:
        return f"hooktui disconnect {state.host} --scope {state.scope}"
    again = f"hooktui connect {state.host} --scope {state.scope}{' --observe' if state.observes else ''}"
    return again if launcher.trouble(state.program) or (state.works and state.why) else ""


def _listed(hooks: Sequence[Hook], trouble: Callable[[str], str]) -> Iterator[ConnectionState]:
    ours = [hook for hook in hooks if hook.calls_hooktui]
    if not ours:
        return
    own = [hook for hook in hooks if hook.type == "command" and hook.enabled and not hook.calls_hooktui]
    observed = [hook.scope for hook in own if hook.unwrapped_text != hook.text]
    read = {host.name for host in transcribed.transcribed()}
    for file, group in groupby(sorted(ours, key=lambda hook: hook.file), key=lambda hook: hook.file):
        entries = list(group)
        program = shlex.split(entries[0].command or "")[0]
        own_trust = _own_trust(file, entries)
        why = trouble(program) or _why_not(entries) or (own_trust.why if own_trust else "")
        partial = {hook.event_as_written: limit for hook in entries if (limit := _limit(hook))}
        names = frozenset(hook.event_as_written for hook in entries) - partial.keys()
        first = min(entries, key=lambda hook: hook.line)
        yield ConnectionState(
            *(first.format, first.scope, file, len(names), first.line, program, not why and bool(names)),
            why=why or next((f"its entry for {event} {limit}" for event, limit in partial.items()), ""),
            host_trust=own_trust.state if own_trust else None,
            observed=len(observed),
            unobserved=len(own) - len(observed),
            observes=first.scope in observed,
            is_transcribed=first.format in read,
            names=names,
        )


def _why_not(entries: Sequence[Hook]) -> str:
    """Why the host does not run our entries, "" if it does."""
    for hook in entries:
        if hook.obstacle and not hook.obstacle.host_runs:
            return hook.obstacle.why
        if not hook.enabled:
            return hook.why_disabled or "its entry is switched off"
    return ""


def _limit(entry: Hook) -> str:
    """How one of our entries was changed, so that the host does not wait for hooktui at each event; "" if it does."""
    if entry.is_async:
        return "is async: its answer counts for nothing"
    if entry.condition:
        return f"is for calls alone that match {entry.condition}"
    rule = hosts.spec(entry.format).matcher
    is_narrow = entry.tool not in rule.everything and rule.rule_for(entry.event_as_written) != "ignored"
    if entry.event in events.TOOL_EVENTS and is_narrow:
        return f"is for tools alone that match {entry.tool}"
    return f"has a timeout of {entry.timeout_ms} ms" if entry.timeout_ms < _SHORTEST_MS else ""


def _own_trust(file: str, entries: Sequence[Hook]) -> HostTrust | None:
    """The host's own approval of our entries in a file: of one that it does not run, if there is any."""
    try:
        by_place = hosts.spec(entries[0].format).own_trust(file, json_text.read(file) or "")
    except UnreadableFileError:
        return None
    states = [by_place[hook.entry_path] for hook in entries if hook.entry_path in by_place]
    return next((state for state in states if state.why), next(iter(states), None))


def _repeated(listed: Sequence[ConnectionState]) -> Iterator[ConnectionState]:
    """Add a note to states that make a host call hooktui twice for one event.

    A host that runs equal handlers once joins entries of one launcher.
    """
    first: dict[tuple[str, str], ConnectionState] = {}
    for state in listed:
        once = hosts.spec(state.host).scheduling.once_per
        others = [other for (host, _), other in first.items() if host == state.host and other.names & state.names]
        if state.works and (others if not once else [other for other in others if other.program != state.program]):
            yield state._replace(why=f"so does {paths.short(others[0].file)}: each hook runs twice", is_repeated=True)
        else:
            yield state
        if state.works:
            first.setdefault((state.host, state.program), state)


def _unread(site: ConnectionSite, directory: str) -> Iterator[ConnectionState]:
    """The user's connections in a directory that an environment variable replaces."""
    spec = site.spec
    usual = paths.home() + site.path("user")[1:]
    for place, variable in spec.moved.items():
        if not site.path("user").startswith(f"{place}/") or usual == site.file("user", directory):
            continue
        try:
            entries = connection_places.entries(json_text.read(usual) or spec.entry.blank, usual, spec.name)
        except (UnreadableFileError, ValueError):
            continue
        if entries:
            program = shlex.split(connection_places.commands(entries[0][1], spec.name)[0])[0]
            why = f"{variable} is set, so {spec.title} reads {paths.short(site.file('user', directory))} instead"
            yield ConnectionState(spec.name, "user", usual, len(entries), 1, program, False, why)


def installed(site: ConnectionSite) -> bool:
    """Whether a host's program is on PATH, or it has left files in the home directory."""
    return relevant_hosts.is_installed(site.spec)
