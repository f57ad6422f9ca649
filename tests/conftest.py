"""Fixtures that all tests share."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from hooktui import hosts
from tests import forked_workers, programs_on_path
from tests.command_world import CommandWorld
from tests.log_world import LogWorld

# A shell that runs the tests in the background makes them ignore ctrl+c, and so would the processes they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hooks begin with `env python3`. The one of this machine may be the shim of a version manager, or load what its packages start.
_PYTHON = tempfile.TemporaryDirectory(prefix="hooktui-python-")
programs_on_path.add_bare_python(_PYTHON.name)
os.environ["PATH"] = os.pathsep.join((_PYTHON.name, os.path.dirname(os.path.realpath(sys.executable)), os.environ["PATH"]))
# The agent programs of this machine's user; tests that want one install it.
_PATH = tempfile.TemporaryDirectory(prefix="hooktui-path-")
_AGENTS = {name for host in hosts.specs() for name in host.programs}
os.environ["PATH"] = programs_on_path.hide(os.environ["PATH"], _AGENTS, _PATH.name)

# Property tests measure nothing, so a busy machine must not fail them. The same commit gives the same few examples;
# `make fuzz` looks for new ones.
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=10)
settings.register_profile("fuzz", deadline=None, max_examples=2_000)
settings.load_profile("thorough")
# Objects that a collection of the youngest visits, and how many collections of each age the next one takes. The last bounds
# what a worker keeps of ended apps.
gc.set_threshold(50_000, 10, 10)


def pytest_collection_finish() -> None:
    """Freeze the tests, or each collection of all objects would visit them, too."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _forked_workers() -> Iterator[None]:
    with forked_workers.forking():
        yield


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CommandWorld]:
    """A home and a project for real commands."""
    world = CommandWorld(tmp_path)
    yield world
    world.end()


@pytest.fixture
def log(tmp_path: Path) -> LogWorld:
    """A log of its own, written by the real writer."""
    return LogWorld(str(tmp_path / "log.db"))


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give this process an empty home, so that the engine reads and writes below `tmp_path` only."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "HOOKTUI_"))]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture(scope="session")
def usual_programs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH without agent programs."""
    return programs_on_path.link(tmp_path_factory.mktemp("usual") / "bin")


@pytest.fixture
def here(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> CommandWorld:
    """The world, with this process in its environment as an app would be."""
    for name, value in world.environment.items():
        monkeypatch.setenv(name, value)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "HOOKTUI_DB"):
        monkeypatch.delenv(name, raising=False)
    return world
