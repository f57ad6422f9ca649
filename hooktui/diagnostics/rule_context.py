"""What a rule may look at, and how it points at a place in a hook file."""

from __future__ import annotations

import re
import shlex
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core.model import AzureEntry, Diagnostic, HookDirectory
from hooktui.formats import files, yaml_source
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.azure import azure_files
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks import file_syntax, json_command, json_file
from hooktui.formats.json_hooks.entry_fields import COMMAND_KEYS
from hooktui.formats.node import find_unique
from hooktui.formats.source_cache import Sources
from hooktui.formats.yaml_source import folded
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.core.model import Fix, Hook, Severity, Trust
    from hooktui.diagnostics.relevant_hosts import RelevantHosts
    from hooktui.formats.node import Node, Span
_COMMANDS = frozenset(("script", "exec", *COMMAND_KEYS))
_QUOTED_QUOTE = "'\"'\"'"  # how shlex.quote writes a single quote
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


def at_field(hook: Hook, field: str, severity: Severity, code: str, message: str, hint: str = "") -> Diagnostic:
    """A diagnostic at the value of a HOOK.md field; otherwise at the hook's line."""
    node = _field(hook.text, field) if isinstance(hook.source, HookDirectory) else None
    if node:
        notes = DiagnosticCollector(hook.file, hook.text)
        return notes.diagnostic(severity, code, message, node.span, hint=hint).replace(hook=hook.id)
    at = hook.line
    return Diagnostic(
        severity=severity, code=code, message=message, file=hook.file, line=at, end_line=at, hint=hint, hook=hook.id
    )


def field_fix(hook: Hook, field: str, value: str) -> Fix | None:
    """A fix that writes another value for a HOOK.md field, for a person to decide; None if it cannot be written there."""
    node = _field(hook.text, field)
    if node is None or node.style not in yaml_source.STYLES:
        return None
    fix = DiagnosticCollector(hook.file, hook.text).replacement(
        f"write {value}", node.span, yaml_source.scalar(value, node.style, flow=True)
    )
    return fix.replace(is_guess=True)


def _field(text: str, field: str) -> Node | None:
    """A field's value in a HOOK.md; nested fields are dotted."""
    head, _ = frontmatter.read(text)
    node = head.root if head else None
    for key in field.split("."):
        entry = node.entry(key) if node else None
        node = entry[1] if entry else None
    return node


class HostPlaces:
    """Positions in JSON and Azure files as they are now. Each file is read at most once per check."""

    def __init__(self, sources: Sources | None = None) -> None:
        self._sources = sources or Sources()
        self._files: dict[str, _SourceFile] = {}

    def entry(self, hook: Hook) -> Node | None:
        """The hook's entry; None if the file has changed since the hook was read."""
        read = self._file(hook)
        node = _at(read[1], hook.entry_path) if read else None
        if read is None or node is None:
            return None
        return node if read[0].text[node.content_start : node.end] in hook.text else None

    def text(self, hook: Hook) -> str:
        """The text of the hook's file, "" if it cannot be read."""
        read = self._file(hook)
        return read[0].text if read else ""

    def node(self, hook: Hook, *keys: str) -> Node | None:
        """The value of the first of some keys in a hook's entry. A matcher may also be in its group."""
        entry = self.entry(hook)
        for key in keys if entry else ():
            for around in (entry, self.group(hook) if key == "matcher" else None):
                value = _value(around, key) if around else None
                if value is not None:
                    return value
        return None

    def command(self, hook: Hook, text: str, span: Span | None = None) -> tuple[Node | None, Span | None]:
        """The value with a command of a hook, observed or not, and the position of a span of the command in it.

        The arguments of a program without a shell are separate values; its command is their `shlex.join`.
        """
        entry = self.entry(hook)
        if entry is None:
            return None, None
        words = json_command.program_words(entry, hook.format)
        if words and hook.argv and text == hook.command:
            return _in_words(words[-len(hook.argv) :], hook.argv, span)
        held = (node for key, node in entry.entries if folded(key.value) in _COMMANDS)
        return next(
            (node for node in held if text in (node.value, hooktui_commands.original(node.value, hook.format))), None
        ), span

    def at(
        self,
        hook: Hook,
        node: Node | None,
        severity: Severity,
        code: str,
        message: str,
        *,
        hint: str = "",
        hosts: tuple[str, ...] = (),
        inside: Span | None = None,
        fix: Fix | None = None,
    ) -> Diagnostic:
        """A diagnostic at a value, or at a span of its text (if observed, of the original command); at the hook's line if the
        value is unknown."""
        read = self._file(hook)
        if node is None or read is None:
            return at_field(hook, "trigger", severity, code, message, hint).replace(hosts=hosts, fix=fix)
        span = node.span if inside is None else _inside(read[0].text, node, inside, hook)
        diagnostic = read[0].diagnostic(severity, code, message, span, hint=hint, fix=fix)
        return diagnostic.replace(hook=hook.id, hosts=hosts)

    def replacement(self, hook: Hook, label: str, node: Node, text: str) -> Fix | None:
        read = self._file(hook)
        return read[0].replacement(label, node.span, text) if read else None

    def correction(self, hook: Hook, node: Node | None, inside: Span | None, old: str, new: str) -> Fix | None:
        """A fix that replaces part of a value, given as JSON spells it; None if the file spells it differently."""
        read = self._file(hook)
        if read is None or node is None or inside is None or (hook.file.endswith(".toml") and node.style != '"'):
            return None
        span = _inside(read[0].text, node, inside, hook)
        return read[0].replacement(f"write {new}", span, new) if read[0].text[slice(*span)] == old else None

    def group(self, hook: Hook) -> Node | None:
        """The group around a hook's entry; None if there is none."""
        read, path = self._file(hook), hook.entry_path
        nested = not isinstance(hook.source, AzureEntry) and len(path) > 2 and path[-2] == "hooks"
        return _at(read[1], path[:-2]) if read and nested else None

    def groups(self, hook: Hook) -> list[Node]:
        read = self._file(hook)
        events = read[1][0].entry("hooks") if read and read[1] else None
        return [item for _, listed in (events[1].entries if events else ()) for item in listed.items if "hooks" in item.members]

    def _file(self, hook: Hook) -> tuple[DiagnosticCollector, tuple[Node, ...]] | None:
        """The file's text and documents. A JSON file is one document, which paths do not include."""
        if hook.file not in self._files:
            self._files[hook.file] = self._sources.keep(
                ("places", hook.file), partial(_load, hook.file, isinstance(hook.source, AzureEntry))
            )
        return self._files[hook.file].read


