from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.agent import Agent
from tests.warm_runner import WarmRunner, ended


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    """An agent with a home and a project of its own."""
    agent = Agent(tmp_path)
    yield agent
    agent.end()


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[WarmRunner]:
    """A warm runner that nobody has started."""
    runner = WarmRunner(tmp_path / "warm")
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmRunner]:
    """A warm runner that serves all tests of a module that leave it as it is."""
    runner = WarmRunner(tmp_path_factory.mktemp("warm"))
    server = runner.start()
    yield runner
    server.terminate()
    assert ended(server) == 0
    runner.close()
