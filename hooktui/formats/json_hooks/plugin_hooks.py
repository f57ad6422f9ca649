"""The plugins of a host: those that are installed and enabled, and those that a project contains (formats.md §3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.core import fast_json, paths
from hooktui.formats import Parsed, files
from hooktui.formats.json_hooks import hook_locations, json_file
from hooktui.formats.node import find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import Scope
    from hooktui.formats.json_hooks.host_policy import HostPolicy
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import HookFiles

_LIMIT = 1024 * files.KIB
_DIRECTORY = "directory"  # the kind of marketplace that is read in place


class Plugin(NamedTuple):
    """A plugin. `name` is `NAME@MARKETPLACE` for an installed one; `catalog` is the marketplace's file, "" if unknown.

    `off` says why the host does not run its hooks, `read_only` why hooktui does not edit them. `is_installed` is False for one
    that a host only finds in a folder; `session`: it loads in that session alone; `named_by` is the variable that names its
    directory. `fault` is what is wrong with its manifest.
    """

    name: str
    root: str
    scope: Scope = "plugin"
    catalog: str = ""
    off: str = ""
    read_only: str = ""
    is_installed: bool = True
    session: str = ""
    named_by: str = ""
    fault: str = ""


def installed(spec: Host, directory: str, switches: Mapping[str, bool | None]) -> Iterator[Plugin]:
    """The installed plugins that the settings name, for a host that is started in a directory."""
    assert spec.plugins is not None
    listed, known = spec.in_home(spec.plugins.installed), spec.in_home(spec.plugins.marketplaces)
    places, marketplaces = json_object(listed).get("plugins"), json_object(known)
    for name, is_on in switches.items():
        copy = _install_path(places.get(name), directory) if isinstance(places, dict) else ""
        if copy:
            market = marketplaces.get(name.rpartition("@")[2])
            catalog = _catalog(spec, market)
            in_place = _in_marketplace(name, market, catalog)
            read_only = "" if in_place else "it belongs to an installed plugin"
            off = "" if is_on else _switched_off(spec)
            yield Plugin(name=name, root=in_place or copy, catalog=catalog, off=off, read_only=read_only)


def in_folders(spec: Host, directory: str, policy: HostPolicy) -> Iterator[Plugin]:
    """The plugins that a host loads from folders without being installed, when it is started in a directory."""
    assert spec.plugins is not None
    named = list(_named(spec, policy))
    taken = {plugin.name.rpartition("@")[0] for plugin in named if not plugin.off}
    yield from named
    for plugin in _unasked(spec, directory, policy.plugins):
        is_taken = plugin.name.rpartition("@")[0] in taken and not plugin.session
        hidden = f"the plugin of this name that {spec.plugins.directories} names is loaded instead" if is_taken else ""
        yield plugin._replace(off=plugin.off or hidden)


def _named(spec: Host, policy: HostPolicy) -> Iterator[Plugin]:
    """The plugins in the directories that a variable names; of several with one name the host loads the first."""
    assert spec.plugins is not None
    seen: set[str] = set()
    for path in spec.plugins.named_directories(policy.in_force):
        manifest, hooks = (os.path.join(path, name) for name in (spec.plugins.manifest, os.path.dirname(spec.plugins.hooks)))
        is_plugin = os.path.isfile(manifest) or os.path.isdir(hooks)
        parent, name = os.path.split(path)
        market = spec.plugins.of_sessions
        for plugin in [_plugin(spec, parent, name, market)] if is_plugin else _folder(spec, path, market):
            off = _switched_off(spec) if policy.plugins.get(plugin.name) is False else plugin.off
            second = "" if plugin.name not in seen else f"{spec.title} loads another plugin of this name"
            seen.add(plugin.name)
            yield plugin._replace(scope="plugin", off=off or second, named_by=spec.plugins.directories)


def _unasked(spec: Host, directory: str, switches: Mapping[str, bool | None]) -> Iterator[Plugin]:
    """The plugins in the folders that a host looks into by itself."""
    assert spec.plugins is not None
    for scope, folder in spec.plugins.folders.items():
        path = spec.in_home(folder) if folder.startswith("~/") else os.path.join(directory, folder)
        for plugin in _folder(spec, path, spec.plugins.of_folders):
            off = _switched_off(spec) if switches.get(plugin.name) is False else plugin.off
            yield plugin._replace(scope=scope, off=off or spec.folder_off(scope, directory))
    sessions = spec.in_home(spec.plugins.sessions) if spec.plugins.sessions else ""
    for session in _names(sessions):
        for plugin in _folder(spec, os.path.join(sessions, session), spec.plugins.of_sessions):
            off = _switched_off(spec) if switches.get(plugin.name) is False else plugin.off
            yield plugin._replace(scope="user", off=off, session=session)


def _folder(spec: Host, path: str, market: str) -> Iterator[Plugin]:
    """The plugins in a folder: its folders that have a manifest."""
    assert spec.plugins is not None
    for name in _names(path):
        if os.path.isfile(os.path.join(path, name, spec.plugins.manifest)):
            yield _plugin(spec, path, name, market)


def _plugin(spec: Host, parent: str, folder: str, market: str) -> Plugin:
    """The plugin in a folder, which has the folder's name without a manifest; off if the host cannot read that."""
    assert spec.plugins is not None
    root = os.path.join(parent, folder)
    manifest = os.path.join(root, spec.plugins.manifest)
    name = json_object(manifest).get("name") if os.path.isfile(manifest) else folder
    if isinstance(name, str) and name:
        return Plugin(name=f"{name}@{market}", root=root, is_installed=False)
    fault = f"{spec.title} does not load this plugin: its manifest cannot be read or has no name"
    return Plugin(name=f"{folder}@{market}", root=root, is_installed=False, off=fault, fault=fault)


