"""The JSON hook files of one host: their locations, which files of a shared directory are its own, and their hooks."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.core.model import JsonEntry
from hooktui.core.records import Record
from hooktui.formats import Parsed, merged
from hooktui.formats.json_hooks import (
    hook_locations,
    host_policy,
    json_edit,
    json_file,
    json_form,
    json_hooks,
    markdown_hooks,
    plugin_hooks,
)
from hooktui.formats.json_hooks.entry_fields import pairs
from hooktui.formats.json_hooks.hook_locations import Location, json_paths, locations
from hooktui.formats.json_hooks.host_policy import FileSettings
from hooktui.formats.source_cache import Sources
from hooktui.hosts.shared.places import HookFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.core.model import Hook, Scope
    from hooktui.formats.json_hooks.host_policy import HostPolicy
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.formats.json_hooks.plugin_hooks import Plugin
    from hooktui.hosts import HostSpec

_CAMEL_CASE = re.compile(r"[a-z]+(?:[A-Z][a-z]*)+")


class _FileHooks(Record):
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

    spec: HostSpec
    fields = staticmethod(json_form.fields)
    edit = staticmethod(json_edit.edit)

    def discover(self, directory: str, sources: Sources | None = None) -> Parsed:
        """All hooks of a host that is started in a directory, the least specific scope first. File content never raises."""
        sources = sources or Sources()
        listing, read = self._files(directory, sources)
        policy = self._policy(read)
        parsed_files = [*_distinct(read), *self._plugins(directory, policy, sources)]
        return merged([*listing, *(self._allowed(parsed, policy) for parsed in parsed_files)])

    def parse(self, text: str, file: str, scope: Scope) -> Parsed:
        """Read the hooks of `text` as if it were `file`, an absolute path."""
        parsed = replace(json_file.parse(text, file, scope), source=self._source_in_plugin(file))
        if known := self._files_of(file, scope):
            parsed = replace(parsed, consequence=known.consequence, entry=known.entry)
        read = self._read(parsed, self._base(file, scope))
        location = Location(path=file, files=HookFiles(scope=scope, path=file), base="")
        return self._allowed(read.parsed, self._policy([(location, read)]))

    def why_disabled(self, hook: Hook, directory: str) -> str:
        """Why settings keep the host from running a hook when it is started in a directory; empty if it may run."""
        _, read = self._files(directory, Sources())
        return self._policy(read).why_disabled(hook, self.spec)

    def _files(self, directory: str, sources: Sources) -> tuple[list[Parsed], list[tuple[Location, _FileHooks]]]:
        """The listed directories, and the files of all locations in the order of their precedence."""
        listing: list[Parsed] = []
        read: list[tuple[Location, _FileHooks]] = []
        for location in locations(self.spec, directory):
            paths_there, directories = _paths(location)
            if listed := location.files.installed or location.files.disabling:
                directories = (*directories, self.spec.in_home(listed))
            listing += [Parsed(watched=(path,)) for path in directories]
            for path in paths_there:
                off = location.off or plugin_hooks.why_off(self.spec, location.files, path, directory)
                place = location.replace(path=path, off=off)
                read.append((place, sources.keep((self.spec.name, path), partial(self._load, place), given=place)))
        return listing, [(place, self._first_by_event(place, file, read)) for place, file in read]

    def _first_by_event(self, place: Location, file: _FileHooks, read: list[tuple[Location, _FileHooks]]) -> _FileHooks:
        """Disable the hooks of events that the host reads in another file."""
        first = {
            event: other.path
            for other, events in ((other, found.events) for other, found in read)
            if (other.base, other.scope) == (place.base, place.scope) and other.files.path in place.files.after
            for event in events
        }
        hooks = (
            _off(hook, f"{self.spec.title} reads {hook.event_as_written} hooks in {paths.short(path)} instead")
            if (path := first.get(hook.event_as_written))
            else hook
            for hook in file.parsed.hooks
        )
        return file.replace(parsed=file.parsed.replace(hooks=tuple(hooks))) if first else file

    def _policy(self, read: Iterable[tuple[Location, _FileHooks]]) -> HostPolicy:
        return host_policy.combined(((location, file.settings) for location, file in read), self.spec)

    def _load(self, location: Location) -> _FileHooks:
        files = location.files
        if files.markdown:
            file = markdown_hooks.load(location.path, location.scope)
        else:
            file = json_file.load(location.path, location.scope)
        if file is None or (not files.markdown and owner(file) not in (None, self.spec)):
            return _FileHooks(parsed=Parsed(watched=(location.path,)))
        source = file.source.replace(read_only=files.read_only, **_definition(location, file), **_plugin(location))
        file = replace(file, source=source, renamed=files.renamed, consequence=files.consequence, entry=files.entry)
        read = self._read(file, source.plugin_root if files.installed else location.base)
        if location.off:
            return _FileHooks(parsed=_disabled(read.parsed, location.off))
        return read

    def _read(self, file: JsonHookFile, project: str) -> _FileHooks:
        parsed = json_hooks.hooks(file, self.spec, project)
        if file.notes.skipped or file.root is None:
            return _FileHooks(parsed=parsed)
        settings = FileSettings(
            off=host_policy.switched_off(file, self.spec) if file.notes.is_json else None,
            disabled=host_policy.disabled(file, self.spec),
            managed_only=bool(self.spec.managed_only) and file.values.get(self.spec.managed_only) is True,
            plugins=self._switches(file.values),
        )
        if settings.off and self.spec.entry.switch == "file":
            parsed = _disabled(parsed, "disableAllHooks disables the hooks of its file")
        return _FileHooks(parsed=parsed, settings=settings, events=tuple(json_hooks.event_keys(file, self.spec)))

    def _switches(self, values: dict[str, Any]) -> dict[str, bool]:
        """The plugins that a file enables or disables."""
        switches = values.get(self.spec.plugins.switch) if self.spec.plugins else None
        return {name: on is True for name, on in switches.items()} if isinstance(switches, dict) else {}

    def _plugins(self, directory: str, policy: HostPolicy, sources: Sources) -> Iterator[Parsed]:
        """The hooks of the installed plugins, and of the plugins that the project itself contains."""
        if self.spec.plugins is None:
            return
        root = projects.root(paths.canonical(directory))
        yield Parsed(watched=plugin_hooks.lists(self.spec, root))
        installed = list(plugin_hooks.installed(self.spec, paths.canonical(directory), policy.plugins))
        roots = {plugin.root for plugin in installed}
        contained = (plugin for plugin in plugin_hooks.contained(self.spec, root) if plugin.root not in roots)
        for plugin in (*installed, *contained):
            yield sources.keep((self.spec.name, "plugin", plugin.root), partial(self._load_plugin, plugin), given=plugin)

    def _load_plugin(self, plugin: Plugin) -> Parsed:
        read = [Parsed(watched=plugin_hooks.watched(self.spec, plugin))]
        off = plugin.off
        for file in plugin_hooks.hook_files(self.spec, plugin):
            if file.root is None and plugin_hooks.is_manifest(self.spec, file.path):
                off = off or f"{self.spec.title} does not load a plugin whose manifest it cannot read"
            source = file.source.replace(plugin=plugin.name, plugin_root=plugin.root, read_only=plugin.read_only)
            read.append(json_hooks.hooks(replace(file, source=source), self.spec, plugin.root))
        whole = merged(read)
        return _disabled(whole, off) if off else whole

    def _allowed(self, parsed: Parsed, policy: HostPolicy) -> Parsed:
        """Disable the hooks that the host's settings disable."""
        hooks = (self._permitted(hook, policy) if hook.enabled else hook for hook in parsed.hooks)
        return parsed.replace(hooks=tuple(hooks))

    def _permitted(self, hook: Hook, policy: HostPolicy) -> Hook:
        by_project = hook.scope == "user" and policy.off_scope in ("project", "local")
        off = _off(hook, policy.why_disabled(hook, self.spec))
        return off.replace(disabled_by_project=by_project) if off is not hook else hook

    def _base(self, file: str, scope: Scope) -> str:
        """The directory that relative commands in a file start from."""
        if scope in ("user", "managed"):
            return paths.home()
        below = f"{os.sep}{self.spec.plugins.hooks}" if self.spec.plugins else ""
        if below and file.endswith(below):
            return file.removesuffix(below)
        files = self._files_of(file, scope) or self.spec.files[-1]
        for _ in range(files.path.count("/") + 1 + files.is_directory):
            file = os.path.dirname(file)
        return file

    def _files_of(self, file: str, scope: Scope) -> HookFiles | None:
        """The host's files that a file is one of."""
        return next((files for files in self.spec.files if files.scope == scope and files.fits(file)), None)

    def _source_in_plugin(self, file: str) -> JsonEntry:
        """The part of an entry that only the hooks of a plugin have."""
        below = f"{os.sep}{self.spec.plugins.hooks}" if self.spec.plugins else ""
        return JsonEntry(plugin_root=file.removesuffix(below)) if below and file.endswith(below) else JsonEntry()


