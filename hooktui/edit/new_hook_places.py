"""The formats, scopes and files that a new hook can be written to, and the events that each supports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import events, paths
from hooktui.edit.copy_targets import Target
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.file_steps import CannotChange
from hooktui.formats import files, yaml_source
from hooktui.formats.agenthooks.hook_file import HOOK_FILE
from hooktui.formats.azure import azure_documents, azure_files
from hooktui.formats.json_hooks import json_format, json_hooks
from hooktui.formats.source_cache import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.core.model import Scope
    from hooktui.formats.json_hooks.json_hooks import JsonHookFile
    from hooktui.hosts import HostSpec

_NAME = "\0"  # placeholder in a path for the hook's name; no path holds this character
_SCOPES: tuple[Scope, ...] = ("project", "local", "user")


@dataclass(frozen=True, slots=True)
class NewHookPlace:
    """A file, existing or not, of a format and scope. `project` is absolute.

    `agent` is the Azure agent that the hook would belong to, and `document` the number of the agent's document in the file.
    """

    format: str
    scope: Scope
    project: str
    path: str
    agent: str = ""
    document: int = 0

    @property
    def is_named(self) -> bool:
        """Whether the file is named after the hook, and so is new."""
        return _NAME in self.path

    @property
    def matcher_help(self) -> str:
        """What a tool matcher means there, for a person."""
        return hosts.spec(self.format).matcher.draft_help

    @property
    def first_run(self) -> str:
        """When the host runs a hook that was just created, in a sentence."""
        return hosts.spec(self.format).runs_new_hooks

    @property
    def searches_input(self) -> bool:
        """Whether the host checks a pattern in a tool's input; if not, the script does."""
        return hosts.spec(self.format).matcher.rule == "search"

    @property
    def shown(self) -> str:
        """The file for a person, relative to the project or the home."""
        path = self.path.replace(_NAME, "NAME")
        inside = path.startswith(self.project + os.sep)
        return os.path.relpath(path, self.project) if inside else paths.short(path)

    def target(self, name: str) -> Target:
        """Return the target for a hook of a name."""
        return Target(self.format, self.scope, self.path.replace(_NAME, name), self.project)

    def refusal(self, event: str) -> str:
        """Say why the place cannot have a hook for an event (canonical, or the format's own); empty if it can."""
        try:
            spelling(self, event)
        except CannotChange as error:
            return str(error)
        return ""


def places(project: str) -> tuple[NewHookPlace, ...]:
    """Return every place for new hooks, by format, the project's before the user's."""
    available = (*_directories(project), *_settings(project), *_shared(project), *_documents(project))
    order = list(hosts.names())
    return tuple(sorted(available, key=lambda place: order.index(place.format)))


def usual(project: str, format_name: str, scope: str) -> NewHookPlace:
    """Return a format's default place for a scope. Raises ValueError if it has none."""
    matching = [place for place in places(project) if (place.format, place.scope) == (format_name, scope)]
    if not matching and (scopes := _scopes(project, format_name)):
        raise ValueError(f"{HOSTS[format_name]} has no hooks of scope {scope}: choose one of {scopes}")
    if not matching:
        raise ValueError(f"hooktui cannot create {HOSTS[format_name]} hooks yet")
    return matching[0]


def moments() -> Mapping[str, str]:
    """Map every event of any format to its meaning, canonical events first."""
    shared = (name for name in events.CANONICAL if name in events.TRIGGERS or events.spelling(name, "pascal"))
    owners: dict[str, list[str]] = {}
    for spec in hosts.json_specs():
        for name in spec.events:
            if events.canonical(name) is None:
                owners.setdefault(name, []).append(spec.title)
    own = {name: f"only in {_listed(titles)}" for name, titles in owners.items()}
    return {**{name: events.MEANING[name] for name in shared}, **own}


