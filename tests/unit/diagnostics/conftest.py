"""The world of the format tests, with a PATH of its own."""

from __future__ import annotations

import pytest

from tests.unit.formats.conftest import world

__all__ = ["world"]


@pytest.fixture(autouse=True)
def _usual_path(monkeypatch: pytest.MonkeyPatch, usual_programs: str) -> None:
    monkeypatch.setenv("PATH", usual_programs)
