"""The JSON hook files of one host: their locations, which files of a shared directory are its own, and their hooks."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui import hosts
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.core.model import JsonEntry
from hooktui.formats import Parsed, merged
from hooktui.formats.asked_once import ask
from hooktui.formats.json_hooks import (
    file_checks,
    hook_locations,
    host_policy,
    json_file,
    json_form,
    json_hooks,
    plugin_hooks,
)
from hooktui.formats.json_hooks.hook_locations import Location, json_paths, locations
from hooktui.formats.json_hooks.host_policy import FileSettings
from hooktui.formats.source_cache import Sources
from hooktui.hosts.shared.places import HookFiles, SettingsFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.core.model import Hook, Scope
    from hooktui.formats.json_hooks.host_policy import HostPolicy
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.formats.json_hooks.plugin_hooks import Plugin
    from hooktui.hosts import Host

_CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]*)+")


class _FileHooks(NamedTuple):
    """The hooks of one file, and what it says about all hooks. `events` are those that the host reads in it."""

    parsed: Parsed
    settings: FileSettings = FileSettings()
    events: tuple[str, ...] = ()

    @property
    def watched(self) -> tuple[str, ...]:
        return self.parsed.watched


@dataclass(frozen=True, slots=True, eq=False)
class JsonFormat:
    """The hook files of one host."""

    spec: Host
    fields = staticmethod(json_form.fields)

    def discover(self, directory: str, sources: Sources | None = None) -> Parsed:
        """All hooks of a host that is started in a directory, the least specific scope first. File content never raises."""
        sources = sources or Sources()
        listing, read = ask(self._files, directory, sources)
        policy = self._policy(read)
        parsed_files = [*_distinct(read), *self._plugins(directory, policy, sources)]
        off = {self.spec.name: why} if (why := policy.why_off(self.spec)) else {}
        managed = Parsed(managed=policy.managed(self.spec), switched_off=off)
        return merged([managed, *listing, *(self.allowed(parsed, policy) for parsed in parsed_files)])

    def parse(self, text: str, file: str, scope: Scope) -> Parsed:
        """Read the hooks of `text` as if it were `file`, an absolute path."""
        parsed = json_file.parse(text, file, scope)._replace(source=JsonEntry(plugin_root=self._plugin_root(file)))
        if known := self._files_of(file, scope):
            parsed = parsed._replace(consequence=known.consequence, entry=known.entry)
        location = Location(path=file, files=self._files_of(file, scope) or HookFiles(scope=scope, path=file), base="")
        read = self._read(parsed, self._base(file, scope), location)
        return self.allowed(read.parsed, self._policy([(location, read)]))

    def policy(self, directory: str, sources: Sources | None = None) -> HostPolicy:
        """What the host's settings say when it is started in a directory."""
        _, read = ask(self._files, directory, sources or Sources())
        return self._policy(read)

    def _files(self, directory: str, sources: Sources) -> tuple[list[Parsed], list[tuple[Location, _FileHooks]]]:
        """The listed directories, and the files of all locations in the order of their precedence."""
        listing: list[Parsed] = []
        read: list[tuple[Location, _FileHooks]] = []
        root = ask(projects.root, ask(paths.canonical, directory))
        listing += [Parsed(watched=(os.path.join(root, path),)) for path in hook_locations.manifests(self.spec)]
        for place in hook_locations.switches(self.spec, directory):
            file = sources.keep((self.spec.name, place.path), partial(self._load, place), given=place)
            read.append((place, _FileHooks(parsed=Parsed(watched=file.watched), settings=file.settings)))
        own = tuple(locations(self.spec, directory))
        for location in (*own, *hook_locations.beside(self.spec, directory, own)):
            paths_there, directories = _paths(location)
            if listed := location.files.plugin_list:
                directories = (*directories, self.spec.in_home(listed))
            listing += [Parsed(watched=(path,)) for path in directories]
            for path in paths_there:
                off = location.off or plugin_hooks.why_off(self.spec, location.files, path, directory)
                place = location._replace(path=path, off=off)
                read.append((place, sources.keep((self.spec.name, path), partial(self._load, place), given=place)))
        return listing, [(place, self._first_by_event(place, file, read)) for place, file in read]

    def _first_by_event(self, place: Location, file: _FileHooks, read: list[tuple[Location, _FileHooks]]) -> _FileHooks:
        """Disable the hooks of events that the host reads in another file."""
        before = self.spec.read_after(place.files)
        if not before:
            return file
        first = {
            event: other.path
            for other, events in ((other, found.events) for other, found in read)
            if (other.base, other.scope) == (place.base, place.scope) and other.files.path in before
            for event in events
        }
        hooks = (
            _off(hook, f"{self.spec.title} reads {hook.event_as_written} hooks in {paths.short(path)} instead")
            if (path := first.get(hook.event_as_written))
            else hook
            for hook in file.parsed.hooks
        )
        return file._replace(parsed=file.parsed._replace(hooks=tuple(hooks))) if first else file

    def _policy(self, read: Iterable[tuple[Location, _FileHooks]]) -> HostPolicy:
        return host_policy.combined(((location, file.settings) for location, file in read), self.spec)

    def _load(self, location: Location) -> _FileHooks:
        files = location.files
        if files.noun:
            from hooktui.formats.json_hooks import markdown_hooks  # imports PyYAML

            file = markdown_hooks.load(location.path, location.scope)
        else:
            file = json_file.load(location.path, location.scope)
        if file is None or (not files.noun and owner(file) not in (None, self.spec)):
            return _FileHooks(parsed=Parsed(watched=(location.path,)))
        source = file.source.replace(read_only=files.read_only, **_definition(location, file), **_plugin(location))
        file = file._replace(source=source, consequence=files.consequence, entry=files.entry)
        in_plugin = source.plugin_root if self.spec.starts_in_plugin() else ""
        if location.is_mistaken and not file_checks.has_hooks(file, self.spec):
            return _FileHooks(parsed=Parsed(watched=(location.path,)))
        read = self._read(file, in_plugin or location.base, location)
        if location.is_mistaken:
            unread = file_checks.unread(file, self.spec, [hook.label for hook in read.parsed.hooks])
            read = read._replace(parsed=read.parsed._replace(diagnostics=(unread,)))
        if location.off:
            return _FileHooks(parsed=_disabled(read.parsed, location.off))
        return read

    def _read(self, file: JsonHookFile, project: str, location: Location) -> _FileHooks:
        parsed = json_hooks.hooks(file, self.spec, project)
        if file.notes.skipped or file.root is None:
            return _FileHooks(parsed=parsed)
        settings = FileSettings(
            off=host_policy.switched_off(file, self.spec) if file.notes.is_json else None,
            disabled=self.spec.disabled_hooks(file.values),
            plugins=self._switches(file.values),
            file=_settings_file(file, location) if location.files.settings else None,
        )
        if settings.off and (location.files.entry or self.spec.entry).switch == "file":
            parsed = _disabled(parsed, "disableAllHooks disables the hooks of its file")
        return _FileHooks(parsed=parsed, settings=settings, events=tuple(json_hooks.event_keys(file, self.spec)))

    def _switches(self, values: dict[str, Any]) -> dict[str, bool | None]:
        """The plugins that are on or off; None: the value is neither, which only installed ones take for off (2.1.332)."""
        switches = values.get(self.spec.plugins.switch) if self.spec.plugins else None
        named = switches.items() if isinstance(switches, dict) else ()
        return {name: on if isinstance(on, bool) else None for name, on in named}

    def plugins(self, directory: str, policy: HostPolicy) -> list[Plugin]:
        """The plugins that settings name, those in folders, and those that the project itself contains, each once."""
        if self.spec.plugins is None:
            return []
        directory = ask(paths.canonical, directory)
        found = [*plugin_hooks.installed(self.spec, directory, policy.plugins)]
        found += plugin_hooks.in_folders(self.spec, directory, policy)
        found += plugin_hooks.contained(self.spec, ask(projects.root, directory))
        return list({plugin.root: plugin for plugin in reversed(found)}.values())[::-1]

    def _plugins(self, directory: str, policy: HostPolicy, sources: Sources) -> Iterator[Parsed]:
        """The hooks of the plugins that are on, or in the project."""
        if self.spec.plugins is None:
            return
        yield Parsed(watched=plugin_hooks.lists(self.spec, ask(projects.root, ask(paths.canonical, directory))))
        for plugin in self.plugins(directory, policy):
            if plugin.scope == "project" or not plugin.off or plugin.fault:
                yield sources.keep((self.spec.name, "plugin", plugin.root), partial(self._load_plugin, plugin), given=plugin)

    def _load_plugin(self, plugin: Plugin) -> Parsed:
        read = [Parsed(watched=plugin_hooks.watched(self.spec, plugin))]
        off = plugin.off
        for file in plugin_hooks.hook_files(self.spec, plugin):
            if file.root is None and plugin_hooks.is_manifest(self.spec, file.path):
                off = off or f"{self.spec.title} does not load a plugin whose manifest it cannot read"
            source = file.source.replace(plugin=plugin.name, plugin_root=plugin.root, read_only=plugin.read_only)
            read.append(json_hooks.hooks(file._replace(source=source), self.spec, plugin.root))
        read.append(plugin_hooks.nameless(self.spec, plugin))
        whole = merged(read)
        return _disabled(whole, off) if off else whole

    def allowed(self, parsed: Parsed, policy: HostPolicy) -> Parsed:
        """The hooks without those that the host's settings keep from running, which say why."""
        hooks = (self._permitted(hook, policy) if hook.enabled else hook for hook in parsed.hooks)
        return parsed._replace(hooks=tuple(hooks))

    def _permitted(self, hook: Hook, policy: HostPolicy) -> Hook:
        by_project = hook.scope == "user" and policy.off_scope in ("project", "local")
        off = _off(hook, policy.why_disabled(hook, self.spec))
        return off.replace(disabled_by_project=by_project) if off is not hook else hook

    def _base(self, file: str, scope: Scope) -> str:
        if scope in ("user", "managed"):
            return paths.home()
        if in_plugin := self._plugin_root(file):
            return in_plugin
        files = self._files_of(file, scope) or self.spec.files[-1]
        for _ in range(files.path.count("/") + 1 + files.is_directory):
            file = os.path.dirname(file)
        return file

    def _files_of(self, file: str, scope: Scope) -> HookFiles | None:
        return next((files for files in self.spec.files if files.scope == scope and files.fits(file)), None)

    def _plugin_root(self, file: str) -> str:
        """The directory of the plugin whose hook file this is; "" for any other file."""
        below = f"{os.sep}{self.spec.plugins.hooks}" if self.spec.plugins else ""
        return file.removesuffix(below) if below and file.endswith(below) else ""


