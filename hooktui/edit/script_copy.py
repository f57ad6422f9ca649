"""The script of a hook that is converted: taken along to where the other host has its scripts, so that neither hook needs
the other one; left where it stands, and called there, when it finds files of others from there."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths
from hooktui.core.hook_source import HookDirectory
from hooktui.edit import command_translation, matcher_shim, own_lines, own_place
from hooktui.edit.copy_targets import plain_name
from hooktui.edit.file_steps import CannotChange, File, Tree, Write, read_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.core.model import Hook
    from hooktui.edit.copy_targets import Target
    from hooktui.edit.matcher_shim import Language, Sought

_EXECUTABLE = 0o755
_GUARD = "guard.sh"  # looks first for a script that no lines can be put into
_GUARDING = '#!/bin/sh\nexec {interpreter}"$(dirname "$0")"/{entry}\n'
_INLINE = {"sh": "#!/bin/bash", "py": "#!/usr/bin/env python3"}  # what Azure runs (formats.md §4)
_AS_INLINE = re.compile(r"#! *(?:\S*/)?(?:env +)?(?:sh|bash|python3?)\s*")  # any other one says more, which would be lost
_INLINE_LIMIT = 65_536  # bytes


class Brought(NamedTuple):
    """What makes a script at a target, the directory or file if one is made, and the shell command that runs it."""

    steps: tuple[Write | Tree, ...]
    command: str


def brought(hook: Hook, target: Target) -> Brought | None:
    """The script of a hook at a target; None when the hook's own command will do there.

    Raises CannotChange for a hook without a script, OSError for one that cannot be read.
    """
    sought = matcher_shim.sought(hook, target.format)
    if isinstance(hook.source, HookDirectory):
        return _directory(hook, target, sought)
    if hook.type != "command" or not (any(sought) or hook.inline_script):
        return None
    script = command_translation.script(hook, target)
    written_in = matcher_shim.language(script, ()) or "sh"
    text = matcher_shim.begun(script, written_in, sought, target.format)
    return _alone(File(f"{plain_name(hook)}.{written_in}", text.encode(), _EXECUTABLE), (), target)


def stays(hook: Hook) -> bool:
    """Whether a HOOK.md's script only works where it stands, beside the HOOK.md. Raises OSError and CannotChange."""
    if not isinstance(hook.source, HookDirectory) or not hook.argv:
        return False
    name = os.path.basename(hook.file)
    return finds_beyond(hook) or any(own_place.names(_text(one), name) for one in _files(hook, hook.format))


def finds_beyond(hook: Hook) -> bool:
    """Whether a HOOK.md's script finds anything beyond its directory, or by that one's own name, or by a link that leaves it.

    Raises OSError and CannotChange.
    """
    files = _files(hook, hook.format)
    own = os.path.join(os.path.basename(os.path.dirname(hook.root)), os.path.basename(hook.root), "")
    found = any(_leaves(one) or own_place.names(_text(one), own) or _leads_out(one) for one in files)
    if found or not hook.argv:
        return found
    entry = _entry(hook, files)
    return entry not in files and (own_place.refers(_text(entry)) or _leaves(entry))


def inline(hook: Hook, target: Target) -> str | None:
    """The text of a HOOK.md's script for Azure, which may hold it itself; None where it needs files, a place, another shell."""
    files = _files(hook, target.format)
    entry = _entry(hook, files)
    written_in = _language(hook, entry)
    if len(files) > 1 or written_in is None:
        return None
    text = entry.content.decode().removeprefix("\ufeff")
    if stays(hook) or own_place.refers(text) or (text.startswith("#!") and not _AS_INLINE.fullmatch(text.partition("\n")[0])):
        return None
    body = text.partition("\n")[2] if text.startswith("#!") else text
    begun = matcher_shim.begun(
        f"{_INLINE[written_in]}\n{body}", written_in, matcher_shim.sought(hook, target.format), target.format
    )
    return begun if len(begun.encode()) <= _INLINE_LIMIT else None


