"""The world of the format tests, with a PATH of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import programs_on_path
from tests.unit.formats.conftest import world

__all__ = ["world"]


@pytest.fixture(autouse=True)
def _usual_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs_on_path.install(monkeypatch, tmp_path / "usual-programs")
