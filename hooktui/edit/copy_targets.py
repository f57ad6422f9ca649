"""The formats and scopes that a hook can be copied to, and the file of each."""

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
    from collections.abc import Iterator

    from hooktui.core.model import Hook, Scope, Skip

_SKIPPED_BY_HOST: tuple[Skip, ...] = ("host-skips-file", "bad-matcher")


@dataclass(frozen=True, slots=True)
class Target:
    """A place for a copy. `file` and `project` are absolute paths; `file` belongs to the format."""

    format: str
    scope: Scope
    file: str
    project: str

    @property
    def title(self) -> str:
        """Host and scope, for a person."""
        return f"{HOSTS[self.format]}, {self.scope}"

    @property
    def scripts(self) -> str:
        """The directory for scripts."""
        return os.path.join(os.path.dirname(self.file), hosts.spec(self.format).scripts_dir)

    @property
    def directories(self) -> str:
        """The directory for copies of hook directories, as deep below the project as `.agents/hooks`."""
        return os.path.join(os.path.dirname(self.file), hosts.spec(self.format).directories_dir)


def targets(hook: Hook, project: str) -> Iterator[Target]:
    """Yield every place but the hook's own, those of its own format first."""
    places = [
        *_directories(hook, project),
        *(
            Target(spec.name, scope, _file(spec.name, files, project), project)
            for spec in hosts.json_specs()
            for scope, files in spec.copies.items()
        ),
        Target("azure", "project", os.path.join(project, "azuresre", f"{plain_name(hook)}.yaml"), project),
    ]
    others = (place for place in places if (place.format, place.scope) != (hook.format, hook.scope))
    yield from sorted(others, key=lambda place: place.format != hook.format)


def plain_name(hook: Hook) -> str:
    """Return a hook's own name, or derive one from the program it runs."""
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
    """Return the first file that does not belong to another format."""
    candidates = [
        os.path.join(paths.home(), file[2:]) if file.startswith("~/") else os.path.join(project, file) for file in files
    ]
    return next((path for path in candidates if _belongs(path, name)), candidates[0])


def _belongs(path: str, name: str) -> bool:
    file = json_hooks.load(path, "project")
    return file is None or json_format.owner(file) in (None, hosts.spec(name))


def why_not_run(hook: Hook, project: str) -> str:
    """Say why its host does not run a hook, without a full stop; empty if it does. Hosts do not report this themselves."""
    if hook.obstacle and hook.obstacle.skip in _SKIPPED_BY_HOST:
        return hook.obstacle.why
    spec = hosts.json_spec(hook.format)
    if spec and spec.entry.switch == "all files":
        path = json_format.of(spec).kept_off(project)
        return f"disableAllHooks in {paths.short(path)} disables all {spec.title} hooks" if path else ""
    return "" if hook.enabled else f"its file disables all {HOSTS[hook.format]} hooks in it"
