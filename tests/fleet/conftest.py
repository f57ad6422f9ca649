"""Tests with a real collector and a real engine: run only by `make test-fleet`, which installs them from PyPI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fleet.world import EngineProcess

collect_ignore_glob = [] if os.environ.get("HOOKTUI_TEST_FLEET") else ["test_*.py"]


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """The engine, for all tests of a worker: each makes its own tables."""
    from tests.fleet.world import EngineProcess

    process = EngineProcess(tmp_path_factory.mktemp("engine"))
    yield process
    process.close()