class _SourceFile(NamedTuple):
    path: str
    read: tuple[DiagnosticCollector, tuple[Node, ...]] | None

    @property
    def watched(self) -> tuple[str, ...]:
        return (self.path,)


def _load(path: str, is_yaml: bool) -> _SourceFile:
    try:
        text = files.read_text(path, azure_files.SIZE_LIMIT if is_yaml else json_file.LIMIT)
    except files.UnreadableFileError:
        return _SourceFile(path, None)
    if is_yaml:
        return _SourceFile(path, (DiagnosticCollector(path, text), yaml_source.compose(text).roots))
    root = file_syntax.of(path).read(text).root
    return _SourceFile(path, (DiagnosticCollector(path, text), (root,)) if root else None)


def _at(documents: tuple[Node, ...], path: Sequence[str | int]) -> Node | None:
    """The value at a path; None if it is missing or a key on the path is duplicated."""
    number, below = (0, path) if not path or isinstance(path[0], str) else (path[0], path[1:])
    try:
        return find_unique(documents[number], tuple(below)) if number < len(documents) else None
    except ValueError:
        return None


def _value(entry: Node, key: str) -> Node | None:
    return next((value for name, value in reversed(entry.entries) if folded(name.value) == folded(key)), None)


def _in_words(words: Sequence[Node], arguments: Sequence[str], span: Span | None) -> tuple[Node | None, Span | None]:
    """The argument in which a span starts, and the part of it in the span; the program if there is no span."""
    if span is None:
        return words[0], None
    (number, start), (last, end) = (place_in_argument(arguments, index) for index in span)
    return words[number], (start, end if last == number else len(arguments[number]))


def place_in_argument(arguments: Sequence[str], index: int) -> tuple[int, int]:
    """The number of the argument at a character of their `shlex.join`, and the character's index in the argument."""
    start = 0
    for number, argument in enumerate(arguments):
        quoted = shlex.quote(argument)
        if index <= start + len(quoted):
            before = quoted[1 : index - start]
            own = len(before) - before.count(_QUOTED_QUOTE) * (len(_QUOTED_QUOTE) - 1)
            return number, index - start if quoted == argument else min(own, len(argument))
        start += len(quoted) + 1
    return len(arguments) - 1, len(arguments[-1])


def _inside(text: str, node: Node, span: Span, hook: Hook) -> Span:
    """The span in the file of part of a value; the whole value if that is unknown."""
    if not isinstance(hook.source, AzureEntry):
        start, end = (hooktui_commands.index_in_observed(node.value, hook.format, index) for index in span)
        inside = file_syntax.of(hook.file).offset_inside
        return inside(text, node, start), inside(text, node, end)
    if node.style == "|":
        return _in_block(text, node, span)
    wanted = str(node.value)[span[0] : span[1]]
    source = text[node.start : node.end]
    at = source.find(wanted)
    return (node.start + at, node.start + at + len(wanted)) if at >= 0 and source.count(wanted) == 1 else node.span


def _in_block(text: str, node: Node, span: Span) -> Span:
    """The span in the file of part of a literal block."""
    lines = [match.span() for match in _LINE.finditer(text, node.start, node.end)][1:]
    value = str(node.value)
    indent = min((len(line) - len(line.lstrip(" ")) for start, end in lines if (line := text[start:end]).strip()), default=0)
    places = []
    for offset in span:
        row, column = value.count("\n", 0, offset), offset - (value.rfind("\n", 0, offset) + 1)
        if row >= len(lines):
            return node.span
        places.append(min(lines[row][0] + indent + column, node.end))
    return places[0], places[1]


class Snapshot(NamedTuple):
    """Hooks of a catalog in firing order, including those that cannot run, and their trust by ID.

    `places` locates values in files, `sources` keeps what was made from them. `relevant` are the hosts that matter. `mods` are
    kept apart: no rule about hooks applies to them. `managed_callers` are the hosts whose managed settings call hooktui.
    `searches` has an item for each search that may still be made with a pattern that could take long.
    """

    hooks: tuple[Hook, ...]
    trust: Mapping[str, Trust]
    places: HostPlaces
    sources: Sources
    relevant: RelevantHosts
    searches: Iterator[int]
    mods: tuple[Hook, ...] = ()
    managed_callers: frozenset[str] = frozenset()
