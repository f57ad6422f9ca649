"""What a host's settings decide about all of its hooks: whether they run, and which plugins are enabled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.formats import ManagedSettings
from hooktui.formats.json_hooks import json_hooks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hooktui.core.model import Hook, Scope
    from hooktui.formats.json_hooks.hook_locations import Location
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import SettingsFile

_SCOPES = ("user", "project", "local", "managed")


class FileSettings(NamedTuple):
    """What one file says. `off`: it disables all hooks, None if it says nothing about that; `disabled` are the names and
    commands of single hooks, each with the key that says so. `plugins` are enabled or disabled. `file` is the whole, None if
    the file holds nothing but hooks."""

    off: bool | None = None
    disabled: Mapping[str, str] = {}
    plugins: Mapping[str, bool | None] = {}
    file: SettingsFile | None = None


class HostPolicy(NamedTuple):
    """What the files say together. `off_by` is the file that disables all hooks, `off_scope` its scope; `disabled` has the key
    and the file by the names and commands of disabled hooks. `managed_plugins` are those that managed settings enable.
    `settings` are all files with settings, `unread` the reason for each managed file that the host does not read.
    """

    off_by: str = ""
    off_scope: Scope = "user"
    plugins: Mapping[str, bool | None] = {}
    managed_plugins: tuple[str, ...] = ()
    disabled: Mapping[str, str] = {}
    settings: tuple[SettingsFile, ...] = ()
    unread: Mapping[str, str] = {}

    def managed(self, spec: Host) -> tuple[ManagedSettings, ...]:
        """The managed settings that say anything, those in force first."""
        files = [file for file in reversed(self.settings) if file.scope == "managed" and file.values]
        return tuple(
            ManagedSettings(
                host=spec.title,
                source=spec.managed_source(file.path),
                file=file.path,
                date=file.date,
                why_unread=self.unread.get(file.path, ""),
            )
            for file in sorted(files, key=lambda file: file.path in self.unread)
        )

    @property
    def in_force(self) -> tuple[SettingsFile, ...]:
        """The settings that the host reads."""
        return tuple(file for file in self.settings if file.path not in self.unread)

    def why_off(self, spec: Host) -> str:
        """Why the host runs no hooks but perhaps managed ones, "" if it does."""
        return f"{spec.entry.switch_key} in {self.off_by} disables all {spec.title} hooks" if self.off_by else ""

    def why_disabled(self, hook: Hook, spec: Host) -> str:
        """Why the host does not run a hook, "" if it may."""
        if why := self.unread.get(hook.file):
            return f"{spec.title} does not read this file: {why}"
        is_managed = hook.scope == "managed" or hook.plugin in self.managed_plugins
        if self.off_by and (self.off_scope == "managed" or not (is_managed and spec.keeps_managed_hooks())):
            return self.why_off(spec)
        name = str(hook.metadata.get("name") or hook.command)
        if name in self.disabled:
            return f"{self.disabled[name]} disables it"
        return spec.silenced(hook, self.in_force, is_managed=is_managed)


def combined(read: Iterable[tuple[Location, FileSettings]], spec: Host) -> HostPolicy:
    """Combine files by their scope: the most specific that sets a value decides, of those the last."""
    ordered = sorted(read, key=lambda file: _rank(file[0]))
    files = tuple(settings.file for _, settings in ordered if settings.file)
    unread = spec.unread_settings(files)
    policy = HostPolicy(settings=files, unread=unread)
    for location, settings in ordered:
        if location.path in unread:
            continue
        shown = settings.file.shown if settings.file else paths.short(location.path)
        if settings.off is not None and (location.files.entry or spec.entry).switch == "all files":
            policy = policy._replace(off_by=shown if settings.off else "", off_scope=location.scope)
        disabled = {name: f"{key} in {shown}" for name, key in settings.disabled.items()}
        enabled = [name for name, on in settings.plugins.items() if on and location.scope == "managed"]
        policy = policy._replace(
            disabled={**policy.disabled, **disabled},
            plugins={**policy.plugins, **settings.plugins},
            managed_plugins=(*policy.managed_plugins, *enabled),
        )
    return policy


def _rank(location: Location) -> int:
    return -1 if location.files.is_default else _SCOPES.index(location.scope) if location.scope in _SCOPES else 0


def switched_off(file: JsonHookFile, spec: Host) -> bool | None:
    """Whether a file switches all hooks off; None if it says nothing valid about that."""
    value: Any = json_hooks.event_keys(file, spec) if spec.entry.switch_key in spec.entry.other_keys else file.values
    value = _below(value, spec.entry.switch_key)
    return value is spec.entry.switched_off if isinstance(value, bool) else None


def _below(value: Any, keys: str) -> Any:
    """The value below some keys, which points separate; None if there is none."""
    for key in keys.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value
