"""The files of each host's connection by scope, and hooktui's entries in them."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, get_args

from hooktui import hosts
from hooktui.connect import json_text
from hooktui.core import events, paths
from hooktui.formats import files, own_plugin
from hooktui.formats.json_hooks import file_syntax
from hooktui.formats.json_hooks.hook_locations import json_paths
from hooktui.formats.node import find
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import HookFiles

    Path = tuple[str | int, ...]

Scope = Literal["project", "local", "user", "managed"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_COMMANDS = ("command", "bash")
_PLUGINS = os.path.join(os.path.dirname(__file__), "plugins")


class ConnectionSite(NamedTuple):
    """A host that can be connected."""

    spec: Host

    @property
    def has_plugin(self) -> bool:
        return self.spec.format == "own_plugin"

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes in which the host can be connected, the default first."""
        return cast("tuple[Scope, ...]", self.spec.connect_scopes)

    @property
    def own_scopes(self) -> tuple[Scope, ...]:
        """The scopes of one person."""
        return tuple(scope for scope in self.scopes if scope != "managed")

    def scopes_of_project(self, project: str) -> tuple[Scope, ...]:
        user = self.file("user", project)
        return tuple(scope for scope in self.own_scopes if scope != "user" and self.file(scope, project) != user)

    def launcher(self, scope: Scope) -> str:
        """The launcher that the entries of a scope call."""
        return paths.managed_launcher() if scope == "managed" else paths.launcher()

    def file(self, scope: Scope, project: str) -> str:
        """The absolute path of the file with our entries; `project` is the project's root.

        While there are hooks in a file that the host reads only without the usual one, they would be lost by creating that.
        """
        usual = self._absolute(self.path(scope), project)
        if os.path.lexists(usual):
            return usual
        return next((path for path in self._instead(scope, project) if _has_hooks(path, self.spec)), usual)

    def path(self, scope: Scope) -> str:
        """The usual file's path relative to the project's root, or below the home directory with `~/`."""
        files = self._place(scope)
        return os.path.join(files.path, files.own_file) if files.own_file else files.path

    def has_own_file(self, scope: Scope) -> bool:
        """Whether our entries are in a file of their own, in a directory with others."""
        return bool(self._place(scope).own_file)

    def _place(self, scope: Scope) -> HookFiles:
        of_scope = [files for files in self.spec.files if files.scope == scope]
        return next((files for files in of_scope if files.own_file), of_scope[0])

    def files(self, scope: Scope, project: str) -> tuple[str, ...]:
        """Every file of the scope that may hold hooks of this host, ours first."""
        own = self.file(scope, project)
        shared = self.has_own_file(scope) and not self.has_plugin
        others = json_paths(os.path.dirname(own)) if shared else self._instead(scope, project)
        return (own, *(path for path in others if path != own))

    def by_file(self, scope: Scope, project: str, names: Sequence[str], texts: Mapping[str, str]) -> dict[str, list[str]]:
        """The file for our entry of each event. `texts` are the files' texts without ours.

        An entry in the usual file would switch off the hooks of the same event that the host reads only without it."""
        own, chosen = self.file(scope, project), dict[str, list[str]]()
        others = [path for path in self._instead(scope, project) if path in texts and path != own]
        keys = {path: _event_keys(texts[path], path, self.spec) for path in (own, *others) if path in texts} if others else {}
        for name in names:
            instead = (path for path in others if name in keys[path])
            chosen.setdefault(own if name in keys.get(own, ()) else next(instead, own), []).append(name)
        return chosen

    def _instead(self, scope: Scope, project: str) -> list[str]:
        """The files of a scope that the host reads only without the usual one, or without its event there."""
        usual = next((files.path for files in self.spec.files if files.scope == scope), "")
        of_scope = (files for files in self.spec.files if files.scope == scope)
        return [
            self._absolute(files.path, project)
            for files in of_scope
            if usual in (self.spec.read_unless(files), *self.spec.read_after(files))
        ]

    def _absolute(self, path: str, project: str) -> str:
        return self.spec.in_home(path) if path.startswith("~/") else os.path.join(project, path)

    def events(self) -> tuple[str, ...]:
        """The events of this host that have a canonical name, in the host's spelling."""
        spelled = (self.spec.spelling(event) for event in events.CANONICAL)
        return tuple(name for name in spelled if name in self.spec.events)

    def entry(self, event: str, scope: Scope) -> dict[str, Any]:
        return self.spec.connect_entry(hooktui_commands.run(self.spec.name, launcher=self.launcher(scope)), event)


SITES: Mapping[str, ConnectionSite] = {spec.name: ConnectionSite(spec) for spec in hosts.specs() if spec.connect_scopes}


