"""Where agent programs keep their hooks, as facts of a host."""

from __future__ import annotations

import os
import time

from hooktui.core import paths
from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal

    from hooktui.core.model import Hook, Scope
    from hooktui.hosts.shared.entry_spec import EntrySpec

    Noun = Literal["", "agent", "command", "skill"]


class HookFiles(Record):
    """Where a host keeps hooks."""

    scope: Scope
    # Absolute, below the home directory with `~/`, or relative to a directory of `below`; a `*` is the name of a plugin.
    path: str
    # `start` is the directory in which the host is started (the file of the project's root is listed as not read), `root` the
    # project's root, `main` the root of the repository's main checkout, `upward` every directory from the repository's root to
    # the start; `above`, outside a repository every directory above it too.
    below: Literal["start", "root", "main", "upward", "above"] = "start"
    # The path is that of a file, of a directory with `*.json` files, or of one with Markdown files, each of which defines an
    # agent, a command or a skill (`NAME/SKILL.md`) and has the hooks in its frontmatter.
    kind: Literal["file", "directory", "agent", "command", "skill"] = "file"
    # The name of hooktui's own file, if `connect` writes one into this directory.
    own_file: str = ""
    # Hooks are one of many keys.
    settings: bool = False
    # What it says about all hooks counts less than what any other file says.
    is_default: bool = False
    # Why hooktui does not edit the hooks.
    read_only: str = ""
    # What the host does about a file that it cannot read.
    consequence: str = "ignores this file"
    # The variable for the directory of a plugin, and the file that says which plugins run (Host.plugin_off).
    plugin_variable: str = ""
    plugin_list: str = ""
    # The manifest of a plugin's own repository: with it, the host reads these files where the plugin is installed.
    manifest: str = ""
    # How the host reads these files, if not as its others.
    entry: EntrySpec | None = None

    @property
    def is_directory(self) -> bool:
        return self.kind != "file"

    @property
    def noun(self) -> Noun:
        """What each Markdown file defines, "" for other files."""
        return "" if self.kind == "file" or self.kind == "directory" else self.kind

    def fits(self, file: str) -> bool:
        """Whether an absolute path may be one of these files."""
        return (os.path.dirname(file) if self.is_directory else file).endswith(f"/{self.path.removeprefix('~/')}")


def system_settings(path: str) -> HookFiles:
    """A settings file of everyone on the machine."""
    return HookFiles(scope="managed", path=path, settings=True, read_only="system settings belong to your administrator")


def system_files(directory: str, program: str) -> dict[str, str]:
    """The variables that move the settings of everyone, and their defaults, out of a directory, by path."""
    names = {"settings.json": "SYSTEM_SETTINGS_PATH", "system-defaults.json": "SYSTEM_DEFAULTS_PATH"}
    return {f"{directory}/{name}": f"{program}_{variable}" for name, variable in names.items()}


def beside_moved(path: str, moved: Mapping[str, str]) -> str:
    """Where defaults are that no variable moves: beside the settings, if one moves those (run in Qwen Code and Gemini CLI)."""
    directory, name = os.path.split(path)
    settings = os.environ.get(moved.get(f"{directory}/settings.json", ""), "")
    is_moved = path in moved and name == "system-defaults.json" and not os.environ.get(moved[path])
    return os.path.join(os.path.dirname(settings), name) if is_moved and os.path.isabs(settings) else ""


class SettingsFile(Record):
    """A settings file that was read, as a policy for hooks. `written` is in seconds since 1970."""

    scope: Scope
    path: str
    values: Mapping[str, Any]
    written: float = 0.0

    @property
    def date(self) -> str:
        """The day of the last change."""
        return time.strftime("%Y-%m-%d", time.localtime(self.written))

    @property
    def shown(self) -> str:
        """The path; for managed settings, which someone else maintains, with the date."""
        return f"{paths.short(self.path)} ({self.date})" if self.scope == "managed" else paths.short(self.path)

    def table(self, key: str) -> Mapping[str, Any]:
        """The value of a key that has keys itself; {} without one."""
        value = self.values.get(key)
        return value if isinstance(value, dict) else {}


