"""Files that another host reads too and drops as a whole, where that leaves events without a hook there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.formats.node import Node
    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import Reads

    _Cause = tuple[Hook, Node | None, str]


def dropped_files(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A note at the first cause for which another host drops a file, with the events that nothing then handles there."""
    causes: dict[tuple[str, str], tuple[Host, Reads, _Cause]] = {}
    hooks = sorted(catalog.hooks, key=lambda hook: hook.line)
    for hook in hooks:
        for host in catalog.relevant.readers(hook):
            reads = next((reads for reads in host.reads if reads.host == hook.format), None)
            if reads and (host.name, hook.file) not in causes and (cause := _cause(hook, host, reads, catalog)):
                causes[host.name, hook.file] = (host, reads, cause)
    for (name, file), (host, reads, (hook, node, problem)) in causes.items():
        handled = {
            other.event
            for other in hooks
            if host in catalog.relevant.readers(other) and _runs(other) and (name, other.file) not in causes
        }
        lost = [
            other.event_as_written
            for other in hooks
            if other.file == file and _runs(other) and reads.reads_event(other.event_as_written) and other.event not in handled
        ]
        if lost:
            left = f"nothing handles {_listed(dict.fromkeys(lost))} there"
            message = f"{host.title} also reads this file and drops all of it, because {problem}: {left}"
            hint = f"ignore this if {host.title} should not run these hooks"
            yield catalog.places.at(hook, node, "info", "host-drops-file", message, hint=hint, hosts=(name,))


def _runs(hook: Hook) -> bool:
    return hook.enabled and not hook.obstacle


def _cause(hook: Hook, host: Host, reads: Reads, catalog: Snapshot) -> _Cause | None:
    """What in an entry or its group makes another host drop the file, and where."""
    if reads.loses_type(hook.type, hook.event):
        problem = f"it allows no entry of type {hook.type} on {hook.event_as_written}"
        return hook, catalog.places.node(hook, "type"), problem
    if reads.loses(hook.event_as_written, hook.tool) or (reads.needs_matcher() and _is_unrecognized(hook, catalog)):
        node, group = catalog.places.node(hook, "matcher"), catalog.places.group(hook)
        if node is None and group is not None and group.entries:
            return hook, group.entries[0][0], "this group has no matcher"
        return hook, node, "the matcher is empty"
    return None


def _is_unrecognized(hook: Hook, catalog: Snapshot) -> bool:
    """Whether a hook is in the first group of a file in which no group has a matcher."""
    groups = catalog.places.groups(hook) if hook.tool is None else []
    return bool(groups) and catalog.places.group(hook) is groups[0] and not any("matcher" in group.members for group in groups)


def _listed(names: dict[str, None]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
