"""The texts that a hook runs: its command and the scripts that it starts."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core.model import HookDirectory, JsonEntry
from hooktui.diagnostics.rule_context import at_span
from hooktui.formats import effort, files, shell
from hooktui.formats.file_notes import Notes
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic, Hook
    from hooktui.diagnostics.rule_context import HostPlaces
    from hooktui.formats.node import Span
    from hooktui.hosts import HostSpec

_LIMIT = 64 * files.KIB
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScriptText:
    """The text of a hook's script. Comments are blanked, so that offsets match the file.

    `readers` are the hosts that matter to the hook, its own first. `is_shell`: a shell reads the text; `is_program`: the
    file is started by itself, so that its `#!` line counts.
    """

    hook: Hook
    notes: Notes
    text: str
    readers: tuple[HostSpec, ...]
    is_shell: bool
    is_program: bool

    def warn(self, code: str, message: str, span: Span, hint: str, meant: str = "") -> Diagnostic:
        """A warning at a span. The fix replaces it with `meant`."""
        fix = self.notes.replacement(f"write {meant}", span, meant) if meant else None
        return at_span(self.hook, self.notes, span, "warning", code, message, hint, fix)


@dataclass(frozen=True, slots=True)
class InlineText(ScriptText):
    """A command or script in the hook file itself."""

    places: HostPlaces

    def warn(self, code: str, message: str, span: Span, hint: str, meant: str = "") -> Diagnostic:
        """A warning at a span. The fix replaces it with `meant`."""
        node, inside = self.places.command(self.hook, self.hook.command or "", span)
        diagnostic = self.places.at(self.hook, node, "warning", code, message, hint=hint, inside=inside)
        fix = self.places.correction(self.hook, node, inside, self.notes.text[slice(*span)], meant) if meant else None
        return diagnostic.replace(fix=fix)


def read(hook: Hook, readers: tuple[HostSpec, ...] = ()) -> ScriptText | None:
    """The script of a HOOK.md hook; None if it cannot be read as text."""
    if not isinstance(hook.source, HookDirectory) or hook.command is None:
        return None
    try:
        text = files.read_text(hook.command, _LIMIT)
    except files.Unreadable:
        return None
    if not effort.spend(len(text)):
        return None
    return _of_file(hook, hook.command, text, readers, is_program=True)


def texts(hook: Hook, places: HostPlaces, readers: tuple[HostSpec, ...] = ()) -> Iterator[ScriptText]:
    """The texts of a hook in a JSON or Azure file, its own first."""
    own = hook.command
    if own and len(own) <= _LIMIT and effort.spend(len(own)):
        is_shell = hook.argv[-1:] == (own,) if isinstance(hook.source, JsonEntry) else shell.is_script("", own)
        notes = Notes(hook.file, own)
        yield InlineText(hook, notes, without_comments(own), readers, is_shell, is_program=False, places=places)
    for path, is_program in {script.path: script.direct for script in json_command.scripts(hook)}.items():
        if os.path.isfile(path):
            yield from _read_file(hook, path, readers, is_program=is_program)


def _read_file(hook: Hook, path: str, readers: tuple[HostSpec, ...], *, is_program: bool) -> Iterator[ScriptText]:
    try:
        text = files.read_text(path, _LIMIT)
    except files.Unreadable:
        return
    if "\0" not in text and effort.spend(len(text)):
        yield _of_file(hook, path, text, readers, is_program=is_program)


def _of_file(hook: Hook, path: str, text: str, readers: tuple[HostSpec, ...], *, is_program: bool) -> ScriptText:
    is_shell = shell.is_script(path, text)
    return ScriptText(hook, Notes(path, text), without_comments(text), readers, is_shell, is_program)


def without_comments(text: str) -> str:
    """Blank comment lines; the length stays the same."""
    return _COMMENT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
