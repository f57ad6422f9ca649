"""All hooks of a user and a project: in firing order, with what is wrong with them, and kept fresh as files change."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import hooktui.formats as hook_formats
from hooktui import config, diagnostics, events, index, paths, trust
from hooktui.model import Diagnostic
from hooktui.record import Record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

    from hooktui.model import Hook, Trust
    from hooktui.settings import Settings

_LOOK_MS = 1000  # how long a change may stay unseen that was made while nobody watched
_SCOPES = ("user", "project", "local", "agent")


class Catalog(Record):
    """A snapshot. `hooks` stand in firing order within each event; `trust` is by hook id; `files` are those that were read.

    `begun_ns`: when its reading began, in nanoseconds since 1970.
    """

    project: str
    hooks: tuple[Hook, ...]
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    watched: tuple[str, ...]
    trust: Mapping[str, Trust]
    settings: Settings
    begun_ns: int = 0

    def overridden_by(self, hook: Hook) -> str | None:
        """The id of the project's hook that replaces this user's hook: of the same name, able to run, and trusted."""
        return next((rival for rival in hook.rivals if self.trust.get(rival) == "trusted"), None)


def load(project: str, formats: Sequence[str] | None = None) -> Catalog:
    """Read everything anew. `formats`: which ones; None for all. What a file holds never raises: it becomes a diagnostic."""
    begun_ns = time.time_ns()
    project = paths.canonical(project)
    settings, faults = config.examined()
    parsed = _parse(project, tuple(formats or hook_formats.REGISTRY), settings)
    approved = trust.approvals(project)
    catalog = Catalog(
        project=project,
        hooks=parsed.hooks,
        diagnostics=(),
        files=parsed.files,
        watched=(*parsed.watched, paths.config_file(), trust.store_path()),
        trust={hook.id: trust.state(hook, approved) for hook in parsed.hooks},
        settings=settings,
        begun_ns=begun_ns,
    )
    found = sorted((*map(_of_configuration, faults), *parsed.diagnostics, *diagnostics.check(catalog)), key=_place)
    return catalog.replace(diagnostics=tuple(found), hooks=tuple(with_problems(parsed.hooks, found)))


def _of_configuration(fault: config.Fault) -> Diagnostic:
    line = max(fault.line, 1)
    return Diagnostic(
        severity="error", code="bad-value", message=fault.message, file=paths.config_file(), line=line, end_line=line
    )


def compiled(project: str, formats: Sequence[str]) -> index.Compiled:
    """Load in full what `run` needs, and leave it as an index for the next run; `formats` empty: the configured ones."""
    begun_ns = time.time_ns()
    settings, trouble = config.load_or_defaults()
    parsed = _parse(project, tuple(formats or settings.formats), settings)
    result = index.Compiled(hooks=parsed.hooks, settings=settings, trouble=trouble)
    index.store(project, formats, result, parsed.watched, begun_ns)
    return result


async def watch(catalog: Catalog) -> AsyncIterator[Catalog]:
    """A fresh catalog each time something changed that the last one came from.

    What changes while a catalog is read, when nobody watches, is found by its stamp soon after.
    """
    import asyncio

    import watchfiles

    options: dict[str, Any] = {"debounce": 80, "step": 20, "recursive": False, "ignore_permission_denied": True}
    while True:
        roots = _existing(catalog.watched)
        known = set(catalog.watched)
        async for changes in watchfiles.awatch(*roots, rust_timeout=_LOOK_MS, yield_on_timeout=True, **options):
            if any(path in known or os.path.dirname(path) in known for _, path in changes):
                break
            if not changes and await asyncio.to_thread(index.changed_since, catalog.watched, catalog.begun_ns):
                break
        catalog = await asyncio.to_thread(load, catalog.project)
        yield catalog


def list_json(catalog: Catalog) -> list[dict[str, Any]]:
    """`hooktui list --json` (contract.md)."""
    return [_hook_json(catalog, hook) for hook in catalog.hooks]


def _parse(project: str, formats: tuple[str, ...], settings: Settings) -> hook_formats.Parsed:
    found = [hook_formats.load(name).discover(project) for name in formats]
    hooks = [switched(hook, settings) for parsed in found for hook in parsed.hooks]
    return hook_formats.Parsed(
        hooks=tuple(in_firing_order(with_rivals(hooks))),
        diagnostics=tuple(one for parsed in found for one in parsed.diagnostics),
        watched=tuple(path for parsed in found for path in parsed.watched),
        files=tuple(path for parsed in found for path in parsed.files),
    )


def switched(hook: Hook, settings: Settings) -> Hook:
    """A hook that its own file leaves off can be switched on by the user's configuration (formats.md §4)."""
    on = not hook.enabled and (hook.id in settings.enable or hook.name in settings.enable)
    return hook.replace(enabled=True) if on else hook


