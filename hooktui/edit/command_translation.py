"""What a hook runs, as a shell command or script of another host that does the same."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.formats import shell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import Hook
    from hooktui.edit.copy_targets import Target

# Formats whose hosts run a command in the project's root, whatever directory the agent is in.
AT_ROOT = ("vscode", "copilot", "azure")
# The project's root in a hook's command or script, by format.
_ROOTS = {"claude": '"$CLAUDE_PROJECT_DIR"', "agenthooks": '"$(dirname "$0")/../../../.."'}
_HERE = '"$PWD"'
_OWN = '"$0"'  # in a command that renaming.py has made, which calls a script of its own directory
_KEYED = ("vscode", "copilot")  # formats with keys for directory and environment
_PLAIN_SH = ("claude", "vscode")  # whose commands sh reads, which does not know all that bash does
_SHELLS: Mapping[tuple[str, ...], str] = {("/bin/sh", "-c"): "#!/bin/sh", ("bash", "-c"): "#!/usr/bin/env bash"}


def command(hook: Hook, target: Target) -> str:
    """One shell command for what an entry runs."""
    return "; ".join((*_preamble(hook, target, keyed=target.format in _KEYED), _command(hook, target)))


def script(hook: Hook, target: Target) -> str:
    """What an entry runs as a script of its own."""
    if written := hook.inline_script:
        return written if written.startswith("#!") else f"#!/usr/bin/env bash\n{written}"
    shebang = _SHELLS.get(hook.argv[:-1])
    body = hook.command if shebang and hook.command == hook.argv[-1] else f"exec {_joined(hook)}"
    return "\n".join((shebang or "#!/bin/sh", *_preamble(hook, target, keyed=False), f"{body}\n"))


def _command(hook: Hook, target: Target) -> str:
    if hook.argv[:-1] not in _SHELLS or hook.command is None:
        return _joined(hook)
    foreign = hook.argv[0] == "bash" and target.format in _PLAIN_SH and not shell.is_simple(hook.command)
    return shlex.join(hook.argv) if foreign else hook.command


def _joined(hook: Hook) -> str:
    """A program and its arguments for a shell, which reads a variable where the host filled in a placeholder."""
    placeholder = hook.placeholder
    if not placeholder:
        return shlex.join(hook.argv)
    words = ((shlex.quote(part) if part else "" for part in word.split(placeholder)) for word in hook.argv)
    return " ".join(f'"{placeholder}"'.join(parts) or "''" for parts in words)


def spelled(path: str, target: Target) -> str:
    """A path so that it is found on another person's machine, where it belongs to the project or the home."""
    if path == target.project and target.scope != "user":
        return _ROOTS.get(target.format, ".")
    for base, variable in ((target.project, _ROOTS.get(target.format)), (paths.home(), '"$HOME"')):
        if path.startswith(base + os.sep) and (base != target.project or target.scope != "user"):
            rest = shlex.quote(os.path.relpath(path, base))
            return f"{variable}/{rest}" if variable else rest
    return shlex.quote(path)


def _preamble(hook: Hook, target: Target, *, keyed: bool) -> Iterator[str]:
    """What must be said before the command, where no keys beside it say so."""
    root = _ROOTS.get(target.format, _HERE) if target.scope != "user" or target.format == "claude" else _HERE
    if not keyed:
        yield from (f"export {name}={shlex.quote(value)}" for name, value in hook.env.items())
    if "CLAUDE_PROJECT_DIR" in f"{hook.command}{hook.scripts_text}" and target.format != "claude":
        yield f"export CLAUDE_PROJECT_DIR={root}"
    if hook.cwd and not keyed:
        yield f"cd {spelled(hook.cwd, target)} || exit 1"
    elif hook.format in AT_ROOT and target.format not in AT_ROOT and root != _HERE and _OWN not in (hook.command or ""):
        yield f"cd {root} || exit 1"
