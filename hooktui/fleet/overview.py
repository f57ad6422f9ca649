"""The machines and the rules of a fleet: what is missing where, what fails, and what was lost on the way."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from hooktui import config
from hooktui.core import paths
from hooktui.fleet.clickhouse_table import AHEAD_S
from hooktui.fleet.overview_queries import OverviewQueries
from hooktui.fleet.rule_places import ListedHook, RulePlaces
from hooktui.fleet.rule_presence import CHOSEN, presences
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from hooktui.fleet.clickhouse_client import ClickHouse
    from hooktui.fleet.overview_queries import Answers
    from hooktui.log.read.query import Query

DIFFERS = "differs"  # another text than most machines have
_SILENT_S = 86_400.0  # without a record; less in a shorter window
_SURE = 3  # failures without a success after which a rule counts as failing on a machine


@dataclass(frozen=True, slots=True)
class RuleFault:
    """A rule that is not on a machine what it should be: `fault` is "missing", "not approved", "off", … or "differs".

    `version` is the hash of its text there, `expected` that of most machines or, if it is required, of the managed file.
    """

    rule: str
    instance: str
    machine: str
    fault: str
    is_required: bool = False
    version: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine that ships its log; `team` and `user` are as the company names them.

    `seen_at` is the time of its last record, in seconds since 1970, 0 if all are of the future; `ahead_s`: how far its clock
    is ahead; `is_silent`: it has sent nothing for long. `lost`: records that never arrived;
    `unreadable`: rows in its name that are not records of hooktui, or not whole; `conflicts`: sequences with two different
    records. `faults` are those of its rules; `failing` are the rules that fail each time there, but not on most machines.
    """

    name: str
    instance: str
    version: str
    team: str
    user: str
    seen_at: float
    ahead_s: float
    events: int
    denials: int
    failures: int
    is_silent: bool = False
    lost: int = 0
    unreadable: int = 0
    conflicts: tuple[int, ...] = ()
    faults: tuple[RuleFault, ...] = ()
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A hook, by its name, on all machines; times in seconds since 1970, 0 for never.

    `machines` is how many have it; on those named in `failing` it fails each time since `failing_since`. `p50_ms` and `p95_ms`
    are of the newest events, None if none of them ran it. `versions`: how many texts of it are known. `kept`: machines that
    have it and cannot run it, though that is no fault of theirs, since most others do not run it either.
    """

    name: str
    runs: int
    denials: int
    failures: int
    failure_states: tuple[str, ...] = ()
    first_failure: float = 0.0
    p50_ms: float | None = None
    p95_ms: float | None = None
    machines: int = 0
    versions: int = 1
    faults: tuple[RuleFault, ...] = ()
    failing: tuple[str, ...] = ()
    failing_since: float = 0.0
    last_run: float = 0.0
    places: RulePlaces = field(default_factory=RulePlaces)
    kept: tuple[RuleFault, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleOnMachine:
    """A rule on one machine; times in seconds since 1970, 0 for never.

    `state` says why it never runs there, or that it differs; "" if neither. `why` explains it, where the level of shipping
    allows. `is_fault`: most other machines run it as it is. `version` is the hash of its text, "" if no dispatch tells it.
    """

    machine: str
    instance: str
    state: str
    is_fault: bool
    runs: int = 0
    denials: int = 0
    failures: int = 0
    last_run: float = 0.0
    failing_since: float = 0.0
    version: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """A fleet in a time window; `took_s` is how long the server needed. `unreadable` counts the rows of all senders.

    `is_declared`: the managed file says which hooks are required.
    """

    machines: Sequence[MachineRow] = ()
    rules: Sequence[RuleRow] = ()
    unreadable: int = 0
    is_declared: bool = False
    took_s: float = field(default=0.0, compare=False)
    fleet: _Fleet | None = field(default=None, compare=False, repr=False)

    def on_machines(self, rule: str) -> Sequence[RuleOnMachine]:
        """A rule on each machine that has it or should have it, by the machines' names."""
        return self.fleet.on_machines(rule) if self.fleet else ()


@dataclass(frozen=True, slots=True)
class _Runs:
    """What a rule did on a machine."""

    rule: str
    instance: str
    runs: int
    denials: int
    failures: int
    failure_states: Sequence[str]
    first_failure: float
    last_failure: float
    last_success: float
    last_run: float

    @property
    def failing_since(self) -> float:
        """When it began to fail each time; 0 if it does not."""
        fails = self.failures >= _SURE and self.last_failure > self.last_success
        return max(self.first_failure, self.last_success) if fails else 0.0


