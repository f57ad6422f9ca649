"""Copy a HOOK.md's script and the files beside it to where another host keeps its scripts."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.core.model import HookDirectory
from hooktui.edit import command_translation, matcher_shim
from hooktui.edit.copy_targets import plain_name
from hooktui.edit.file_steps import CannotChange, FileTree, TreeFile, Write, read_tree, tree

if TYPE_CHECKING:
    from hooktui.core.model import Hook
    from hooktui.edit.copy_targets import Target
    from hooktui.edit.matcher_shim import Language, ShimFilter

_EXECUTABLE = 0o755
_GUARD = "guard.sh"  # filters events for a script in a language that the shim does not know
_GUARD_TEXT = '#!/bin/sh\nexec {interpreter}"$(dirname "$0")"/{entry}\n'
_INLINE_SHEBANGS = {"sh": "#!/bin/bash", "py": "#!/usr/bin/env python3"}  # the two that Azure runs (formats.md §4)
_CAN_BE_INLINE = re.compile(r"#! *(?:\S*/)?(?:env +)?(?:sh|bash|python3?)\s*")  # without options, which would be lost
_INLINE_LIMIT = 65_536  # bytes
_OWN_PATH = ("$0", "${0", "BASH_SOURCE", "__file__")  # an inline script has no path


class ScriptCopy(NamedTuple):
    """The steps that create a script, and the shell command that runs it."""

    steps: tuple[Write | FileTree, ...]
    command: str


def script_copy(hook: Hook, target: Target) -> ScriptCopy | None:
    """Plan the script of a hook at a target; None if the hook's own command works there.

    Raises CannotChange if the hook has no script, OSError if it cannot be read.
    """
    wanted = matcher_shim.shim_filter(hook, target.format)
    if isinstance(hook.source, HookDirectory):
        return _copy_directory(hook, target, wanted)
    if hook.type != "command" or not (any(wanted) or hook.inline_script):
        return None
    script = command_translation.script(hook, target)
    language = matcher_shim.language(script, ()) or "sh"
    text = matcher_shim.add_shim(script, language, wanted, target.format)
    path = free_path(os.path.join(target.scripts, f"{plain_name(hook)}.{language}"))
    step = Write(path, None, text.encode(), _EXECUTABLE, paths.missing_directories(os.path.dirname(path)))
    return ScriptCopy((step,), command_translation.spelled(path, target))


def inline_script(hook: Hook, target: Target) -> str | None:
    """Return the script of a HOOK.md as text for Azure's YAML; None if it needs other files, its path or another shell."""
    files = _files(hook)
    entry = _entry(hook, files)
    language = _language(hook, entry)
    if len(files) > 1 or language is None:
        return None
    text = entry.content.decode().removeprefix("\ufeff")
    shebang, _, rest = text.partition("\n") if text.startswith("#!") else ("", "", text)
    if any(name in text for name in _OWN_PATH) or (shebang and not _CAN_BE_INLINE.fullmatch(shebang)):
        return None
    wanted = matcher_shim.shim_filter(hook, target.format)
    inline = matcher_shim.add_shim(f"{_INLINE_SHEBANGS[language]}\n{rest}", language, wanted, target.format)
    return inline if len(inline.encode()) <= _INLINE_LIMIT else None


def _copy_directory(hook: Hook, target: Target, wanted: ShimFilter) -> ScriptCopy:
    """Copy the whole directory, as deep below the project as the original, so that relative paths keep working."""
    files = _files(hook)
    entry = _entry(hook, files)
    others = tuple(file for file in files if file.name != entry.name)
    interpreter = "".join(f"{shlex.quote(word)} " for word in hook.argv[:-1])
    if any(wanted):
        language = _language(hook, entry)
        if language is None:
            guard = _GUARD_TEXT.format(interpreter=interpreter, entry=shlex.quote(entry.name))
            others, interpreter = (*others, entry), ""
            entry = TreeFile(_GUARD, matcher_shim.add_shim(guard, "sh", wanted, target.format).encode(), _EXECUTABLE)
        else:
            text = matcher_shim.add_shim(entry.content.decode(), language, wanted, target.format)
            entry = TreeFile(entry.name, text.encode(), entry.mode)
    path = free_path(os.path.join(target.directories, plain_name(hook)))
    spelled = command_translation.spelled(os.path.join(path, entry.name), target)
    if not spelled.startswith(("/", '"', "'")):
        spelled = f'"$PWD"/{spelled}'  # AgentHooks, too, starts a script by its absolute path
    return ScriptCopy((tree(path, (entry, *others)),), f"{interpreter}{spelled}")


def _files(hook: Hook) -> tuple[TreeFile, ...]:
    """Read what a hook's directory holds beside its HOOK.md."""
    return tuple(file for file in read_tree(hook.root) if file.name != os.path.basename(hook.file))


def _entry(hook: Hook, files: tuple[TreeFile, ...]) -> TreeFile:
    """Return the script itself, with its content if the directory has only a link to it."""
    if not hook.argv:
        raise CannotChange(f"{hook.name} has no script to copy.")
    name = os.path.relpath(hook.argv[-1], hook.root)
    file = next((file for file in files if file.name == name), None)
    if file is None:
        raise CannotChange(f"{paths.short(hook.argv[-1])} no longer exists.")
    if file.link is None:
        return file
    with open(hook.argv[-1], "rb") as script:
        return TreeFile(name, script.read(), os.stat(hook.argv[-1]).st_mode & 0o777)


def _language(hook: Hook, entry: TreeFile) -> Language | None:
    try:
        return matcher_shim.language(entry.content.decode(), hook.argv[:-1])
    except UnicodeDecodeError:
        return None


def free_path(path: str) -> str:
    """Return the path, numbered if something exists there."""
    stem, suffix = os.path.splitext(path)
    candidates = itertools.chain([path], (f"{stem}-{number}{suffix}" for number in itertools.count(2)))
    return next(candidate for candidate in candidates if not os.path.lexists(candidate))
