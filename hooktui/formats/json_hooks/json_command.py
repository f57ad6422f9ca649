"""What a command entry of a JSON hook file runs on each system, and its text without `connect --observe` (formats.md §3)."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.config import suggest
from hooktui.core import paths
from hooktui.formats import text_edit
from hooktui.formats.json_hooks.entry_fields import COMMAND_KEYS, SYSTEM_KEYS
from hooktui.scripts import hooktui_commands, in_arguments, in_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hooktui.core.model import Hook
    from hooktui.formats.json_hooks.entry_fields import EntryFields
    from hooktui.formats.node import Node
    from hooktui.formats.text_edit import Splice
    from hooktui.scripts import Script

THIS_SYSTEM = {"darwin": "osx", "win32": "windows"}.get(sys.platform, "linux")
_POWERSHELL = ("pwsh", "-NoProfile", "-NonInteractive", "-Command")
_SHELLS = ("bash", "powershell")
_OF_PROJECT = ("project", "local", "agent")  # elsewhere it is not known where a hook runs
# Keys of POSIX shell commands; Windows commands are never wrapped.
SHELL_KEYS = ("command", "linux", "osx", "bash")


class EntryCommand(NamedTuple):
    """`shown` is the command for this machine, None if there is none; `commands` are those of each system, without fallback.

    `obstacle` says why no command can run.
    """

    shown: str | None
    argv: tuple[str, ...]
    commands: Mapping[str, str | None]
    obstacle: str = ""

    @property
    def is_program(self) -> bool:
        return bool(self.argv) and self.argv[-1] != self.shown


def read(entry: EntryFields) -> EntryCommand:
    """Read the command of an entry. Reports errors."""
    commands = {system: _own(entry, *keys) if entry.spec.entry.per_system else None for system, keys in SYSTEM_KEYS.items()}
    program = _program(entry)
    program = hooktui_commands.observed(program, entry.spec.name) or program
    if program:
        shown: str | None = shlex.join(program)
        argv = program
    else:
        shown = commands[THIS_SYSTEM] or _own(entry, "command")
        argv = (*_shell(entry), shown) if shown else ()
    if shown is not None and "\0" not in shown:
        return EntryCommand(shown, argv, commands)
    return EntryCommand(shown, (), commands, _why_nothing(entry, shown, commands))


def scripts(hook: Hook, command: str | None = None, *, anywhere: bool = False) -> list[Script]:
    """The scripts that a hook's command, or another of its commands, names. Relative paths need a known base.

    `anywhere`: only those that are found from every working directory.
    """
    if not hook.argv:
        return []
    base = None if anywhere else directory_of(hook)
    if command is None and hook.argv[-1] != hook.command:
        placeholder = hook.placeholder if _is_in_project(hook) else ""
        return in_arguments(hook.argv, base, {placeholder: hook.root} if placeholder else {})
    return in_command(command or hook.command or "", base, variables(hook))


def directory_of(hook: Hook) -> str | None:
    """The directory from which a hook's relative paths are found, None if that is not known."""
    return hook.cwd or (hook.root if _is_in_project(hook) else None)


def variables(hook: Hook) -> dict[str, str]:
    """The variables that are known when a hook runs."""
    spec = hosts.spec(hook.format)
    known = {"HOME": paths.home()}
    if _is_in_project(hook):
        known |= {name: hook.root for name, value in spec.variables.items() if value == "{project}"}
    if hook.plugin_root:
        known[spec.plugin_variable] = hook.plugin_root
    return known


def _is_in_project(hook: Hook) -> bool:
    return hook.scope in _OF_PROJECT and not hook.plugin_root


def by_command(hook: Hook) -> Iterator[tuple[str, list[Script]]]:
    """The POSIX shell commands of a hook, this machine's first, each with the scripts it names."""
    if hook.argv:
        commands = (hook.command, hook.commands.get("linux"), hook.commands.get("osx"))
        for command in dict.fromkeys(command for command in commands if command):
            yield command, scripts(hook, command if command != hook.command else None)


def named(hooks: Iterable[Hook]) -> tuple[str, ...]:
    """The paths of all scripts that hooks name."""
    named_paths = (script.path for hook in hooks for _, named in by_command(hook) for script in named)
    return tuple(dict.fromkeys(path for path in named_paths if os.path.isabs(path)))


def watched(hooks: Sequence[Hook]) -> tuple[str, ...]:
    """The paths of all scripts that hooks name and of all files that their approvals cover."""
    covered = (os.path.join(hook.root, name) for hook in hooks for name in hook.covers)
    return tuple(dict.fromkeys((*named(hooks), *covered)))