def of(spec: HostSpec) -> JsonFormat:
    """The format of a host."""
    return JsonFormat(spec)


def _disabled(parsed: Parsed, why: str) -> Parsed:
    return parsed.replace(hooks=tuple(_off(hook, why) for hook in parsed.hooks))


def _off(hook: Hook, why: str) -> Hook:
    return hook.replace(enabled=False, why_disabled=why) if why else hook


def _paths(location: Location) -> tuple[Sequence[str], Sequence[str]]:
    """The files at a location that may have hooks, and the directories to watch for new ones."""
    path = location.path
    if "*" in path:
        return hook_locations.plugin_paths(path), (path.partition("*")[0],)
    if location.files.markdown == "skill":
        files = hook_locations.skills(path)
        return files, (path, *map(os.path.dirname, files))
    if location.files.markdown:
        return hook_locations.markdown_paths(path)
    return (json_paths(path), (path,)) if location.files.is_directory else ((path,), ())


def _definition(location: Location, file: JsonHookFile) -> dict[str, str]:
    """The agent, command or skill that a Markdown file defines."""
    noun, path = location.files.markdown, location.path
    if noun == "skill":
        return {"part": f"{noun} {os.path.basename(os.path.dirname(path))}"}
    name = os.path.basename(path).removesuffix(".md")
    if noun == "agent":
        own = file.values.get("name")
        return {"agent": own if isinstance(own, str) and own else name}
    return {"part": f"{noun} {name}"} if noun else {}


