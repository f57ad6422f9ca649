"""Hooks outside of `hooks` for which Claude Code loses a whole file, because they may guard permissions (run, 2.1.332)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

_GUARDS = ("PreToolUse", "PermissionRequest", "PreSkillShellCommand")
_LEVELS = 3  # below a key's value
_NOT_SEARCHED = frozenset(
    (
        *("metadata", "mcpServers", "lspServers", "managedMcpServers", "pluginConfigs", "enabledPlugins"),
        *("extraKnownMarketplaces", "env", "skillOverrides", "modelSettings"),
    )
)


def path(values: Mapping[str, Any], events: Collection[str]) -> tuple[str, ...]:
    """The keys that lead to the first such value of a file, () for none. `events` are all that Claude Code knows."""
    top = next((key for key, value in values.items() if key != "hooks" and _strays(key, value, events)), "")
    if top:
        return (top,)
    hooks = values.get("hooks")
    unknown = {key: value for key, value in hooks.items() if key not in events} if isinstance(hooks, dict) else {}
    inner = (key for key, value in unknown.items() if _holds(value, events, of_groups=not isinstance(value, list)))
    return next((("hooks", key) for key in inner), ())


def _strays(key: str, value: Any, events: Collection[str]) -> bool:
    return _guards(key, value) or (key not in _NOT_SEARCHED and _holds(value, events, of_groups=key not in events))


def _guards(key: str, value: Any) -> bool:
    return key in _GUARDS and value is not None and value != []


def _holds(value: Any, events: Collection[str], levels: int = _LEVELS, *, of_groups: bool, in_group: bool = False) -> bool:
    """Whether a value holds an event that guards, or with `of_groups` a group of any hooks; `in_group` is a group's list."""
    if isinstance(value, list):
        inner = ((item, of_groups, in_group) for item in value)
    elif isinstance(value, dict):
        if any(_guards(key, item) for key, item in value.items()) or (of_groups and _is_group(value, events)):
            return True
        if in_group and isinstance(value.get("type"), str):
            return False
        searched = ((key, item) for key, item in value.items() if key not in _NOT_SEARCHED)
        inner = ((item, of_groups and key not in events, key == "hooks" and isinstance(item, list)) for key, item in searched)
    else:
        return False
    return levels > 0 and any(_holds(item, events, levels - 1, of_groups=of, in_group=at) for item, of, at in inner)


def _is_group(value: dict[str, Any], events: Collection[str]) -> bool:
    if "matcher" not in value and any(key in events for key in value):
        return False
    hooks = value.get("hooks")
    if isinstance(hooks, list):
        return bool(hooks)
    return isinstance(hooks, dict) and ("matcher" in value or isinstance(hooks.get("type"), str))