def _names(directory: str) -> list[str]:
    try:
        return files.names(directory) if directory else []
    except OSError:
        return []


def _switched_off(spec: Host) -> str:
    return f"{spec.plugins.switch if spec.plugins else ''} switches the plugin off"


def contained(spec: Host, project: str) -> Iterator[Plugin]:
    """The plugins in a project: the project itself, and those of a marketplace in it."""
    assert spec.plugins is not None
    off = f"{spec.title} runs it where the plugin is installed"
    manifest, catalog = os.path.join(project, spec.plugins.manifest), os.path.join(project, spec.plugins.catalog)
    roots = {project: os.path.basename(project)} if os.path.isfile(manifest) else {}
    offered = json_object(catalog).get("plugins")
    for offer in offered if isinstance(offered, list) else []:
        match offer:
            case {"name": str(name), "source": str(source)} if inside := _inside(project, source):
                roots[inside] = name
    for root, name in roots.items():
        named = json_object(os.path.join(root, spec.plugins.manifest)).get("name")
        plugin_name = named if isinstance(named, str) and named else name
        yield Plugin(name=plugin_name, root=root, scope="project", catalog=catalog, off=off)


def hook_files(spec: Host, plugin: Plugin) -> Iterator[JsonHookFile]:
    """The files with a plugin's hooks: its own, those that its manifest and its marketplace name, and its skills; also a
    manifest or marketplace that cannot be read."""
    assert spec.plugins is not None
    manifest = os.path.join(plugin.root, spec.plugins.manifest)
    read = dict.fromkeys([os.path.join(plugin.root, spec.plugins.hooks)])
    for declared in (json_file.load(manifest, plugin.scope), _offer(plugin)):
        hooks = declared.values.get("hooks") if declared else None
        is_object = declared is None or declared.root is None or isinstance(declared.root.value, dict)
        if declared is not None and (declared.root is None or isinstance(hooks, dict) or not is_object):
            yield declared
        for path in hooks if isinstance(hooks, list) else [hooks]:
            if isinstance(path, str) and (inside := _inside(plugin.root, path)):
                read[inside] = None
    loaded = [json_file.load(path, plugin.scope) for path in read]
    skills = os.path.join(plugin.root, spec.plugins.skills)
    loaded += [_skill(path, plugin.scope) for path in hook_locations.skills(skills)]
    yield from filter(None, loaded)


def nameless(spec: Host, plugin: Plugin) -> Parsed:
    """The diagnostic for a manifest that can be read and has no name."""
    assert spec.plugins is not None
    manifest = json_file.load(os.path.join(plugin.root, spec.plugins.manifest), plugin.scope) if plugin.fault else None
    if manifest is None or manifest.root is None or not isinstance(manifest.root.value, dict):
        return Parsed()
    manifest.notes.error("missing-field", f"`name` is missing or empty; {spec.title} does not load this plugin")
    return Parsed(diagnostics=tuple(manifest.notes.collected))


