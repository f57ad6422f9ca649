from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.agent import Agent
from tests.warm_runner import WarmRunner


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