def _directory(hook: Hook, target: Target, sought: Sought) -> Brought:
    """A HOOK.md's script with all files beside it; alone, it stands where a script that was made for the host would."""
    files = _files(hook, target.format)
    entry = _entry(hook, files)
    written_in = _language(hook, entry)
    if stays(hook):
        return _called_there(hook, target, sought)
    others = [one for one in files if one.name != entry.name]
    if any(sought) and written_in is None:
        interpreter = "".join(f"{shlex.quote(word)} " for word in hook.argv[:-1])
        guarding = _GUARDING.format(interpreter=interpreter, entry=shlex.quote(entry.name))
        guard = File(_GUARD, matcher_shim.begun(guarding, "sh", sought, target.format).encode(), _EXECUTABLE)
        return _together(hook, guard, (), files, target)
    if written_in is not None:
        text = matcher_shim.begun(entry.content.decode(), written_in, sought, target.format)
        entry = File(entry.name, text.encode(), entry.mode)
    if others or own_place.refers(_text(entry)):
        return _together(hook, entry, hook.argv[:-1], others, target)
    suffix = os.path.splitext(entry.name)[1]
    return _alone(File(plain_name(hook) + suffix, entry.content, entry.mode), hook.argv[:-1], target)


def _called_there(hook: Hook, target: Target, sought: Sought) -> Brought:
    """A call of a script where it stands; where something is looked for first, from a script that does so."""
    command = _called(hook.argv[:-1], hook.argv[-1], target, whole=True)
    if not any(sought):
        return Brought((), command)
    guarding = matcher_shim.begun(f"#!/bin/sh\nexec {command}\n", "sh", sought, target.format)
    return _alone(File(f"{plain_name(hook)}.sh", guarding.encode(), _EXECUTABLE), (), target)


def _alone(file: File, interpreter: Iterable[str], target: Target) -> Brought:
    path = free(os.path.join(target.scripts, file.name))
    return Brought((one_file(path, file),), _called(interpreter, path, target))


def _together(hook: Hook, entry: File, interpreter: Iterable[str], others: Iterable[File], target: Target) -> Brought:
    path = free(os.path.join(target.scripts, plain_name(hook)))
    step = Tree(path, (entry, *others), made=paths.missing(os.path.dirname(path)))
    whole = any(own_place.refers(_text(one)) for one in step.files)
    return Brought((step,), _called(interpreter, os.path.join(path, entry.name), target, whole=whole))


def _called(interpreter: Iterable[str], path: str, target: Target, *, whole: bool = False) -> str:
    """A call of a script; `whole`: by its whole path, as AgentHooks calls it, since it finds files from there."""
    spelled = command_translation.spelled(path, target)
    if whole and not spelled.startswith(("/", '"', "'")):
        spelled = f'"$PWD"/{spelled}'
    return " ".join((*map(shlex.quote, interpreter), spelled))


def _files(hook: Hook, host: str) -> tuple[File, ...]:
    """What a hook's directory holds beside the HOOK.md; what looks for tools looks for those of another host."""
    files = (one for one in read_tree(hook.root) if one.name != os.path.basename(hook.file))
    return own_lines.all_renamed(files, hook.format, host)


def _entry(hook: Hook, files: Iterable[File]) -> File:
    """The script itself, also where the hook's directory only has a link to it."""
    if not hook.argv:
        raise CannotChange(f"{hook.name} has no script that could be run elsewhere.")
    name = os.path.relpath(hook.argv[-1], hook.root)
    found = next((one for one in files if one.name == name), None)
    if found is None:
        raise CannotChange(f"{paths.short(hook.argv[-1])} is not there any more.")
    if found.link is None:
        return found
    with open(hook.argv[-1], "rb") as file:
        return File(name, file.read(), os.stat(hook.argv[-1]).st_mode & 0o777)


def _leaves(file: File) -> bool:
    """Whether a file of a hook finds something beyond the hook's directory."""
    return own_place.leaves(_text(file), file.name.count(os.sep))


def _leads_out(file: File) -> bool:
    """Whether a link leads beyond the hook's directory, or by a whole path into it, which a copy has not."""
    if file.link is None:
        return False
    there = os.path.normpath(os.path.join(os.path.dirname(file.name), file.link))
    return os.path.isabs(file.link) or there.split(os.sep)[0] == os.pardir


def _text(file: File) -> str:
    """What can be read of a file; nothing of a link."""
    return (file.content or b"").decode(errors="replace")


def _language(hook: Hook, entry: File) -> Language | None:
    try:
        return matcher_shim.language(entry.content.decode(), hook.argv[:-1])
    except UnicodeDecodeError:
        return None


def one_file(path: str, file: File) -> Write:
    """The step that makes a file at a path."""
    return Write(path, None, file.content, file.mode, paths.missing(os.path.dirname(path)))


def free(path: str) -> str:
    """The path, or one with a number where there is something already."""
    stem, suffix = os.path.splitext(path)
    names = itertools.chain([path], (f"{stem}-{number}{suffix}" for number in itertools.count(2)))
    return next(one for one in names if not os.path.lexists(one))
