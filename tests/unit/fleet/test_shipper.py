"""Each record of the chain reaches the collector at least once, in order, and the position moves only behind what it took."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from hooktui.core import ids
from hooktui.core.settings import Settings
from hooktui.fleet import outbox, ship_faults, shipper
from hooktui.fleet.fleet_records import FleetRecord
from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.outbox import Outbox
from hooktui.fleet.ship_faults import SendError
from hooktui.fleet.ship_state import ShipState
from hooktui.fleet.shipper import LogChanges, Receipt, Shipper
from hooktui.log.store import database, retention, shipped
from hooktui.runner import upkeep
from tests.log_world import NOON, LogWorld, run
from tests.unit.log.test_merge_sources import observed

DAY_S = 86_400
EVERYTHING = FleetSettings(endpoint="http://collector/v1/logs", level="full", max_days=0)


@dataclass
class Collector:
    """Takes records, unless an answer is waiting.

    `largest`: bytes of a request that it still takes. `poison`: sequences of records that it refuses, with all beside them.
    """

    answers: list[SendError | Receipt] = field(default_factory=list)
    largest: int = 1 << 40
    poison: frozenset[int] = frozenset()
    requests: list[list[FleetRecord]] = field(default_factory=list)
    instances: set[str] = field(default_factory=set)

    def send(self, records: Sequence[FleetRecord], instance: str) -> Receipt:
        answer = self.answers.pop(0) if self.answers else Receipt()
        if sum(record.size for record in records) > self.largest:
            answer = SendError("too-large", "413")
        if any(record.seq in self.poison and record.name == "hooktui.dispatch" for record in records):
            answer = SendError("bad-request", "400")
        if isinstance(answer, SendError):
            raise answer
        self.requests.append(list(records))
        self.instances.add(instance)
        return answer

    @property
    def taken(self) -> list[FleetRecord]:
        return [record for request in self.requests for record in request]

    def seqs(self, name: str = "hooktui.dispatch") -> list[int]:
        return [record.seq for record in self.taken if record.name == name]


def ship(log: LogWorld, collector: Collector, settings: FleetSettings = EVERYTHING) -> int:
    """Ship as a new process does, from what is on the disk."""
    return Shipper(log.db, settings, collector.send, ShipState.load(log.db)).ship()


def test_a_shipper_goes_on_where_the_last_one_stopped(log: LogWorld) -> None:
    collector = Collector()
    log.add_all([log.made() for _ in range(3)])
    assert ship(log, collector) == 3
    log.add()
    assert ship(log, collector) == 1
    assert ship(log, collector) == 0
    assert collector.seqs() == [1, 2, 3, 4]


def test_the_head_of_the_chain_follows_what_was_sent(log: LogWorld) -> None:
    collector = Collector()
    log.add_all([log.made() for _ in range(3)])
    ship(log, collector)
    head = collector.taken[-1]
    assert (head.name, head.seq, json.loads(head.body)) == ("hooktui.head", 3, {"first": 1, "last": 3})
    assert head.attributes["hooktui.hash"] == collector.taken[2].attributes["hooktui.hash"]


def test_a_new_machine_sends_where_its_chain_began_for_a_day(log: LogWorld) -> None:
    """So that a reader misses its first records too."""
    now = time.time()
    log.add(at=now - 60)
    collector = Collector()
    ship(log, collector)
    (beginning,) = [record for record in collector.taken if record.name == "hooktui.note"]
    assert (beginning.seq, json.loads(beginning.body), beginning.time_ns) == (0, {"kind": "begin"}, collector.taken[0].time_ns)


def test_a_shipper_sends_the_head_again_when_it_starts_and_every_hour(log: LogWorld) -> None:
    """A collector that lost the last batch with its head must not look complete."""
    collector = Collector()
    assert ship(log, collector) == 0
    assert collector.requests == []
    log.add()
    ship(log, collector)
    again = Shipper(log.db, EVERYTHING, collector.send, ShipState.load(log.db))
    for _ in range(3):
        assert again.ship() == 0
    assert collector.seqs("hooktui.head") == [1, 1]
    again.next_head = 0.0
    collector.answers = [SendError("unavailable", "503")]
    with pytest.raises(SendError):
        again.ship()
    assert ShipState.load(log.db).fault
    again.ship()
    assert ShipState.load(log.db).fault is None
    assert collector.seqs("hooktui.head") == [1, 1, 1]


def test_the_position_stays_before_a_batch_that_was_not_taken(log: LogWorld) -> None:
    log.add_all([log.made() for _ in range(2)])
    collector = Collector([SendError("unavailable", "503")])
    with pytest.raises(SendError):
        ship(log, collector)
    state = ShipState.load(log.db)
    assert state.fault is not None
    assert (state.seq, state.fault.kind, state.fault.attempts) == (0, "unavailable", 1)
    ship(log, collector)
    assert ShipState.load(log.db).fault is None
    assert collector.seqs() == [1, 2]


def test_batches_keep_to_a_size_and_to_a_day(log: LogWorld) -> None:
    noise = "x" * 60_000
    log.add_all([log.made(payload={"text": noise}) for _ in range(40)])
    log.add(at=NOON + DAY_S)
    collector = Collector()
    ship(log, collector)
    sizes = [sum(record.size for record in request) for request in collector.requests]
    assert max(sizes) <= outbox.MOST_BYTES
    assert [len(request) for request in collector.requests] == [17, 17, 6, 1, 1]
    assert collector.seqs() == list(range(1, 42))


def test_the_end_of_an_async_run_sends_its_event_again(log: LogWorld) -> None:
    started = run("notify", "started")
    number = log.add(runs=[started])
    collector = Collector()
    ship(log, collector)
    log.end(started.replace(id=number + 1, state="ok", duration_ms=900.0), number, 0)
    ship(log, collector)
    first, second = (record for record in collector.taken if record.name == "hooktui.dispatch")
    assert first.attributes["hooktui.id"] == second.attributes["hooktui.id"]
    assert (first.seq, second.seq) == (1, 2)
    assert second.attributes["hooktui.runs"] == "notify\tok\tnone"


def test_a_record_that_joins_an_event_sends_the_whole_event_again(log: LogWorld) -> None:
    log.add_all([observed(log, "guard.sh", decision="deny", reason="no"), observed(log, "audit.sh", at=0.01)])
    collector = Collector()
    ship(log, collector)
    first, second = (record for record in collector.taken if record.name == "hooktui.dispatch")
    assert first.attributes["hooktui.id"] == second.attributes["hooktui.id"]
    assert (first.seq, second.seq) == (1, 2)
    assert second.attributes["hooktui.runs"] == "guard.sh\tok\tdeny\naudit.sh\tok\tnone"


def test_every_sequence_up_to_the_head_has_a_record(log: LogWorld) -> None:
    """So that a reader can tell a gap from a record that was never meant to be sent."""
    log.add_all([log.made() for _ in range(5)])
    retention.prune(log.db, Settings(keep_days=1), NOON + 3 * DAY_S)  # leaves a note
    log.add(at=NOON + 3 * DAY_S)
    collector = Collector()
    ship(log, collector)
    covered = {record.seq: json.loads(record.body) for record in collector.taken if record.name == "hooktui.note"}
    assert [(note["kind"], note.get("last")) for note in covered.values()] == [("lost", 4), ("lost", 5), ("pruned", None)]
    assert collector.seqs() == [7]
    assert ShipState.load(log.db).lost == 5


def test_events_that_wait_for_shipping_outlive_the_logs_limits_for_a_while(log: LogWorld, own_home: Path) -> None:
    config_file = own_home / ".config/hooktui/config.toml"
    config_file.parent.mkdir(parents=True)
    config_file.write_text("[fleet]\nendpoint = 'http://collector'\nmax_days = 10\n")
    log.add_all([log.made(at=NOON + day * DAY_S) for day in range(4)])
    month = Settings(keep_days=1)
    assert retention.prune(log.db, month, NOON + 6 * DAY_S) == []
    collector = Collector([Receipt(), SendError("unavailable", "503")])  # a batch has the events of a day
    with pytest.raises(SendError):
        ship(log, collector)
    assert [round_.events for round_ in retention.prune(log.db, month, NOON + 6 * DAY_S)] == [1]
    assert [round_.events for round_ in retention.prune(log.db, month, NOON + 12.5 * DAY_S)] == [2]
    ship(log, collector)
    assert collector.seqs() == [1, 4]
    assert ShipState.load(log.db).lost == 2


def test_events_that_are_too_old_are_counted_as_lost(log: LogWorld) -> None:
    now = ids.seconds(ids.new())
    log.add(at=now - 9 * DAY_S)
    log.add(at=now - 1 * DAY_S)
    collector = Collector()
    ship(log, collector, replace(EVERYTHING, max_days=3))
    assert collector.seqs() == [2]
    assert ShipState.load(log.db).lost == 1


def test_what_is_pruned_while_it_is_shipped_counts_as_lost(log: LogWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_CHUNK", 1)
    log.add_all([log.made(at=NOON + day * DAY_S) for day in range(4)])

    @dataclass
    class Pruned(Collector):
        def send(self, records: Sequence[FleetRecord], instance: str) -> Receipt:
            if not self.requests:
                retention.prune(log.db, Settings(keep_days=1), NOON + 3.5 * DAY_S)
            return Collector.send(self, records, instance)

    collector = Pruned()
    ship(log, collector)
    lost = [json.loads(record.body) for record in collector.taken if json.loads(record.body).get("kind") == "lost"]
    assert collector.seqs() == [1, 2, 4]  # the second was read before
    assert lost == [{"kind": "lost", "first": 3, "last": 3}]
    assert ShipState.load(log.db).lost == 1


def test_nothing_more_leaves_once_the_settings_have_changed(log: LogWorld) -> None:
    log.add_all([log.made(at=NOON + day * DAY_S) for day in range(3)])
    collector = Collector()
    Shipper(log.db, EVERYTHING, collector.send, ShipState(), is_outdated=lambda: bool(collector.requests)).ship()
    assert [record.seq for record in collector.taken] == [1]


def test_what_a_collector_rejects_for_good_is_counted_and_not_sent_again(log: LogWorld) -> None:
    log.add_all([log.made() for _ in range(3)])
    collector = Collector([Receipt(2, "no room")])
    ship(log, collector)
    state = ShipState.load(log.db)
    assert (state.seq, state.sent, state.rejected, state.rejection) == (3, 1, 2, "no room")


def test_a_record_that_is_too_large_is_cut_until_the_collector_takes_it(log: LogWorld) -> None:
    log.add()
    log.add(payload={"text": "x" * 100_000}, runs=[run(f"hook-{number}", stdout="y" * 900) for number in range(200)])
    log.add()
    collector = Collector(largest=60_000)
    ship(log, collector)
    assert collector.seqs() == [1, 2, 3]
    assert [record.trimmed for record in collector.taken[:3]] == [False, True, False]
    assert ShipState.load(log.db).seq == 3


@pytest.mark.parametrize("poison", [{3}, {1, 2}, {1, 2, 3, 4}])
def test_records_that_are_refused_alone_hold_back_no_others(log: LogWorld, poison: set[int]) -> None:
    log.add_all([log.made() for _ in range(5)])
    collector = Collector(poison=frozenset(poison))
    ship(log, collector)
    assert set(collector.seqs()) == {1, 2, 3, 4, 5} - poison
    state = ShipState.load(log.db)
    assert (state.seq, state.rejected, state.rejection, state.fault) == (5, len(poison), "400", None)


def test_a_collector_that_refuses_everything_loses_nothing(log: LogWorld) -> None:
    log.add_all([log.made() for _ in range(3)])
    with pytest.raises(SendError):
        ship(log, Collector(largest=10))
    assert ShipState.load(log.db).seq == 0


def test_one_process_at_a_time_ships_a_log(log: LogWorld) -> None:
    with shipper.locked(log.db), pytest.raises(shipper.ShipperRunningError, match=str(os.getpid())), shipper.locked(log.db):
        pass
    with shipper.locked(log.db):
        pass


def test_a_shipper_is_woken_by_those_who_write_and_not_by_its_own_reading(log: LogWorld) -> None:
    log.add()
    with closing(database.connect(log.db)), shipper.locked(log.db):  # the last close deletes the WAL
        changes = LogChanges(log.db, idle_s=0.0)
        Outbox(log.db).close()
        assert not changes.wait(None)
        log.add()
        assert changes.wait(None)


def test_a_shipper_whose_lock_was_deleted_ends(log: LogWorld) -> None:
    log.add()
    with shipper.locked(log.db):
        changes = LogChanges(log.db, idle_s=None)
        os.unlink(shipped.lock_path(log.db))
        assert not changes.wait(None)


def test_a_shipper_is_due_although_the_clock_was_wrong_at_its_last_start(tmp_path: Path) -> None:
    stamp = tmp_path / "stamp"
    stamp.touch()
    os.utime(stamp, (4e9, 4e9))
    assert upkeep.is_due(str(stamp), 30)
    assert not upkeep.is_due(str(stamp), 30)


def test_pauses_grow_to_five_minutes_and_obey_the_collector() -> None:
    assert [ship_faults.pause_s(attempts, chance=lambda: 1.0) for attempts in (1, 2, 3, 9, 500)] == [1, 2, 4, 256, 300]
    assert ship_faults.pause_s(500, chance=lambda: 0.0) == 150
    assert ship_faults.pause_s(1, asked_s=40, chance=lambda: 0.0) == 40
    assert ship_faults.pause_s(1, asked_s=1e9, chance=lambda: 0.0) == 3600


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "unauthorized"), (403, "unauthorized"), (407, "proxy"), (413, "too-large"), (429, "throttled"),
        (503, "unavailable"), (500, "unavailable"), (404, "not-a-collector"), (302, "not-a-collector"), (400, "bad-request"),
    ],
)  # fmt: skip
def test_statuses_are_told_apart(status: int, kind: str) -> None:
    assert ship_faults.of_status(status, "Reason").kind == kind
