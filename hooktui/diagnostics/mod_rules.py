"""Mods beside guards: which of them can let a tool run that a hook denies, and which let it run when they fail."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory, Mod
from hooktui.core.patterns import InvalidPatternError, RegexTimeoutError
from hooktui.diagnostics.rule_context import at_field
from hooktui.formats import host_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import Snapshot

_GUARDED = "pre-tool-call"
_ONLY_MANAGED = "read it; the denials of managed hooks hold against mods"
_CATCH = "add .catch(...) with the answer for that case"


def overruling_mods(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Warn of each mod that can allow what a guard denies."""
    for mods in _by_plugin(catalog):
        allowing = [hook for hook in mods if isinstance(hook.source, Mod) and hook.source.allows]
        guards = [guard for guard in _guards(catalog) if any(_share_a_tool(hook, guard) for hook in allowing)]
        if allowing and guards:
            first, others = allowing[0], f" and {len(guards) - 1} more" if len(guards) > 1 else ""
            answered = ", ".join(dict.fromkeys(hook.event_as_written for hook in allowing))
            message = f"the mod {first.label} can let a tool run that {guards[0].label}{others} denied: it answers {answered}"
            found = at_field(first, "trigger", "warning", "mod-overrules", message, _ONLY_MANAGED)
            yield found.replace(other_hooks=tuple(guard.id for guard in guards))


def mods_that_fail_open(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Tell of each mod that can answer and lets the tool run where it fails."""
    for mods in _by_plugin(catalog):
        open_ones = [hook for hook in mods if isinstance(hook.source, Mod) and hook.source.gates and not hook.source.catches]
        if open_ones:
            answered = ", ".join(dict.fromkeys(hook.event_as_written for hook in open_ones))
            message = f"the mod {open_ones[0].label} has no .catch at {answered}: where it fails, it decides nothing"
            yield at_field(open_ones[0], "trigger", "info", "fails-open", message, _CATCH)


def _by_plugin(catalog: Snapshot) -> Iterator[list[Hook]]:
    """The mods of each plugin that are on."""
    running = sorted((mod for mod in catalog.mods if mod.enabled), key=lambda mod: mod.plugin)
    for _, mods in groupby(running, key=lambda mod: mod.plugin):
        yield sorted(mods, key=lambda mod: (mod.file, mod.line))


def _guards(catalog: Snapshot) -> Iterator[Hook]:
    """The hooks before a tool of the hosts that have mods; a HOOK.md counts where such a host calls hooktui.

    Managed hooks hold against mods, and so does a HOOK.md that managed settings call.
    """
    with_mods = {mod.format for mod in catalog.mods}
    callers = (with_mods & catalog.relevant.connected) - catalog.managed_callers
    for hook in catalog.hooks:
        is_theirs = hook.format in with_mods
        is_called = isinstance(hook.source, HookDirectory) and bool(callers)
        runs = hook.enabled and not (hook.obstacle and not hook.obstacle.host_runs)
        if hook.event == _GUARDED and runs and hook.scope != "managed" and (is_theirs or is_called):
            yield hook


def _share_a_tool(mod: Hook, guard: Hook) -> bool:
    """Whether both may hear of a tool; a doubt counts."""
    try:
        known = [set(host_tools.known(hook.tool, mod.format)) for hook in (mod, guard) if hook.tool]
    except (InvalidPatternError, RegexTimeoutError):
        return True
    return len(known) < 2 or not all(known) or bool(known[0] & known[1])
