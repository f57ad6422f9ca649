"""The position of a shipper survives damage, a full disk and replaced logs; the app's header tells it."""

from __future__ import annotations

import errno
import json
import os
import time
from dataclasses import replace
from glob import glob
from pathlib import Path

import pytest

from hooktui.core import atomic_write, paths
from hooktui.fleet import ship_state, ship_status
from hooktui.fleet.ship_faults import SendError
from hooktui.fleet.ship_state import ShipFault, ShipState
from hooktui.fleet.shipper import Shipper
from tests.log_world import NOON, LogWorld
from tests.unit.fleet.test_shipper import DAY_S, EVERYTHING, Collector, ship


def test_another_log_in_the_place_of_the_shipped_one_is_another_instance(log: LogWorld) -> None:
    log.add_all([log.made() for _ in range(3)])
    ship(log, Collector())
    before = ShipState.load(log.db)
    for path in glob(f"{log.db}*"):
        if not path.endswith(".shipped"):
            os.unlink(path)
    log.add()
    collector = Collector()
    assert ship(log, collector) == 1
    assert collector.seqs() == [1]
    assert collector.instances == {ShipState.load(log.db).instance} != {before.instance}


def test_a_log_that_was_copied_to_another_machine_is_another_instance_there(
    log: LogWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on from the copied position: what was before is in the fleet already."""
    monkeypatch.setattr(ship_state, "MACHINE_ID", str(tmp_path / "machine-id"))
    collector = Collector()
    log.add()
    ship(log, collector)
    for machine in ("a", "a", "b", "b"):
        (tmp_path / "machine-id").write_text(machine)
        log.add()
        ship(log, collector)
    assert collector.seqs() == [1, 2, 3, 4, 5]
    assert len(collector.instances) == 2


@pytest.mark.parametrize(
    "damage",
    [
        {"seq": "2"}, {"seq": None}, {"seq": -5}, {"seq": 10**30}, {"sent": "many"}, {"hash": 5},
        {"fault": 7}, {"fault": {"kind": "x"}}, {"fault": {"kind": "x", "message": "", "since": 1, "later": 2}, "later": 1},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_a_damaged_position_keeps_the_instance_and_loses_nothing(log: LogWorld, damage: dict[str, object]) -> None:
    log.add_all([log.made() for _ in range(2)])
    collector = Collector()
    ship(log, collector)
    values = ShipState.load(log.db).as_json()
    Path(paths.ship_state(log.db)).write_text(json.dumps({**values, **damage}))
    log.add()
    ship(log, collector)
    assert set(collector.seqs()) == {1, 2, 3}
    assert collector.instances == {values["instance"]}
    assert ShipState.load(log.db).fault is None


def test_a_position_without_a_secret_gets_a_new_one(log: LogWorld) -> None:
    Path(paths.ship_state(log.db)).write_text(json.dumps({"instance": "", "salt": ""}))
    state = ShipState.load(log.db)
    assert state.instance
    assert state.salt


def test_nothing_is_sent_again_while_the_position_cannot_be_saved(log: LogWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    log.add_all([log.made(at=NOON + day * DAY_S) for day in range(2)])  # a batch has the events of a day
    collector = Collector()
    again = Shipper(log.db, EVERYTHING, collector.send, ShipState.load(log.db))

    def full(_target: str, _content: bytes, _mode: int) -> None:
        if collector.requests:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(atomic_write, "write", full)
        for _ in range(3):
            with pytest.raises(SendError, match="the position cannot be saved: No space left on device"):
                again.ship()
    again.ship()
    assert collector.seqs() == [1, 2]
    assert ShipState.load(log.db).fault is None


MINUTE_S = 60
FAULT = "fleet: collector unreachable"


@pytest.mark.parametrize(
    ("ship", "waits_s", "retry_in_s", "headline"),
    [
        ("auto", 5 * MINUTE_S, None, ""),
        ("auto", 15 * MINUTE_S, None, "fleet: 1 behind"),
        ("manual", DAY_S, None, ""),
        ("manual", 3 * DAY_S, None, "fleet: 1 behind"),
        ("manual", MINUTE_S, 100, FAULT),
        ("manual", DAY_S, -DAY_S, ""),
        ("manual", 3 * DAY_S, -DAY_S, FAULT),
        ("auto", 15 * MINUTE_S, -DAY_S, FAULT),
    ],
)
def test_the_header_tells_what_is_late_or_fails_now(
    log: LogWorld, own_home: Path, ship: str, waits_s: int, retry_in_s: int | None, headline: str
) -> None:
    (own_home / ".config/hooktui").mkdir(parents=True)
    (own_home / ".config/hooktui/config.toml").write_text(f"[fleet]\nendpoint = 'http://collector'\nship = '{ship}'\n")
    now = time.time()
    log.add(at=now - waits_s)
    fault = None if retry_in_s is None else ShipFault("no-route", "nobody answers", now - DAY_S, 1, now + retry_in_s)
    replace(ShipState(), fault=fault).save(log.db)
    assert ship_status.headline(log.db) == headline
