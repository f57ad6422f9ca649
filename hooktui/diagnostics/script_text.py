"""The texts that a hook runs: its command and the scripts that it starts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hooktui import scripts
from hooktui.core.model import Diagnostic, Hook, HookDirectory, JsonEntry
from hooktui.diagnostics.rule_context import HostPlaces
from hooktui.formats import files
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks import json_command
from hooktui.formats.node import Span
from hooktui.hosts import Host
from hooktui.scripts import Script, ShellNames, analysis_budget, comments

_LIMIT = 64 * files.KIB


@dataclass(frozen=True, slots=True)
class ScriptText:
    """The text of a hook's script. Comments are blanked, so that offsets match the file.

    `readers` are the hosts that matter to the hook, its own first. `is_shell`: a shell reads the text; `is_program`: the
    file is started by itself, so that its `#!` line counts; `is_alone`: the command passes it no arguments.
    """

    hook: Hook
    notes: DiagnosticCollector
    text: str
    readers: tuple[Host, ...]
    is_shell: bool
    is_program: bool
    is_alone: bool = field(default=False, kw_only=True)

    def names(self) -> ShellNames:
        """The names in a shell text, with those of the files that it sources."""
        known, base = json_command.variables(self.hook), json_command.directory_of(self.hook)
        if self.notes.file != self.hook.file:
            known, base = {**known, "0": self.notes.file, "BASH_SOURCE": self.notes.file}, None
        return scripts.with_sourced(self.text, base, known, _sourced)

    def names_host(self, host: Host) -> bool:
        """Whether a text tells a host by its name: it may answer each host differently."""
        return bool(re.search(rf"[\"']{host.name}[\"']|\b{host.name}\)|=\s*{host.name}\b", self.text))

    def warn(self, code: str, message: str, span: Span, hint: str, meant: str = "") -> Diagnostic:
        """A warning at a span. The fix replaces it with `meant`."""
        fix = self.notes.replacement(f"write {meant}", span, meant) if meant else None
        return self.notes.diagnostic("warning", code, message, span, hint=hint, fix=fix).replace(hook=self.hook.id)


@dataclass(frozen=True, slots=True)
class InlineText(ScriptText):
    """A command or script in the hook file itself."""

    places: HostPlaces

    def warn(self, code: str, message: str, span: Span, hint: str, meant: str = "") -> Diagnostic:
        node, inside = self.places.command(self.hook, self.hook.command or "", span)
        diagnostic = self.places.at(self.hook, node, "warning", code, message, hint=hint, inside=inside)
        fix = self.places.correction(self.hook, node, inside, self.notes.text[slice(*span)], meant) if meant else None
        return diagnostic.replace(fix=fix)


def read(hook: Hook, readers: tuple[Host, ...] = ()) -> ScriptText | None:
    """The script of a HOOK.md hook; None if it cannot be read as text."""
    if not isinstance(hook.source, HookDirectory) or hook.command is None:
        return None
    try:
        text = files.read_text(hook.command, _LIMIT)
    except files.UnreadableFileError:
        return None
    if not analysis_budget.spend(len(text)):
        return None
    return _of_file(hook, hook.command, text, readers, is_program=True)


def texts(hook: Hook, places: HostPlaces, readers: tuple[Host, ...] = ()) -> Iterator[ScriptText]:
    """The texts of a hook in a JSON or Azure file, its own first."""
    own = hook.command
    if own and len(own) <= _LIMIT and analysis_budget.spend(len(own)):
        is_shell = hook.argv[-1:] == (own,) if isinstance(hook.source, JsonEntry) else scripts.is_script("", own)
        notes = DiagnosticCollector(hook.file, own)
        text = comments.without_comments(own, "shell")
        yield InlineText(hook, notes, text, readers, is_shell, is_program=False, places=places)
    calls = json_command.scripts(hook)
    for script in {script.path: script for script in calls}.values():
        if os.path.isfile(script.path):
            is_alone = all(call.alone for call in calls if call.path == script.path)
            yield from _read_file(hook, script, readers, is_alone=is_alone)


def _read_file(hook: Hook, script: Script, readers: tuple[Host, ...], *, is_alone: bool) -> Iterator[ScriptText]:
    try:
        text = files.read_text(script.path, _LIMIT)
    except files.UnreadableFileError:
        return
    if "\0" not in text and analysis_budget.spend(len(text)):
        yield _of_file(hook, script.path, text, readers, is_program=script.direct, is_alone=is_alone)


def _of_file(
    hook: Hook, path: str, text: str, readers: tuple[Host, ...], *, is_program: bool, is_alone: bool = False
) -> ScriptText:
    is_shell = scripts.is_script(path, text)
    code = comments.without_comments(text, comments.language(path, text))
    return ScriptText(hook, DiagnosticCollector(path, text), code, readers, is_shell, is_program, is_alone=is_alone)


def _sourced(path: str) -> str | None:
    try:
        text = files.read_text(path, _LIMIT)
    except files.UnreadableFileError:
        return None
    return text if analysis_budget.spend(len(text)) else None