@cache
def of(spec: Host) -> JsonFormat:
    """The format of a host."""
    return JsonFormat(spec)


def _settings_file(file: JsonHookFile, location: Location) -> SettingsFile:
    written = 0.0
    with suppress(OSError):
        written = os.stat(file.path).st_mtime
    return SettingsFile(scope=location.scope, path=file.path, values=file.values, written=written)


def _disabled(parsed: Parsed, why: str) -> Parsed:
    return parsed._replace(hooks=tuple(_off(hook, why) for hook in parsed.hooks))


def _off(hook: Hook, why: str) -> Hook:
    return hook.replace(enabled=False, why_disabled=why) if why else hook


def _paths(location: Location) -> tuple[Sequence[str], Sequence[str]]:
    """The files at a location that may have hooks, and the directories to watch for new ones."""
    path = location.path
    if "*" in path:
        return hook_locations.plugin_paths(path), (path.partition("*")[0],)
    if location.files.kind == "skill":
        files = hook_locations.skills(path)
        return files, (path, *map(os.path.dirname, files))
    if location.files.noun:
        return hook_locations.markdown_paths(path)
    return (json_paths(path), (path,)) if location.files.is_directory else ((path,), ())


def _definition(location: Location, file: JsonHookFile) -> dict[str, str]:
    noun, path = location.files.noun, location.path
    if noun == "skill":
        return {"part": f"{noun} {os.path.basename(os.path.dirname(path))}"}
    name = os.path.basename(path).removesuffix(".md")
    if noun == "agent":
        own = file.values.get("name")
        return {"agent": own if isinstance(own, str) and own else name}
    return {"part": f"{noun} {name}"} if noun else {}


