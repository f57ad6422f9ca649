"""A machine whose log is shipped to a receiver of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.command_world import CommandWorld
from tests.fleet.receiver import Receiver
from tests.log_world import LogWorld

NOWHERE = "http://127.0.0.1:9"  # the port of "discard", where nobody listens


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def log(world: CommandWorld) -> LogWorld:
    """The log of the world's user."""
    world.db.parent.mkdir(parents=True)
    return LogWorld(str(world.db))


def configure(world: CommandWorld, endpoint: str, **values: str) -> None:
    """Configure a collector; events of any age are shipped, for those of `log` are old."""
    directory = world.home / ".config/hooktui"
    directory.mkdir(parents=True, exist_ok=True)
    lines = [f"{name} = '{value}'" for name, value in {"endpoint": endpoint, **values}.items()]
    (directory / "config.toml").write_text("\n".join(["[fleet]", "max_days = 0", *lines, ""]))


def status(world: CommandWorld) -> dict[str, Any]:
    answer: dict[str, Any] = world.run("ship", "--status", "--json").json()
    return answer


def ship(world: CommandWorld, code: int = 0, **env: str) -> str:
    """Ship once; what it says."""
    ended = world.run("ship", "--once", code=code, **env)
    return ended.stdout + ended.stderr
