"""The formats and scopes that a hook can be copied to, and the file of each."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from hooktui import formats, hosts
from hooktui.core import paths
from hooktui.core.model import AzureEntry, HookDirectory
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.file_steps import Move
from hooktui.formats import files
from hooktui.formats.agenthooks.hook_file import FORMAT, HOOK_FILE
from hooktui.formats.azure import azure_files
from hooktui.formats.json_hooks import json_command, json_file, json_format
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Hook, Scope, Skip
    from hooktui.edit.change_plan import ChangePlan
    from hooktui.hosts import Host

_SKIPPED_BY_HOST: tuple[Skip, ...] = ("host-skips-file", "bad-matcher")


class Target(NamedTuple):
    """A place for a copy. `file` and `project` are absolute paths; `file` belongs to the format."""

    format: str
    scope: Scope
    file: str
    project: str

    @property
    def title(self) -> str:
        return f"{HOSTS[self.format]}, {self.scope}"

    @property
    def is_directory(self) -> bool:
        return isinstance(formats.detached_source(self.format), HookDirectory)

    @property
    def scripts(self) -> str:
        return os.path.join(os.path.dirname(self.file), hosts.spec(self.format).scripts_dir)

    @property
    def directories(self) -> str:
        """The directory for copies of hook directories, as deep below the project as `.agents/hooks`."""
        return os.path.join(os.path.dirname(self.file), hosts.spec(self.format).directories_dir)


def targets(hook: Hook, project: str) -> Iterator[Target]:
    """Yield every place but the hook's own, those of its own format first."""
    name = plain_name(hook)
    places = [
        *(
            Target(FORMAT, scope, os.path.join(root, name, HOOK_FILE), project)
            for scope, root in directory_roots(project).items()
        ),
        *(
            Target(spec.name, scope, _file(spec, files, project), project)
            for spec in hosts.json_specs()
            for scope, files in spec.copies.items()
        ),
        Target(azure_files.FORMAT, "project", new_azure_file(project, name), project),
    ]
    others = (place for place in places if (place.format, place.scope) != (hook.format, hook.scope))
    yield from sorted(others, key=lambda place: place.format != hook.format)


def plain_name(hook: Hook) -> str:
    """Return a hook's own name, or derive one from the program it runs."""
    if isinstance(hook.source, HookDirectory):
        return os.path.basename(hook.root)
    named = isinstance(hook.source, AzureEntry) and hook.scope == "project"
    program = re.findall(r"([\w-]+)\.(?:sh|bash|py|js|mjs|ts|rb|pl)\b", hook.command or "")
    words = hook.name if named else program[0] if program else f"{HOSTS[hook.format]} {hook.event}"
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:64].strip("-") or "hook"


def directory_roots(project: str) -> dict[Scope, str]:
    """Map scopes to the directories that hold hook directories."""
    return {"project": paths.agenthooks_project_root(project), "user": paths.agenthooks_user_root()}


def new_azure_file(project: str, name: str) -> str:
    """Return the file for a new Azure hook of a name."""
    return os.path.join(project, "azuresre", f"{name}.yaml")


def in_scope(spec: Host, path: str, project: str) -> str:
    """Return the absolute path of a host's file, given below the project, or below the home with `~/`."""
    return spec.in_home(path) if path.startswith("~/") else os.path.join(project, path)


def _file(spec: Host, files: tuple[str, ...], project: str) -> str:
    """Return the first file that does not belong to another host."""
    candidates = [in_scope(spec, file, project) for file in files]
    for path in candidates:
        file = json_file.load(path, "project")
        if file is None or json_format.owner(file) in (None, spec):
            return path
    return candidates[0]


def why_not_run(hook: Hook, project: str) -> str:
    """Say why its host does not run a hook, without a full stop; empty if it does. Hosts do not report this themselves."""
    if hook.obstacle and hook.obstacle.skip in _SKIPPED_BY_HOST:
        return hook.obstacle.why
    spec = hosts.json_spec(hook.format)
    if spec and spec.entry.switch == "all files":
        return json_format.of(spec).policy(project).why_disabled(hook, spec)
    return "" if hook.enabled else f"its file disables all of its {HOSTS[hook.format]} hooks"


_LIMIT = 64 * files.KIB


class Caller(NamedTuple):
    """A hook that runs a script in another hook's directory. `script` is an absolute path."""

    hook: Hook
    script: str

    @property
    def consequence(self) -> str:
        """Which hook runs which script, and what it does if the script is missing."""
        hook = self.hook
        closed = hook.fail_mode == "block" or hosts.spec(hook.format).fails_closed(hook.event)
        effect = "denies everything" if closed else "allows everything"
        where = f"{HOSTS[hook.format]}, {hook.scope}: {paths.short(hook.file)}"
        return f"{hook.label} ({where}) runs {os.path.basename(self.script)}, and {effect} without it"


def callers(hook: Hook, hooks: Iterable[Hook]) -> list[Caller]:
    """Return the hooks that run a script in a hook's directory, in their order; none for an entry of a file."""
    if not isinstance(hook.source, HookDirectory) or os.path.islink(hook.root):
        return []
    inside = os.path.join(os.path.realpath(hook.root), "")
    return [
        Caller(other, script)
        for other in hooks
        if other.id != hook.id
        for script in [next((path for path in _scripts_of(other) if os.path.realpath(path).startswith(inside)), None)]
        if script is not None
    ]


def broken_by_move(plan: ChangePlan, hooks: Iterable[Hook]) -> list[Caller]:
    """Return the hooks that need the directory that a plan moves."""
    moves = any(isinstance(step, Move) and step.source == plan.hook.root for step in plan.steps)
    return callers(plan.hook, hooks) if moves else []


def remaining_scripts(hook: Hook) -> tuple[str, ...]:
    """Return the scripts that stay when an entry is deleted, relative to the project."""
    return tuple(name for name, _ in trust.covered(hook)) if not isinstance(hook.source, HookDirectory) else ()


def _scripts_of(hook: Hook) -> Iterator[str]:
    if isinstance(hook.source, HookDirectory):
        yield from hook.argv[-1:]
        return
    for script in json_command.named([hook]):
        yield script
        yield from (called.path for called in json_command.scripts(hook, _text(script)))


def _text(script: str) -> str:
    """Read a script, which may only call another one; empty if it cannot be read."""
    try:
        return files.read_text(script, _LIMIT)
    except files.UnreadableFileError:
        return ""
