"""Azure SRE Agent: hooks and their forms, in YAML documents found by content in a project (seed 004, formats.md §4)."""

from __future__ import annotations

import os
import re
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core.model import AzureEntry, Hook, Obstacle
from hooktui.formats import Parsed, files, form_fields, hook_dependencies, hook_identity, hook_version, merged, yaml_source
from hooktui.formats.azure import azure_documents, azure_entry
from hooktui.formats.azure.azure_entry import EVENTS, FORMAT, REJECTIONS, STOP
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.form_fields import FormField
from hooktui.formats.json_hooks import json_command
from hooktui.formats.json_hooks.json_entry import strongest
from hooktui.formats.node import Node, find
from hooktui.formats.source_cache import Sources
from hooktui.formats.yaml_source import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import EntryPath, Scope
    from hooktui.formats.azure.azure_documents import HookSite
    from hooktui.formats.node import ParseError

__all__ = ["FORMAT", "discover", "fields", "parse"]
_TYPE_FIELD = FormField(
    "Type", ("type",), "choice", "prompt", choices=("prompt", "command"), help="ask a model or run a command"
)
_MATCHER_FIELD = FormField(
    "Matcher", ("matcher",), "regex", "no tool", help="regex for the whole tool name; * matches every tool"
)
_FIELDS_BY_TYPE = {
    "prompt": (
        FormField("Prompt", ("prompt",), help="the question for the model; $ARGUMENTS is the event"),
        FormField("Model", ("model",), default=azure_entry.DEFAULT_MODEL, help="model tier"),
    ),
    "command": (
        FormField("Command", ("command",), help="a bash command; it reads the event as JSON from stdin"),
        FormField("Script", ("script",), help="a bash or Python script, instead of a command"),
    ),
}
_COMMON_FIELDS = (
    FormField(
        "Timeout", ("timeout",), "number", str(azure_entry.DEFAULT_TIMEOUT_S), "s", whole=True, help="seconds, at most 300"
    ),
    FormField(
        "On failure", ("failMode",), "choice", "allow", choices=("allow", "block"), help="what happens if the hook fails"
    ),
)
_REJECTIONS_FIELD = FormField(
    "Rejections",
    ("maxRejections",),
    "number",
    str(REJECTIONS[1]),
    whole=True,
    help="how often it may block a stop",
)
_EVENT_FIELD = FormField("Event", ("eventType",), "choice", choices=EVENTS, required=True, help="when the hook runs")


def discover(project: str, sources: Sources | None = None) -> Parsed:
    """All hooks in the project's YAML files: global ones, then those of custom agents, by file and position."""
    sources = sources or Sources()
    candidates, watched = scan(project, sources)
    parsed = [sources.keep((FORMAT, path), partial(_load, path, project)) for path in candidates]
    whole = merged((Parsed(watched=watched), *parsed))
    return whole._replace(hooks=tuple(sorted(_distinct(whole.hooks), key=lambda hook: hook.scope == "agent")))


def parse(text: str, file: str, scope: Scope, project: str | None = None) -> Parsed:
    """Read the hooks of `text` as if it were `file`, an absolute path. The documents set the scope, not `scope`."""
    return _AzureFileReader(text.removeprefix("\ufeff"), file, project or os.path.dirname(file)).read()


def _load(path: str, project: str) -> Parsed:
    try:
        text = files.read_text(path, SIZE_LIMIT)
    except files.UnreadableFileError as refused:
        notes = DiagnosticCollector(path, "")
        if SCHEMA in refused.head:
            notes.error(refused.code, str(refused))
        return Parsed(diagnostics=tuple(notes.collected), watched=(path,))
    return _AzureFileReader(text, path, project).read()


