"""What a host's settings decide about all of its hooks: whether they run, and which plugins are enabled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.core.model import Hook, Scope
    from hooktui.formats.json_hooks.hook_locations import Location
    from hooktui.hosts import HostSpec


class FileSettings(Record):
    """What one file says. `off` is its `disableAllHooks`, None if it is not set; `plugins` are enabled or disabled."""

    off: bool | None = None
    managed_only: bool = False
    plugins: Mapping[str, bool] = {}


class HostPolicy(Record):
    """What the files say together. `off_by` is the file that disables all hooks, `managed_only_by` the one that leaves only
    managed hooks; `managed_plugins` are those that managed settings enable, and `off_scope` is the scope of `off_by`.
    """

    off_by: str = ""
    off_scope: Scope = "user"
    managed_only_by: str = ""
    plugins: Mapping[str, bool] = {}
    managed_plugins: tuple[str, ...] = ()

    def why_disabled(self, hook: Hook, spec: HostSpec) -> str:
        """Why the host does not run a hook, "" if it may."""
        is_managed = hook.scope == "managed" or hook.plugin in self.managed_plugins
        if self.off_by and (self.off_scope == "managed" or not is_managed):
            return f"{spec.entry.switch_key} in {paths.short(self.off_by)} disables all {spec.title} hooks"
        if self.managed_only_by and not is_managed:
            return f"{spec.managed_only} in {paths.short(self.managed_only_by)} leaves only managed hooks"
        return ""


def combined(read: Iterable[tuple[Location, FileSettings]], spec: HostSpec) -> HostPolicy:
    """Combine files in the order of their precedence: the last that sets a value decides."""
    policy = HostPolicy()
    for location, settings in read:
        is_managed = location.scope == "managed"
        if settings.off is not None and spec.entry.switch == "all files":
            policy = policy.replace(off_by=location.path if settings.off else "", off_scope=location.scope)
        if settings.managed_only and is_managed:
            policy = policy.replace(managed_only_by=location.path)
        enabled = tuple(name for name, on in settings.plugins.items() if on and is_managed)
        policy = policy.replace(
            plugins={**policy.plugins, **settings.plugins}, managed_plugins=(*policy.managed_plugins, *enabled)
        )
    return policy
