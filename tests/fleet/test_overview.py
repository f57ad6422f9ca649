"""The machines and the rules of a fleet, as the real engine has them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from hooktui.fleet import overview, overview_queries
from hooktui.fleet.fleet_log import FleetLog
from hooktui.log.read.connection import LogError
from hooktui.log.read.query import parse
from hooktui.log.read.terms import QueryError
from tests.fleet.overview_world import EVENTS, FAILS_FOR, MACHINES, SILENT, fill, instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hooktui.fleet.overview import Overview
    from tests.fleet.world import EngineProcess

    Read = Callable[..., Overview]

DAY_S = 86_400.0


class Fleet:
    """The fleet of overview_world.py, and its overview."""

    def __init__(self, runner: asyncio.Runner, log: FleetLog, now: float) -> None:
        self.now = now
        self._runner = runner
        self._log = log

    def read(self, words: str = "", window_s: float = DAY_S) -> Overview:
        return self._runner.run(overview.read(self._log.database, parse(words), window_s))

    def first_lost(self, number: int) -> int:
        return self._runner.run(overview.first_lost(self._log.database, DAY_S, instance(number)))


@pytest.fixture(scope="module", params=["standard schema", "accelerated"])
def fleet(request: pytest.FixtureRequest, engine: EngineProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    now = time.time()
    fill(engine, tmp_path_factory.mktemp("logs"), now, "overview")
    if request.param == "accelerated":
        engine.accelerate("overview")
    with asyncio.Runner() as runner:
        log = runner.run(FleetLog.open(engine.url("reader", database="overview")))
        yield Fleet(runner, log, now)
        runner.run(log.close())


def test_each_machine_counts_its_dispatches_once(fleet: Fleet) -> None:
    machines = {machine.name: machine for machine in fleet.read().machines}
    assert len(machines) == MACHINES
    assert (machines["dev-0"].events, machines["dev-0"].denials, machines["dev-0"].failures) == (EVENTS, 3, FAILS_FOR)
    assert machines["dev-0"].seen_at == pytest.approx(fleet.now - 60, abs=1)


def test_missing_unapproved_and_differing_rules_are_faults_of_their_machines(fleet: Fleet) -> None:
    faults = {machine.name: [(fault.rule, fault.state) for fault in machine.faults] for machine in fleet.read().machines}
    assert {name: found for name, found in faults.items() if found} == {
        "dev-1": [("block-dangerous", "missing")],
        "dev-2": [("no-secrets", "not approved")],
        "dev-3": [("block-dangerous", "differs")],
    }


def test_records_that_never_arrived_are_counted_and_the_first_is_named(fleet: Fleet) -> None:
    assert {machine.name: machine.lost for machine in fleet.read().machines if machine.lost} == {"dev-4": 3}
    assert (fleet.first_lost(4), fleet.first_lost(0)) == (10, 0)


def test_a_machine_that_sends_nothing_is_still_known(fleet: Fleet) -> None:
    (silent,) = fleet.read(f"machine:dev-{SILENT}").machines
    assert silent.events == 0
    assert silent.seen_at == pytest.approx(fleet.now - 3 * DAY_S, abs=1)


def test_rules_have_their_counts_times_and_spread(fleet: Fleet) -> None:
    rules = {rule.name: rule for rule in fleet.read().rules}
    guard, formatter = rules["block-dangerous"], rules["format-py"]
    assert (guard.runs, guard.denials, guard.machines, guard.versions) == ((MACHINES - 2) * EVENTS - 3, 17, MACHINES - 2, 2)
    assert guard.p50_ms == pytest.approx(21.5, abs=1)
    assert guard.p95_ms == pytest.approx(32, abs=1)
    assert (formatter.failures, formatter.failure_states) == ((MACHINES - 1) * FAILS_FOR, ("timeout",))
    assert formatter.failing_since == pytest.approx(fleet.now - (FAILS_FOR - 0.5) * 3600, abs=1)
    assert (rules["no-secrets"].runs, rules["no-secrets"].machines) == (0, MACHINES - 2)


def test_a_rule_that_fails_everywhere_is_no_fault_of_a_machine(fleet: Fleet) -> None:
    assert len({name for rule in fleet.read().rules for name in rule.failing}) == MACHINES - 1
    assert not any(machine.failing for machine in fleet.read().machines)


def test_terms_choose_machines_and_dispatches(fleet: Fleet) -> None:
    (machine,) = fleet.read("machine:dev-1").machines
    assert [fault.state for fault in machine.faults] == ["missing"], "compared with the machines that are not shown"
    denied = fleet.read("decision:deny -machine:dev-0")
    assert sorted(machine.name for machine in denied.machines) == ["dev-2", "dev-3", "dev-4", "dev-5", "dev-6"]
    assert {machine.events for machine in denied.machines} <= {2, 3}
    assert [rule.name for rule in fleet.read("hook:format-*").rules] == ["format-py"]
    assert {machine.events for machine in fleet.read(window_s=3600.0).machines} == {0, 1}


def test_every_machine_is_judged_however_many_hooks_they_list(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [(machine.name, machine.faults) for machine in fleet.read().machines]
    monkeypatch.setattr(overview_queries, "_MOST_PAIRS", 3 * (MACHINES - 2) + 1)  # up to the first hook of the last machine
    assert [(machine.name, machine.faults) for machine in fleet.read().machines] == whole
    monkeypatch.setattr(overview_queries, "_MOST_PAGES", 1)
    with pytest.raises(LogError, match="not all of them can be compared"):
        fleet.read()


def test_the_hooks_of_this_machine_are_not_asked(fleet: Fleet) -> None:
    with pytest.raises(QueryError, match="leave it out for a fleet"):
        fleet.read("would:deny")