class _AzureFileReader:
    def __init__(self, text: str, file: str, project: str) -> None:
        self.notes = DiagnosticCollector(file, text)
        self.project = project
        composed = yaml_source.compose(text)
        self.documents = [(at, root) for at, root in enumerate(composed.roots) if azure_documents.kind(root)]
        self.repeated = [fault for fault in composed.faults if fault.code == "duplicate-key"]
        self.broken = [fault for fault in composed.faults if fault.code != "duplicate-key"]

    def read(self) -> Parsed:
        ours = SCHEMA in self.notes.text
        if ours:
            self._note(self.broken)
        hooks = [hook for number, root in self.documents for hook in self._document(number, root)]
        return Parsed(
            hooks=hook_identity.identified(self.notes.stamped(hooks)),
            diagnostics=self.notes.diagnostics(hooks),
            watched=(self.notes.file, *json_command.watched(hooks)),
            files=(self.notes.file,) if self.documents or (ours and self.broken) else (),
        )

    def _document(self, number: int, root: Node) -> Iterator[Hook]:
        repeated = [fault for fault in self.repeated if _within(fault, root)]
        places = list(azure_documents.places(root, number, self.notes))
        entries = [place.entry.node for place in places]
        self.notes.hook = None
        self._note(fault for fault in repeated if not any(_within(fault, entry) for entry in entries))
        in_doubt = [fault for fault in repeated if any(_directly_in(fault, node) for node in azure_documents.containers(root))]
        for place in places:
            own = [fault for fault in repeated if _within(fault, place.entry.node)]
            self.notes.hook = place.id
            self._note(own)
            yield self._hook(place, own, in_doubt)

    def _hook(self, place: HookSite, own: list[ParseError], in_doubt: list[ParseError]) -> Hook:
        entry = place.entry
        action = azure_entry.action(entry)
        tool, bad_matcher = azure_entry.matcher(entry, place.written)
        doubts = [Obstacle(skip="invalid", why=fault.message) for fault in (*own, *in_doubt)]
        obstacles = [*place.obstacles, *doubts, *([bad_matcher] if bad_matcher else []), *action.obstacles]
        text = self._text(place)
        rejections = azure_entry.max_rejections(entry, place.written, action.type)
        hook = Hook(
            id=place.id,
            name=place.name,
            event=place.event,
            event_as_written=place.written,
            format=FORMAT,
            scope=place.scope,
            file=self.notes.file,
            line=self.notes.place(entry.node.start)[0],
            description=place.description,
            tool=tool,
            type=action.type,
            argv=action.argv,
            command=action.command,
            timeout_ms=azure_entry.timeout_ms(entry),
            fail_mode=azure_entry.fail_mode(entry),
            enabled=place.enabled,
            obstacle=strongest(obstacles),
            root=self.project,
            text=text,
            problems=(*place.problems, *(["duplicate-key"] if in_doubt else [])),
            source=AzureEntry(path=place.path, agent=place.agent, script=action.script, max_rejections=rejections),
            prompt=action.prompt,
            model=action.model,
        )
        return hook_version.with_scripts(hook_dependencies.covered(hook), text)

    def _text(self, place: HookSite) -> str:
        """The text that trust covers: the entry, or the whole document if the entry contains an alias."""
        node = place.source
        source = self.notes.text[node.start : node.end]
        if not _has_alias(node):
            return source
        root = next(root for number, root in self.documents if number == place.path[0])
        return self.notes.text[root.start : root.end]

    def _note(self, faults: Iterable[ParseError]) -> None:
        for fault in faults:
            self.notes.fault(fault)


def _distinct(hooks: Iterable[Hook]) -> Iterator[Hook]:
    """Add a number to the IDs of hooks with the same name, except for the first."""
    seen: dict[str, int] = {}
    for hook in hooks:
        seen[hook.id] = seen.get(hook.id, 0) + 1
        key = hook.id if seen[hook.id] == 1 else f"{hook.id}#{seen[hook.id]}"
        yield hook.replace(id=key, identity=key if hook.identity == hook.id else hook.identity)


def _within(fault: ParseError, node: Node) -> bool:
    return node.start <= fault.span[0] < node.end


def _directly_in(fault: ParseError, node: Node) -> bool:
    """Whether an error is in a mapping itself, not in one of its values."""
    return _within(fault, node) and not any(_within(fault, value) for _, value in node.entries)


def _has_alias(node: Node) -> bool:
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if inner.style == "*":
            return True
        waiting += [*inner.items, *(value for _, value in inner.entries)]
    return False


