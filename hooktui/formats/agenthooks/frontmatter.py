"""The YAML head of a HOOK.md: where it stands, and what can be guessed from one that cannot be read (formats.md §2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.formats import yaml_source
from hooktui.formats.files import KIB
from hooktui.formats.yaml_faults import Fault, Mending
from hooktui.formats.yaml_source import Node

if TYPE_CHECKING:
    from hooktui.formats.problems import Span

LIMIT = 64 * KIB

_OPENING = re.compile(r"\s*(?<![^\r\n])---[ \t]*(?:\r\n?|\n)")
# A line of its own: a `---` inside a value, quoted or in an indented block, is none.
_FENCE = re.compile(r"(?<![^\r\n])---[ \t]*(?=[\r\n]|\Z)")
_UNOPENED = re.compile(r"(?:name|description|trigger):.*\n(?:(?:[a-z]+:|[ \t#]).*\n)*---[ \t]*\r?\n")
_LOOSE_LINE = re.compile(r"^(name|description|trigger)[ \t]*:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*$")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The mapping between the fences, and the closing fence, where a missing field would have to be written."""

    root: Node
    fence: Span


def locate(text: str) -> tuple[Span, Span]:
    """The spans of the YAML and of the closing fence; Fault when the text has no frontmatter or too much of it."""
    opening = _OPENING.match(text)
    if opening is None:
        mending = Mending("begin it with ---", (0, 0), "---\n") if _UNOPENED.match(text) else None
        said = "no frontmatter: the file must begin with a line ---"
        raise Fault("bad-yaml", said, _first_line(text), "see `hooktui new`", mending)
    start = opening.end()
    fence = _FENCE.search(text, start)
    if fence is None:
        begun = text.index("---")
        raise Fault("bad-yaml", "the frontmatter is not closed", (begun, begun + 3), "end it with a line ---")
    if len(text[start : fence.start()].encode("utf-8", "surrogatepass")) > LIMIT:
        raise Fault("bad-yaml", f"the frontmatter is larger than {LIMIT // KIB} KiB", fence.span())
    return (start, fence.start()), fence.span()


def read(text: str) -> tuple[Frontmatter | None, tuple[Fault, ...]]:
    """The frontmatter, None when it cannot be read, and what is wrong with its YAML."""
    try:
        (start, end), fence = locate(text)
    except Fault as fault:
        return None, (fault,)
    composed = yaml_source.compose(text, start, end)
    if composed.broken:
        return None, composed.faults
    if len(composed.roots) > 1:
        return None, (Fault("bad-yaml", "a second YAML document begins here", composed.roots[1].span),)
    root = composed.roots[0] if composed.roots else Node(None, end, end)
    if root.value is None:
        root = Node({}, end, end)
    if not isinstance(root.value, dict):
        return None, (*composed.faults, Fault("not-a-mapping", "the frontmatter must be `key: value` lines", root.span))
    return Frontmatter(root, fence), composed.faults


def guess(text: str) -> dict[str, tuple[str, Span]]:
    """Name, description and trigger by their lines alone, for a hook whose YAML is broken; the first of each counts."""
    found: dict[str, tuple[str, Span]] = {}
    opening = _OPENING.match(text)
    start = opening.end() if opening else 0
    fence = _FENCE.search(text, start)
    for line in _LOOSE_LINE.finditer(text, start, min(fence.start() if fence else len(text), start + LIMIT)):
        value = _COMMENT.sub("", line.group(2)).strip("'\"")
        if value:
            found.setdefault(line.group(1), (value, line.span(2)))
    return found


def _first_line(text: str) -> Span:
    match = re.match(r"[^\r\n]*", text)
    return match.span() if match else (0, 0)
