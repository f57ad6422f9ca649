"""A fleet under load: what a thousand machines ship at the same time is all there, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fleet.load import arrive
from tests.fleet.load_generator import MACHINES

if TYPE_CHECKING:
    from tests.fleet.world import EngineProcess

RATE, SECONDS = 2000, 10


async def test_what_a_thousand_machines_ship_is_stored_and_found_once(engine: EngineProcess) -> None:
    arrival = await arrive(engine, RATE, SECONDS)
    assert (arrival.sent.taken, arrival.sent.refused) == (RATE * SECONDS, 0)
    # A collector whose insert takes too long repeats it, so records may be there twice: readers count each event once.
    assert (arrival.events, arrival.counted, arrival.counted_by_machine) == (RATE * SECONDS,) * 3
    assert (arrival.machines, arrival.lost) == (MACHINES, 0)
    assert len(arrival.waits_s) == RATE * SECONDS // 100
