from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.faults.agent import Agent

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent with a home and a project of its own."""
    return Agent(tmp_path)
