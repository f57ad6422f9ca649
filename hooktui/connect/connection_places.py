"""The files of each host's connection by scope, and hooktui's entries in them."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from hooktui import hosts
from hooktui.connect import json_text
from hooktui.core import events, own_commands
from hooktui.formats import own_plugin
from hooktui.formats.json_hooks import file_syntax
from hooktui.formats.json_hooks.hook_locations import json_paths
from hooktui.formats.node import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.hosts import HostSpec
    from hooktui.hosts.shared.spec import ConnectSpec

    Path = tuple[str | int, ...]

Scope = Literal["project", "local", "user"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_COMMANDS = ("command", "bash")
_PLUGINS = os.path.join(os.path.dirname(__file__), "plugins")


@dataclass(frozen=True, slots=True)
class ConnectionSite:
    """A host that can be connected."""

    spec: HostSpec
    wiring: ConnectSpec

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes in which the host can be connected, the default first."""
        return cast("tuple[Scope, ...]", self.wiring.scopes)

    def scopes_of_project(self, project: str) -> tuple[Scope, ...]:
        """The scopes whose files belong to a project alone."""
        user = self.file("user", project)
        return tuple(scope for scope in self.scopes if scope != "user" and self.file(scope, project) != user)

    def file(self, scope: Scope, project: str) -> str:
        """The absolute path of the file with our entries; `project` is the project's root."""
        path = self.path(scope)
        return self.spec.in_home(path) if path.startswith("~/") else os.path.join(project, path)

    def path(self, scope: Scope) -> str:
        """The file's path relative to the project's root, or below the home directory with `~/`."""
        path = next(files.path for files in self.spec.files if files.scope == scope)
        return os.path.join(path, self.wiring.file_name) if self.wiring.file_name else path

    def files(self, scope: Scope, project: str) -> tuple[str, ...]:
        """Every file of the scope that may hold hooks of this host, ours first."""
        own = self.file(scope, project)
        others = json_paths(os.path.dirname(own)) if self.wiring.file_name and not self.wiring.plugin else []
        return (own, *(path for path in others if path != own))

    def events(self) -> tuple[str, ...]:
        """The events of this host that have a canonical name, in the host's spelling."""
        spelled = (self.spec.spelling(event) for event in events.CANONICAL)
        return tuple(name for name in spelled if name in self.spec.events)

    def entry(self, event: str) -> dict[str, Any]:
        assert self.wiring.entry
        return self.wiring.entry(own_commands.run(self.spec.name, event if self.wiring.names_event else None), event)


SITES: Mapping[str, ConnectionSite] = {
    spec.name: ConnectionSite(spec, spec.connect) for spec in hosts.specs() if spec.connect is not None
}


def added(text: str, site: ConnectionSite, events: Sequence[str]) -> str:
    """Append our entry to each event. Raises ValueError if the text cannot be read or an event is not a list."""
    if site.wiring.plugin:
        return _plugin(site, events)
    path = site.path(site.scopes[0])
    for event in events:
        listed = find(json_text.root(text, path), ("hooks", event))
        if listed and not isinstance(listed.value, list):
            raise ValueError(f"{event} must be a list")
        text = file_syntax.of(path).edit_entry(text, ("hooks", event, "-"), site.entry(event))
    return text


def entries(text: str, path: str, host: str) -> list[tuple[str, Any]]:
    """Our entries in a file: event and value of each. Raises ValueError if the text cannot be read."""
    if SITES[host].wiring.plugin:
        called = shlex.join(own_plugin.command(text, host))
        return [(event, {"command": called}) for event in own_plugin.events(text) if called]
    root = json_text.root(text, path)
    nodes = ((place, find(root, place)) for place in _paths(root.value, host))
    return [(str(place[1]), node.value) for place, node in nodes if node]


def commands(entry: Any, host: str) -> list[str]:
    """Our commands in an entry or a group."""
    if not isinstance(entry, dict):
        return []
    inner = entry.get("hooks")
    own = [entry[key] for key in _COMMANDS if own_commands.runs(entry.get(key), host)]
    return [*own, *(command for item in (inner if isinstance(inner, list) else ()) for command in commands(item, host))]


def _plugin(site: ConnectionSite, events: Sequence[str]) -> str:
    with open(os.path.join(_PLUGINS, site.wiring.plugin), encoding="utf-8") as file:
        return own_plugin.filled(file.read(), own_commands.words(site.spec.name), tuple(events))


def removed(text: str, path: str, host: str, before: str | None = None) -> str:
    """Remove our entries from a file's text, and the lists and objects this leaves empty unless `before` has them."""
    places = list(_paths(json_text.root(text, path).value, host))
    for place in reversed(places):
        text = file_syntax.of(path).remove_entry(text, place)
    for container in (*dict.fromkeys(place[:2] for place in places), ("hooks",)) if places else ():
        text = _without_empty(text, path, container, before)
    return text


def _paths(value: Any, host: str) -> Iterator[Path]:
    """The paths of our entries, or of the group around them if it contains nothing else."""
    events = value.get("hooks")
    for event, items in events.items() if isinstance(events, dict) else ():
        for index, item in enumerate(items if isinstance(items, list) else ()):
            inner = item.get("hooks") if isinstance(item, dict) else None
            path = ("hooks", event, index)
            if _is_ours(item, host):
                yield path
            elif isinstance(inner, list):
                ours = [place for place, entry in enumerate(inner) if _is_ours(entry, host)]
                alone = ours and len(ours) == len(inner)
                yield from [path] if alone else [(*path, "hooks", place) for place in ours]


def _is_ours(entry: Any, host: str) -> bool:
    return isinstance(entry, dict) and any(own_commands.runs(entry.get(key), host) for key in _COMMANDS)


def _without_empty(text: str, path: str, place: Path, before: str | None) -> str:
    """Remove a list or object that is empty now and was not in the file before."""
    node = find(json_text.root(text, path), place)
    if node is None or node.style not in ("{", "[") or json_text.body(text)[node.start + 1 : node.end - 1].strip():
        return text
    known = before is not None and find(json_text.root(before, path), place)
    return text if known else file_syntax.of(path).remove_entry(text, place)
