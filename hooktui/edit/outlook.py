"""Whether a hook's own host will run it where it stands, told as it is written there: no host says that it leaves hooks out."""

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
    """Why the host does not run a hook, in words without a full stop; empty when it does."""
    if hook.obstacle and hook.obstacle.skip in _HINDERING:
        return hook.obstacle.why
    if hosts.json_spec(hook.format):
        path = json_format.of(hosts.spec(hook.format)).kept_off(project)
        return f"disableAllHooks in {paths.short(path)} keeps all hooks of Claude Code off" if path else ""
    return "" if hook.enabled else f"its file keeps all hooks of {HOSTS[hook.format]} in it off"
