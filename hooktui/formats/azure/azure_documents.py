"""The YAML documents of an Azure SRE Agent, and the positions of hooks in them (formats.md §4, first table)."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hooktui.config import suggest
from hooktui.core import events, paths
from hooktui.core.model import Obstacle
from hooktui.formats.azure import azure_entry
from hooktui.formats.azure.azure_entry import EVENTS, FORMAT, HOST, AzureFields
from hooktui.formats.json_hooks.entry_fields import kind_of
from hooktui.formats.node import find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Scope
    from hooktui.formats.diagnostic_collector import DiagnosticCollector
    from hooktui.formats.node import Node, Span

    Path = tuple[str | int, ...]

AGENT = "ExtendedAgent"
GLOBAL = ("GlobalHook", "HookV2")


class HookSite(NamedTuple):
    """A hook's position in a file, and its context.

    `path` leads from the file's documents to the entry; `source` is the node whose text the hook is approved by. `event` is
    canonical, empty if it is unknown.
    """

    scope: Scope
    name: str
    written: str
    event: str
    entry: AzureFields
    path: Path
    source: Node
    agent: str | None = None
    description: str = ""
    enabled: bool = True
    obstacles: tuple[Obstacle, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The hook's ID, unless another hook of the project has the same name."""
        return f"{FORMAT}:{self.scope}:{self.name}"


def kind(root: Node) -> str | None:
    """The kind of an Azure document, AGENT or one of GLOBAL; None for other documents."""
    if not isinstance(root.value, dict):
        return None
    top = {key: root.value.get(key) for key in ("kind", "type", "api_version", "apiVersion", "spec")}
    if top["kind"] in (AGENT, *GLOBAL):
        return str(top["kind"])
    spec = top["spec"] if isinstance(top["spec"], dict) else {}
    bare = top["kind"] is None and top["api_version"] is None and top["apiVersion"] is None
    has_both = "hook" in spec and not {"eventType", "event_type"}.isdisjoint(spec)
    return GLOBAL[0] if top["type"] == GLOBAL[0] or (bare and has_both) else None


def places(root: Node, number: int, notes: DiagnosticCollector) -> Iterator[HookSite]:
    """The hooks of a document that has a `kind`. `number` is its index in the file."""
    notes.hook = None
    if kind(root) == AGENT:
        return _of_agent(root, number, notes)
    return _global(root, number, notes)


def containers(root: Node) -> list[Node]:
    """The mappings of a document in which a duplicate key makes its hooks ambiguous."""
    below = (find(root, path) for path in (("metadata",), ("spec",), ("spec", "hooks"), ("properties",)))
    return [root, *(node for node in below if node)]


def _of_agent(root: Node, number: int, notes: DiagnosticCollector) -> Iterator[HookSite]:
    top = AzureFields(root, notes)
    metadata, spec = top.mapping("metadata"), top.mapping("spec")
    named = metadata.text("name") if metadata else None
    agent = named or paths.stem(os.path.basename(notes.file))
    if not named:
        span = (metadata or top).place("name")
        notes.error("missing-field", "the agent has no metadata.name", span, hint=f"hooktui uses {agent}")
    hooks = spec.mapping("hooks") if spec else None
    if spec is None or hooks is None:
        return
    counted: Counter[str] = Counter()
    for key, value in hooks.node.entries:
        notes.hook = f"{FORMAT}:agent:{agent}:{key.value}:1"
        event, obstacles, problems = _event(key.value, key.span, notes)
        for index, item in enumerate(_entries(key, value, notes)):
            counted[key.value] += 1
            name = f"{agent}:{key.value}:{counted[key.value]}"
            notes.hook = f"{FORMAT}:agent:{name}"
            if not isinstance(item.value, dict):
                notes.error("wrong-type", f"a hook must be a mapping, not {kind_of(item.value)}", item.span)
                continue
            entry = AzureFields(item, notes)
            yield HookSite(
                scope="agent",
                name=name,
                written=key.value,
                event=event,
                entry=entry,
                path=(number, "spec", "hooks", key.value, index),
                source=item,
                agent=agent,
                description=entry.text("description") or "",
                enabled=azure_entry.is_on(entry),
                obstacles=obstacles,
                problems=problems,
            )


def _global(root: Node, number: int, notes: DiagnosticCollector) -> Iterator[HookSite]:
    top = AzureFields(root, notes)
    section = "properties" if top.node_of("properties") and not top.node_of("spec") else "spec"
    spec, metadata = top.mapping(section), top.mapping("metadata")
    if spec is None:
        notes.error("missing-field", f"the hook has no {section}", top.place(section))
        return
    named = next(filter(None, (fields.text("name") for fields in (metadata, top, spec) if fields)), None)
    written = spec.text("eventType") or ""
    name = named or f"{os.path.basename(notes.file)}:{written}:1"
    notes.hook = f"{FORMAT}:project:{name}"
    if named is None:
        notes.error("missing-field", "the hook has no metadata.name", (metadata or top).place("name"))
    event, obstacles, problems = _event(written, spec.place("eventType"), notes)
    entry = spec.mapping("hook")
    if entry is None:
        if "hook" not in spec:
            notes.error("missing-field", f"the {section} has no hook", spec.place("hook"))
        return
    yield HookSite(
        scope="project",
        name=name,
        written=written,
        event=event,
        entry=entry,
        path=(number, section, "hook"),
        source=root,
        description=spec.text("description") or "",
        enabled=azure_entry.is_on(top, spec, entry),
        obstacles=obstacles,
        problems=problems,
    )


def _event(written: str, span: Span, notes: DiagnosticCollector) -> tuple[str, tuple[Obstacle, ...], tuple[str, ...]]:
    """The canonical event, and the obstacles and problem codes of an unknown one."""
    if written in EVENTS:
        return events.canonical(written) or "", (), ()
    if not written:
        notes.error("missing-field", "the hook has no eventType", span, hint=f"valid events: {', '.join(EVENTS)}")
        return "", (Obstacle(skip="invalid", why="it has no eventType"),), ("missing-field",)
    meant = suggest.event(written, EVENTS)
    fix = notes.replacement(f"write {meant}", span, meant) if meant else None
    fix = fix and fix.replace(is_guess=suggest.is_guess(written, meant or ""))
    hint = f"did you mean {meant}?" if meant else f"valid events: {', '.join(EVENTS)}"
    message = f"{written[:60]} is not an {HOST} event: the hook never runs"
    notes.on(FORMAT, "error", "unknown-event", message, span, hint=hint, fix=fix)
    obstacle = Obstacle(skip="invalid", why=f"unknown event {written[:60]}")
    return (events.canonical(meant) or "" if meant else ""), (obstacle,), ("unknown-event",)


def _entries(key: Node, value: Node, notes: DiagnosticCollector) -> tuple[Node, ...]:
    if not isinstance(value.value, list) and value.value is not None:
        notes.error("wrong-type", f"{key.value} must be a list, not {kind_of(value.value)}", value.span)
    return value.items
