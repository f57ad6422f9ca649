"""What a hook runs, as a shell command or script of another host that does the same."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from hooktui import paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.changing.targets import Target
    from hooktui.model import Hook

# Formats whose hosts run a command in the project's root, whatever directory the agent is in.
_AT_ROOT = ("vscode", "copilot", "azure")
# The project's root in a hook's command or script, by format.
_ROOTS = {"claude": '"$CLAUDE_PROJECT_DIR"', "agenthooks": '"$(dirname "$0")/../../../.."'}
_KEYED = ("vscode", "copilot")  # formats with keys for directory and environment
_SHELLS: Mapping[tuple[str, ...], str] = {("/bin/sh", "-c"): "#!/bin/sh", ("bash", "-c"): "#!/usr/bin/env bash"}


# Ends well only when a regex finds no string value of a tool's input, as a HOOK.md's pattern searches them (formats.md §2).
_LOOKS = (
    "import json, re, sys; found = lambda value: any(map(found, value.values() if isinstance(value, dict) else value)) "
    "if isinstance(value, (dict, list)) else value is not None "
    "and re.search(sys.argv[1], value if isinstance(value, str) else json.dumps(value)); "
    'event = json.load(sys.stdin); sys.exit(bool(found(event.get("tool_input", event.get("toolArgs")))))'
)


def command(hook: Hook, target: Target) -> str:
    """One shell command, which looks itself for the hook's pattern: no other host does."""
    own = "; ".join((*_preamble(hook, target), _command(hook, target)))
    return own if hook.pattern is None else _where_found(hook.pattern, own)


def _where_found(pattern: str, own: str) -> str:
    """A command that runs another one where a pattern is found in the event, and where nobody can look for it.

    What is run stands in front, where it is seen that a script is named (shell_words.py), so that trust covers it.
    """
    looks = shlex.join(("python3", "-I", "-c", _LOOKS, pattern))
    return f'guard() ({own}); event=$(cat); printf %s "$event" | {looks} && exit 0; printf %s "$event" | guard'


def script(hook: Hook, target: Target) -> str:
    """A script for a HOOK.md."""
    if written := hook.extra.get("script"):
        return str(written) if str(written).startswith("#!") else f"#!/usr/bin/env bash\n{written}"
    shebang = _SHELLS.get(hook.argv[:-1])
    body = hook.command if shebang and hook.command == hook.argv[-1] else f"exec {_joined(hook)}"
    return "\n".join((shebang or "#!/bin/sh", *_preamble(hook, target), f"{body}\n"))


def _command(hook: Hook, target: Target) -> str:
    if hook.format == "agenthooks":
        return " ".join((*(shlex.quote(word) for word in hook.argv[:-1]), spelled(hook.argv[-1], target)))
    if written := hook.extra.get("script"):
        interpreter = "python3" if "python" in str(written).partition("\n")[0] else "bash"
        return shlex.join((interpreter, "-c", str(written)))
    return hook.command or "" if hook.argv[:-1] in _SHELLS else _joined(hook)


def _joined(hook: Hook) -> str:
    """A program and its arguments for a shell, which reads a variable where the host filled in a placeholder."""
    placeholder = hook.extra.get("placeholder")
    if not placeholder:
        return shlex.join(hook.argv)
    words = ((shlex.quote(part) if part else "" for part in word.split(placeholder)) for word in hook.argv)
    return " ".join(f'"{placeholder}"'.join(parts) or "''" for parts in words)


def spelled(path: str, target: Target) -> str:
    """A path so that it is found on another person's machine, where it belongs to the project or the home."""
    for base, variable in ((target.project, _ROOTS.get(target.format)), (paths.home(), '"$HOME"')):
        if path.startswith(base + os.sep) and (base != target.project or target.scope != "user"):
            rest = shlex.quote(os.path.relpath(path, base))
            return f"{variable}/{rest}" if variable else rest
    return shlex.quote(path)


def _preamble(hook: Hook, target: Target) -> Iterator[str]:
    """What must be said before the command, where the host has no keys for it."""
    root = _ROOTS.get(target.format, '"$PWD"') if target.scope != "user" or target.format == "claude" else '"$PWD"'
    if target.format not in _KEYED:
        yield from (f"export {name}={shlex.quote(value)}" for name, value in hook.env.items())
    if "CLAUDE_PROJECT_DIR" in (hook.command or "") and target.format != "claude":
        yield f"export CLAUDE_PROJECT_DIR={root}"
    if hook.cwd and target.format not in _KEYED:
        yield f"cd {spelled(hook.cwd, target)} || exit 1"
    elif hook.format in _AT_ROOT and target.format not in _AT_ROOT and hook.covers:
        yield f"cd {root} || exit 1"
