"""What a host's settings decide about all of its hooks: whether they run, and which plugins are enabled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.records import Record
from hooktui.formats.json_hooks import json_hooks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hooktui.core.model import Hook, Scope
    from hooktui.formats.json_hooks.hook_locations import Location
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.hosts import HostSpec


_SCOPES = ("user", "project", "local", "managed")


class FileSettings(Record):
    """What one file says. `off`: it disables all hooks, None if it says nothing about that; `disabled` are the names and
    commands of single hooks. `plugins` are enabled or disabled."""

    off: bool | None = None
    disabled: tuple[str, ...] = ()
    managed_only: bool = False
    plugins: Mapping[str, bool] = {}


class HostPolicy(Record):
    """What the files say together. `off_by` is the file that disables all hooks, `managed_only_by` the one that leaves only
    managed hooks; `disabled` maps the names and commands of disabled hooks to the file that says so. `managed_plugins` are
    those that managed settings enable, and `off_scope` is the scope of `off_by`.
    """

    off_by: str = ""
    off_scope: Scope = "user"
    managed_only_by: str = ""
    plugins: Mapping[str, bool] = {}
    managed_plugins: tuple[str, ...] = ()
    disabled: Mapping[str, str] = {}

    def why_disabled(self, hook: Hook, spec: HostSpec) -> str:
        """Why the host does not run a hook, "" if it may."""
        is_managed = hook.scope == "managed" or hook.plugin in self.managed_plugins
        if self.off_by and (self.off_scope == "managed" or not is_managed):
            return f"{spec.entry.switch_key} in {paths.short(self.off_by)} disables all {spec.title} hooks"
        name = str(hook.metadata.get("name") or hook.command)
        if name in self.disabled:
            return f"{spec.entry.disabled_key} in {paths.short(self.disabled[name])} disables it"
        if self.managed_only_by and not is_managed:
            return f"{spec.managed_only} in {paths.short(self.managed_only_by)} leaves only managed hooks"
        return ""


def combined(read: Iterable[tuple[Location, FileSettings]], spec: HostSpec) -> HostPolicy:
    """Combine files by their scope: the most specific that sets a value decides, of those the last."""
    policy = HostPolicy()
    for location, settings in sorted(read, key=lambda file: _SCOPES.index(file[0].scope) if file[0].scope in _SCOPES else 0):
        is_managed = location.scope == "managed"
        if settings.off is not None and spec.entry.switch == "all files":
            policy = policy.replace(off_by=location.path if settings.off else "", off_scope=location.scope)
        if settings.managed_only and is_managed:
            policy = policy.replace(managed_only_by=location.path)
        policy = policy.replace(disabled={**policy.disabled, **dict.fromkeys(settings.disabled, location.path)})
        enabled = tuple(name for name, on in settings.plugins.items() if on and is_managed)
        policy = policy.replace(
            plugins={**policy.plugins, **settings.plugins}, managed_plugins=(*policy.managed_plugins, *enabled)
        )
    return policy


def switched_off(file: JsonHookFile, spec: HostSpec) -> bool | None:
    """Whether a file switches all hooks off; None if it says nothing valid about that."""
    value: Any = json_hooks.event_keys(file, spec) if spec.entry.switch_key in spec.entry.other_keys else file.values
    value = _below(value, spec.entry.switch_key)
    return value is spec.entry.switched_off if isinstance(value, bool) else None


def disabled(file: JsonHookFile, spec: HostSpec) -> tuple[str, ...]:
    """The names and commands of the hooks that a file disables."""
    listed = _below(file.values, spec.entry.disabled_key) if spec.entry.disabled_key else None
    return tuple(name for name in (listed if isinstance(listed, list) else ()) if isinstance(name, str))


def _below(value: Any, keys: str) -> Any:
    """The value below some keys, which points separate; None if there is none."""
    for key in keys.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value