def variables_of(settings: Iterable[SettingsFile], scopes: Iterable[Scope]) -> dict[str, object]:
    """The environment variables of a host, as far as ours and the settings of some scopes show; the last scope decides."""
    files = list(settings)
    tables = (file.table("env") for scope in scopes for file in files if file.scope == scope)
    return {**os.environ, **{name: value for table in tables for name, value in table.items()}}


MANAGED_ONLY, PLUGINS_ONLY = "allowManagedHooksOnly", "strictPluginOnlyCustomization"


def left_out(hook: Hook, settings: Iterable[SettingsFile]) -> str:
    """Why managed settings leave out a hook that is not managed, "" if they do not."""
    for file in (file for file in settings if file.scope == "managed"):
        if file.values.get(MANAGED_ONLY) is True:
            return f"{MANAGED_ONLY} in {file.shown} leaves only managed hooks"
        parts = file.values.get(PLUGINS_ONLY)
        if not hook.plugin and (parts is True or (isinstance(parts, list) and "hooks" in parts)):
            return f"{PLUGINS_ONLY} in {file.shown} leaves only hooks of plugins and managed hooks"
    return ""


SKILLS_DIR, OF_SESSIONS = "skills-dir", "inline"  # in place of a marketplace's name


class PluginSpec(Record):
    """How a host installs plugins that contain hooks.

    `installed` lists the installed plugins, `marketplaces` the sources that offer them. `switch` is the key of the settings
    that enables plugins. `manifest`, `catalog`, `hooks` and `skills` are paths inside a plugin or marketplace. `variable` is
    the environment variable for the plugin's directory. `folders` are directories whose folders are plugins without being
    installed, by scope, of a marketplace named `of_folders`; `sessions` holds those that the agent wrote, by session, of one
    named `of_sessions`, as are those in the directories that the variable `directories` names.

    `modules` is the key in a file of hooks that names functions which run in the host itself, from the version `modules_since`
    of its npm `package`; `debug_logs` is where it tells of them on request, in `SESSION.txt` and a link to the last, `latest`.

    `options`, as in `${OPTIONS.NAME}`, stands for the values of a plugin's settings in commands that no shell runs.
    """

    installed: str
    marketplaces: str
    switch: str
    manifest: str
    catalog: str
    hooks: str
    skills: str
    variable: str
    folders: Mapping[Scope, str] = {}
    of_folders: str = ""
    sessions: str = ""
    of_sessions: str = ""
    directories: str = ""
    modules: str = ""
    modules_since: tuple[int, ...] = ()
    package: str = ""
    debug_logs: str = ""
    options: str = ""

    def named_directories(self, settings: Iterable[SettingsFile]) -> list[str]:
        """What `directories` names, here or in settings; a project's cannot set it. Relative paths are skipped (2.1.332)."""
        named = variables_of(settings, ("user", "managed")).get(self.directories) or ""
        paths_named = (os.path.expanduser(path.strip()) for path in str(named).split(os.pathsep))
        return [os.path.normpath(path) for path in paths_named if os.path.isabs(path)]


class Reads:
    """Another host whose files this host reads too. A host that does not read or keep all of them has a subclass."""

    # The name of the other host.
    host: str
    # Files of the other host, in the project's root, that may switch off all hooks of this host.
    switch_files: tuple[HookFiles, ...] = ()

    def __init__(self, host: str) -> None:
        self.host = host

    def reads_scope(self, scope: Scope) -> bool:
        return scope in ("project", "local", "user")

    def reads_event(self, event_as_written: str) -> bool:
        return True

    def setting(self) -> str:
        """The setting of its own without which it reads none, "" if it needs none."""
        return ""

    def loses_type(self, kind: str, event: str) -> bool:
        """Whether an entry of a type on an event (canonical) makes it drop the file."""
        return False

    def loses(self, event_as_written: str, matcher: str | None) -> bool:
        """Whether a group with a matcher, or without one, makes it drop the file."""
        return False

    def needs_matcher(self) -> bool:
        """Whether it drops a file in which no group has a matcher."""
        return False
