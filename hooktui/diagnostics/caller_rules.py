"""Rules about the agent programs that run a HOOK.md: those that are connected to hooktui, or could be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.events import TOOL_EVENTS
from hooktui.core.model import HookDirectory
from hooktui.diagnostics.rule_context import at_field, field_fix
from hooktui.formats import host_tools

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from hooktui.core.model import Diagnostic, Hook, Severity
    from hooktui.diagnostics.rule_context import Snapshot


def uncalled(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A HOOK.md that no agent program runs: none is connected, or no connected one has its event."""
    connected, installed = catalog.relevant.connected, catalog.relevant.installed
    for hook in _directories(catalog):
        callers = _with_event(hook, connected or installed)
        if connected and not callers:
            titles, verb = hosts.titles(connected), "have" if len(connected) > 1 else "has"
            message = f"{titles} {verb} no event {hook.event}: {hook.label} never runs there"
            yield at_field(hook, "trigger", "warning", "never-fires", message, "use an event of a connected program")
        elif installed and not connected:
            named = callers or installed
            lack = "" if callers else f", and none of them has the event {hook.event}"
            message = f"no program runs {hook.label}: {hosts.titles(named)} {_are(named)} not connected{lack}"
            hint = f"run `hooktui connect {'--all' if len(named) > 1 else next(iter(named))}`"
            yield at_field(hook, "trigger", "info", "not-connected", message, hint)


def foreign_tools(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A matcher matches no tool of a host that is connected or named; if none is, no tool of any that is installed."""
    relevant = catalog.relevant
    severity: Severity = "info" if relevant.awaits_connection else "warning"
    for hook in _directories(catalog):
        if hook.event not in TOOL_EVENTS or not hook.tool:
            continue
        callers = _with_event(hook, relevant.callers)
        missed = [name for name in callers if host_tools.is_foreign(hook.tool, name)]
        if not missed or (relevant.awaits_connection and missed != callers):
            continue
        connected = f", which {_are(missed)} connected" if relevant.connected else ""
        message = f"{hook.tool} matches no tool of {hosts.titles(missed)}{connected}: {hook.label} never runs there"
        twins = dict.fromkeys(tool for name in missed for tool in host_tools.called(hook.tool, name))
        hint = f"also match {'their' if len(missed) > 1 else 'its'} own names for them: {'|'.join(twins)}" if twins else ""
        fix = field_fix(hook, "matcher.tool", host_tools.widened(hook.tool, missed)) if twins else None
        diagnostic = at_field(hook, "matcher.tool", severity, "matches-nothing", message, hint)
        yield diagnostic.replace(hosts=tuple(missed), fix=fix)


def _with_event(hook: Hook, names: Collection[str]) -> list[str]:
    """Those of the hosts that can be connected and have a hook's event."""
    specs = (spec for spec in hosts.specs() if spec.name in names and spec.connect is not None)
    return [spec.name for spec in specs if spec.spelling(hook.event) in spec.events]


def _are(names: Collection[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _directories(catalog: Snapshot) -> Iterator[Hook]:
    """The HOOK.md hooks that could run."""
    return (hook for hook in catalog.hooks if isinstance(hook.source, HookDirectory) and hook.enabled and not hook.obstacle)
