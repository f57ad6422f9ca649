"""The command that runs an approved hook from its private copy, and what in its files needs their place in the project."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory
from hooktui.formats.agenthooks import entry_script
from hooktui.formats.coverage import covered_files, directory_place, shell_loads
from hooktui.formats.coverage.loads import below
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Hook
    from hooktui.formats.node import Span

    Splice = tuple[Span, str]

# Runs a module that is found below a root, whatever the working directory has.
_RUN_MODULE = (
    "import runpy, sys; sys.path[0] = {root!r}; sys.argv[0] = {name!r}; "
    "runpy.run_module({name!r}, run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True, slots=True)
class ApprovedCommand:
    """How an approved hook runs. `in_place`: from the project, as its files need their place there.

    `gaps` say what the approval does not cover.
    """

    argv: tuple[str, ...]
    gaps: tuple[str, ...] = ()
    in_place: bool = False


def read(hook: Hook, copy: str) -> ApprovedCommand:
    """The command of an approved hook with a private copy of its files, "" for a hook without."""
    if isinstance(hook.source, HookDirectory):
        gaps = tuple(covered_files.of_directory(hook, copy or hook.root).gaps)
        bound = tuple(directory_place.bound_of(hook, copy)) if copy else ()
        if bound or not copy:
            return ApprovedCommand(hook.argv, (*gaps, *bound), in_place=True)
        return ApprovedCommand(entry_script.find(copy).argv, gaps)
    loads = covered_files.of_entry(hook, copy or hook.root)
    bound = tuple(loads.bound)
    moved = _moved(hook, copy) if copy and not bound else None
    if copy and not bound and moved is None:
        bound = ("its command names a script in a way that hooktui cannot replace",)
    gaps = tuple(dict.fromkeys((*loads.gaps, *bound)))
    return ApprovedCommand(moved or _moved(hook, hook.root) or hook.argv, gaps, in_place=moved is None)


def _moved(hook: Hook, root: str) -> tuple[str, ...] | None:
    """The program and arguments of an entry with the absolute paths of its files in `root`; None if that cannot be written."""
    text = covered_files.command_text(hook)
    if not hook.argv:
        return hook.argv
    if text is None:
        return tuple(_word(hook, word, root) for word in hook.argv)
    command = hook.command or ""
    splices = [*_scripts(hook, root), *_reads(hook, root), *_modules(hook, root)]
    changed = hook.replace(command=(spliced := _spliced(command, splices)), argv=(*hook.argv[:-1], spliced))
    wanted = [_target(hook, script.path, root) for script in json_command.scripts(hook)]
    if [script.path for script in json_command.scripts(changed)] != wanted:
        return None
    return changed.argv


def _target(hook: Hook, path: str, root: str) -> str:
    """The path of a script in a root, if it is a file there."""
    moved = covered_files.moved(path, hook.root, root)
    return moved if os.path.isfile(moved) else path


def _word(hook: Hook, word: str, root: str) -> str:
    holder = hook.placeholder
    path = os.path.normpath(os.path.join(hook.cwd or hook.root, word.replace(holder, hook.root) if holder else word))
    named = {script.path for script in json_command.scripts(hook)}
    return _target(hook, path, root) if path in named else word


def _scripts(hook: Hook, root: str) -> Iterator[Splice]:
    """The scripts of a command."""
    for script in json_command.scripts(hook):
        if (target := _target(hook, script.path, root)) != script.path or below(target, hook.root):
            yield script.span, shlex.quote(target)


def _reads(hook: Hook, root: str) -> Iterator[Splice]:
    """The other files of hooks that a command reads."""
    text = covered_files.command_text(hook)
    scripts = {script.span for script in json_command.scripts(hook)}
    for command in text.commands if text else ():
        for use in command.uses:
            is_whole = (hook.command or "")[slice(*use.word.span)] == use.word.text  # not in the text of a shell in it
            if use.word.span not in scripts and is_whole and shell_loads.is_read_of_hooks(use, command):
                yield use.word.span, shlex.quote(_target(hook, use.path or "", root))


def _modules(hook: Hook, root: str) -> Iterator[Splice]:
    """`python -m NAME` as a program that finds the module in a root only."""
    text = covered_files.command_text(hook)
    for module in covered_files.modules(hook, text) if text else ():
        code = _RUN_MODULE.format(root=root, name=module.name)
        yield module.span, f"-c {shlex.quote(code)}"


def _spliced(command: str, splices: Iterable[Splice]) -> str:
    for (start, end), text in sorted(set(splices), reverse=True):
        command = command[:start] + text + command[end:]
    return command