def with_problems(hooks: Iterable[Hook], found: Iterable[Diagnostic]) -> list[Hook]:
    """Tell each hook the codes of what is wrong with it, each once, in the order of their places."""
    codes: dict[str | None, dict[str, None]] = {}
    for one in found:
        codes.setdefault(one.hook, {})[one.code] = None
    return [hook.replace(problems=tuple(codes.get(hook.id, ()))) for hook in hooks]


def _place(one: Diagnostic) -> tuple[str, int, int, str]:
    return (one.file, one.line, one.column, one.code)


def with_rivals(hooks: Iterable[Hook]) -> list[Hook]:
    """Tell each user hook which project hooks would replace it: same name, whatever the event, and able to run."""
    hooks = list(hooks)
    rivals: dict[str, list[str]] = {}
    for hook in hooks:
        if hook.format == "agenthooks" and hook.scope != "user" and hook.enabled and not hook.obstacle:
            rivals.setdefault(hook.name, []).append(hook.id)
    return [
        hook.replace(rivals=tuple(rivals[hook.name]))
        if hook.format == "agenthooks" and hook.scope == "user" and hook.name in rivals
        else hook
        for hook in hooks
    ]


def in_firing_order(hooks: Iterable[Hook]) -> list[Hook]:
    """By event, then format; AgentHooks by priority, scope and name (formats.md §2), the others as written."""
    return sorted(hooks, key=_order)


def _order(hook: Hook) -> tuple[Any, ...]:
    place = events.CANONICAL.index(hook.event) if hook.event in events.CANONICAL else len(events.CANONICAL)
    event = (place, hook.event, tuple(hook_formats.REGISTRY).index(hook.format))
    if hook.format == "agenthooks":
        return (*event, -hook.priority, _SCOPES.index(hook.scope), hook.name, hook.id)
    return event


def _existing(watched: Iterable[str]) -> set[str]:
    """Directories to watch: each path's own, or the nearest above it that exists, so that its birth is seen too."""
    roots = set()
    for path in watched:
        directory = path if os.path.isdir(path) else os.path.dirname(path)
        while not os.path.isdir(directory):
            directory = os.path.dirname(directory)
        roots.add(directory)
    return roots


def _hook_json(catalog: Catalog, hook: Hook) -> dict[str, Any]:
    return {
        "id": hook.id,
        "name": hook.name,
        "event": hook.event,
        "event_as_written": hook.event_as_written,
        "format": hook.format,
        "scope": hook.scope,
        "file": hook.file,
        "line": hook.line,
        "description": hook.description,
        "matcher": {"tool": hook.tool, "pattern": hook.pattern} if hook.format == "agenthooks" else {"tool": hook.tool},
        "type": hook.type,
        "command": hook.command,
        "prompt": hook.extra.get("prompt"),
        "commands": dict(hook.commands),
        "cwd": hook.cwd,
        "env": dict(hook.env),
        "timeout_ms": hook.timeout_ms,
        "async": hook.is_async,
        "priority": hook.priority,
        "fail_mode": hook.fail_mode,
        "enabled": hook.enabled,
        "trust": catalog.trust[hook.id],
        "overridden_by": catalog.overridden_by(hook),
        "problems": list(hook.problems),
        "metadata": dict(hook.metadata),
    }
