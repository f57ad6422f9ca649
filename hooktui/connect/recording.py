"""What hooktui records of an agent's hooks, and what it only reads in transcripts: for the header and `status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hooktui import hosts
from hooktui.catalog.catalog import Catalog
from hooktui.catalog.hook_states import counted
from hooktui.connect import connection_states, launcher, transcribed
from hooktui.connect.connection_places import SITES
from hooktui.connect.connection_states import ConnectionState
from hooktui.core import paths
from hooktui.core.model import ONLY_IN_AGENT, Hook, HookDirectory


class RecordedHooks(NamedTuple):
    """`is_on`: an agent sends its events. `recorded` of the `hooks` that agents in use here may run are recorded when they run.

    `transcribed` are the titles of agents whose transcripts are read, `is_broken` tells that a connection does not work.
    """

    is_on: bool
    recorded: int
    hooks: int
    transcribed: tuple[str, ...]
    is_broken: bool

    @property
    def text(self) -> str:
        if self.is_on and (self.recorded or not self.transcribed) and self.hooks:
            part = f"{self.recorded} of " if self.recorded < self.hooks else ""
            return f"recording {part}{counted(self.hooks, 'hook')}"
        if self.is_on:
            return f"recording, {self._reading}" if self.hooks else "recording"
        return "not connected" if not self.transcribed or self.is_broken else self._reading

    @property
    def _reading(self) -> str:
        of_one = f"{self.transcribed[0]}'s" if len(self.transcribed) == 1 else f"{len(self.transcribed)} agents'"
        return f"reading {of_one} transcripts"


def recorded_hooks(catalog: Catalog, states: Sequence[ConnectionState]) -> RecordedHooks:
    """What is recorded of the hooks of a catalog with these connections. Blocks."""
    called = connection_states.called(states)
    in_use = [hook for hook in catalog.own_hooks if hook.enabled and _counts(catalog, hook)]
    is_reached, has_own_agents = not launcher.trouble(paths.launcher()), catalog.relevant.has_own_agents
    recorded = [hook for hook in in_use if _is_recorded(hook, called, has_own_agents, is_reached=is_reached)]
    return RecordedHooks(
        bool(called) or has_own_agents,
        len(recorded),
        len(in_use),
        tuple(host.title for host in transcribed.transcribed()),
        any(not state.works for state in states),
    )


def _counts(catalog: Catalog, hook: Hook) -> bool:
    if isinstance(hook.source, HookDirectory):
        return catalog.overridden_by(hook) is None
    return hook.type == "callback" or (hook.format in catalog.relevant.used and hook.type not in ONLY_IN_AGENT)


def _is_recorded(hook: Hook, called: frozenset[tuple[str, str]], has_own_agents: bool, *, is_reached: bool) -> bool:
    if isinstance(hook.source, HookDirectory):
        names = ((spec.name, spec.spelling(hook.event)) for spec in hosts.specs())
        return has_own_agents or any(name in called for name in names)
    return hook.type == "callback" or (is_reached and hook.unwrapped_text != hook.text)


def status_lines(catalog: Catalog, states: Sequence[ConnectionState]) -> Iterator[str]:
    """Whether each agent in use calls hooktui, and what is recorded."""
    connected = {state.host for state in states}
    yield from (state.sentence for state in states)
    formats, read = {hook.format for hook in catalog.own_hooks}, transcribed.transcribed()
    for name, site in SITES.items():
        if name not in connected and (name in formats or name in catalog.relevant.used):
            known = "hooktui reads its transcripts" if site.spec in read else "nothing is recorded"
            yield f"{site.spec.title} does not call hooktui; {known} (connect: hooktui connect {name})"
    found = recorded_hooks(catalog, states)
    if found.is_on:
        yield f"hooktui is {found.text}."
    elif not connected and not found.transcribed:
        yield "hooktui records nothing: no agent program calls it."
