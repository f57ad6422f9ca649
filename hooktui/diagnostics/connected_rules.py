"""HOOK.md hooks and the agents that are connected here: one may look for tools by the names of another agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.events import TOOL_EVENTS
from hooktui.core.hook_source import HookDirectory
from hooktui.diagnostics.agenthooks_place import at_field
from hooktui.formats import host_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.snapshot import Snapshot


def foreign_tools(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Matchers that find no tool of a host that calls hooktui."""
    for hook in catalog.hooks:
        idle = not hook.enabled or hook.obstacle or hook.event not in TOOL_EVENTS
        if not isinstance(hook.source, HookDirectory) or idle or not hook.tool:
            continue
        for name in (name for name in hosts.names() if name in catalog.connected and host_tools.is_foreign(hook.tool, name)):
            message = (
                f"no tool of {hosts.spec(name).title}, which is connected, matches {hook.tool}: there {hook.name} never runs"
            )
            twins = "|".join(host_tools.called(hook.tool, name))
            hint = f"add what it calls them: {twins}" if twins else ""
            found = at_field(hook, "matcher.tool", "warning", "matches-nothing", message, hint)
            yield found.replace(hosts=(name,))
