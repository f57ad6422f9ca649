"""Fixtures for stack tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hooktui.stack import Recorder
from tests.unit.stack.call_log import Log


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "log.db")


@pytest.fixture
def recorder(db: str, tmp_path: Path) -> Iterator[Recorder]:
    with Recorder("session-1", str(tmp_path), db) as recorder:
        yield recorder


@pytest.fixture
def log() -> Log:
    return Log()
