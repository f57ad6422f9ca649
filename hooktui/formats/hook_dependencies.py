"""The files of the project that the approval of a hook covers, and what the hook loads besides."""

from __future__ import annotations

import itertools
import os
from functools import partial
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory
from hooktui.formats import files
from hooktui.formats.json_hooks import json_command
from hooktui.scripts import analysis_budget, commands, dependencies, python_loads
from hooktui.scripts.dependencies import Project
from hooktui.scripts.loads import Gap, Load, below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Hook
    from hooktui.scripts.loads import Dependency

_SCRIPT_LIMIT = 1024 * files.KIB
_MOST_TEXT = 256 * files.KIB  # of the scripts of one hook that are read
_MOST_FILES = 100  # of one hook that are read


def covered(hook: Hook) -> Hook:
    """An entry with the files that trust covers, relative to its root, there or not: what it starts, and what that loads."""
    with analysis_budget.for_hook(hook):
        found = [part.path for part in _of(hook) if isinstance(part, Load)]
        is_unread = analysis_budget.is_unread(hook)
    return hook.replace(covers=tuple(dict.fromkeys(path[len(hook.root) + 1 :] for path in found)), is_unread=is_unread)


def loaded(hook: Hook) -> tuple[str, ...]:
    """The files below the directory of a HOOK.md that its script loads, relative to it."""
    assert hook.command
    with analysis_budget.for_hook(hook):
        parts = [*_followed([Load(hook.command, "")], Project(hook.root), hook.root)]
    found = {part.path for part in parts if isinstance(part, Load) and os.path.isfile(part.path)}
    return tuple(sorted(path[len(hook.root) + 1 :] for path in found - {hook.command} if below(path, hook.root)))


def gaps(hook: Hook) -> tuple[str, ...]:
    """What a hook may load that its approval does not cover, as sentences without a full stop."""
    if hook.is_unread:
        return ("hooktui has not read all scripts here",)
    return tuple(dict.fromkeys(part.text for part in _of(hook) if isinstance(part, Gap)))


def runs_in_root(hook: Hook) -> bool:
    """Whether an entry's command names files by paths that only the project's root gives a meaning."""
    return not isinstance(hook.source, HookDirectory) and {*_of_command(hook, json_command.directory_of(hook))} != {
        *_of_command(hook, None)
    }


def _of(hook: Hook) -> Iterator[Dependency]:
    project = _project(hook)
    if not isinstance(hook.source, HookDirectory):
        yield from _followed(_of_command(hook, json_command.directory_of(hook)), project, hook.root)
        return
    names = (os.path.join(directory, name) for directory, _, names in os.walk(hook.root) for name in sorted(names))
    for part in _followed((Load(path, "") for path in itertools.islice(names, _MOST_FILES)), project, hook.root):
        yield part
        if isinstance(part, Load) and not below(part.path, hook.root) and os.path.exists(part.path):
            yield Gap(f"{os.path.relpath(part.path, project.root)} is loaded from the project")


def _followed(first: Iterable[Dependency], project: Project, within: str) -> Iterator[Dependency]:
    """Dependencies with those of the scripts in them, as far as they are in a directory."""
    left, seen, size, count = [*first], set[object](), 0, 0
    while left:
        part = left.pop(0)
        if part in seen:
            continue
        seen.add(part)
        yield part
        if isinstance(part, Load) and below(part.path, within) and os.path.isfile(part.path):
            size, count = size + os.path.getsize(part.path), count + 1
            if size > _MOST_TEXT or count > _MOST_FILES:
                yield Gap("it loads more than hooktui follows")
                return
            key = (part, project.root, frozenset(project.variables.items()))
            left += analysis_budget.once(key, partial(_of_file, part, project)) if part.language != "data" else []


def _of_file(load: Load, project: Project) -> list[Dependency]:
    name = os.path.basename(load.path)
    try:
        text = files.read_text(load.path, _SCRIPT_LIMIT)
    except files.UnreadableFileError as error:
        text = error.head
        if error.code == "too-large" or not text or "\0" in text:
            return [Gap(f"{name} is a program")] if os.access(load.path, os.X_OK) else []
    if not analysis_budget.spend(len(text) * (python_loads.COST if load.language == "python" or name.endswith(".py") else 1)):
        return [Gap(f"{name} is more than hooktui follows")]
    return list(dependencies.of_script(load.path, text, load.language, project))


def _of_command(hook: Hook, base: str | None) -> Iterator[Dependency]:
    """What the command of an entry loads, with relative paths from `base`."""
    project, script = _project(hook), hook.inline_script
    if script is not None and not hook.argv:
        words = script.partition("\n")[0]
        yield from dependencies.of_text("python" if "python" in words else "shell", script, None, base, project)
    elif hook.argv and hook.argv[-1] == hook.command:
        yield from dependencies.of_command(commands.read(hook.argv[-1], base, project.variables), project)
    elif hook.argv:
        placeholders = {hook.placeholder: hook.root} if hook.placeholder else {}
        yield from dependencies.of_command(commands.read_arguments(hook.argv, base, placeholders), project)


def _project(hook: Hook) -> Project:
    """The project, with the variables that are known when the hook runs."""
    if isinstance(hook.source, HookDirectory):
        return Project(os.path.dirname(os.path.dirname(os.path.dirname(hook.root))))
    return Project(hook.root, json_command.variables(hook))
