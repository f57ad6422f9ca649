"""What the settings of Claude Code decide, for listings: which managed source is in force, and what it keeps from running."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.core import fast_json
from hooktui.core.model import JsonEntry
from hooktui.hosts.shared.places import MANAGED_ONLY, OF_SESSIONS, PLUGINS_ONLY, SKILLS_DIR, left_out, variables_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.core.model import Hook
    from hooktui.hosts import Host
    from hooktui.hosts.shared.places import SettingsFile

_MANAGED_SOURCES, _HTTP_URLS = "managedSourcesBehavior", "allowedHttpHookUrls"
_SOURCES = ("remote", "plist", "file")  # of managed settings, by precedence
_GUARD, _MANAGED_MODS = "cc-plugin-sec-default@builtin", "allowManagedModsOnly"
_OTHER_PROVIDERS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
_ADDRESS = "ANTHROPIC_BASE_URL"
_ORGANIZATIONS = ("team", "enterprise")  # subscriptions whose server sends managed settings
_KNOWN_MARKETPLACES, _BLOCKED_MARKETPLACES = "strictKnownMarketplaces", "blockedMarketplaces"
_NO_SIDELOADING = "disableSideloadFlags"


def unread(settings: Sequence[SettingsFile], host: Host) -> Mapping[str, str]:
    """Why Claude Code does not read managed files, by path.

    The first source that says anything replaces the others entirely, unless it asks to be merged.
    """
    managed = [file for file in settings if file.scope == "managed"]
    obstacles: dict[str, str] = {}
    for source in _SOURCES:
        files = [file for file in managed if file.values and host.managed_source(file.path) == source]
        if source == "remote" and files and (obstacle := _remote_obstacle(settings, host)):
            obstacles[files[0].path] = obstacle
        elif any(file.values.get(_MANAGED_SOURCES) == "merge" for file in files):
            break
        elif files:
            others = (file.path for file in managed if host.managed_source(file.path) != source)
            return dict.fromkeys(others, f"{files[0].shown} replaces it") | obstacles
    return obstacles


def kept_out(hook: Hook, settings: Sequence[SettingsFile]) -> str:
    """Why managed settings keep a hook from running that is not managed."""
    deciding = _deciding(settings)
    if why := left_out(hook, deciding):
        return why
    for file in deciding if hook.plugin.rpartition("@")[2] == SKILLS_DIR else ():
        if file.values.get(PLUGINS_ONLY):  # any customization that is strict leaves out the plugins of skills
            return f"{PLUGINS_ONLY} in {file.shown} leaves out plugins that are not installed"
    for file in (file for file in settings if file.scope == "managed"):
        if key := _leaves_plugin_out(hook, file):
            return f"{key} in {file.shown} leaves out plugins that are not installed"
        if hook.type == "mod" and _leaves_mods_out(file):
            return f"{_MANAGED_MODS} in {file.shown} leaves only managed mods"
    return ""


def _deciding(settings: Sequence[SettingsFile]) -> list[SettingsFile]:
    """The managed files that decide which hooks are left out, each with the value that counts (run, 2.1.332).

    The last file with a key decides; lists are joined. A value that Claude Code cannot read counts as true.
    """
    deciding: dict[str, SettingsFile] = {}
    for file in (file for file in settings if file.scope == "managed"):
        for key in (MANAGED_ONLY, PLUGINS_ONLY):
            value = file.values.get(key)
            before = deciding[key].values[key] if key in deciding else None
            if key == PLUGINS_ONLY and isinstance(value, list):
                value = [*before, *value] if isinstance(before, list) else value
            elif value is not None:
                value = value is not False and (key, value) != (MANAGED_ONLY, "false")
            if value is not None:
                deciding[key] = file.replace(values={key: value})
    return list(deciding.values())


def _leaves_plugin_out(hook: Hook, file: SettingsFile) -> str:
    """The key for which Claude Code does not load a hook's plugin, from a folder of skills, a session's or a variable's (run,
    2.1.332)."""
    market = hook.plugin.rpartition("@")[2]
    if market == OF_SESSIONS and file.values.get(_NO_SIDELOADING) is True:
        return _NO_SIDELOADING
    if market not in (SKILLS_DIR, OF_SESSIONS) or hook.scope == "plugin":
        return ""
    if isinstance(file.values.get(_KNOWN_MARKETPLACES), list):
        return _KNOWN_MARKETPLACES
    blocked = file.values.get(_BLOCKED_MARKETPLACES)
    return _BLOCKED_MARKETPLACES if isinstance(blocked, list) and {"source": SKILLS_DIR} in blocked else ""


def _leaves_mods_out(file: SettingsFile) -> bool:
    guard = file.table("pluginConfigs").get(_GUARD)
    options = guard.get("options") if isinstance(guard, dict) else None
    return isinstance(options, dict) and options.get(_MANAGED_MODS) is True


def blocked_url(hook: Hook, settings: Sequence[SettingsFile]) -> str:
    """Why a hook's URL is not allowed. The lists of all settings files are merged."""
    lists = [file for file in settings if isinstance(file.values.get(_HTTP_URLS), list)]
    patterns = [pattern for file in lists for pattern in file.values[_HTTP_URLS] if isinstance(pattern, str)]
    url = hook.source.url if isinstance(hook.source, JsonEntry) else ""
    if not lists or any(_fits(str(url), pattern) for pattern in patterns):
        return ""
    return f"{_HTTP_URLS} in {lists[-1].shown} does not allow this URL"


def _fits(url: str, pattern: str) -> bool:
    """Whether a URL matches a pattern, in which `*` is any text."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), url, re.DOTALL) is not None


def _remote_obstacle(settings: Sequence[SettingsFile], host: Host) -> str:
    """Why Claude Code ignores the server's cached settings, as far as files and variables show; empty if it obeys them."""
    variables = variables_of(settings, ("user",))
    if others := [name for name in _OTHER_PROVIDERS if variables.get(name)]:
        return f"{others[0]} is set"
    address = str(variables.get(_ADDRESS) or "")
    if address and not address.rstrip("/").endswith(".anthropic.com"):
        return f"{_ADDRESS} is set"
    if variables.get("ANTHROPIC_API_KEY") or is_of_organization(host) or read(host, "~/.claude.json").get("primaryApiKey"):
        return ""
    return "it needs an API key or a Team or Enterprise login, and neither is found here"


def is_of_organization(host: Host) -> bool:
    """Whether the login is one whose server sends managed settings."""
    login = read(host, "~/.claude/.credentials.json").get("claudeAiOauth")
    return isinstance(login, dict) and login.get("subscriptionType") in _ORGANIZATIONS


def read(host: Host, path: str) -> dict[str, Any]:
    """A JSON object of the user's, {} if it cannot be read."""
    try:
        with open(host.in_home(path), encoding="utf-8") as file:
            values = fast_json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
