"""The event keys of a JSON hook file: which event each stands for on its host (formats.md §1, §3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import events, suggest
from hooktui.core.model import Obstacle

if TYPE_CHECKING:
    from hooktui.formats.host_notes import HostNotes
    from hooktui.formats.yaml_source import Node
    from hooktui.hosts import HostSpec


@dataclass(frozen=True, slots=True)
class Named:
    """An event as a host understands a key: the canonical name, or the host's own. `known`: the host reads what stands there.

    For an unknown key `event` is the one that was probably meant, else empty.
    """

    event: str
    known: bool = True
    obstacles: tuple[Obstacle, ...] = ()


def resolve(key: Node, beside: Node, spec: HostSpec, notes: HostNotes) -> Named:
    """The event of a key among the keys of `beside`; notes one that never fires."""
    name = key.value
    if name in spec.events:
        return Named(events.canonical(name) or name)
    if name in spec.deaf_events:
        notes.on(spec.name, "warning", "never-fires", f"{spec.title} has no {name}: its hooks never fire", key.span)
        return Named(events.canonical(name) or name)
    shown = name[:60] or "(empty)"
    meant = suggest.event(name, spec.events)
    fix = notes.replacement(f"write {meant}", key.span, json.dumps(meant)) if meant and _is_alone(key, meant, beside) else None
    message = f"{shown} is no event of {spec.title}: its hooks never run"
    hint = f"did you mean {meant}?" if meant else ""
    notes.on(spec.name, "error", "unknown-event", message, key.span, hint=hint, fix=fix)
    event = (events.canonical(meant) or meant) if meant else ""
    return Named(event, False, (Obstacle(skip="invalid", why=f"its event {shown} is unknown"),))


def _is_alone(key: Node, meant: str, beside: Node) -> bool:
    """Whether no other key of a file means the same event: written twice, neither would count."""
    others = (other.value for other, _ in beside.entries if other is not key)
    return all(meant != other and meant != suggest.event(other, (meant,)) for other in others)


def report_twins(node: Node, spec: HostSpec, notes: HostNotes) -> None:
    """Two spellings of one event in one file: a host that translates another's spelling keeps only the last."""
    first: dict[str, str] = {}
    for key, _ in node.entries:
        twin = first.setdefault(events.canonical(key.value) or key.value, key.value)
        if twin != key.value:
            for reader in hosts.readers(spec.name):
                if not reader.keeps_last_spelling:
                    continue
                message = f"{key.value} and {twin} are one event: {reader.title} keeps only the last"
                notes.on(
                    reader.name, "error", "conflicting-keys", message, key.span, hint="put all entries under one of the two"
                )