def _plugin(location: Location) -> dict[str, str]:
    """The plugin that brings the hooks of a file, in a directory of its own name."""
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


def eclipsed(spec: HostSpec, file: str, event: str) -> str:
    """The other file whose hooks of an event the host would no longer read if this one had any; "" if there is none."""
    usual = next((files for files in spec.files if files.fits(file)), None)
    later = [files for files in spec.files if usual and files.scope == usual.scope and usual.path in files.after]
    if not later or usual is None or event in _events(spec, file):
        return ""
    directory = file.removesuffix(usual.path.removeprefix("~/"))
    others = (os.path.join(directory, files.path.removeprefix("~/")) for files in later)
    return next((path for path in others if event in _events(spec, path)), "")


def _events(spec: HostSpec, path: str) -> Iterable[str]:
    file = json_file.load(path, "project")
    return json_hooks.event_keys(file, spec) if file else ()


def owner(file: JsonHookFile) -> HostSpec | None:
    """The host of a file in a shared directory; None if only one host uses the directory."""
    sharing = _sharing(file)
    if len(sharing) < 2:
        return None
    claimed = [spec for spec in sharing if spec.claims_version and _is_claimed(file, spec)]
    return (claimed or [spec for spec in sharing if not spec.claims_version])[0]


def _sharing(file: JsonHookFile) -> list[HostSpec]:
    """The hosts that read hooks from the directory of a file."""
    directory = os.path.dirname(file.path)
    return [
        spec
        for spec in hosts.json_specs()
        if any(location.is_directory and directory.endswith(f"/{location.path.removeprefix('~/')}") for location in spec.files)
    ]


def _is_claimed(file: JsonHookFile, spec: HostSpec) -> bool:
    """Whether a file has a `version` or camelCase events."""
    camel = frozenset(name for name in spec.events if name[0].islower())
    if file.root is None:
        return bool(re.search(rf'"(?:version|{"|".join(sorted(camel))})"\s*:', file.notes.text))
    events = pairs(file.root).get("hooks", (None, None))[1]
    keys = [key.value for key, _ in events.entries] if events is not None else []
    return "version" in file.values or _is_camel_case(keys, camel)


def _is_camel_case(keys: list[str], known: frozenset[str]) -> bool:
    """Whether events are in camelCase. Unknown names decide only if all names are unknown."""
    if any(key[:1].isupper() for key in keys):
        return not known.isdisjoint(keys)
    return any(_CAMEL_CASE.fullmatch(key) for key in keys)