def _plugin(location: Location) -> dict[str, str]:
    """The plugin that brings the hooks of a file, in a directory of its own name."""
    if location.files.manifest:
        return {"plugin": os.path.basename(location.base), "plugin_root": location.base}
    if "*" not in location.files.path:
        return {}
    below = location.files.path.partition("*")[2]
    root = location.path.removesuffix(below)
    return {"plugin": os.path.basename(root), "plugin_root": root}


def _distinct(read: Iterable[tuple[Location, _FileHooks]]) -> list[Parsed]:
    """The hooks of all files. Of two agents or skills with the same name in two scopes, that of the last scope counts."""
    read = list(read)
    last = {hook.owner: (location.scope, location.path) for location, file in read for hook in file.parsed.hooks if hook.owner}
    parsed_files = []
    for location, file in read:
        owners = (hook.owner for hook in file.parsed.hooks if hook.owner)
        winner = next((last[owner] for owner in owners if last[owner][0] != location.scope), None)
        parsed_files.append(_disabled(file.parsed, f"replaced by {paths.short(winner[1])}") if winner else file.parsed)
    return parsed_files


def eclipsed(spec: Host, file: str, event: str) -> str:
    """The other file whose hooks of an event the host would no longer read if this one had any; "" if there is none."""
    usual = next((files for files in spec.files if files.fits(file)), None)
    later = [files for files in spec.files if usual and files.scope == usual.scope and usual.path in spec.read_after(files)]
    if not later or usual is None or event in _events(spec, file):
        return ""
    directory = file.removesuffix(usual.path.removeprefix("~/"))
    others = (os.path.join(directory, files.path.removeprefix("~/")) for files in later)
    return next((path for path in others if event in _events(spec, path)), "")