def fields(text: str, hook: Hook) -> tuple[FormField, ...]:
    """The form of the hook's entry in `text`. Raises ValueError if the text cannot be read or has no such entry."""
    composed = yaml_source.compose(text)
    if composed.broken:
        raise ValueError(f"fix the YAML first: {composed.faults[0].message}")
    path = hook.entry_path
    documents = Node([root.value for root in composed.roots], 0, len(text), items=composed.roots)
    entry = find(documents, path)
    if entry is None or not isinstance(entry.value, dict):
        raise ValueError(f"{hook.label} no longer exists")
    return tuple(form_fields.filled(_form_fields(hook, path, entry, documents), documents))


def _form_fields(hook: Hook, path: EntryPath, entry: Node, documents: Node) -> Iterator[FormField]:
    yield _event_field(hook, path, documents)
    own = [
        _TYPE_FIELD,
        *([_MATCHER_FIELD] if hook.event_as_written != STOP else []),
        *_FIELDS_BY_TYPE.get(hook.type, ()),
        *_COMMON_FIELDS,
    ]
    if hook.type == "prompt" and hook.event_as_written == STOP:
        own.append(_REJECTIONS_FIELD)
    for field in own:
        yield field._replace(path=(*path, _spelled(entry, str(field.path[-1]))))


def _event_field(hook: Hook, path: EntryPath, documents: Node) -> FormField:
    """A global hook has an eventType; a custom agent's hook is below its event."""
    if hook.scope == "agent":
        choices = tuple(dict.fromkeys((hook.event_as_written, *EVENTS)))
        return _EVENT_FIELD._replace(path=(), value=hook.event_as_written, choices=choices, help=form_fields.MOVES)
    around = find(documents, path[:-1])
    assert around is not None
    return _EVENT_FIELD._replace(path=(*path[:-1], _spelled(around, str(_EVENT_FIELD.path[-1]))))


def _spelled(mapping: Node, key: str) -> str:
    return next((name.value for name, _ in mapping.entries if folded(name.value) == folded(key)), key)


SIZE_LIMIT = 256 * files.KIB
# Breadth-first. Without a limit, opening a home directory would take minutes.
DIRECTORY_LIMIT = 5_000
_SUFFIXES = (".yaml", ".yml")
_LEFT_OUT = ("node_modules", "__pycache__")
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
_SIGN = re.compile(rb"ExtendedAgent|GlobalHook|HookV2|azuresre\.ai|event_?[tT]ype")
SCHEMA = "azuresre.ai"


class SearchedDirectory(NamedTuple):
    """A directory: its YAML files, those that may contain hooks, and the subdirectories to search."""

    path: str
    yaml: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def watched(self) -> tuple[str, ...]:
        return self.path, *self.yaml


def scan(project: str, sources: Sources) -> tuple[list[str], tuple[str, ...]]:
    """The files of a project that may contain hooks, by path, and every searched path. Content never raises."""
    searched: list[SearchedDirectory] = []
    waiting = deque([project])
    while waiting and len(searched) < DIRECTORY_LIMIT:
        path = waiting.popleft()
        searched.append(sources.keep((FORMAT, path), partial(_look, path)))
        waiting.extend(searched[-1].below)
    candidates = sorted(path for directory in searched for path in directory.candidates)
    return candidates, tuple(path for directory in searched for path in directory.watched)


def _look(path: str) -> SearchedDirectory:
    try:
        with os.scandir(path) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return SearchedDirectory(path)
    if any(entry.name == _VIRTUAL_ENVIRONMENT for entry in entries):
        return SearchedDirectory(path)
    directories = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    others = (entry.path for entry in entries if not entry.is_dir(follow_symlinks=False))
    yaml = tuple(other for other in others if other.lower().endswith(_SUFFIXES))
    below = tuple(entry.path for entry in directories if not entry.name.startswith(".") and entry.name not in _LEFT_OUT)
    return SearchedDirectory(path, yaml, tuple(filter(_may_hold_hooks, yaml)), below)


def _may_hold_hooks(path: str) -> bool:
    try:
        data, size = files.read_bytes(path, SIZE_LIMIT)
    except files.UnreadableFileError:
        return False
    return size <= SIZE_LIMIT and _SIGN.search(data) is not None
