"""An entry whose script looks for its host's tools itself: the script taken along, looking for the tools of another host."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hooktui.edit import command_translation, own_lines, script_copy
from hooktui.edit.copy_targets import scripts_beside
from hooktui.edit.file_steps import File, Tree, Write, read_tree, tree
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Hook
    from hooktui.edit.copy_targets import Target
    from hooktui.formats.shell import Script

_TAKEN = "taken"  # where a HOOK.md's directory has them


class Renamed(NamedTuple):
    """An entry that runs the copy, and what makes that: a step, or files in the directory of the HOOK.md that it becomes."""

    hook: Hook
    steps: tuple[Write | Tree, ...]
    files: tuple[File, ...] = ()


def renamed(hook: Hook, target: Target) -> Renamed | None:
    """An entry as it has to be for another format; None where its script has no lines that look for a tool.

    Raises CannotChange and OSError for a script that cannot be copied.
    """
    if hook.format in (target.format, "agenthooks") or hook.type != "command" or hook.argv[-1:] != (hook.command,):
        return None
    for script in _scripts(hook):
        name, before = _with_it(hook, script.path)
        files = own_lines.all_renamed(before, hook.format, target.format)
        if files != before:
            return _taken(hook, target, script, name, files)
    return None


def _scripts(hook: Hook) -> Iterator[Script]:
    return (script for script in json_command.scripts(hook) if os.path.isfile(script.path))


def _with_it(hook: Hook, path: str) -> tuple[str, tuple[File, ...]]:
    """A script and what was brought to its host with it, in a directory of its own: its name there, and all files."""
    base = scripts_beside(hook.file, hook.format)
    top, _, rest = os.path.relpath(path, base).partition(os.sep)
    if rest and top != os.pardir:
        return os.path.join(top, rest), tuple(
            replace(one, name=os.path.join(top, one.name)) for one in read_tree(os.path.join(base, top))
        )
    with open(path, "rb") as file:
        return os.path.basename(path), (File(os.path.basename(path), file.read(), os.stat(path).st_mode & 0o777),)


def _taken(hook: Hook, target: Target, script: Script, name: str, files: tuple[File, ...]) -> Renamed:
    if target.format == "agenthooks":
        spelled = f'"$(dirname "$0")"/../{_TAKEN}/{shlex.quote(name)}'
        inside = tuple(replace(one, name=os.path.join(_TAKEN, one.name)) for one in files)
        return Renamed(_running(hook, script, spelled), (), inside)
    top, _, rest = name.partition(os.sep)
    path = script_copy.free(os.path.join(target.scripts, top))
    made = os.path.join(path, rest) if rest else path
    step = tree(path, tuple(replace(one, name=os.path.relpath(one.name, top)) for one in files)) if rest else None
    alone = step or script_copy.one_file(path, files[0])
    return Renamed(
        _running(hook, script, shlex.quote(made) if hook.cwd else command_translation.spelled(made, target)), (alone,)
    )


def _running(hook: Hook, script: Script, spelled: str) -> Hook:
    """The hook with another script in its command, and in those for other systems that name the same."""
    command = hook.command or ""
    start, end = script.span
    word, now = command[start:end], command[:start] + spelled + command[end:]
    others = {system: one and one.replace(word, spelled) for system, one in hook.commands.items()}
    return hook.replace(command=now, argv=(*hook.argv[:-1], now), commands=others)