def _events(spec: Host, path: str) -> Iterable[str]:
    file = json_file.load(path, "project")
    return json_hooks.event_keys(file, spec) if file else ()


def owner(file: JsonHookFile) -> Host | None:
    """The host of a file in a shared directory; None if only one host uses the directory."""
    sharing = _sharing(file)
    if len(sharing) < 2:
        return None
    claimed = [spec for spec in sharing if spec.entry.version is not None and _is_claimed(file, spec)]
    return (claimed or [spec for spec in sharing if spec.entry.version is None])[0]


def _sharing(file: JsonHookFile) -> list[Host]:
    directory = os.path.dirname(file.path)
    return [
        spec
        for spec in hosts.json_specs()
        if any(location.is_directory and directory.endswith(f"/{location.path.removeprefix('~/')}") for location in spec.files)
    ]


def _is_claimed(file: JsonHookFile, spec: Host) -> bool:
    """Whether a file has a `version` or camelCase events."""
    camel = frozenset(name for name in spec.events if name[0].islower())
    if file.root is None:
        return bool(re.search(rf'"(?:version|{"|".join(sorted(camel))})"\s*:', file.notes.text))
    events = file.root.members.get("hooks", file.root)  # some forget the `hooks` around them
    keys = [key.value for key, _ in events.entries]
    return "version" in file.values or _is_camel_case(keys, camel)


def _is_camel_case(keys: list[str], known: frozenset[str]) -> bool:
    """Whether events are in camelCase. Unknown names decide only if all names are unknown."""
    if any(key[:1].isupper() for key in keys):
        return not known.isdisjoint(keys)
    return any(_CAMEL_CASE.fullmatch(key) for key in keys)