def _own(entry: EntryFields, *keys: str) -> str | None:
    """The first command under some keys, without the wrapper of `connect --observe`."""
    written = next((entry.get(key) for key in keys if entry.get(key)), None)
    return hooktui_commands.original(written, entry.spec.name) or written


def _program(entry: EntryFields) -> tuple[str, ...]:
    """The program that runs without a shell: under its own key, or `command` if there are `args`."""
    arguments = entry.get("args")
    key = entry.spec.entry.program_key
    name = entry.get(key) if key and (key != "command" or arguments is not None) else None
    return (name, *(arguments or ())) if name else ()


def _shell(entry: EntryFields) -> tuple[str, ...]:
    wanted = entry.get("shell")
    if wanted is not None and wanted not in _SHELLS:
        message, fix = f"shell must be {' or '.join(_SHELLS)}", entry.instead("shell", suggest.closest(wanted, _SHELLS))
        entry.wrong("bad-value", message, entry.place("shell"), fix=fix)
    return _POWERSHELL if wanted == "powershell" else entry.spec.entry.interpreter


def _why_nothing(entry: EntryFields, shown: str | None, commands: Mapping[str, str | None]) -> str:
    if shown is not None:
        key = next((key for key in ("exec", *COMMAND_KEYS) if "\0" in (entry.get(key) or "")), "args")
        entry.notes.error("bad-command", "a command cannot contain a NUL character", entry.place(key))
        return "its command contains a NUL character"
    given = [key for key in ("exec", *COMMAND_KEYS) if key in entry.pairs and key in entry.spec.entry.keys]
    if any(commands.values()):
        missing, spec = f"no command for {THIS_SYSTEM}", entry.spec
        place, hint = entry.place(next(key for key in given if entry.get(key))), "`command` applies to every system"
        if spec.fails_closed(entry.event):
            denied = f"{missing}: {spec.title} denies every tool call"
            entry.notes.on(spec.name, "error", "denies-everything", denied, place, hint=hint)
        else:
            entry.notes.warning("never-fires", f"{missing}: the hook never runs here", place, hint=hint)
        if spec.fails_closed("pre-tool-call"):
            return ""  # it fails when it is run, and so denies
        return f"it has {missing}"
    if not given:
        entry.lack("command", "a command hook needs a command")
    for key in given:
        if entry.get(key) == "":
            report = entry.wrong if entry.spec.entry.refuses(key, "") else entry.notes.error
            report("bad-command", f"{key} is empty", entry.place(key))
    return "it has no command"


def program_with_args(entry: Node, host: str) -> tuple[Node, Node] | None:
    """The program that an entry runs without a shell, and its arguments."""
    fields = entry.members
    program, arguments = fields.get(hosts.spec(host).entry.program_key), fields.get("args")
    if program is None or arguments is None or arguments.style != "[":
        return None
    texts = all(isinstance(node.value, str) for node in (program, *arguments.items))
    return (program, arguments) if texts else None


def program_words(entry: Node, host: str) -> tuple[Node, ...]:
    """The program that an entry runs without a shell, and its arguments; empty for a shell command."""
    if alone := program_with_args(entry, host):
        return (alone[0], *alone[1].items)
    key = hosts.spec(host).entry.program_key
    program = entry.members.get(key) if key != "command" else None
    return (program,) if program else ()


def unwrapping(entry: Node, text: str, host: str) -> Iterator[Splice]:
    """The replacements in `text` that restore an entry's observed commands."""
    fields = entry.members
    if alone := program_with_args(entry, host):
        yield from _unwrap_arguments(*alone, text, host)
    for key in SHELL_KEYS:
        original_text = hooktui_commands.original(entry.value.get(key), host)
        if original_text is not None:
            node = fields[key]
            literal = hooktui_commands.unwrapped_literal(text[node.start : node.end], host)
            # Another program may have rewritten the literal with other escapes.
            yield (node.start, node.end, literal or json.dumps(original_text, ensure_ascii=False))


def original_text(entry: Node, text: str, host: str) -> str | None:
    """An entry's text before it was observed; None if it is not observed."""
    splices = list(unwrapping(entry, text, host))
    behind = len(text) - entry.end
    restored = text_edit.spliced(text, splices)
    return restored[entry.content_start : len(restored) - behind] if splices else None


def _unwrap_arguments(program: Node, arguments: Node, text: str, host: str) -> Iterator[Splice]:
    items = arguments.items
    inside = hooktui_commands.observed([program.value, *(item.value for item in items)], host)
    if not inside:
        return
    own = items[-len(inside)]
    rest = text[own.end : arguments.end]
    comma = len(rest) - len(rest.lstrip()) + 1 if rest.lstrip().startswith(",") else 0
    yield (program.start, program.end, text[own.start : own.end])
    yield (arguments.start + 1, own.end + comma, "")
