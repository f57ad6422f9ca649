"""What people see of shipping without a collector: `ship --status`, `doctor`, and how to install what is missing."""

from __future__ import annotations

import shlex
import sqlite3
import sys
from contextlib import closing

import pytest

from hooktui.fleet.ship_faults import SendError
from hooktui.fleet.ship_state import ShipState
from hooktui.fleet.shipper import note_failure
from tests.command_world import CommandWorld


def configure(world: CommandWorld, text: str = "endpoint = 'http://me:secret@collector:4318'") -> None:
    world.configure(f"[fleet]\n{text}\n")
    (world.home / ".config/hooktui/config.toml").chmod(0o600)


def findings(world: CommandWorld) -> list[tuple[str, str, str]]:
    checks = world.run("doctor", "--json", code=None).json()["checks"]
    return [(check["state"], check["message"], check["remedy"]) for check in checks if check["about"] == "fleet"]


def event(world: CommandWorld) -> None:
    world.run("run", stdin={"event_type": "pre-tool-call", "session_id": "s1", "work_dir": str(world.project)}, code=None)
    world.run("log")


def test_without_a_collector_nothing_is_shipped_and_doctor_is_silent(world: CommandWorld) -> None:
    ended = world.run("ship", "--once", code=1)
    assert ended.stderr == "hooktui: no collector is configured: set `endpoint` in [fleet] of ~/.config/hooktui/config.toml\n"
    assert world.run("ship", "--status").stdout.startswith("Not shipping: no collector is configured")
    assert findings(world) == []


def test_the_command_that_installs_what_is_missing_is_told(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hooktui.fleet.otlp_sender", None)  # as where the libraries are not installed
    configure(world)
    event(world)
    message = world.run("ship", "--once", code=1).stderr.strip()
    command = shlex.split(message.rpartition("install them: ")[2])
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    assert any(word.startswith("opentelemetry-exporter-otlp-proto-common") for word in command)
    ((state, told, _),) = findings(world)
    assert (state, told.partition(";")[0]) == ("problem", "the libraries of the extra `fleet` are missing")


def test_status_and_doctor_name_the_fault_and_what_to_do(world: CommandWorld) -> None:
    configure(world)
    event(world)
    fault = SendError("unauthorized", "the collector refuses the credentials (401 Unauthorized)")
    note_failure(ShipState.load(str(world.db)), fault).save(str(world.db))
    printed = world.run("ship", "--status").stdout
    assert "To http://collector:4318/v1/logs at level metadata, manual" in printed
    assert "1 attempt, next at" in printed
    assert "(401 Unauthorized)\nFix: check `headers` in [fleet]" in printed
    ((state, message, remedy),) = findings(world)
    assert (state, remedy) == ("problem", "check `headers` in [fleet]")
    assert "1 of 1 records wait" in message
    assert "secret" not in printed + message


def test_what_waits_in_the_journal_is_counted(world: CommandWorld) -> None:
    configure(world)
    event(world)
    with closing(sqlite3.connect(world.db)) as connection:
        connection.execute("PRAGMA user_version = 999")  # a newer hooktui wrote the log: events stay in the journal
    world.fire()
    assert "2 of 2 records wait, 1 of them in the journal" in world.run("ship", "--status").stdout
    now = world.run("ship", "--status", "--json").json()
    assert (now["behind"], now["journal"]) == (2, 1)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("headers = { Authorization = 'Bearer secret' }", True),
        ("url = 'clickhouse://reader:secret@db:8123/otel'", True),
        ("level = 'full'", False),
    ],
)
def test_doctor_says_when_others_can_read_a_secret(world: CommandWorld, text: str, is_told: bool) -> None:
    configure(world, text)
    file = world.home / ".config/hooktui/config.toml"
    file.chmod(0o644)
    told = (
        "problem",
        "others can read ~/.config/hooktui/config.toml, which has a secret",
        f"run `chmod 600 {file}`",
    )
    assert (told in findings(world)) == is_told
    file.chmod(0o600)
    assert told not in findings(world)


def test_a_dry_run_needs_nothing_installed(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    configure(world)
    event(world)
    printed = world.run("ship", "--dry-run").stdout
    assert "headers: none" in printed
    assert "1 record would be sent." in printed
    assert "secret" not in printed
