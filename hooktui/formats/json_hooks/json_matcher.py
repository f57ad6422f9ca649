"""The matcher of a JSON hook: what its host makes of it, and whether that can ever match (formats.md §3)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core.model import Obstacle
from hooktui.formats import regexes
from hooktui.formats.json_hooks import json_shapes
from hooktui.formats.json_hooks.json_fields import kind_of

if TYPE_CHECKING:
    from hooktui.formats.host_notes import HostNotes
    from hooktui.formats.json_hooks.dialects import Dialect
    from hooktui.formats.yaml_source import Node

EVERYTHING = ("", "*")
_HINT = "letters, digits, _ and - make a name; | stands between names"
# In Claude Code a matcher of these characters only is a list of exact names, anything else a regex.
_NAMES = re.compile(r"[A-Za-z0-9_\-, |]*")


@dataclass(frozen=True, slots=True)
class Matcher:
    """`tool` is the matcher as written; `obstacle` why nothing can be matched by it."""

    tool: str | None = None
    obstacle: Obstacle | None = None


def is_names(matcher: str, event: str) -> bool:
    """Whether a matcher is a list of names, or everything, on an event (as written): Copilot's camelCase ones have regexes."""
    return matcher == "" or (event[:1].isupper() and (matcher == "*" or _NAMES.fullmatch(matcher) is not None))


def read(node: Node | None, event: str, dialect: Dialect, notes: HostNotes, *, strict: bool) -> Matcher:
    """The matcher that stands in `node`, for an event as written; notes what is wrong with it."""
    if node is None:
        return Matcher()
    matcher = node.value
    if not isinstance(matcher, str):
        return _no_text(node, dialect, notes, strict=strict)
    if not dialect.reads_matcher or matcher == "":
        return Matcher(matcher)
    if event in dialect.matcherless:
        if matcher not in EVERYTHING:
            notes.on(dialect.name, "warning", "matcher-ignored", f"{dialect.host} ignores a matcher on {event}", node.span)
        return Matcher(matcher)
    wrong = None if is_names(matcher, event) else regexes.check(matcher)
    if wrong is None:
        return Matcher(matcher)
    problem = f"the matcher is no valid regex: {wrong.message}"
    hint = f"{dialect.host} wants .* here, or no matcher at all" if matcher == "*" else _HINT
    fix = notes.regex_fix(matcher, node.span, lambda meant: json.dumps(meant, ensure_ascii=False))
    notes.error("bad-regex", problem, node.span, hint=hint, fix=fix)
    return Matcher(matcher, Obstacle(skip="bad-matcher", why=problem))


def _no_text(node: Node, dialect: Dialect, notes: HostNotes, *, strict: bool) -> Matcher:
    problem = f"matcher must be text, not {kind_of(node.value)}"
    fix = json_shapes.matcher(node, notes)
    notes.error("wrong-type", problem, node.span, fix=fix)
    if strict:
        notes.culprit(dialect, problem, node.span, fix)
    return Matcher(None, Obstacle(skip="bad-matcher", why=problem) if dialect.reads_matcher else None)
