"""Where a hook can be copied to: each format and scope, and the file that it would stand in."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats.agenthooks.hook_file import HOOK_FILE
from hooktui.formats.json_hooks import json_format, json_hooks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import Hook, Scope

# Files below the project, or with `~/` below the home; several where another format may have taken the first.
_FILES: Mapping[tuple[str, Scope], tuple[str, ...]] = {
    ("claude", "project"): (".claude/settings.json",),
    ("claude", "local"): (".claude/settings.local.json",),
    ("claude", "user"): ("~/.claude/settings.json",),
    ("vscode", "project"): (".github/hooks/hooks.json", ".github/hooks/vscode.json"),
    ("vscode", "user"): ("~/.copilot/hooks/hooks.json", "~/.copilot/hooks/vscode.json"),
    ("copilot", "project"): (".github/hooks/copilot.json", ".github/hooks/copilot-cli.json"),
    ("copilot", "user"): ("~/.copilot/hooks/copilot.json", "~/.copilot/hooks/copilot-cli.json"),
}
# Where the scripts of a host's hooks stand, beside the file that names them: its host leaves that directory alone.
_SCRIPTS: Mapping[str, str] = {"claude": "hooks", "vscode": "scripts", "copilot": "scripts", "azure": "scripts"}
_DIRECTORIES: Mapping[str, str] = {"claude": "hooks", "azure": "scripts"}  # two levels below the project for every host
_SHARED = ("vscode", "copilot")  # formats that share their directories


@dataclass(frozen=True, slots=True)
class Target:
    """A format, whose the file is, and its absolute path. `project` is the absolute path of the project."""

    format: str
    scope: Scope
    file: str
    project: str

    @property
    def title(self) -> str:
        """What a person calls it."""
        return f"{HOSTS[self.format]}, {self.scope}"

    @property
    def scripts(self) -> str:
        """The directory for scripts of such hooks."""
        return os.path.join(os.path.dirname(self.file), _SCRIPTS[self.format])

    @property
    def directories(self) -> str:
        """The directory for copies of hook directories, as deep below the project as `.agents/hooks`."""
        return os.path.join(os.path.dirname(self.file), _DIRECTORIES.get(self.format, ""))


def targets(hook: Hook, project: str) -> Iterator[Target]:
    """Every place but the hook's own, the hook's own format first."""
    found = [
        *_directories(hook, project),
        *(Target(name, scope, _file(name, files, project), project) for (name, scope), files in _FILES.items()),
        Target("azure", "project", os.path.join(project, "azuresre", f"{plain_name(hook)}.yaml"), project),
    ]
    others = (one for one in found if (one.format, one.scope) != (hook.format, hook.scope))
    yield from sorted(others, key=lambda one: one.format != hook.format)


def plain_name(hook: Hook) -> str:
    """A name for a hook that has none, told from what it runs; else its own."""
    if isinstance(hook.source, HookDirectory):
        return os.path.basename(hook.root)
    named = hook.format == "azure" and hook.scope == "project"
    program = re.findall(r"([\w-]+)\.(?:sh|bash|py|js|mjs|ts|rb|pl)\b", hook.command or "")
    words = hook.name if named else program[0] if program else f"{HOSTS[hook.format]} {hook.event}"
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:64].strip("-") or "hook"


def _directories(hook: Hook, project: str) -> Iterator[Target]:
    roots: tuple[tuple[Scope, str], ...] = (
        ("project", paths.agenthooks_project_root(project)),
        ("user", paths.agenthooks_user_root()),
    )
    for scope, root in roots:
        yield Target("agenthooks", scope, os.path.join(root, plain_name(hook), HOOK_FILE), project)


def _file(name: str, files: tuple[str, ...], project: str) -> str:
    """The first file that is not another format's."""
    candidates = [os.path.join(paths.home(), one[2:]) if one.startswith("~/") else os.path.join(project, one) for one in files]
    return next((path for path in candidates if name not in _SHARED or _belongs(path, name)), candidates[0])


def _belongs(path: str, name: str) -> bool:
    file = json_hooks.load(path, "project")
    return file is None or json_format.owner(file) in (None, hosts.spec(name))
