"""The mods of a host: functions in its plugins that answer before and after every tool call (contract.md, "Mods").

They are read from their text and never run.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.core.hook_sources import MOD_FORMAT
from hooktui.core.model import Diagnostic, Hook, Mod, Obstacle
from hooktui.formats import Parsed, hook_identity, merged
from hooktui.formats.json_hooks import json_format, plugin_hooks
from hooktui.formats.mods import debug_log, handlers, mod_events

if TYPE_CHECKING:
    from collections.abc import Collection

    from hooktui.formats.json_hooks.host_policy import HostPolicy
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.formats.json_hooks.plugin_hooks import Plugin
    from hooktui.formats.mods.registrations import Registration
    from hooktui.formats.source_cache import Sources
    from hooktui.hosts import Host

FORMAT = MOD_FORMAT
_TIMEOUT_MS = 10_000  # of its own code; then Claude Code goes on without its answer
_IN_THE_AGENT = Obstacle(skip="unsupported-type", why="only the agent itself can run a mod", host_runs=True)
_ONE_MODULE = "hooks.json `modules` names one hooks module per plugin; a second entry is refused"
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_ABOVE = 3  # directories above the program in which its package may have its manifest
_NOT_A_LIST = "`modules` must be a list with one path"


def discover(spec: Host, directory: str, sources: Sources) -> Parsed:
    """The mods of a host that is started in a directory, with what keeps them from loading. Content never raises."""
    if spec.plugins is None or not spec.plugins.modules:
        return Parsed()
    reader = json_format.of(spec)
    policy = reader.policy(directory, sources)
    plugins = reader.plugins(directory, policy)
    read = (sources.keep(("mods", plugin.root), partial(_load, spec, plugin), given=plugin) for plugin in plugins)
    found = merged(reader.allowed(parsed, policy) for parsed in read)
    passed_by = spec.passes_mods_by(policy.in_force)
    too_old = _reads_no_mods(spec) if found.hooks else ""
    hooks = [_settled(hook, policy, passed_by) for hook in found.hooks]
    if too_old:
        hooks = [hook.replace(enabled=False, why_disabled=too_old) if hook.enabled else hook for hook in hooks]
    return found._replace(hooks=tuple(hooks))


def _settled(hook: Hook, policy: HostPolicy, passed_by: Collection[str]) -> Hook:
    """A mod as managed settings leave it: theirs, or one that may be passed by."""
    is_managed = hook.plugin in policy.managed_plugins
    return hook.replace(scope="managed") if is_managed else _passed_by(hook, passed_by)


def _passed_by(hook: Hook, events: Collection[str]) -> Hook:
    """A mod that cannot allow what is denied, if the host asks it only where it passes mods by."""
    mod = hook.source
    if not isinstance(mod, Mod) or not mod.allows or not events:
        return hook
    heard = [event for event in handlers.ALLOWING if event not in events and mod_events.covers(hook.event_as_written, event)]
    return hook if heard else hook.replace(source=mod.replace(allows=False))


def _load(spec: Host, plugin: Plugin) -> Parsed:
    assert spec.plugins is not None
    found = [Parsed(watched=plugin_hooks.watched(spec, plugin))]
    for file in plugin_hooks.hook_files(spec, plugin):
        modules = file.values.get(spec.plugins.modules)
        if modules is not None and not file.path.endswith(spec.plugins.manifest):
            found.append(_Module(spec, plugin, file).parsed(modules))
    return merged(found)


class _Module(NamedTuple):
    """The module that a plugin's file of hooks names."""

    spec: Host
    plugin: Plugin
    file: JsonHookFile

    def parsed(self, modules: object) -> Parsed:
        from hooktui.formats.mods import registrations  # loads tree-sitter
        from hooktui.formats.mods.module_files import RefusedModuleError

        if not isinstance(modules, list) or not all(isinstance(name, str) for name in modules):
            return self._refused(_NOT_A_LIST, self.file.path)
        if len(modules) > 1:
            return self._refused(_ONE_MODULE, self.file.path)
        if not modules:
            return Parsed()
        path = os.path.normpath(os.path.join(os.path.dirname(self.file.path), modules[0].lstrip("/")))
        watched = [path]
        if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(self.plugin.root), "")):
            return self._refused(f"{modules[0]} is outside the plugin's folder", self.file.path)
        try:
            found = registrations.read(self.plugin.root, path, watched)
        except RefusedModuleError as refused:
            parsed = self._refused(str(refused), refused.path, refused.line)
        except RecursionError:
            why = f"the mod {self._name} is nested too deeply, and not listed"
            parsed = Parsed(diagnostics=(Diagnostic(severity="warning", code="too-large", message=why, file=path),))
        else:
            hooks = [self._hook(each, number) for number, each in enumerate(found)]
            named = (hook.replace(label=self._name) for hook in hook_identity.identified(hooks))
            parsed = Parsed(hooks=tuple(named))
        return parsed._replace(watched=tuple(dict.fromkeys(watched)), files=(path,))

    def _refused(self, why: str, path: str, line: int = 1) -> Parsed:
        """That the host loads nothing of the module; of a plugin that is off there is nothing to say."""
        if self.plugin.off:
            return Parsed()
        message = f"{self.spec.title} does not load the mod {self._name}: {why}"
        log = debug_log.latest(self.spec)
        told = log.refusals.get(self.plugin.name)
        hint = f"{self.spec.title}'s debug log of {log.date} says: {told}" if told else ""
        problem = Diagnostic(severity="error", code="mod-not-loaded", message=message, file=path, line=line, end_line=line)
        return Parsed(diagnostics=(problem.replace(hint=hint),))

    @property
    def _name(self) -> str:
        return self.plugin.name.partition("@")[0]

    def _hook(self, made: Registration, number: int) -> Hook:
        unasked = "" if self.plugin.is_installed or self.plugin.scope != "user" else os.path.dirname(self.plugin.root)
        return Hook(
            id=f"{FORMAT}:{self.plugin.scope}:{made.path}:{number}",
            name=self.plugin.name,
            event=mod_events.canonical(made.event),
            event_as_written=made.event,
            format=self.spec.name,
            scope=self.plugin.scope,
            file=made.path,
            line=made.line,
            type="mod",
            tool=made.matcher.tool,
            description=self._description(unasked),
            enabled=not self.plugin.off,
            why_disabled=self.plugin.off,
            timeout_ms=_TIMEOUT_MS,
            obstacle=_IN_THE_AGENT,
            source=Mod(
                plugin=self.plugin.name,
                plugin_root=self.plugin.root,
                read_only=self._read_only,
                gates=made.handler.gates,
                allows=made.handler.allows,
                catches=made.catches,
                is_matcher_computed=made.matcher.is_computed,
                unasked=unasked,
            ),
        )

    @property
    def _read_only(self) -> str:
        assert self.spec.plugins is not None
        switch = f'{{"{self.spec.plugins.switch}": {{"{self.plugin.name}": false}}}}'
        return f"it is a program; {switch} in your settings switches it off"

    def _description(self, unasked: str) -> str:
        if self.plugin.off:
            return ""
        if self.plugin.session:
            return f"{self.spec.title} loads it in session {self.plugin.session} only, unasked"
        if self.plugin.named_by:
            return f"{self.spec.title} loads it because {self.plugin.named_by} names its folder"
        return f"{self.spec.title} loads it unasked from {paths.short(unasked)}" if unasked else ""


# The installed program: the place or the package of its installation tells its version, and nothing is started -------------


def _reads_no_mods(host: Host) -> str:
    """Why the program on PATH loads no mods, "" if it does or its version is unknown."""
    assert host.plugins is not None
    version = _version(host, host.plugins.package)
    is_older = bool(version) and tuple(map(int, version.split("."))) < host.plugins.modules_since
    return f"{host.title} {version} does not load mods" if is_older else ""


def _version(host: Host, package: str) -> str:
    started = next(filter(None, map(shutil.which, host.programs)), None)
    if started is None:
        return ""
    path = os.path.realpath(started)
    if _VERSION.fullmatch(os.path.basename(path)):
        return os.path.basename(path)
    for _ in range(_ABOVE):
        path = os.path.dirname(path)
        match plugin_hooks.json_object(os.path.join(path, "package.json")):
            case {"name": str(name), "version": str(version)} if name == package and _VERSION.fullmatch(version):
                return version
    return ""