def why_off(spec: Host, files: HookFiles, path: str, directory: str) -> str:
    """Why the host does not run the hooks in a file of a plugin when it is started in a directory; "" if it does."""
    if not files.plugin_list:
        return ""
    name = path.removeprefix(spec.in_home(files.path).partition("*")[0]).partition(os.sep)[0]
    listed = spec.in_home(files.plugin_list)
    why = spec.plugin_off(name, json_object(listed), directory)
    return f"{why} in {paths.short(listed)}" if why else ""


def is_manifest(spec: Host, path: str) -> bool:
    """Whether a path is that of a plugin's manifest."""
    return spec.plugins is not None and path.endswith(f"{os.sep}{spec.plugins.manifest}")


def lists(spec: Host, project: str) -> tuple[str, ...]:
    """The paths whose change may add or remove plugins."""
    assert spec.plugins is not None
    inside = (os.path.join(project, path) for path in (spec.plugins.manifest, spec.plugins.catalog))
    named = filter(None, (*spec.plugins.folders.values(), spec.plugins.sessions))
    folders = (spec.in_home(path) if path.startswith("~/") else os.path.join(project, path) for path in named)
    return (spec.in_home(spec.plugins.installed), spec.in_home(spec.plugins.marketplaces), *inside, *folders)


def watched(spec: Host, plugin: Plugin) -> tuple[str, ...]:
    """The paths whose change may add hooks to a plugin."""
    assert spec.plugins is not None
    inside = (spec.plugins.manifest, spec.plugins.hooks, spec.plugins.skills)
    return (*(os.path.join(plugin.root, name) for name in inside), *filter(None, [plugin.catalog]))


def _skill(path: str, scope: Scope) -> JsonHookFile | None:
    from hooktui.formats.json_hooks import markdown_hooks  # imports PyYAML

    file = markdown_hooks.load(path, scope)
    part = f"skill {os.path.basename(os.path.dirname(path))}"
    return file and file._replace(source=file.source.replace(part=part))


def _offer(plugin: Plugin) -> JsonHookFile | None:
    file = json_file.load(plugin.catalog, plugin.scope) if plugin.catalog else None
    offered = find(file.root, ("plugins",)) if file and file.root else None
    name = plugin.name.rpartition("@")[0] or plugin.name
    for number, entry in enumerate(offered.items if offered else ()):
        if file and isinstance(entry.value, dict) and entry.value.get("name") == name:
            return file._replace(root=entry, prefix=("plugins", number))
    return None


def _install_path(places: Any, directory: str) -> str:
    """Where a plugin is installed: for this directory, else for the user, else for any other; "" if nowhere."""
    installs = [place for place in (places if isinstance(places, list) else [places]) if isinstance(place, dict)]
    order = {directory: 0, None: 1}
    installs.sort(key=lambda place: order.get(place.get("projectPath"), 2))
    root = next((place["installPath"] for place in installs if isinstance(place.get("installPath"), str)), "")
    return str(root) if os.path.isabs(root) else ""


def _in_marketplace(name: str, marketplace: Any, catalog: str) -> str:
    """Where a marketplace that is a directory of this machine has a plugin: Claude Code then ignores the installed copy.

    "" for any other marketplace, and for a plugin that it fetches from elsewhere.
    """
    source = marketplace.get("source") if isinstance(marketplace, dict) else None
    if not isinstance(source, dict) or source.get("source") != _DIRECTORY:
        return ""
    offered = json_object(catalog).get("plugins")
    for offer in offered if isinstance(offered, list) else ():
        match offer:
            case {"name": str(own), "source": str(path)} if own == name.rpartition("@")[0]:
                root = os.path.normpath(marketplace["installLocation"])
                return root if os.path.normpath(os.path.join(root, path)) == root else _inside(root, path)
    return ""


def _inside(root: str, path: str) -> str:
    """A path below a directory, "" if it leads out of it."""
    absolute = os.path.normpath(os.path.join(root, path))
    return absolute if absolute.startswith(os.path.join(root, "")) else ""


def _catalog(spec: Host, marketplace: Any) -> str:
    assert spec.plugins is not None
    place = marketplace.get("installLocation") if isinstance(marketplace, dict) else None
    if not isinstance(place, str) or not os.path.isabs(place):
        return ""
    return place if place.endswith(".json") else os.path.join(place, spec.plugins.catalog)


def json_object(path: str) -> dict[str, Any]:
    """The object in a JSON file, {} for a missing, unreadable or other file."""
    try:
        return fast_json.parse_object(files.read_text(path, _LIMIT))
    except files.UnreadableFileError:
        return {}
