"""The shipper as a process: it follows the log, fills gaps, survives being killed, and ends with its container."""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hooktui.log.store import shipped
from tests.command_world import DEADLINE_S, HOOKTUI, CommandWorld, Running, wait_until
from tests.fleet.receiver import Answer, Receiver
from tests.fleet.ship_world import NOWHERE, configure, log, receiver, ship, status
from tests.log_world import LogWorld

__all__ = ["log", "receiver"]

CONTAINER = ("unshare", "--map-root-user", "--pid", "--fork", "--kill-child")
PROMPTS = ("CANARY of a person", "canary of a person", "CANARY-prompt", "canary.sh", "canary\nIs $ARGUMENTS ok?")
SECRET = "ghp_" + "A1b2C3d4" * 4 + "E5f6"


def test_each_event_arrives_whenever_the_shipper_is_killed(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    """Killed at a random request, before the collector takes it or after it has answered."""
    configure(world, receiver.url, level="full")
    log.add_all([log.made(payload={"text": "x" * 100_000}) for _ in range(60)])
    chance = random.Random(7)
    processes: list[Running] = []

    def kill() -> None:
        if chance.random() < 0.3:
            processes[-1].process.kill()

    receiver.on_request = kill
    codes = set()
    for _ in range(6):
        processes.append(world.start("ship", "--once"))
        codes.add(processes[-1].process.wait(30))
    receiver.on_request = lambda: None
    assert -signal.SIGKILL in codes
    ship(world)
    arrived = receiver.of()
    assert {record.seq for record in arrived} == set(range(1, 61))
    assert len({record.key for record in arrived}) == 60
    assert len({record.resource["service.instance.id"] for record in arrived}) == 1


@contextmanager
def shipping(world: CommandWorld) -> Iterator[Running]:
    """A shipper that follows the log."""
    running = world.start("ship")
    try:
        yield running
    finally:
        running.process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_shipper_follows_the_log_until_it_is_ended(
    world: CommandWorld, log: LogWorld, receiver: Receiver, number: signal.Signals
) -> None:
    configure(world, receiver.url)
    log.add()
    with shipping(world) as running:
        wait_until(lambda: len(receiver.of()) == 1)
        log.add()
        wait_until(lambda: len(receiver.of()) == 2)
        assert f"another process ships this log: {running.process.pid}" in world.run("ship", code=1).stderr
        assert status(world)["running"]
        wait_until(lambda: status(world)["behind"] == 0)
        running.interrupt(number)
        ended = running.wait()
    assert ended.code == 0
    assert "Traceback" not in ended.stderr
    now = status(world)
    assert (now["running"], now["behind"]) == (False, 0)


def test_a_shipper_that_fails_tries_again_by_itself(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url)
    receiver.answers = [Answer(503), Answer(503)]
    log.add()
    with shipping(world):
        wait_until(lambda: len(receiver.of()) == 1)


def test_a_shipper_obeys_a_configuration_that_changes(world: CommandWorld, receiver: Receiver) -> None:
    """It may start before the first event, and follow somebody who looks for the right token."""
    configure(world, NOWHERE, level="full")
    with shipping(world):
        wait_until(lambda: status(world)["running"])
        LogWorld(str(world.db)).add(reason="CANARY")
        wait_until(lambda: status(world)["fault"])
        configure(world, receiver.url, level="metadata")
        wait_until(lambda: len(receiver.of()) == 1)
    assert b"CANARY" not in receiver.wire


def test_a_gap_is_filled_from_its_sequence_on(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url)
    log.add_all([log.made() for _ in range(5)])
    ship(world)
    world.run("ship", "--once", "--from", "4")
    assert [record.seq for record in receiver.of()] == [1, 2, 3, 4, 5, 4, 5]
    assert "--from 9: the log has the sequences 1 to 5" in world.run("ship", "--once", "--from", "9", code=2).stderr
    assert status(world)["shipped"] == 5


def test_a_running_shipper_fills_a_gap_when_it_is_asked(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    configure(world, receiver.url)
    log.add_all([log.made() for _ in range(3)])
    with shipping(world) as running:
        wait_until(lambda: len(receiver.of()) == 3)
        ended = world.run("ship", "--from", "2")
        assert [record.seq for record in receiver.of()] == [1, 2, 3, 2, 3]
        assert ended.stdout == f"Everything is sent; another process ships this log: {running.process.pid}.\n"
        assert running.process.poll() is None


def test_shipping_once_waits_for_a_shipper_that_runs(world: CommandWorld, log: LogWorld, receiver: Receiver) -> None:
    """As the last step of a container: it ends when all that was logged is sent, and reports a failure."""
    configure(world, receiver.url)
    receiver.on_request = lambda: time.sleep(0.2)
    with shipping(world) as running:
        log.add_all([log.made() for _ in range(3)])
        world.fire()  # waits in the journal
        ship(world)
        assert {record.seq for record in receiver.of()} == {1, 2, 3, 4}
        receiver.answers = [Answer(401)] * 5
        log.add()
        assert "refuses the credentials" in ship(world, code=1)
        receiver.answers = []
        running.process.kill()
    ship(world)
    assert {record.seq for record in receiver.of()} == {1, 2, 3, 4, 5}


def test_an_agents_event_is_shipped_by_itself(world: CommandWorld, receiver: Receiver) -> None:
    configure(world, receiver.url, ship="auto")
    event = {"session_id": "s1", "work_dir": str(world.project), "event_type": "pre-tool-call", "tool_name": "Shell"}
    stolen = {"OTEL_EXPORTER_OTLP_HEADERS": "authorization=stolen", "OTEL_RESOURCE_ATTRIBUTES": "team=stolen"}
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OTEL_EXPORTER_OTLP_ENDPOINT"), NOWHERE)
    authorities = dict.fromkeys(("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"), "/nowhere/ca.pem")
    world.run("run", stdin=event, code=None, **stolen, **proxies, **authorities)
    try:
        wait_until(lambda: len(receiver.of()) == 1)
        world.run("run", stdin=event, code=None)
        wait_until(lambda: len(receiver.of()) == 2)
        assert b"stolen" not in receiver.wire
    finally:
        os.kill(shipper_of(world), signal.SIGTERM)


@pytest.mark.skipif(subprocess.run([*CONTAINER, "true"], check=False).returncode != 0, reason="namespaces are not allowed")
@pytest.mark.parametrize("ship", ["auto", "manual"])
def test_a_container_that_ends_with_ship_once_has_sent_everything(world: CommandWorld, receiver: Receiver, ship: str) -> None:
    """Its other processes are killed when the first one ends."""
    configure(world, receiver.url, ship=ship)
    event = {"session_id": "s1", "work_dir": str(world.project), "event_type": "pre-tool-call", "tool_name": "Shell"}
    hooktui = shlex.join(HOOKTUI)
    steps = "; ".join([f"{hooktui} run <event.json"] * 3) + f"; {hooktui} ship --once"
    (world.project / "event.json").write_text(json.dumps(event))
    subprocess.run([*CONTAINER, "sh", "-c", steps], env=world.environment, cwd=world.project, check=True, timeout=DEADLINE_S)
    assert {record.seq for record in receiver.of()} == {1, 2, 3}


@pytest.mark.parametrize("command", [("ship", "--status"), ("doctor",)])
def test_a_command_that_looks_replaces_a_killed_shipper(
    world: CommandWorld, receiver: Receiver, command: tuple[str, ...]
) -> None:
    configure(world, receiver.url, ship="auto")
    world.fire()
    wait_until(lambda: len(receiver.of()) == 1)
    os.kill(shipper_of(world), signal.SIGKILL)
    wait_until(lambda: not shipped.is_running(str(world.db)))
    world.fire()
    said: list[str] = []

    def look() -> bool:
        said.append(world.run(*command, code=None).stdout)
        return len({record.key for record in receiver.of()}) == 2  # the first may have come twice

    try:
        wait_until(look)
        assert "shipper was started" in said[0]
    finally:
        os.kill(shipper_of(world), signal.SIGTERM)


def shipper_of(world: CommandWorld) -> int:
    """The process that ships the world's log."""
    return int((world.db.parent / "log.db.shipper").read_text())
