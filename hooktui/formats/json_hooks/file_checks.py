"""What makes a host lose a whole JSON hook file: its version, commas, and text that looks like a comment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.formats.json_hooks.entry_fields import pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hooktui.core.model import Fix
    from hooktui.formats.file_notes import Notes
    from hooktui.formats.node import Node, Span
    from hooktui.hosts import HostSpec

_COMMENT_START = re.compile(r"/[/*]")
_ESCAPED = {"//": r"/\/", "/*": r"/\u002a"}


def check_extras(extras: Iterable[Span], spec: HostSpec, notes: Notes) -> None:
    """Report comments and trailing commas that a host does not read."""
    text, entry = notes.text, spec.entry
    found = sorted(span for span in extras if text[span[0]] == "," or not entry.reads_comments)
    if entry.strict_json and found:
        kind = "trailing commas" if text[found[0][0]] == "," else "comments"
        notes.is_not_json(spec, f"{kind} are not valid JSON", found[0], _without_commas(found, notes))


def _without_commas(commas: list[Span], notes: Notes) -> Fix | None:
    """Remove all trailing commas, unless there are comments, which would still break the file."""
    text = notes.text
    if any(text[slice(*span)] != "," for span in commas):
        return None
    ends = [start for start, _ in commas[1:]]
    between = [text[after:end] for (_, after), end in zip(commas, ends, strict=False)]
    whole = (commas[0][0], commas[-1][1])
    return notes.replacement("remove the trailing commas", whole, "".join(between))


def check_version(root: Node, spec: HostSpec, notes: Notes) -> None:
    """Report a `version` that the host rejects, or one that is missing where it needs one."""
    wanted = spec.entry.version
    version = pairs(root).get("version", (None, None))[1]
    if wanted is None:
        return
    if version is None:
        if spec.entry.counts_versions and root.entries:
            first = root.entries[0][0]
            before = notes.text[root.start + 1 : first.start]
            text = f'"version": {wanted},{before if before.isspace() else " "}{notes.text[first.start : first.end]}'
            fix = notes.replacement(f"add version {wanted}", first.span, text)
            notes.breaks_file(spec, "version is missing", (root.start, root.start + 1), fix)
        return
    number = version.value if type(version.value) in (int, float) else 0
    if version.value != wanted and not (spec.entry.counts_versions and number >= wanted and number == int(number)):
        number_fix = notes.instead(version, str(wanted) if version.value == str(wanted) else None)
        notes.breaks_file(spec, f"version must be {wanted}", version.span, number_fix)


def check_comment_signs(root: Node, spec: HostSpec, notes: Notes) -> None:
    """Report strings with text that a host removes as a comment."""
    for node in _strings(root) if spec.entry.strips_comments else ():
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