def _listed(words: Sequence[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def spelling(place: NewHookPlace, event: str) -> str:
    """Spell an event (canonical, or the format's own) for a place. Raises CannotChange if it never fires there."""
    spec = hosts.spec(place.format)
    name = _as_in_file(place, event, spec)
    if name not in spec.events:
        raise CannotChange(f"{spec.title} has no {event}.")
    return name


def _as_in_file(place: NewHookPlace, event: str, spec: HostSpec) -> str:
    """Spell an event like the file's hooks of this event, else like its other hooks, if the host reads two spellings."""
    default = spec.spelling(event) or event
    existing = [] if place.is_named or not spec.speech.camel_payloads else _events_in(place)
    same = [name for name in existing if (events.canonical(name) or name) == event]
    other = events.spelling(event, "pascal")
    pascal = existing and all(name[:1].isupper() for name in existing) and other in spec.events
    return next((name for name in same if name in spec.events), other if pascal and other else default)


def _events_in(place: NewHookPlace) -> list[str]:
    file = json_hooks.load(place.path, place.scope)
    return list(file.events) if file else []


def _scopes(project: str, format_name: str) -> str:
    return ", ".join(dict.fromkeys(place.scope for place in places(project) if place.format == format_name))


def _directories(project: str) -> Iterator[NewHookPlace]:
    roots: tuple[tuple[Scope, str], ...] = (
        ("project", paths.agenthooks_project_root(project)),
        ("user", paths.agenthooks_user_root()),
    )
    for scope, root in roots:
        yield NewHookPlace("agenthooks", scope, project, os.path.join(root, _NAME, HOOK_FILE))


def _settings(project: str) -> Iterator[NewHookPlace]:
    """Yield the files of hosts that keep all hooks of a scope in one file."""
    for spec in hosts.json_specs():
        for scope in _SCOPES:
            files = [files for files in spec.files if files.scope == scope and not files.is_directory]
            for path in (one.path for one in files):
                base = paths.home() if path.startswith("~/") else project
                yield NewHookPlace(spec.name, scope, project, os.path.join(base, path.removeprefix("~/")))


def _shared(project: str) -> Iterator[NewHookPlace]:
    """Yield the existing files, and a new one."""
    sharing = [spec for spec in hosts.json_specs() if any(files.is_directory for files in spec.files)]
    for scope in _SCOPES:
        for spec in sharing:
            directory = next((path for other, path, _ in json_format.places(spec, project) if other == scope), None)
            if directory is None:
                continue
            present = [file for path in json_format.json_paths(directory) if (file := json_hooks.load(path, scope))]
            for file in present:
                if json_format.owner(file) is spec and _can_grow(file):
                    yield NewHookPlace(spec.name, scope, project, file.path)
            yield NewHookPlace(spec.name, scope, project, os.path.join(directory, f"{_NAME}.json"))


def _can_grow(file: JsonHookFile) -> bool:
    """Whether a file can be read and does not belong to `hooktui connect`, which deletes its files."""
    return file.root is not None and not os.path.basename(file.path).startswith("hooktui")


def _documents(project: str) -> Iterator[NewHookPlace]:
    """Yield Azure's places: a new file, another document of an existing one, or another entry of an agent."""
    yield NewHookPlace("azure", "project", project, os.path.join(project, "azuresre", f"{_NAME}.yaml"))
    for path in azure_files.scan(project, Sources()).candidates:
        try:
            composed = yaml_source.compose(files.read_text(path, azure_files.SIZE_LIMIT).removeprefix("\ufeff"))
        except files.Unreadable:
            continue
        kinds = [azure_documents.kind(root) for root in composed.roots]
        if composed.faults or not any(kinds):
            continue
        yield NewHookPlace("azure", "project", project, path)
        for number, (root, kind) in enumerate(zip(composed.roots, kinds, strict=True)):
            if kind == azure_documents.AGENT and (name := _agent_name(root.value)):
                yield NewHookPlace("azure", "agent", project, path, name, number)


def _agent_name(document: object) -> str:
    match document:
        case {"metadata": {"name": str(name)}}:
            return name
    return ""
