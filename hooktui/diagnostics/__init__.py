"""Check hooks beyond what their formats report while reading: rules over a catalog."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory
from hooktui.diagnostics.rule_context import HostPlaces, Snapshot
from hooktui.diagnostics.rules import ON_ALL, ON_EACH
from hooktui.formats.json_hooks import json_command
from hooktui.formats.source_cache import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.core.model import Diagnostic, Hook, Trust

__all__ = ["check"]

_IDENTITY = attrgetter("code", "file", "line", "column", "hosts", "message")
_BUDGET_S = 0.3  # for testing the suspicious patterns of one check


def check(hooks: Sequence[Hook], trust: Mapping[str, Trust], sources: Sources | None = None) -> tuple[Diagnostic, ...]:
    """Run all rules; report each problem once per place. File content never raises.

    Results for unchanged hooks come from `sources`. Entries of `hooktui connect` are not checked.
    """
    sources = sources or Sources()
    whole = Snapshot(
        hooks=tuple(hook for hook in hooks if not hook.calls_hooktui),
        trust=trust,
        places=HostPlaces(sources),
        connected=frozenset(hook.format for hook in hooks if hook.calls_hooktui),
        deadline=time.thread_time() + _BUDGET_S,
    )
    of_each = (diagnostic for hook in whole.hooks for diagnostic in _check_hook(hook, whole, sources).diagnostics)
    of_all = (diagnostic for rule in ON_ALL for diagnostic in rule(whole))
    unique: dict[tuple[object, ...], Diagnostic] = {}
    for diagnostic in (*of_each, *of_all):
        unique.setdefault(_IDENTITY(diagnostic), diagnostic)
    return tuple(unique.values())


def _check_hook(hook: Hook, whole: Snapshot, sources: Sources) -> _HookDiagnostics:
    """The diagnostics of a single hook."""

    def check_alone() -> _HookDiagnostics:
        alone = replace(whole, hooks=(hook,))
        return _HookDiagnostics(hook, tuple(diagnostic for rule in ON_EACH for diagnostic in rule(alone)))

    return sources.keep(("rules", hook.id), check_alone, (hook, whole.trust.get(hook.id), whole.connected))


@dataclass(frozen=True, slots=True)
class _HookDiagnostics:
    hook: Hook
    diagnostics: tuple[Diagnostic, ...]

    @property
    def watched(self) -> Iterator[str]:
        """The hook's file and the scripts it starts."""
        yield self.hook.file
        if isinstance(self.hook.source, HookDirectory):
            yield from filter(None, [self.hook.command])
        else:
            yield from json_command.named([self.hook])
