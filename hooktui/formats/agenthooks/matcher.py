"""`matcher:` of a HOOK.md: which tool calls a hook wants to see (formats.md §2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core import events
from hooktui.core.model import Obstacle
from hooktui.formats import regexes, yaml_text
from hooktui.formats.agenthooks import fields

if TYPE_CHECKING:
    from hooktui.formats.agenthooks.frontmatter import Frontmatter
    from hooktui.formats.problems import Notes
    from hooktui.formats.yaml_source import Node

KEYS = ("tool", "pattern")


@dataclass(frozen=True, slots=True)
class Matcher:
    """The two patterns as they will be used."""

    tool: str | None = None
    pattern: str | None = None
    obstacle: Obstacle | None = None


def read(head: Frontmatter, event: str, notes: Notes) -> Matcher:
    """The matcher of a hook that listens to `event` (empty when that is not known). Reports what is wrong."""
    entry = head.root.entry("matcher")
    if entry is None:
        return Matcher()
    ignored = event in events.CANONICAL and event not in events.TOOL_EVENTS
    if ignored and entry[1].value != {}:
        message = f"{event} is no tool event: the matcher is ignored"
        notes.warning("matcher-ignored", message, (entry[0].start, entry[1].end), hint="delete the matcher")
    if fields.typed("matcher", entry, dict, notes) is None:
        return Matcher(obstacle=None if ignored else Obstacle(skip="bad-matcher", why="the matcher is no mapping"))
    fields.report_unknown_keys(entry[1], KEYS, notes)
    written, wrong = _patterns(entry[1], notes)
    if ignored:
        return Matcher()
    obstacle = Obstacle(skip="bad-matcher", why=wrong[0]) if wrong else None
    return Matcher(written.get("tool"), written.get("pattern"), obstacle)


def _patterns(node: Node, notes: Notes) -> tuple[dict[str, str], list[str]]:
    """The texts of both keys, valid or not, and why some of them cannot be used."""
    written: dict[str, str] = {}
    wrong: list[str] = []
    for key in KEYS:
        entry = node.entry(key)
        if entry is None:
            continue
        pattern = fields.typed(f"matcher.{key}", entry, str, notes)
        if pattern is None:
            wrong.append(f"matcher.{key} is no text")
            continue
        written[key] = pattern
        problem = _check(key, pattern, entry, notes)
        if problem:
            wrong.append(problem)
    return written, wrong


def _check(key: str, pattern: str, entry: tuple[Node, Node], notes: Notes) -> str | None:
    wrong = regexes.check(pattern)
    if wrong is None:
        return None
    where = "" if wrong.position is None else f" at character {wrong.position + 1}"
    problem = f"{key} is no valid regex: {wrong.message}{where}"
    node = entry[1]
    one_line = node.style in yaml_text.STYLES
    fix = notes.regex_fix(pattern, node.span, lambda meant: yaml_text.written(meant, node.style or "'")) if one_line else None
    notes.error("bad-regex", problem, fields.place(entry), hint="patterns are Python regular expressions", fix=fix)
    return problem
