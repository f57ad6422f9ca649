"""Whether a hook's own host runs it. Hosts do not report the hooks that they skip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import paths
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats.json_hooks import json_format

if TYPE_CHECKING:
    from hooktui.core.model import Hook, Skip

_HINDERING: tuple[Skip, ...] = ("host-skips-file", "bad-matcher")


def hindrance(hook: Hook, project: str) -> str:
    """Return why the host does not run a hook, without a full stop, or "" if it does."""
    if hook.obstacle and hook.obstacle.skip in _HINDERING:
        return hook.obstacle.why
    spec = hosts.json_spec(hook.format)
    if spec and spec.entry.switch == "all files":
        path = json_format.of(spec).kept_off(project)
        return f"disableAllHooks in {paths.short(path)} disables all {HOSTS[hook.format]} hooks" if path else ""
    return "" if hook.enabled else f"its file disables all {HOSTS[hook.format]} hooks in it"
