"""Translate what a hook runs to a shell command or script of another host."""

from __future__ import annotations

import itertools
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hooktui import hosts, scripts
from hooktui.core import paths
from hooktui.core.model import Hook, HookDirectory
from hooktui.edit import matcher_translation
from hooktui.edit.copy_targets import Target, plain_name
from hooktui.edit.file_steps import ChangeRefusedError, FileTree, TreeFile, Write, read_tree, tree
from hooktui.edit.matcher_translation import ShimFilter

_ABOVE_SCRIPT = '"$(dirname "$0")/../../../.."'  # the project root, seen from the script of a hook directory
_HERE = '"$PWD"'
_SHELLS: Mapping[tuple[str, ...], str] = {("/bin/sh", "-c"): "#!/bin/sh", ("bash", "-c"): "#!/usr/bin/env bash"}
_EXECUTABLE = 0o755
_GUARD_TEXT = "#!/bin/sh\nexec {called}\n"
# The interpreters whose scripts Azure runs (formats.md §4), without options, which would be lost.
_SHELL = re.compile(r"(?:#! *(?:\S*/)?(?:env +)?)?(?:sh|bash)\s*")
_PYTHON = re.compile(r"(?:#! *(?:\S*/)?(?:env +)?)?python[0-9.]*\s*")
_INLINE_LIMIT = 65_536  # bytes
_OWN_PATH = ("$0", "${0", "BASH_SOURCE", "__file__")  # an inline script has no path


def runs_at_root(format_name: str) -> bool:
    """Whether the host runs a command in the project root, whatever the agent's directory."""
    return not hosts.spec(format_name).runs_in_session_dir


def has_fields(format_name: str) -> bool:
    """Whether an entry has fields for its directory and environment."""
    return {"cwd", "env"} <= set(hosts.spec(format_name).entry.keys)


def _root(target: Target) -> str:
    """The project root in a hook's command or script, for a shell; empty if the host has no variable for it."""
    if target.is_directory:
        return _ABOVE_SCRIPT
    return hosts.spec(target.format).project_directory


def translated_command(hook: Hook, target: Target) -> str:
    """Return one shell command for what an entry runs."""
    return "; ".join((*_preamble(hook, target, keyed=has_fields(target.format)), _command(hook, target)))


def translated_script(hook: Hook, target: Target) -> str:
    """Return a script that does what an entry runs."""
    if inline := hook.inline_script:
        return inline if inline.startswith("#!") else f"#!/usr/bin/env bash\n{inline}"
    shebang = _SHELLS.get(hook.argv[:-1])
    body = hook.command if shebang and hook.command == hook.argv[-1] else f"exec {_joined(hook)}"
    return "\n".join((shebang or "#!/bin/sh", *_preamble(hook, target, keyed=False), f"{body}\n"))


def _command(hook: Hook, target: Target) -> str:
    if hook.argv[:-1] not in _SHELLS or hook.command is None:
        return _joined(hook)
    needs_bash = (
        hook.argv[0] == "bash"
        and hosts.spec(target.format).entry.interpreter[0] != "bash"
        and not scripts.is_simple(hook.command)
    )
    return shlex.join(hook.argv) if needs_bash else hook.command


def _joined(hook: Hook) -> str:
    """Quote a program and its arguments for a shell, with variables for the directories that the host fills in."""
    plugin = f"${{{hosts.spec(hook.format).plugin_variable}}}"
    variables = {text: f'"{name}"' for text, name in ((hook.placeholder, hook.placeholder), (hook.plugin_root, plugin)) if text}
    if not variables:
        return shlex.join(hook.argv)
    directories = re.compile(f"({'|'.join(map(re.escape, variables))})")
    words = ([variables.get(part) or shlex.quote(part) for part in directories.split(word) if part] for word in hook.argv)
    return " ".join("".join(parts) or "''" for parts in words)


def needs_plugin(hook: Hook) -> bool:
    """Whether a plugin's hook names the plugin's directory, which its host tells only to hooks of plugins."""
    named = hosts.spec(hook.format).plugin_variable in f"{hook.command}{hook.scripts_text}"
    return bool(hook.plugin_root) and (named or any(hook.plugin_root in word for word in hook.argv))


def shell_path(path: str, target: Target) -> str:
    """Spell a path for a shell, relative to the project or home so that it works on other machines."""
    if path == target.project and target.scope != "user":
        return _root(target) or "."
    for base, variable in ((target.project, _root(target)), (paths.home(), '"$HOME"')):
        if path.startswith(base + os.sep) and (base != target.project or target.scope != "user"):
            rest = shlex.quote(os.path.relpath(path, base))
            return f"{variable}/{rest}" if variable else rest
    return shlex.quote(path)


def _preamble(hook: Hook, target: Target, *, keyed: bool) -> Iterator[str]:
    """Yield the commands that set what the entry's own fields cannot set."""
    has_variable = bool(hosts.spec(target.format).entry.project_variable)
    root = (_root(target) if has_variable or target.scope != "user" else "") or _HERE
    if not keyed:
        yield from (f"export {name}={shlex.quote(value)}" for name, value in hook.env.items())
    variable = hosts.spec(hook.format).entry.project_variable
    if variable and hook.format != target.format and variable in f"{hook.command}{hook.scripts_text}":
        yield f"export {variable}={root}"
    if needs_plugin(hook):
        yield f"export {hosts.spec(hook.format).plugin_variable}={shell_path(hook.plugin_root, target)}"
    if hook.cwd and not keyed:
        yield f"cd {shell_path(hook.cwd, target)} || exit 1"
    elif runs_at_root(hook.format) and not runs_at_root(target.format) and root != _HERE:
        yield f"cd {root} || exit 1"


