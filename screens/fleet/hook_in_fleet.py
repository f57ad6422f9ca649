"""A hook under the cursor, as a fleet knows it: what is wrong, where it is configured, and its versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from hooktui.catalog.hook_states import counted, event_title
from hooktui.core.text_sanitizer import one_line
from hooktui.fleet.overview import RuleOnMachine, RuleRow
from hooktui.screens.fleet.fleet_detail import rule_fields
from hooktui.screens.widgets.fields import FieldList, LabelledValue
from hooktui.screens.widgets.lines import host_names

_LABEL_WIDTH = 13  # columns
_HASH = 8  # characters of a version
_MOST = 4  # versions or names in a line
_NO_TEXT = "Texts of hooks are not shipped: open hooktui on a machine to read or change one."


class HookFacts(VerticalScroll):
    """Shows one hook."""

    def __init__(self) -> None:
        super().__init__(id="facts", classes="pane")

    def compose(self) -> ComposeResult:
        yield FieldList(_LABEL_WIDTH)

    def show(self, rule: RuleRow | None, machines: Sequence[RuleOnMachine]) -> None:
        title = one_line(rule.name) if rule else ""
        if str(self.border_title or "") != title:
            self.scroll_home(animate=False)
        self.border_title = Content(title)
        self.query_one(FieldList).show(_fields(rule, machines) if rule else ())


def _fields(rule: RuleRow, machines: Sequence[RuleOnMachine]) -> Iterator[LabelledValue]:
    places = rule.places
    yield from rule_fields(rule)
    if versions := _versions(machines):
        yield "Versions", Content(versions)
    for label, text in (
        ("Event", " · ".join(event_title(event, names) for event, names in places.events.items())),
        ("Agents", host_names(places.agents)),
        ("Scope", ", ".join(places.scopes)),
        ("Format", host_names(places.formats)),
        ("File", _files(places.files)),
    ):
        if text:
            yield label, Content(one_line(text))
    yield "", Content.styled(_NO_TEXT, "$secondary")


def _files(files: Sequence[tuple[str, int]]) -> str:
    """The usual file; others are counted."""
    if not files:
        return ""
    others = f" · {counted(len(files) - 1, 'other file')}" if len(files) > 1 else ""
    return f"{files[0][0]}{others}"


def _versions(machines: Sequence[RuleOnMachine]) -> str:
    """The hash of each text that is known, the usual first, with the machines that have it."""
    by_version: defaultdict[str, list[str]] = defaultdict(list)
    for each in machines:
        if each.version:
            by_version[each.version].append(each.machine)
    usual_first = sorted(by_version.items(), key=lambda item: -len(item[1]))
    texts = [f"{version[:_HASH]} on {_names(names)}" for version, names in usual_first[:_MOST]]
    more = [f"{len(usual_first) - _MOST:,} more"] if len(usual_first) > _MOST else []
    return one_line(" · ".join((*texts, *more)))


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST else counted(len(names), "machine")