def added(text: str, site: ConnectionSite, path: str, events: Sequence[str], scope: Scope) -> str:
    """Append our entry to each event of a file of a scope.

    Raises ValueError if the text cannot be read, an event is not a list, or the host would not read the entry there.
    """
    if site.has_plugin:
        return _plugin(site, events)
    wrapped = json_text.root(text, path).members.get("hooks")
    if wrapped and isinstance(wrapped.value, dict) and not site.spec.events_in(path):
        raise ValueError(f"{site.spec.title} ignores it, because its events are inside hooks: run `hooktui check --fix` first")
    for event in events:
        place = ("hooks",) if site.spec.entry.shape == "list" else (*site.spec.events_in(path), event)
        listed = find(json_text.root(text, path), place)
        if listed and not isinstance(listed.value, list):
            raise ValueError(f"{place[-1]} must be a list")
        text = file_syntax.of(path).put(text, (*place, "-"), site.entry(event, scope))
    return text


def entries(text: str, path: str, host: str) -> list[tuple[str, Any]]:
    """Our entries in a file: event and value of each. Raises ValueError if the text cannot be read."""
    if SITES[host].has_plugin:
        called = shlex.join(own_plugin.command(text, host))
        return [(event, {"command": called}) for event in own_plugin.events(text) if called]
    root, container = json_text.root(text, path), hosts.spec(host).events_in(path)
    key = "event" if hosts.spec(host).entry.shape == "list" else ""
    nodes = ((place, find(root, place)) for place in _paths(root.value, host, container))
    return [(str(node.value.get(key) if key else place[len(container)]), node.value) for place, node in nodes if node]


def commands(entry: Any, host: str) -> list[str]:
    """Our commands in an entry or a group."""
    if not isinstance(entry, dict):
        return []
    inner = entry.get("hooks")
    own = [entry[key] for key in _COMMANDS if hooktui_commands.runs(entry.get(key), host)]
    return [*own, *(command for item in (inner if isinstance(inner, list) else ()) for command in commands(item, host))]


def _plugin(site: ConnectionSite, events: Sequence[str]) -> str:
    with open(os.path.join(_PLUGINS, f"{site.spec.name}.js"), encoding="utf-8") as file:
        return own_plugin.filled(file.read(), hooktui_commands.words(site.spec.name), tuple(events))


def removed(text: str, path: str, host: str, before: str | None = None) -> str:
    """Remove our entries from a file's text, and the lists and objects this leaves empty unless `before` has them."""
    container = hosts.spec(host).events_in(path)
    places = list(_paths(json_text.root(text, path).value, host, container))
    for place in reversed(places):
        text = file_syntax.of(path).remove(text, place)
    for parent in (*dict.fromkeys(place[: len(container) + 1] for place in places), container) if places else ():
        text = _without_empty(text, path, parent, before) if parent else text
    return text


def _paths(value: Any, host: str, container: Path) -> Iterator[Path]:
    """The paths of our entries, or of the group around them if it contains nothing else. `container` has the events."""
    events = value.get(container[0]) if container else value
    if isinstance(events, list) and hosts.spec(host).entry.shape == "list":
        yield from ((*container, index) for index, entry in enumerate(events) if _is_ours(entry, host))
    for event, items in events.items() if isinstance(events, dict) else ():
        for index, item in enumerate(items if isinstance(items, list) else ()):
            inner = item.get("hooks") if isinstance(item, dict) else None
            path = (*container, event, index)
            if _is_ours(item, host):
                yield path
            elif isinstance(inner, list):
                ours = [place for place, entry in enumerate(inner) if _is_ours(entry, host)]
                alone = ours and len(ours) == len(inner)
                yield from [path] if alone else [(*path, "hooks", place) for place in ours]


def _is_ours(entry: Any, host: str) -> bool:
    return isinstance(entry, dict) and any(hooktui_commands.runs(entry.get(key), host) for key in _COMMANDS)


def _without_empty(text: str, path: str, place: Path, before: str | None) -> str:
    """Remove a list or object that is empty now and was not in the file before."""
    node = find(json_text.root(text, path), place)
    if node is None or node.style not in ("{", "[") or json_text.body(text)[node.start + 1 : node.end - 1].strip():
        return text
    known = before is not None and find(json_text.root(before, path), place)
    return text if known else file_syntax.of(path).remove(text, place)


def _event_keys(text: str, path: str, spec: Host) -> tuple[str, ...]:
    """The keys where a host reads events in a file. Raises ValueError if the text cannot be read."""
    node = find(json_text.root(text, path), spec.events_in(path))
    return tuple(node.value) if node and isinstance(node.value, dict) else ()


def _has_hooks(path: str, spec: Host) -> bool:
    """Whether a file has hooks, or cannot be read, which connecting then reports."""
    try:
        text = json_text.read(path)
        return text is not None and bool(_event_keys(text, path, spec))
    except (files.UnreadableFileError, ValueError):
        return True