async def read(
    database: ClickHouse, query: Query, window_s: float, required: Mapping[str, frozenset[str]] | None = None
) -> Overview:
    """The overview of the last `window_s` seconds, of what a query finds. Raises LogError and QueryError.

    `required`: the versions of each hook that machines should have, none for any; by default those of the managed file.
    """
    required = required_hooks() if required is None else required
    began = time.monotonic()
    now = time.time()
    queries = OverviewQueries(database, query, window_s, now)
    answers = await queries.ask()
    machines = {row[0]: _machine(row, now, min(window_s, _SILENT_S)) for row in answers.machines}
    if queries.chooses_dispatches:
        machines = {instance: machine for instance, machine in machines.items() if machine.events}
    took_s = time.monotonic() - began
    return await asyncio.to_thread(_overview, answers, machines, required, query, took_s)


def required_hooks() -> dict[str, frozenset[str]]:
    """The versions of each hook that the managed file of this machine requires, none for any. Raises LogError."""
    try:
        required = config.required_hooks()
    except config.ConfigError as error:
        raise LogError(f"{paths.managed_file()}: {error}") from error
    versions: defaultdict[str, set[str]] = defaultdict(set)
    for name, version in required:
        versions[name].add(version)
    return {name: frozenset() if "" in known else frozenset(known) for name, known in versions.items()}


async def first_lost(database: ClickHouse, window_s: float, instance: str) -> int:
    """The first sequence that a machine's records lack, for `hooktui ship --from`; 0 for none. Raises LogError."""
    return await OverviewQueries(database, parse(""), window_s, time.time()).first_lost(instance)


def _overview(
    answers: Answers, machines: Mapping[str, MachineRow], required: Mapping[str, frozenset[str]], query: Query, took_s: float
) -> Overview:
    fleet = _Fleet(answers, machines, required)
    rules = [fleet.rule(name) for name in fleet.names if _is_asked(name, query) and fleet.is_shown(name)]
    unreadable = sum(count for _, _, count in answers.unreadable)
    return Overview([fleet.machine(instance) for instance in machines], rules, unreadable, bool(required), took_s, fleet)


def _machine(row: Sequence[Any], now: float, longest_s: float) -> MachineRow:
    """A machine; it is silent if it has sent nothing for `longest_s`."""
    instance, name, *others = row
    machine = MachineRow(name, instance, *others)
    if machine.ahead_s > AHEAD_S:
        return machine
    return replace(machine, ahead_s=0.0, is_silent=now - machine.seen_at > longest_s)


def _listed(row: Sequence[Any]) -> ListedHook:
    """A hook whose name is spelled as `hooktui.runs` has it."""
    instance, host, event, project, rule, *others = row
    return ListedHook._make((instance, host, event, project, " ".join(rule.split()), *others))


def _is_asked(name: str, query: Query) -> bool:
    return all(
        (fnmatchcase(name, term.value) if term.wild else name == term.value) != term.negated
        for term in query.terms
        if term.field == "hook"
    )


