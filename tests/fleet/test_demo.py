"""The machines of `make demo-fleet` keep working while the app is open."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hooktui.fleet.fleet_settings import FleetSettings
from hooktui.fleet.otlp_sender import OtlpSender
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from tests.command_world import wait_until
from tests.fleet import demo
from tests.fleet.receiver import Receiver
from tests.fleet.simulated_machines import Machine
from tests.log_world import LogWorld, run


async def test_simulated_machines_send_events_while_the_app_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_PAUSE_S", 0.01)
    log = LogWorld(str(tmp_path / "log.db"))
    log.add(tool="Shell", runs=[run("format-py")])
    reader = await LogReader.open(log.db)
    played = await reader.reports(await reader.newest(parse("")))
    await reader.close()
    machines, stop = [Machine(1, played, "/home/dev", time.time())], threading.Event()
    with Receiver() as receiver, ThreadPoolExecutor(max_workers=1) as pool:
        sender = OtlpSender(FleetSettings(f"{receiver.url}/v1/logs"))
        working = pool.submit(demo._keep_working, machines, sender, stop)
        try:
            wait_until(lambda: working.done() or receiver.of())
        finally:
            stop.set()
            working.result()
            sender.close()
    assert {record.resource["host.name"] for record in receiver.of()} == {"dev-01"}
