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
    from hooktui.formats.yaml_source import Node
    from hooktui.hosts import HostSpec

_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_HINT = "letters, digits, _ and - make a name; | stands between names"


@dataclass(frozen=True, slots=True)
class Matcher:
    """`tool` is the matcher as written; `obstacle` why nothing can be matched by it."""

    tool: str | None = None
    obstacle: Obstacle | None = None


def is_names(matcher: str, event: str, spec: HostSpec) -> bool:
    """Whether a matcher is a list of names, or everything, on an event as written."""
    if matcher == "":
        return True
    return spec.matcher.rule_for(event) == "names" and (matcher in spec.matcher.everything or spec.matcher.is_list(matcher))


def read(node: Node | None, event: str, spec: HostSpec, notes: HostNotes, *, strict: bool) -> Matcher:
    """The matcher that stands in `node`, for an event as written; notes what is wrong with it."""
    if node is None:
        return Matcher()
    matcher = node.value
    if not isinstance(matcher, str):
        return _no_text(node, spec, notes, strict=strict)
    if not spec.matcher.is_read or matcher == "":
        return Matcher(matcher)
    if event in spec.matcher.ignored_on:
        if matcher not in spec.matcher.everything:
            notes.on(spec.name, "warning", "matcher-ignored", f"{spec.title} ignores a matcher on {event}", node.span)
        return Matcher(matcher)
    if is_names(matcher, event, spec):
        return Matcher(matcher)
    wrong = regexes.check(matcher)
    if wrong is None and (spec.matcher.look_around or not _LOOK_AROUND.search(matcher)):
        return Matcher(matcher)
    if wrong is None:
        problem = f"{spec.title} does not support look-around: it skips the hooks of this matcher"
        notes.on(spec.name, "error", "bad-regex", problem, node.span, hint=_HINT)
        return Matcher(matcher, Obstacle(skip="bad-matcher", why=problem))
    problem = f"the matcher is no valid regex: {wrong.message}"
    hint = f"{spec.title} wants .* here, or no matcher at all" if matcher == "*" else _HINT
    fix = notes.regex_fix(matcher, node.span, lambda meant: json.dumps(meant, ensure_ascii=False))
    notes.error("bad-regex", problem, node.span, hint=hint, fix=fix)
    return Matcher(matcher, Obstacle(skip="bad-matcher", why=problem))


def _no_text(node: Node, spec: HostSpec, notes: HostNotes, *, strict: bool) -> Matcher:
    problem = f"matcher must be text, not {kind_of(node.value)}"
    fix = json_shapes.matcher(node, notes)
    notes.error("wrong-type", problem, node.span, fix=fix)
    if strict:
        notes.culprit(spec, problem, node.span, fix)
    return Matcher(None, Obstacle(skip="bad-matcher", why=problem) if spec.matcher.is_read else None)
