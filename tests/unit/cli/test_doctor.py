from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from tests.command_world import CommandWorld


def _problems(world: CommandWorld) -> dict[str, str]:
    found: dict[str, Any] = world.run("doctor", "--json", code=1).json()
    assert found["problems"] == sum(check["state"] == "problem" for check in found["checks"])
    return {check["about"]: check["detail"] for check in found["checks"] if check["state"] == "problem"}


def test_a_fresh_installation_is_healthy(world: CommandWorld) -> None:
    assert "✖" not in world.run("doctor").stdout
    assert world.run("doctor", "--json").json()["problems"] == 0


def test_an_installation_in_use_is_healthy(world: CommandWorld) -> None:
    world.hook("guard", scope="project")
    world.approve()
    world.fire()
    shown = world.run("doctor").stdout
    assert "1 event" in shown
    assert "✖" not in shown


def test_corrupt_log_is_a_problem(world: CommandWorld) -> None:
    world.db.parent.mkdir(parents=True, mode=0o700)
    world.db.write_bytes(b"no database at all" * 1000)
    world.db.chmod(0o600)
    assert "log.db" in _problems(world)["log"]
    assert "✖" in world.run("doctor", code=1).stdout


def test_newer_log_is_a_problem(world: CommandWorld) -> None:
    world.fire()
    newer = sqlite3.connect(world.stored())
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    assert "schema 99" in _problems(world)["log"]


def test_log_readable_by_others_is_a_problem(world: CommandWorld) -> None:
    world.fire()
    world.stored().chmod(0o644)
    assert "644" in _problems(world)["log"]


def test_spooled_events_are_imported_or_counted(world: CommandWorld) -> None:
    world.fire()
    busy = sqlite3.connect(world.stored(), isolation_level=None)
    busy.execute("BEGIN IMMEDIATE")
    world.fire()
    assert "1 event waits" in _problems(world)["spool"]
    busy.execute("ROLLBACK")
    busy.close()
    assert "imported into the log" in world.run("doctor").stdout


def test_spooled_events_are_counted_and_verified_as_logged_ones(world: CommandWorld) -> None:
    world.fire()
    assert "log.db: 1 event" in world.run("doctor").stdout
    world.fire()
    assert "2 records" in world.run("doctor", "--verify").stdout


def test_broken_trust_store_is_a_problem(world: CommandWorld) -> None:
    world.db.parent.mkdir(parents=True, mode=0o700)
    (world.db.parent / "trust.json").write_text("{")
    (world.db.parent / "trust.json").chmod(0o600)
    assert "nothing is approved" in _problems(world)["trust"]


def test_invalid_configuration_is_a_problem(world: CommandWorld) -> None:
    config = world.home / ".config/hooktui/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[run]\ngate_limit = -1\n")
    assert "gate_limit" in _problems(world)["configuration"]
    config.write_text("[log]\nredact = ['(']\n")
    assert "config.toml:2: [log] redact: ( is not a valid regex" in _problems(world)["configuration"]


def test_hook_root_that_is_a_file_is_a_problem(world: CommandWorld) -> None:
    (world.project / ".agents").mkdir()
    (world.project / ".agents/hooks").write_text("in the way")
    assert "is not a directory" in _problems(world)["hooks"]


@pytest.mark.parametrize("variable", [{"HOOKTUI_DB": "/proc/x/log.db"}, {"HOME": "/proc/nope"}], ids=["log", "home"])
def test_log_that_cannot_be_created_is_a_problem(world: CommandWorld, variable: dict[str, str]) -> None:
    done = world.run("doctor", "--json", code=1, **variable).json()
    (found,) = [check for check in done["checks"] if check["about"] == "log"]
    assert (found["state"], found["message"]) == ("problem", "/proc is not writable")
    assert found["detail"] == found["message"]


def test_log_can_be_created_in_the_current_directory(world: CommandWorld) -> None:
    assert "✖" not in world.run("doctor", HOOKTUI_DB="log.db").stdout
    assert not (world.project / "log.db").exists()
