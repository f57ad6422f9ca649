"""Rules about missing scripts and duplicate handlers in JSON and Azure hooks (formats.md §3, last table)."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import suggest
from hooktui.core.model import Fix
from hooktui.core.paths import short
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import HostPlaces, Snapshot
    from hooktui.formats.node import Span
    from hooktui.formats.shell import Script
    from hooktui.hosts import HostSpec

_TEMPLATES = ("", ".sh", ".bash", ".py")  # suffixes
_WHERE = {"always": "every time it runs", "sometimes": "when it calls the script"}
_HINT = "delete one of them"
_LIKENESS = 0.75  # of two script names


def missing_scripts(hook: Hook, places: HostPlaces) -> Iterator[Diagnostic]:
    """A command names a script that does not exist or is not executable."""
    for command, scripts in json_command.by_command(hook):
        for script in scripts:
            wrong = _wrong(script) if script.called != "perhaps" else None
            if wrong is None:
                continue
            fails = f"the hook fails {_WHERE[script.called]}"
            node, inside = places.command(hook, command, script.span)
            if wrong == "missing":
                message = f"{short(script.path)} does not exist: {fails}"
                meant = _namesake(script.path)
                right = _other_name(command, script, inside, meant) if inside and meant else None
                fix = (right and places.correction(hook, node, *right)) or _creation(hook, script.path)
                hint = f"did you mean {meant}?" if meant else "create it or fix the path"
                yield places.at(hook, node, "error", "missing-script", message, hint=hint, inside=inside, fix=fix)
            else:
                message = f"{short(script.path)} is not executable: {fails}"
                fix = Fix(label="make it executable", kind="chmod", path=script.path)
                hint = f"chmod +x {short(script.path)}"
                yield places.at(hook, node, "warning", "not-executable", message, hint=hint, inside=inside, fix=fix)


def duplicate_handlers(catalog: Snapshot) -> Iterator[Diagnostic]:
    """One command in two files, which VS Code runs twice, and one handler twice in a file."""
    first_of: dict[tuple[str, str], Hook] = {}
    seen: set[tuple[str, str, str | None, str]] = set()
    for hook in catalog.hooks:
        if hosts.json_spec(hook.format) is None or not hook.command or not hook.event or not hook.enabled:
            continue
        first = first_of.setdefault((hook.event, hook.command), hook)
        handler = (hook.file, hook.event, hook.tool, hook.command)
        if handler in seen:
            node, _ = catalog.places.command(hook, hook.command)
            message = f"duplicate of {first.name} in the same file"
            yield catalog.places.at(hook, node, "warning", "duplicate-hook", message, hint=_HINT)
        elif first.file != hook.file:
            node, _ = catalog.places.command(hook, hook.command)
            for reader in _readers_of_both(hook, first):
                message = f"this command is also in {short(first.file)}: {reader.title} runs it twice"
                yield catalog.places.at(hook, node, "warning", "duplicate-command", message, hint=_HINT, hosts=(reader.name,))
        seen.add(handler)


def _readers_of_both(hook: Hook, other: Hook) -> list[HostSpec]:
    """The hosts that read the files of both hooks and run the same handler once for each."""
    both = hosts.readers(hook.format)
    return [spec for spec in hosts.readers(other.format) if spec in both and spec.runs_repeated_handlers]


def _namesake(path: str) -> str | None:
    """The file in the same directory whose name is closest to a missing script's: with the same suffix, if there is one, and
    a name that needs no quotes in a command."""
    directory, name = os.path.split(path)
    try:
        beside = [file.name for file in os.scandir(directory) if file.is_file() and shlex.quote(file.name) == file.name]
    except OSError:
        return None
    kind = os.path.splitext(name)[1]
    return suggest.closest(name, [file for file in beside if not kind or os.path.splitext(file)[1] == kind], _LIKENESS)


def _other_name(command: str, script: Script, inside: Span, name: str) -> tuple[Span, str, str] | None:
    """The span of a script's name in a value, that name, and the new one; None if it is spelled differently."""
    old = os.path.basename(script.path)
    _, matched, behind = command[slice(*script.span)].rpartition(old)
    end = inside[1] - len(behind)  # a quotation mark
    return ((end - len(old), end), old, name) if matched else None


def _creation(hook: Hook, path: str) -> Fix | None:
    """A fix that creates a script, if there is a template for its language."""
    known = hook.event and not hook.obstacle and os.path.splitext(path)[1] in _TEMPLATES
    return Fix(label=f"create {short(path)}", kind="create", path=path) if known else None


def _wrong(script: Script) -> str | None:
    if not os.path.exists(script.path):
        return "missing"
    executable = not script.direct or os.access(script.path, os.X_OK) or not os.path.isfile(script.path)
    return None if executable else "not executable"
