"""The form of an Azure SRE Agent's hook (formats.md §4)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.formats import form_fields, yaml_source
from hooktui.formats.azure import azure_entry
from hooktui.formats.azure.azure_entry import EVENTS, REJECTIONS, STOP
from hooktui.formats.azure.azure_fields import folded
from hooktui.formats.form_fields import FormField, pointer
from hooktui.formats.json_source import find
from hooktui.formats.yaml_source import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Hook
    from hooktui.formats.form_fields import Path

_TYPE = FormField("Type", "type", "choice", "prompt", choices=("prompt", "command"), help="a model is asked, or a command runs")
_MATCHER = FormField("Matcher", "matcher", "regex", "no tool", help="a regex for the whole name of the tool; * is every tool")
_FOR_TYPE = {
    "prompt": (
        FormField("Prompt", "prompt", help="what the model is asked; $ARGUMENTS stands for the event"),
        FormField("Model", "model", default=azure_entry.DEFAULT_MODEL, help="a tier of models"),
    ),
    "command": (
        FormField("Command", "command", help="a command line for bash; the event is its stdin, as JSON"),
        FormField("Script", "script", help="instead of a command: a script of several lines, bash or Python"),
    ),
}
_REST = (
    FormField("Timeout", "timeout", "number", str(azure_entry.DEFAULT_TIMEOUT_S), "s", whole=True, help="seconds, at most 300"),
    FormField("On failure", "failMode", "choice", "allow", choices=("allow", "block"), help="what a failure of the hook means"),
)
_LIMIT = FormField(
    "Rejections",
    "maxRejections",
    "number",
    str(REJECTIONS[1]),
    whole=True,
    help="how often it may keep the agent from stopping",
)
_EVENT = FormField("Event", "eventType", "choice", choices=EVENTS, required=True, help="when the hook runs")


def fields(text: str, hook: Hook) -> tuple[FormField, ...]:
    """The form of the hook's entry in `text`. Raises ValueError when that cannot be read, or the entry is not there."""
    composed = yaml_source.compose(text)
    if composed.broken:
        raise ValueError(f"the YAML must be mended first: {composed.faults[0].message}")
    path = hook.entry_path
    documents = Node([root.value for root in composed.roots], 0, len(text), items=composed.roots)
    entry = find(documents, path)
    if entry is None or not isinstance(entry.value, dict):
        raise ValueError(f"{hook.name} is not there any more")
    return tuple(form_fields.filled(_fields(hook, path, entry, documents), documents))


def _fields(hook: Hook, path: Path, entry: Node, documents: Node) -> Iterator[FormField]:
    yield _event(hook, path, documents)
    own = [_TYPE, *([_MATCHER] if hook.event_as_written != STOP else []), *_FOR_TYPE.get(hook.type, ()), *_REST]
    if hook.type == "prompt" and hook.event_as_written == STOP:
        own.append(_LIMIT)
    for field in own:
        yield replace(field, address=pointer((*path, _spelled(entry, field.address))))


def _event(hook: Hook, path: Path, documents: Node) -> FormField:
    """A global hook names its event; an agent's stands below it."""
    if hook.scope == "agent":
        choices = tuple(dict.fromkeys((hook.event_as_written, *EVENTS)))
        return replace(_EVENT, address="", value=hook.event_as_written, choices=choices, help=form_fields.MOVES)
    around = find(documents, path[:-1])
    assert around is not None
    return replace(_EVENT, address=pointer((*path[:-1], _spelled(around, _EVENT.address))))


def _spelled(mapping: Node, key: str) -> str:
    """A key as the file spells it."""
    return next((one.value for one, _ in mapping.entries if folded(one.value) == folded(key)), key)
