"""Where agent programs keep their hooks, as data of a HostSpec."""

from __future__ import annotations

import os

from hooktui.core.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from hooktui.core.model import Scope
    from hooktui.hosts.shared.entry_spec import EntrySpec

    Noun = Literal["", "agent", "command", "skill"]


class HookFiles(Record):
    """Where a host keeps hooks. `path` is absolute, below the home directory with `~/`, or relative to a directory of `below`.

    `below`: `start` is the directory in which the host is started (the file of the project's root is listed as not read),
    `root` the project's root, `main` the root of the repository's main checkout, `upward` every directory from the
    repository's root to the start; with `beyond`, outside a repository every directory above it too. `is_directory`: every
    `*.json` file in it. `settings`: hooks are one of many keys. `markdown`: hooks are in the frontmatter of the directory's
    Markdown files, each of which defines this: an agent, a command or a skill (`NAME/SKILL.md`). `renamed` are events that
    fire under another name there. `read_only` says why hooktui does not edit the hooks. `consequence`: what the host does
    about a file that it cannot read. `bare`: events are the keys of the file itself, without `hooks` around them. `unless`: the
    host reads the file only where that one does not exist. `after`: for an event that one of those files has, the host reads
    only the first of them. A `*` in the path stands for the name of a plugin, whose directory is in `plugin_variable`.
    `entry`: how the host reads these files, if not as its others. `installed` lists those plugins by directory; the host runs
    the hooks of the enabled ones, in the plugin's directory. `disabling` says in which directories the host runs which of
    those plugins: in all by default."""

    scope: Scope
    path: str
    below: Literal["start", "root", "main", "upward"] = "start"
    beyond: bool = False
    is_directory: bool = False
    settings: bool = False
    markdown: Noun = ""
    renamed: Mapping[str, str] = {}
    read_only: str = ""
    consequence: str = "ignores this file"
    bare: bool = False
    unless: str = ""
    after: tuple[str, ...] = ()
    plugin_variable: str = ""
    entry: EntrySpec | None = None
    installed: str = ""
    disabling: str = ""

    def fits(self, file: str) -> bool:
        """Whether an absolute path may be one of these files."""
        return (os.path.dirname(file) if self.is_directory else file).endswith(f"/{self.path.removeprefix('~/')}")


class PluginSpec(Record):
    """How a host installs plugins that contain hooks.

    `installed` lists the installed plugins, `marketplaces` the sources that offer them. `switch` is the key of the settings
    that enables plugins. `manifest`, `catalog`, `hooks` and `skills` are paths inside a plugin or marketplace. `variable` is
    the environment variable for the plugin's directory."""

    installed: str
    marketplaces: str
    switch: str
    manifest: str
    catalog: str
    hooks: str
    skills: str
    variable: str


class Reads(Record):
    """Another host whose files this host reads too, and their scopes.

    `setting`: it reads them only if this setting of its own is true. `lost_by`: matchers that make it drop such a file;
    `lost_types`: types of entries that do, except on these events (canonical).
    `events` (as written) are all that it reads, () for all that it has. It drops the file for a group without a matcher on
    `lost_without_matcher_on` events, and with `needs_matcher` a file in which no group has one."""

    host: str
    scopes: tuple[Scope, ...] = ("project", "local", "user")
    setting: str = ""
    lost_by: tuple[str, ...] = ()
    lost_types: Mapping[str, tuple[str, ...]] = {}
    events: tuple[str, ...] = ()
    lost_without_matcher_on: tuple[str, ...] = ()
    needs_matcher: bool = False

    def loses_type(self, kind: str, event: str) -> bool:
        """Whether an entry of a type on an event (canonical) makes the host drop the file."""
        return kind in self.lost_types and event not in self.lost_types[kind]

    def loses(self, event_as_written: str, matcher: str | None) -> bool:
        """Whether a group with a matcher, or without one, makes the host drop the file."""
        return matcher in self.lost_by or (matcher is None and event_as_written in self.lost_without_matcher_on)
