"""Rules about handlers that run twice: written twice in a file, or in two files of one host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.paths import short
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.hosts import HostSpec


def duplicate_handlers(catalog: Snapshot) -> Iterator[Diagnostic]:
    """One handler twice in a file. Another condition, shell or timeout makes another handler."""
    first_of: dict[tuple[object, ...], Hook] = {}
    for hook in _handlers(catalog):
        options = (hook.condition, hook.argv[:-1], hook.timeout_ms, hook.is_async, hook.cwd, tuple(sorted(hook.env.items())))
        first = first_of.setdefault((hook.file, hook.event, hook.tool, hook.command, *options), hook)
        if first is not hook:
            node, _ = catalog.places.command(hook, hook.command or "")
            message = f"duplicate of {first.label} in the same file"
            yield catalog.places.at(hook, node, "warning", "duplicate-hook", message, hint="delete one of them")


def handlers_in_two_files(catalog: Snapshot) -> Iterator[Diagnostic]:
    """One command for one event in two files that one host reads and does not join."""
    seen: list[tuple[tuple[object, ...], Hook]] = []
    for hook in _handlers(catalog):
        command = (hook.event, _resolved(hook), hook.condition)
        for other in (other for known, other in seen if known == command and other.file != hook.file):
            for host in _running_both(hook, other, catalog):
                node, _ = catalog.places.command(hook, hook.command or "")
                message = f"{host.title} also reads {short(other.file)}, which has the same command: it runs twice"
                hint = _removable(hook, other)
                yield catalog.places.at(hook, node, "warning", "runs-twice", message, hint=hint, hosts=(host.name,))
        seen.append((command, hook))


def _handlers(catalog: Snapshot) -> Iterator[Hook]:
    for hook in catalog.hooks:
        if hosts.json_spec(hook.format) and hook.command and hook.event and hook.enabled and not hook.obstacle:
            yield hook


def _resolved(hook: Hook) -> str:
    """A hook's command with absolute paths of its scripts, so that different spellings are equal."""
    command = hook.command or ""
    for script in reversed(json_command.scripts(hook)):
        command = f"{command[: script.span[0]]}{script.path}{command[script.span[1] :]}"
    return command


def _running_both(hook: Hook, other: Hook, catalog: Snapshot) -> Iterator[HostSpec]:
    """The hosts that run both hooks for one tool call."""
    of_other = catalog.relevant.readers(other)
    for host in catalog.relevant.readers(hook):
        same_tools = hook.tool == other.tool or not host.matcher.is_read
        if host in of_other and host.runs_repeated_handlers and same_tools:
            yield host


def _removable(hook: Hook, other: Hook) -> str:
    """Which of two hooks can be deleted without any host losing it."""
    here, there = hosts.readers(hook.format), hosts.readers(other.format)
    if all(host in there for host in here):
        return f"delete it here: every host that reads this file also reads {short(other.file)}"
    if all(host in here for host in there):
        return f"delete it in {short(other.file)}: every host that reads that file also reads this one"
    return f"deleting it here takes it from {', '.join(host.title for host in here if host not in there)}"
