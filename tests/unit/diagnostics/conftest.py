"""The world of the format tests, with a PATH of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import programs_on_path
from tests.unit.formats.conftest import world

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["world"]


@pytest.fixture(autouse=True)
def _usual_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs_on_path.install(monkeypatch, tmp_path / "usual-programs")
