"""The machine or the hook under the cursor: what is wrong with it, and what to do."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from operator import attrgetter

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content

from hooktui.catalog.hook_states import counted, event_title
from hooktui.core.text_sanitizer import one_line
from hooktui.fleet.overview import DIFFERS, MachineRow, RuleOnMachine, RuleRow
from hooktui.screens.fleet.machine_groups import MachineGroup
from hooktui.screens.fleet.row_kinds import FEW, OK, Remark, ago, expected, machine_remarks, moment, rule_remarks
from hooktui.screens.widgets.cells import STYLES, duration
from hooktui.screens.widgets.fields import FieldList, LabelledValue
from hooktui.screens.widgets.lines import host_names

_LABEL_WIDTH = 13  # columns
# By whether the hook is required, and whether it differs.
_ADVICE = {
    (True, True): "the managed file requires another version",
    (True, False): "the managed file requires it",
    (False, True): "it differs from that of most machines",
    (False, False): "most machines run it",
}
_MOST = 12  # names in a sentence
_HASH = 8  # characters of a version
_FEW_VERSIONS = 4  # versions, or names of machines that have one, in a line
_NO_TEXT = "Texts of hooks are not shipped: open hooktui on a machine to read or change one."


class FleetDetail(VerticalScroll):
    """Shows one machine, group of machines or rule."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(id=id, classes="pane")

    def compose(self) -> ComposeResult:
        yield FieldList(_LABEL_WIDTH)

    def show_machine(self, machine: MachineRow, window: str, first_lost: int) -> None:
        """`first_lost` is the first sequence without a record; 0 if it is not known."""
        self._show(machine.name, _machine(machine, window, first_lost))

    def show_rule(self, rule: RuleRow) -> None:
        self._show(rule.name, _rule(rule))

    def show_hook(self, rule: RuleRow) -> None:
        """A rule with its places and versions."""
        self._show(rule.name, _hook(rule))

    def show_group(self, group: MachineGroup, window: str) -> None:
        self._show(group.name, _group(group, window))

    def clear(self) -> None:
        self._show("", ())

    def _show(self, title: str, fields: Iterable[LabelledValue]) -> None:
        if str(self.border_title or "") != one_line(title):
            self.scroll_home(animate=False)
        self.border_title = Content(one_line(title))
        self.query_one(FieldList).show(fields)


def _machine(machine: MachineRow, window: str, first_lost: int) -> Iterator[LabelledValue]:
    yield from _remarks(machine_remarks(machine))
    for is_required in (True, False):
        faults = [fault for fault in machine.faults if fault.is_required == is_required]
        for words, rules in _by_fault(faults, lambda fault: fault.rule):
            yield words.capitalize(), Content(f"{_listed(rules)} · {_ADVICE[is_required, words == DIFFERS]}")
    if machine.conflicts:
        seqs = ", ".join(map(str, machine.conflicts[:_MOST]))
        yield "Conflicts", Content(f"two different records {seqs} · another sender used its name, or its log was put back")
    if machine.unreadable:
        yield "Unreadable", Content(f"{counted(machine.unreadable, 'row')} · not records of this hooktui, or not whole")
    if machine.ahead_s:
        yield (
            "Clock",
            Content(f"ahead by {ago(machine.ahead_s)} · `machine:` lists its events, other lists wait for their time"),
        )
    if machine.lost:
        command = f"hooktui ship --from {first_lost}" if first_lost else "hooktui ship --from SEQ"
        yield "Lost", Content(f"{counted(machine.lost, 'record')} · on that machine, `{command}` sends them again")
    yield "Events", _counts(f"{machine.events:,} in the last {window}", machine.denials, machine.failures)
    if machine.seen_at:
        last = f"{datetime.fromtimestamp(machine.seen_at).astimezone():%Y-%m-%d %H:%M:%S}"
        yield "Last seen", Content(f"{last}, {ago(time.time() - machine.seen_at)} ago")
    if owner := " · ".join(filter(None, (machine.team, machine.user))):
        yield "Team, user", Content(one_line(owner))
    yield "Instance", Content(f"{one_line(machine.instance)} · hooktui {one_line(machine.version)}")


def _group(group: MachineGroup, window: str) -> Iterator[LabelledValue]:
    events, denials, failures = (group.sum(attrgetter(name)) for name in ("events", "denials", "failures"))
    yield "Events", _counts(f"{events:,} in the last {window}", denials, failures)
    yield "Machines", Content(_listed(sorted(machine.name for machine in group.machines)))


def _rule(rule: RuleRow) -> Iterator[LabelledValue]:
    """What is wrong with a rule, and what it did."""
    states = "".join(f" · {state}" for state in rule.failure_states if state != "failed")
    yield from _remarks(rule_remarks(rule))
    for words, machines in _by_fault((*rule.faults, *rule.kept), lambda fault: fault.machine):
        if FEW < len(machines) < expected(rule):  # otherwise the remark names them
            yield words.capitalize(), Content(_listed(machines))
    if rule.failing:
        where = "all machines" if len(rule.failing) >= rule.machines else _listed(rule.failing)
        yield "Fails", Content(f"since {moment(rule.failing_since)} on {where}{states}")
    elif rule.failures:
        yield "Failed", Content(f"first at {moment(rule.first_failure)}{states}")
    last = f" · last {moment(rule.last_run)}" if rule.last_run else ""
    yield "Runs", _counts(f"{rule.runs:,}", rule.denials, rule.failures) + last
    if rule.p50_ms is not None:
        yield "Time", Content(f"p50 {duration(rule.p50_ms)} · p95 {duration(rule.p95_ms)}")
    versions = f" · {rule.versions} versions" if rule.versions > 1 else ""
    yield "Machines", Content(f"{rule.machines:,} of {expected(rule):,} run it{versions}")


def _hook(rule: RuleRow) -> Iterator[LabelledValue]:
    """A rule, where it is configured, and its versions."""
    places = rule.places
    yield from _rule(rule)
    if versions := _versions(rule.on):
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
    texts = [f"{version[:_HASH]} on {_names(names)}" for version, names in usual_first[:_FEW_VERSIONS]]
    more = [f"{len(usual_first) - _FEW_VERSIONS:,} more"] if len(usual_first) > _FEW_VERSIONS else []
    return one_line(" · ".join((*texts, *more)))


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _FEW_VERSIONS else counted(len(names), "machine")


def _remarks(remarks: Iterable[Remark]) -> Iterator[LabelledValue]:
    parts = [Content.styled(one_line(remark.text), f"${STYLES[remark.style][0]} bold") for remark in remarks]
    yield "", Content(" · ").join(parts or [Content.styled(OK.text, "$success")])


def _counts(text: str, denials: int, failures: int) -> Content:
    return Content.assemble(
        text,
        (f" · ✕ {denials:,} denied" if denials else "", "$error"),
        (f" · ▲ {failures:,} failed" if failures else "", "$warning"),
    )


def _by_fault(faults: Iterable[RuleOnMachine], name: Callable[[RuleOnMachine], str]) -> Iterator[tuple[str, list[str]]]:
    kinds = dict.fromkeys(fault.state for fault in faults)
    for kind in kinds:
        yield kind, [name(fault) for fault in faults if fault.state == kind]


def _listed(names: Sequence[str]) -> str:
    others = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
    return one_line(", ".join(names[:_MOST])) + others
