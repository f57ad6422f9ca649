"""What the app's header says of the shipping."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from hooktui.fleet import ship_status
from hooktui.fleet.ship_state import ShipFault, ShipState
from tests.log_world import LogWorld

MINUTE_S, DAY_S = 60, 86_400
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
