"""The hosts that matter here: a hook's own, and others that read its file and are in use (hosts.md, "Traps between hosts")."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from hooktui import hosts
from hooktui.core.model import Diagnostic, Hook, HookDirectory
from hooktui.formats import files, json_source
from hooktui.formats.asked_once import ask
from hooktui.hosts import Host


class RelevantHosts(NamedTuple):
    """`connected` are the hosts that call hooktui, `installed` those on this machine that can be connected, `used` those in
    use here. `enabled` are pairs of a host and another one whose files it reads because of a setting. `entries` are pairs of a
    connected host and an event (canonical) for which it has an entry of ours.

    `named`: only these hosts matter, whether in use or not (`check --host`). `has_own_agents`: the log shows that agents that
    no connection is for run this project's hooks. `called` are pairs of a host and the event, in its spelling, for which it
    really calls hooktui, None before that was examined; `silent` are the connected hosts that do so for none.
    `switched_off` are those whose settings switch off all hooks, each with the reason.
    """

    connected: frozenset[str] = frozenset()
    installed: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()
    enabled: frozenset[tuple[str, str]] = frozenset()
    named: frozenset[str] | None = None
    has_own_agents: bool = False
    entries: frozenset[tuple[str, str]] = frozenset()
    called: frozenset[tuple[str, str]] | None = None
    silent: frozenset[str] = frozenset()
    switched_off: Mapping[str, str] = {}

    @property
    def callers(self) -> frozenset[str]:
        """The hosts that run each HOOK.md, or would: those named, else those connected, else those that could be."""
        return self.connected or self.installed if self.named is None else self.named

    def calls_for(self, hook: Hook) -> bool:
        """Whether a host calls hooktui for the event of a HOOK.md."""
        if self.called is None:
            return bool(self.connected)
        return any((spec.name, spec.spelling(hook.event)) in self.called for spec in hosts.specs())

    @property
    def awaits_connection(self) -> bool:
        """Whether hosts could be connected and none is."""
        return self.named is None and not self.connected

    def readers(self, hook: Hook) -> tuple[Host, ...]:
        """The hosts whose behavior counts for a hook: its own first, then those that read its file and are in use."""
        if self.named is not None:
            return tuple(spec for spec in _reading(hook) if spec.name in self.named)
        own, *others = _reading(hook)
        return (own, *(spec for spec in others if spec.name in self.used and self._reads(spec, hook)))

    def of_those(self, problem: Diagnostic, hook: Hook | None) -> Diagnostic | None:
        """A problem with those of its hosts that matter; None if none does."""
        if hook is None or (self.named is None and not problem.hosts):
            return problem
        readers = {spec.name for spec in self.readers(hook)}
        if self.named is None and isinstance(hook.source, HookDirectory):
            readers |= self.callers
        if not problem.hosts:
            return problem if readers or hosts.json_spec(hook.format) is None else None
        counting = tuple(name for name in problem.hosts if name in readers)
        return problem.replace(hosts=counting) if counting else None

    def _reads(self, spec: Host, hook: Hook) -> bool:
        if isinstance(hook.source, HookDirectory):
            return spec.name in self.connected
        reads = next(reads for reads in spec.reads if reads.host == hook.format)
        is_on = not reads.setting() or (spec.name, reads.host) in self.enabled
        return reads.reads_scope(hook.scope) and not hook.owner and is_on


def find(hooks: Iterable[Hook], project: str, named: Collection[str] | None = None) -> RelevantHosts:
    """The relevant hosts of a project. A host is in use if hooktui is connected to it, or the machine shows its traces."""
    if named is not None:
        return RelevantHosts(named=frozenset(named))
    entries = frozenset((hook.format, hook.event) for hook in hooks if hook.calls_hooktui)
    connected = frozenset(name for name, _ in entries)
    installed = frozenset(spec.name for spec in hosts.specs() if spec.connect_scopes and is_installed(spec))
    used = connected.union(spec.name for spec in hosts.specs() if _is_used(spec, project))
    return RelevantHosts(connected, installed, used, frozenset(_enabled(project, used)), entries=entries)


def kept(problems: Iterable[Diagnostic], hooks: Sequence[Hook], relevant: RelevantHosts) -> Iterator[Diagnostic]:
    """The problems that matter, each with the hosts that do."""
    by_id = {hook.id: hook for hook in hooks}
    by_file = {hook.file: hook for hook in hooks}
    for problem in problems:
        hook = by_id.get(problem.hook or "") or by_file.get(problem.file)
        if (counting := relevant.of_those(problem, hook)) is not None:
            yield counting


def _reading(hook: Hook) -> tuple[Host, ...]:
    """The hosts that may run a hook, its own first: a HOOK.md runs in every host that is connected."""
    return _of_directories() if isinstance(hook.source, HookDirectory) else hosts.readers(hook.format)


@cache
def _of_directories() -> tuple[Host, ...]:
    return (hosts.spec(hosts.DEFAULT), *(spec for spec in hosts.specs() if spec.connect_scopes))


def watched(project: str) -> tuple[str, ...]:
    """The settings files that decide which hosts read a file."""
    return tuple(_absolute(spec, path, project) for spec in hosts.specs() for path in spec.settings_files())


def is_installed(spec: Host) -> bool:
    """Whether a host's program is on PATH, or it has left files in the home directory."""
    return any(ask(shutil.which, program) for program in spec.programs) or has_left_files(spec)


def has_left_files(spec: Host) -> bool:
    """Whether a host has left files in the home directory: somebody has started it."""
    return any(os.path.lexists(spec.in_home(path)) for path in spec.traces if path.startswith("~/"))


def _is_used(spec: Host, project: str) -> bool:
    """Whether a host's program is installed, or it left files in the home or the project."""
    return is_installed(spec) or any(os.path.lexists(_absolute(spec, path, project)) for path in spec.traces)


def _enabled(project: str, used: Collection[str]) -> Iterator[tuple[str, str]]:
    for spec in (spec for spec in hosts.specs() if spec.name in used):
        for reads in spec.reads:
            if (setting := reads.setting()) and _is_on(spec, setting, project):
                yield spec.name, reads.host


def _is_on(spec: Host, setting: str, project: str) -> bool:
    """Whether the most specific settings file with a setting turns it on."""
    for path in reversed(spec.settings_files()):
        try:
            root = json_source.read(files.read_text(_absolute(spec, path, project), files.KIB * files.KIB)).root
        except files.UnreadableFileError:
            continue
        if root is not None and isinstance(root.value, dict) and setting in root.value:
            return root.value[setting] is True
    return False


def _absolute(spec: Host, path: str, project: str) -> str:
    return spec.in_home(path) if path.startswith("~/") else os.path.join(project, path)