class _Fleet:
    """The answers of a server, put together for the chosen machines, by instance."""

    def __init__(self, answers: Answers, machines: Mapping[str, MachineRow], required: Mapping[str, frozenset[str]]) -> None:
        self._machines = machines
        self._presences = presences(map(_listed, answers.listed), required)
        self._durations: Mapping[str, Sequence[float]] = dict(map(tuple, answers.durations))
        self._lost: Mapping[str, int] = dict(map(tuple, answers.lost))
        self._unreadable = {instance: count for instance, _, count in answers.unreadable}
        self._conflicts = {instance: tuple(seqs) for instance, seqs in answers.conflicts}
        self._runs: defaultdict[str, list[_Runs]] = defaultdict(list)
        for row in answers.runs:
            self._runs[row[0]].append(_Runs(*row))
        self.names = sorted({*self._runs, *self._presences})
        self._faults = {rule: self._faults_of(rule) for rule in self.names}
        self._faults_on: defaultdict[str, list[RuleFault]] = defaultdict(list)
        self._failing_on: defaultdict[str, list[str]] = defaultdict(list)
        for rule in self.names:
            for fault in self._faults[rule]:
                self._faults_on[fault.instance].append(fault)
            failing = [run.instance for run in self._runs[rule] if run.failing_since]
            if 2 * len(failing) <= len(self._runs[rule]):
                for instance in failing:
                    self._failing_on[instance].append(rule)

    def is_shown(self, rule: str) -> bool:
        """Whether a rule ran on the chosen machines, or should have."""
        return bool(self._faults[rule] or self._runs_of(rule) or self._running(rule) or self._kept(rule))

    def rule(self, name: str) -> RuleRow:
        runs, faults, presence = self._runs_of(name), self._faults[name], self._presences.get(name)
        failing = [run for run in runs if run.failing_since]
        p50, p95 = self._durations.get(name, (None, None))
        return RuleRow(
            name=name,
            runs=sum(run.runs for run in runs),
            denials=sum(run.denials for run in runs),
            failures=sum(run.failures for run in runs),
            failure_states=tuple(sorted({state for run in runs for state in run.failure_states})),
            first_failure=min((run.first_failure for run in runs if run.failures), default=0.0),
            p50_ms=p50,
            p95_ms=p95,
            machines=len(self._running(name)),
            versions=len(set(presence.versions.values())) or 1 if presence else 1,
            faults=faults,
            failing=tuple(sorted(self._machines[run.instance].name for run in failing)),
            failing_since=min((run.failing_since for run in failing), default=0.0),
            last_run=max((run.last_run for run in runs), default=0.0),
            places=presence.places if presence else RulePlaces(),
            kept=self._kept(name),
        )

    def on_machines(self, rule: str) -> Sequence[RuleOnMachine]:
        """A rule on each of the chosen machines that has it or should have it, by their names."""
        runs = {run.instance: run for run in self._runs[rule]}
        faults = {fault.instance: fault.fault for fault in self._faults[rule]}
        presence = self._presences.get(rule)
        kept, versions = (presence.kept, presence.versions) if presence else ({}, {})
        chosen = self._machines.keys() & {*self._running(rule), *faults, *kept}
        on_each = [
            self._on_machine(key, runs.get(key), faults.get(key, ""), *kept.get(key, ("", "")), versions.get(key, ""))
            for key in chosen
        ]
        return sorted(on_each, key=lambda each: (each.machine, each.instance))

    def _on_machine(self, key: str, run: _Runs | None, fault: str, kept: str, why: str, version: str) -> RuleOnMachine:
        machine = RuleOnMachine(self._machines[key].name, key, fault or kept, bool(fault), version=version, why=why)
        counts = ("runs", "denials", "failures", "last_run", "failing_since")
        return replace(machine, **{name: getattr(run, name) for name in counts}) if run else machine

    def machine(self, instance: str) -> MachineRow:
        return replace(
            self._machines[instance],
            lost=self._lost.get(instance, 0),
            unreadable=self._unreadable.get(instance, 0),
            conflicts=self._conflicts.get(instance, ()),
            faults=tuple(self._faults_on[instance]),
            failing=tuple(self._failing_on[instance]),
        )

    def _runs_of(self, rule: str) -> list[_Runs]:
        return [run for run in self._runs[rule] if run.instance in self._machines]

    def _running(self, rule: str) -> set[str]:
        """The chosen machines that have the rule; not those that had it earlier in the window."""
        ran = {run.instance for run in self._runs[rule]}
        if presence := self._presences.get(rule):
            ran = (ran | presence.running) - presence.absent.keys()
        return self._machines.keys() & ran

    def _kept(self, rule: str) -> tuple[RuleFault, ...]:
        """The chosen machines that cannot run a rule that most others do not run either, by their names."""
        presence = self._presences.get(rule)
        why = {key: word for key, (word, _) in presence.kept.items() if word not in CHOSEN} if presence else {}
        machines = sorted((self._machines[key].name, key) for key in why.keys() & self._machines.keys())
        faults = {fault.instance for fault in self._faults[rule]}
        return tuple(RuleFault(rule, key, name, why[key]) for name, key in machines if key not in faults)

    def _faults_of(self, rule: str) -> tuple[RuleFault, ...]:
        if (presence := self._presences.get(rule)) is None:
            return ()
        why = {**presence.absent, **dict.fromkeys(presence.differing, DIFFERS)}
        expected = min(presence.expected, default="")
        return tuple(
            RuleFault(rule, key, name, why[key], presence.is_required, presence.versions.get(key, ""), expected)
            for name, key in sorted((self._machines[key].name, key) for key in why if key in self._machines)
        )
