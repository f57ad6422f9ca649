"""What makes a host lose a whole hook file: its bytes and syntax, its version, and text that looks like a comment."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING

from hooktui.formats import diagnostic_collector, hook_identity
from hooktui.formats.json_hooks.entry_fields import kind_of, pairs
from hooktui.formats.node import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.core.model import Diagnostic, Fix
    from hooktui.formats.diagnostic_collector import DiagnosticCollector
    from hooktui.formats.files import UnreadableFileError
    from hooktui.formats.json_hooks.json_file import JsonHookFile
    from hooktui.formats.node import Node, Span
    from hooktui.hosts import Host

_COMMENT_START = re.compile(r"/[/*]")
_ESCAPED = {"//": r"/\/", "/*": r"/\u002a"}
_KINDS = {str: "text", bool: "true or false", list: "a list", dict: "an object", int: "a whole number"}
_SAVE = "save the file as UTF-8"
_UTF16 = "\ufffd\ufffd"  # its byte order mark, read as UTF-8
_SURROGATES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)
# A command in a text that cannot be parsed, in JSON or TOML; in TOML it may have quotes that this does not read.
_COMMAND = re.compile(r"""\b(?:command|bash|exec)"?\s*[:=]\s*(?=["'\[])(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')?""")
_OWNERS = re.compile(r"\b(?:hooks|mcp_servers|mcpServers)\b")


def report_unreadable(file: JsonHookFile, spec: Host) -> None:
    """Report a file that is not UTF-8, JSON or TOML, and what its host does about it."""
    notes, fault, faults = file.notes, file.fault, spec.entry.file_faults
    if file.not_utf8 is not None:
        _report_bytes(file, file.not_utf8, spec)
    elif fault is not None and not notes.is_json:
        notes.breaks_file(spec, f"it is not valid TOML: {fault.message}", fault.span)
    elif fault is not None and "syntax" in faults:
        fix = notes.replacement(*fault.fix) if fault.fix else None
        notes.breaks_file(spec, fault.message, fault.span, fix, hint=fault.hint, fault="syntax")
    elif fault is not None:
        notes.fault(fault)


def _report_bytes(file: JsonHookFile, refused: UnreadableFileError, spec: Host) -> None:
    notes, at = file.notes, (refused.at, refused.at + 1)
    is_utf16 = notes.text.startswith(_UTF16)
    is_strict = "syntax" in spec.entry.file_faults or not notes.is_json
    if is_utf16 and spec.entry.reads_utf16():
        notes.error(refused.code, f"hooktui cannot read UTF-16; {spec.title} can", at, hint=_SAVE)
    elif "encoding" in spec.entry.file_faults or (is_strict and (file.fault is not None or is_utf16)):
        notes.breaks_file(spec, str(refused), at, hint=_SAVE, fault="syntax")
    else:
        reads = "" if file.fault or is_utf16 else f": {spec.title} reads \ufffd instead, and hooktui cannot edit the file"
        notes.error(refused.code, f"{refused}{reads}", at, hint=_SAVE)


def report_no_object(root: Node, spec: Host, notes: DiagnosticCollector) -> None:
    """Report a file with a value that is no object; in a shared directory it is no hook file."""
    problem = f"the file must contain an object, not {kind_of(root.value)}"
    has_hooks = any("hooks" in item.members for item in root.items)
    if is_in_directory(notes.file, spec) and not has_hooks:
        report_no_hooks(root, notes)
    elif "object" in spec.entry.start_faults:
        notes.breaks_file(spec, problem, root.span, fault="object")
    else:
        only = root.items[0] if has_hooks and len(root.items) == 1 else None
        fix = notes.replacement("remove the list around it", root.span, notes.text[slice(*only.span)]) if only else None
        hint = "remove the list around it" if only else ""
        notes.error("not-a-mapping", problem, root.span, hint=hint, fix=fix)


def is_in_directory(file: str, spec: Host) -> bool:
    """Whether a file is in a directory where the host reads every JSON file."""
    directories = (place.path.removeprefix("~") for place in spec.files if place.is_directory and not place.settings)
    return any(os.path.dirname(file).endswith(path) for path in directories)


def report_no_hooks(root: Node, notes: DiagnosticCollector) -> None:
    """Note that a file in such a directory has no hooks."""
    hint = f"move it elsewhere: hosts read every JSON file in {os.path.basename(os.path.dirname(notes.file))}"
    notes.info("no-hook-file", "the file has no hooks", (root.start, root.start + 1), hint=hint)


def has_hooks(file: JsonHookFile, spec: Host) -> bool:
    """Whether a file, which may not be readable, looks like one with hooks."""
    if file.root is None:
        return bool(lost_commands(file.notes.text))
    listed = file.values.get("hooks")
    return bool(listed and isinstance(listed, dict | list)) or any(key in spec.events for key in file.values)


def unread(file: JsonHookFile, spec: Host, labels: Sequence[str]) -> Diagnostic:
    """The warning about a file where people believe that a host reads hooks, and what it costs them."""
    key = pairs(file.root).get("hooks", (None, None))[0] if file.root else None
    lost = diagnostic_collector.lost_hooks(labels or lost_commands(file.notes.text))
    message = f"{spec.title} does not read this file{f'. {lost}' if lost else ''}"
    read = next((files for files in spec.files if files.scope == "project"), spec.files[0])
    hint = f"move its hooks to {read.path}{'/' if read.is_directory else ''}"
    return file.notes.diagnostic("warning", "unread-file", message, key.span if key else (0, 1), hint=hint)


def lost_commands(text: str) -> list[str]:
    """The labels of the hooks in a text that cannot be parsed; "" for one whose command cannot be read."""
    commands = (match for match in _COMMAND.finditer(text) if not _is_of_server(text, match.start()))
    return [hook_identity.command_label(_unescaped(match[1] or match[2] or "")) for match in commands]


def _is_of_server(text: str, at: int) -> bool:
    """Whether a place in a text is below the MCP servers, not the hooks."""
    owners = [match[0] for match in _OWNERS.finditer(text, 0, at)]
    return bool(owners) and owners[-1] != "hooks"


def _unescaped(command: str) -> str:
    try:
        return str(json.loads(f'"{command}"'))
    except ValueError:
        return command


def check_surrogates(spec: Host, notes: DiagnosticCollector) -> None:
    """Report half of an escaped pair of surrogates, which stands for no character."""
    if "surrogate" not in spec.entry.file_faults or "\\u" not in notes.text:
        return
    for match in _SURROGATES.finditer(notes.text):
        if match[1]:
            notes.breaks_file(spec, f"{match[1]} is only half of a character", match.span(), fault="surrogate")
            return


def check_extras(extras: Iterable[Span], spec: Host, notes: DiagnosticCollector) -> None:
    """Report comments and trailing commas that a host does not read."""
    text, entry = notes.text, spec.entry
    found = sorted(span for span in extras if text[span[0]] == "," or "comment" in entry.file_faults)
    if "syntax" in entry.file_faults and found:
        kind = "trailing commas" if text[found[0][0]] == "," else "comments"
        notes.breaks_file(spec, f"{kind} are not valid JSON", found[0], _without_commas(found, notes), fault="syntax")


def check_settings(root: Node, spec: Host, notes: DiagnosticCollector) -> None:
    """Report settings beside the hooks whose type loses the file."""
    for name, kind in spec.entry.setting_types().items():
        found = find(root, tuple(name.split(".")))
        if found is not None and type(found.value) is not kind:
            notes.breaks_file(spec, f"{name} must be {_KINDS[kind]}, not {kind_of(found.value)}", found.span)
        elif found is not None and kind is int and found.value < 0:
            notes.breaks_file(spec, f"{name} must not be negative", found.span)


def _without_commas(commas: list[Span], notes: DiagnosticCollector) -> Fix | None:
    """Remove all trailing commas, unless there are comments, which would still break the file."""
    text = notes.text
    if any(text[slice(*span)] != "," for span in commas):
        return None
    ends = [start for start, _ in commas[1:]]
    between = [text[after:end] for (_, after), end in zip(commas, ends, strict=False)]
    whole = (commas[0][0], commas[-1][1])
    return notes.replacement("remove the trailing commas", whole, "".join(between))


def check_version(root: Node, spec: Host, notes: DiagnosticCollector) -> None:
    """Report a `version` that the host rejects, or one that is missing where it needs one."""
    wanted = spec.entry.version
    version = root.members.get("version")
    if wanted is None or not (version or root.entries):
        return
    fault = spec.entry.version_fault(version.value if version else None)
    if fault and version:
        fix = notes.instead(version, str(wanted) if version.value == str(wanted) else None)
        notes.breaks_file(spec, fault, version.span, fix)
    elif fault:
        first = root.entries[0][0]
        before = notes.text[root.start + 1 : first.start]
        text = f'"version": {wanted},{before if before.isspace() else " "}{notes.text[first.start : first.end]}'
        fix = notes.replacement(f"add version {wanted}", first.span, text)
        notes.breaks_file(spec, fault, (root.start, root.start + 1), fix)


def check_comment_signs(root: Node, spec: Host, notes: DiagnosticCollector) -> None:
    """Report strings with text that a host removes as a comment."""
    for node in _strings(root) if "comment sign" in spec.entry.file_faults else ():
        written = notes.text[node.start : node.end]
        sign = _COMMENT_START.search(written)
        if sign is None or (sign.group() == "/*" and "*/" not in notes.text[node.start + sign.end() :]):
            continue
        at = node.start + sign.start()
        escaped = _COMMENT_START.sub(lambda match: _ESCAPED[match.group()], written)
        fix = notes.replacement("escape it", node.span, escaped)
        notes.breaks_file(spec, f"it takes {sign.group()} in a string for a comment", (at, at + 2), fix)


def _strings(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node.value, str):
            yield node
        waiting += [*(part for entry in node.entries for part in entry), *node.items]
