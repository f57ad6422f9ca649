"""The machines and the rules of a fleet: what is missing where, what fails, and what was lost on the way."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from hooktui import config
from hooktui.core import paths
from hooktui.fleet.clickhouse_client import ClickHouse
from hooktui.fleet.clickhouse_table import AHEAD_S
from hooktui.fleet.overview_queries import Answers, OverviewQueries
from hooktui.fleet.rule_presence import CHOSEN, ListedHook, Presence, RulePlaces, presences
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import Query, parse

DIFFERS = "differs"  # another text than most machines have
_SILENT_S = 86_400.0  # without a record; less in a shorter window
_SURE = 3  # failures without a success after which a rule counts as failing on a machine


class RunTotals(NamedTuple):
    """What a rule did on a machine; times in seconds since 1970, 0 for never."""

    instance: str
    runs: int = 0
    denials: int = 0
    failures: int = 0
    failure_states: Sequence[str] = ()
    first_failure: float = 0.0
    last_failure: float = 0.0
    last_success: float = 0.0
    last_run: float = 0.0

    @property
    def failing_since(self) -> float:
        """When it began to fail each time; 0 if it does not."""
        fails = self.failures >= _SURE and self.last_failure > self.last_success
        return max(self.first_failure, self.last_success) if fails else 0.0


class RuleOnMachine(NamedTuple):
    """A rule on one machine.

    `state` says why it never runs there ("missing", "not approved", "off", …), or that it "differs"; "" if neither. `why`
    explains it, where the level of shipping allows. `is_fault`: it is required, or most other machines run it as it is.
    `version` is the hash of its text, "" if no dispatch tells it; `expected` that of most machines or, if it is required, of
    the managed file. `fails_alone`: it fails each time here, but not on most machines.
    """

    rule: str
    instance: str
    machine: str
    state: str
    is_fault: bool = False
    is_required: bool = False
    why: str = ""
    version: str = ""
    expected: str = ""
    totals: RunTotals = RunTotals("")
    fails_alone: bool = False


class MachineRow(NamedTuple):
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
    faults: Sequence[RuleOnMachine] = ()
    failing: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A hook, by its name, on all machines; times in seconds since 1970, 0 for never.

    `machines` is how many have it; on those named in `failing` it fails each time since `failing_since`. `p50_ms` and `p95_ms`
    are of the newest events, None if none of them ran it. `versions`: how many texts of it are known. `on` are the machines
    that have it or should have it, by their names.
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
    failing: tuple[str, ...] = ()
    failing_since: float = 0.0
    last_run: float = 0.0
    places: RulePlaces = field(default_factory=RulePlaces)
    on: Sequence[RuleOnMachine] = ()

    @property
    def faults(self) -> list[RuleOnMachine]:
        return [each for each in self.on if each.is_fault]

    @property
    def kept(self) -> list[RuleOnMachine]:
        """Machines that have it and cannot run it, though that is no fault of theirs: most others do not run it either."""
        return [each for each in self.on if each.state not in ("", *CHOSEN) and not each.is_fault]


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
    known = presences(map(_listed, answers.listed), required)
    runs: defaultdict[str, dict[str, RunTotals]] = defaultdict(dict)
    for row in answers.runs:
        runs[row[0]][row[1]] = RunTotals(*row[1:])
    durations = dict(map(tuple, answers.durations))
    names = sorted({*runs, *known})
    rules = [_rule(name, runs[name], known.get(name, Presence()), machines, durations.get(name, ())) for name in names]
    shown = [rule for rule in rules if _is_asked(rule.name, query) and (rule.runs or rule.machines or rule.faults or rule.kept)]
    unreadable = sum(count for _, _, count in answers.unreadable)
    return Overview(_with_trouble(machines, rules, answers), shown, unreadable, bool(required), took_s)


def _with_trouble(machines: Mapping[str, MachineRow], rules: Iterable[RuleRow], answers: Answers) -> list[MachineRow]:
    """The machines with what was lost and what is wrong with their rules."""
    lost, conflicts = dict(map(tuple, answers.lost)), dict(map(tuple, answers.conflicts))
    unreadable = {instance: count for instance, _, count in answers.unreadable}
    on: defaultdict[str, list[RuleOnMachine]] = defaultdict(list)
    for each in (each for rule in rules for each in rule.on):
        on[each.instance].append(each)
    return [
        machine._replace(
            lost=lost.get(key, 0),
            unreadable=unreadable.get(key, 0),
            conflicts=tuple(conflicts.get(key, ())),
            faults=[each for each in on[key] if each.is_fault],
            failing=[each.rule for each in on[key] if each.fails_alone],
        )
        for key, machine in machines.items()
    ]


def _machine(row: Sequence[Any], now: float, longest_s: float) -> MachineRow:
    """A machine; it is silent if it has sent nothing for `longest_s`."""
    instance, name, *others = row
    machine = MachineRow(name, instance, *others)
    if machine.ahead_s > AHEAD_S:
        return machine
    return machine._replace(ahead_s=0.0, is_silent=now - machine.seen_at > longest_s)


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


def _rule(
    name: str,
    runs: Mapping[str, RunTotals],
    presence: Presence,
    machines: Mapping[str, MachineRow],
    durations: Sequence[float],
) -> RuleRow:
    """A rule on the chosen machines. Those do not have it that had it earlier in the window only."""
    chosen = [run for instance, run in runs.items() if instance in machines]
    failing = [run for run in chosen if run.failing_since]
    running = machines.keys() & ((runs.keys() | presence.running) - presence.absent.keys())
    p50, p95 = durations or (None, None)
    return RuleRow(
        name=name,
        runs=sum(run.runs for run in chosen),
        denials=sum(run.denials for run in chosen),
        failures=sum(run.failures for run in chosen),
        failure_states=tuple(sorted({state for run in chosen for state in run.failure_states})),
        first_failure=min((run.first_failure for run in chosen if run.failures), default=0.0),
        p50_ms=p50,
        p95_ms=p95,
        machines=len(running),
        versions=len(set(presence.versions.values())) or 1,
        failing=tuple(sorted(machines[run.instance].name for run in failing)),
        failing_since=min((run.failing_since for run in failing), default=0.0),
        last_run=max((run.last_run for run in chosen), default=0.0),
        places=presence.places,
        on=sorted(_on_machines(name, runs, presence, machines, running), key=lambda each: (each.machine, each.instance)),
    )


def _on_machines(
    name: str, runs: Mapping[str, RunTotals], presence: Presence, machines: Mapping[str, MachineRow], running: AbstractSet[str]
) -> Iterator[RuleOnMachine]:
    """A rule on each of the chosen machines that has it or should have it."""
    faults = {**presence.absent, **dict.fromkeys(presence.differing, DIFFERS)}
    expected = min(presence.expected, default="")
    fails_on_few = 2 * sum(run.failing_since > 0 for run in runs.values()) <= len(runs)
    for key in running | (machines.keys() & (faults.keys() | presence.kept.keys())):
        kept, why = presence.kept.get(key, ("", ""))
        totals = runs.get(key, RunTotals(key))
        yield RuleOnMachine(
            rule=name,
            instance=key,
            machine=machines[key].name,
            state=faults.get(key, kept),
            is_fault=key in faults,
            is_required=presence.is_required,
            why=why,
            version=presence.versions.get(key, ""),
            expected=expected,
            totals=totals,
            fails_alone=fails_on_few and totals.failing_since > 0,
        )
