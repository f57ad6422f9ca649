"""The formats, scopes and files that a new hook can be written to, and the events that each supports."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.core import events, paths
from hooktui.edit.copy_targets import Target, directory_roots, in_scope, new_azure_file
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.formats import files, yaml_source
from hooktui.formats.agenthooks.hook_file import FORMAT, HOOK_FILE
from hooktui.formats.azure import azure_documents, azure_files
from hooktui.formats.json_hooks import file_syntax, hook_locations, json_file, json_format
from hooktui.formats.source_cache import Sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import Scope
    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import HookFiles

_NAME = "\0"  # placeholder in a path for the hook's name; no path holds this character
_SCOPES: tuple[Scope, ...] = ("project", "local", "user")


class NewHookPlace(NamedTuple):
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
    def is_for_all(self) -> bool:
        return self.format == hosts.DEFAULT

    @property
    def is_named(self) -> bool:
        """Whether the file is named after the hook, and so is new."""
        return _NAME in self.path

    @property
    def spec(self) -> Host:
        return hosts.spec(self.format)

    @property
    def searches_input(self) -> bool:
        """Whether the host checks a pattern in a tool's input; if not, the script does."""
        return self.spec.matcher.rule == "search"

    @property
    def shown(self) -> str:
        path = self.path.replace(_NAME, "NAME")
        inside = path.startswith(self.project + os.sep)
        return os.path.relpath(path, self.project) if inside else paths.short(path)

    def target(self, name: str) -> Target:
        return Target(self.format, self.scope, self.path.replace(_NAME, name), self.project)

    def refusal(self, event: str) -> str:
        """Say why the place cannot have a hook for an event (canonical, or the format's own); empty if it can."""
        try:
            spelling(self, event)
        except ChangeRefusedError as error:
            return str(error)
        return ""


def places(project: str, only: str = "") -> tuple[NewHookPlace, ...]:
    """Return the places for new hooks, of all formats or `only` one, by format, the project's before the user's."""
    directories = (
        NewHookPlace(FORMAT, scope, project, os.path.join(root, _NAME, HOOK_FILE))
        for scope, root in directory_roots(project).items()
    )
    documents = _documents(project) if only in ("", azure_files.FORMAT) else ()  # which searches the whole project
    available = [place for place in (*directories, *_json_files(project), *documents) if only in ("", place.format)]
    order = list(hosts.names())
    return tuple(sorted(available, key=lambda place: order.index(place.format)))


def default_place(project: str, format_name: str, scope: str) -> NewHookPlace:
    """Return a format's default place for a scope. Raises ValueError if it has none."""
    available = places(project, format_name)
    if not available:
        raise ValueError(f"hooktui cannot create {HOSTS[format_name]} hooks yet")
    for place in available:
        if place.scope == scope:
            return place
    scopes = " or ".join(dict.fromkeys(place.scope for place in available))
    raise ValueError(f"{HOSTS[format_name]} has no {scope} scope: use {scopes}")


def spelled(event: str, host: str) -> str:
    """An event (canonical, or a format's own) in the words of a host; "" is none, and one may not have the event."""
    return (hosts.spec(host).spelling(event) if host else None) or event


def event_meanings(host: str = "") -> Mapping[str, str]:
    """Map every event of any format to its meaning: those of `host` first, of the others canonical events."""
    shared = (name for name in events.CANONICAL if name in events.TRIGGERS or events.spelling(name, "pascal"))
    owners: dict[str, list[str]] = {}
    for spec in hosts.json_specs():
        for name in spec.events:
            if events.canonical(name) is None:
                owners.setdefault(name, []).append(spec.name)
    own = {name: f"only in {hosts.titles(names)}" for name, names in owners.items()}
    meanings = {**{name: events.MEANING[name] for name in shared}, **own}
    fires = hosts.spec(host).events if host else meanings
    return {name: meanings[name] for name in sorted(meanings, key=lambda name: spelled(name, host) not in fires)}


def spelling(place: NewHookPlace, event: str) -> str:
    """Spell an event (canonical, or the format's own) for a place. Raises ChangeRefusedError if it never fires there."""
    name = _as_in_file(place, event)
    if name not in place.spec.events:
        raise ChangeRefusedError(f"{place.spec.title} has no {event}.")
    return name


def _as_in_file(place: NewHookPlace, event: str) -> str:
    """Spell an event like the file's hooks of this event, else like its other hooks, if the host reads two spellings."""
    spec = place.spec
    file = json_file.load(place.path, place.scope) if spec.style == "camel" and not place.is_named else None
    existing = list(file.events) if file else []
    same = [name for name in existing if (events.canonical(name) or name) == event and name in spec.events]
    pascal = events.spelling(event, "pascal")
    if not same and existing and all(name[:1].isupper() for name in existing) and pascal in spec.events:
        return pascal
    return same[0] if same else spec.spelling(event) or event


def _json_files(project: str) -> Iterator[NewHookPlace]:
    """Yield the file of each host and scope; of a directory the existing files, and a new one."""
    for spec in hosts.json_specs():
        for location in sorted(
            filter(partial(_takes_new_hooks, spec), spec.files), key=lambda files: _SCOPES.index(files.scope)
        ):
            place = NewHookPlace(spec.name, location.scope, project, in_scope(spec, location.path, project))
            if not location.is_directory:
                if not (spec.read_unless(location) or spec.read_after(location)) or os.path.lexists(place.path):
                    yield place
                continue
            for path in hook_locations.json_paths(place.path):
                file = json_file.load(path, location.scope)
                connects = os.path.basename(path).startswith("hooktui")  # `hooktui disconnect` deletes the file
                if file and file.root and json_format.owner(file) is spec and not connects:
                    yield place._replace(path=path)
            yield place._replace(path=os.path.join(place.path, f"{_NAME}.json"))


def _takes_new_hooks(spec: Host, files: HookFiles) -> bool:
    """Whether a new hook may be put there: not if the file is read-only, another checkout's, no place for a `version`, or a
    second syntax of one host."""
    if files.read_only or files.below == "main" or (files.settings and spec.entry.version is not None):
        return False
    return file_syntax.of(files.path) is file_syntax.of(spec.files[0].path)


def _documents(project: str) -> Iterator[NewHookPlace]:
    """Yield Azure's places: a new file, another document of an existing one, or another entry of an agent."""
    new = NewHookPlace(azure_files.FORMAT, "project", project, new_azure_file(project, _NAME))
    yield new
    for path in azure_files.scan(project, Sources())[0]:
        try:
            composed = yaml_source.compose(files.read_text(path, azure_files.SIZE_LIMIT).removeprefix("\ufeff"))
        except files.UnreadableFileError:
            continue
        kinds = [azure_documents.kind(root) for root in composed.roots]
        if composed.faults or not any(kinds):
            continue
        yield new._replace(path=path)
        for number, (root, kind) in enumerate(zip(composed.roots, kinds, strict=True)):
            match root.value:
                case {"metadata": {"name": str(name)}} if kind == azure_documents.AGENT and name:
                    yield new._replace(scope="agent", path=path, agent=name, document=number)