class ScriptCopy(NamedTuple):
    """The steps that create a script, and the shell command that runs it."""

    steps: tuple[Write | FileTree, ...]
    command: str


def script_copy(hook: Hook, target: Target) -> ScriptCopy | None:
    """Plan the script of a hook at a target; None if the hook's own command works there.

    Raises ChangeRefusedError if the hook has no script, OSError if it cannot be read.
    """
    wanted = matcher_translation.shim_filter(hook, target.format)
    if isinstance(hook.source, HookDirectory):
        return _copy_directory(hook, target, wanted)
    if hook.type != "command" or not (any(wanted) or hook.inline_script):
        return None
    script = translated_script(hook, target)
    is_python = bool(_PYTHON.fullmatch(script.partition("\n")[0]))
    path = free_path(os.path.join(target.scripts, f"{plain_name(hook)}.{'py' if is_python else 'sh'}"))
    files = {path: script if is_python else matcher_translation.add_shim(script, wanted, target.format)}
    if is_python and any(wanted):
        guard = free_path(os.path.join(target.scripts, f"{plain_name(hook)}.sh"))
        files[guard] = _guard(f'"$(dirname "$0")"/{shlex.quote(os.path.basename(path))}', wanted, target)
    made = paths.missing_directories(target.scripts)
    steps = tuple(Write(name, None, text.encode(), _EXECUTABLE, made) for name, text in files.items())
    return ScriptCopy(steps, shell_path([*files][-1], target))


def inline_script(hook: Hook, target: Target) -> str | None:
    """Return the script of a HOOK.md as text for Azure's YAML; None if it needs other files, its path or another program."""
    files = _files(hook)
    entry = _entry(hook, files)
    try:
        text = entry.content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    shebang, _, rest = text.partition("\n") if text.startswith("#!") else (os.path.basename((*hook.argv, "")[0]), "", text)
    wanted = matcher_translation.shim_filter(hook, target.format)
    if _SHELL.fullmatch(shebang):
        inline = matcher_translation.add_shim(f"#!/bin/bash\n{rest}", wanted, target.format)
    elif _PYTHON.fullmatch(shebang) and not any(wanted):
        inline = f"#!/usr/bin/env python3\n{rest}"
    else:
        return None
    is_alone = len(files) == 1 and not any(name in text for name in _OWN_PATH)
    return inline if is_alone and len(inline.encode()) <= _INLINE_LIMIT else None


def _guard(called: str, wanted: ShimFilter, target: Target) -> str:
    """A script that runs another one beside it on the events that `wanted` matches."""
    return matcher_translation.add_shim(_GUARD_TEXT.format(called=called), wanted, target.format)


def _copy_directory(hook: Hook, target: Target, wanted: ShimFilter) -> ScriptCopy:
    """Copy the whole directory, as deep below the project as the original, so that relative paths keep working."""
    files = _files(hook)
    entry = _entry(hook, files)
    copied = (entry, *(file for file in files if file.name != entry.name))
    interpreter, name = "".join(f"{shlex.quote(word)} " for word in hook.argv[:-1]), entry.name
    if any(wanted):
        guard = _guard(f'{interpreter}"$(dirname "$0")"/{shlex.quote(entry.name)}', wanted, target)
        interpreter, taken = "", {file.name for file in files}
        name = next(name for end in ("", "-guard") if (name := f"{plain_name(hook)}{end}.sh") not in taken)
        copied = (TreeFile(name, guard.encode(), _EXECUTABLE), *copied)
    path = free_path(os.path.join(target.directories, plain_name(hook)))
    called = shell_path(os.path.join(path, name), target)
    if not called.startswith(("/", '"', "'")):
        called = f'"$PWD"/{called}'  # AgentHooks, too, starts a script by its absolute path
    return ScriptCopy((tree(path, copied),), f"{interpreter}{called}")


def _files(hook: Hook) -> tuple[TreeFile, ...]:
    return tuple(file for file in read_tree(hook.root) if file.name != os.path.basename(hook.file))


def _entry(hook: Hook, files: tuple[TreeFile, ...]) -> TreeFile:
    """Return the script itself, with its content if the directory has only a link to it."""
    if not hook.argv:
        raise ChangeRefusedError(f"{hook.label} has no script to copy.")
    name = os.path.relpath(hook.argv[-1], hook.root)
    file = next((file for file in files if file.name == name), None)
    if file is None:
        raise ChangeRefusedError(f"{paths.short(hook.argv[-1])} no longer exists.")
    if file.link is None:
        return file
    with open(hook.argv[-1], "rb") as script:
        return TreeFile(name, script.read(), os.stat(hook.argv[-1]).st_mode & 0o777)


def free_path(path: str) -> str:
    """Return the path, numbered if something exists there."""
    stem, suffix = os.path.splitext(path)
    candidates = itertools.chain([path], (f"{stem}-{number}{suffix}" for number in itertools.count(2)))
    return next(candidate for candidate in candidates if not os.path.lexists(candidate))
