"""A fleet's hooks as rows of a tree: grouped, with their state in the fleet, and how many machines run each."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rich.cells import cell_len

from hooktui.catalog.hook_states import event_title
from hooktui.core import events
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.fleet.row_kinds import OK, RULES, expected, rule_remarks, worst
from hooktui.screens.widgets.filter import has_words
from hooktui.screens.widgets.grouped_tree import TreeRow
from hooktui.screens.widgets.lines import host_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from hooktui.fleet.overview import RuleRow

    Rows = Mapping[str, Sequence[RuleRow]]

_UNLISTED = "ran, but no machine lists it any more"
_WIDE = 56  # columns
_INDENT = 3  # columns of a tree's rows, and of the space before the right side
# Colours of a tree by those of a list.
_STYLES = {"deny": "row--error", "warning": "row--warning", "allow": "row--ok", "muted": "row--muted"}
# What a fleet's hooks are grouped by: the groups of each.
ARRANGEMENTS: Mapping[str, Callable[[RuleRow], Iterable[str]]] = {
    "event": lambda rule: rule.places.events,
    "agent": lambda rule: rule.places.agents,
    "scope": lambda rule: rule.places.scopes,
    "format": lambda rule: rule.places.formats,
}
_TITLES: Mapping[str, Callable[[str, Sequence[RuleRow]], str]] = {
    "event": lambda event, rules: event_title(event, (name for rule in rules for name in rule.places.events[event])),
    "agent": lambda agent, _: host_names((agent,)),
    "format": lambda name, _: host_names((name,)),
}


def rows(
    rules: Iterable[RuleRow], arrangement: str, words: str, *, width: int, only_trouble: bool = False
) -> list[TreeRow[RuleRow]]:
    """The rules that contain every word, in groups; those with trouble first. A rule may be in several groups."""
    groups: defaultdict[str, list[RuleRow]] = defaultdict(list)
    for rule in rules:
        if (rule_remarks(rule) or not only_trouble) and has_words(words, *_texts(rule)):
            for name in ARRANGEMENTS[arrangement](rule) or ("",):
                groups[name].append(rule)
    return [_group(name, arrangement, members, width) for name, members in sorted(groups.items(), key=_place)]


def key_of(rule: str, group: str) -> str:
    """The key of a rule's row in a group."""
    return f"{group}\n{rule}"


def _place(group: tuple[str, Sequence[RuleRow]]) -> tuple[bool, int, str]:
    """Events in the order in which they come, other groups by name, and what is in no group last."""
    name, _ = group
    known = events.CANONICAL.index(name) if name in events.CANONICAL else len(events.CANONICAL)
    return not name, known, name


def _group(name: str, arrangement: str, rules: Sequence[RuleRow], width: int) -> TreeRow[RuleRow]:
    title = _TITLES[arrangement](name, rules) if name and arrangement in _TITLES else name or _UNLISTED
    members = sorted(rules, key=lambda rule: (*worst(rule_remarks(rule)), rule.name))
    troubled = sum(bool(rule_remarks(rule)) for rule in rules)
    counts = f"{troubled} of {len(rules)}"
    right = tuple((text, "row--warning") for text in (f"{counts} with trouble", counts))
    children = tuple(_row(rule, name, width) for rule in members)
    shown = right if troubled else ((f"{len(rules)}", "row--muted"),)
    return TreeRow(f"group:{name}", ((one_line(title), "row--group"),), shown, children=children, is_group=True)


def _row(rule: RuleRow, group: str, width: int) -> TreeRow[RuleRow]:
    """Glyph, name and counts on the left, what is wrong and the number of machines on the right."""
    remarks = rule_remarks(rule)
    glyph, _, text = (remarks[0].text if remarks else OK.text).partition(" ")
    style = _STYLES[remarks[0].style if remarks else OK.style]
    name = ((f"{glyph} ", style), (one_line(rule.name), ""))
    right = tuple(_right(rule, one_line(text) if remarks else "", style))
    counts = tuple(_counts(rule))
    fits = sum(cell_len(part) for part, _ in (*name, *counts, right[-1])) < width - _INDENT
    left = (*name, *(counts if fits else ()), *_note(rule, width))
    return TreeRow(key_of(rule.name, group), left, right, data=rule)


def _counts(rule: RuleRow) -> Iterator[tuple[str, str]]:
    if rule.denials:
        yield f"  ✕ {rule.denials:,}", "row--error"
    if rule.failures:
        yield f"  ▲ {rule.failures:,}", "row--warning"


def _note(rule: RuleRow, width: int) -> Iterator[tuple[str, str]]:
    """Scope and format, where there is room."""
    if width >= _WIDE:
        yield f"  {' '.join((*rule.places.scopes[:1], *rule.places.formats[:1]))}", "row--muted"


def _right(rule: RuleRow, trouble: str, style: str) -> Iterator[tuple[str, str]]:
    """From long to short."""
    machines = f"{rule.machines:,} of {expected(rule):,}"
    if not trouble:
        yield f"{machines} machines", "row--muted"
        yield machines, "row--muted"
        yield f"{rule.machines:,}/{expected(rule):,}", "row--muted"
        return
    yield f"{trouble} · {machines}", style
    yield trouble, style
    yield trouble.partition(" on ")[0], style


def _texts(rule: RuleRow) -> Iterator[str]:
    places = rule.places
    yield from RULES.names(rule)
    yield from (*places.events, *(name for names in places.events.values() for name in names))
    yield from (*places.agents, *places.formats, *places.scopes, *(file for file, _ in places.files))
    yield from [remark.text for remark in rule_remarks(rule)] or [OK.text]
