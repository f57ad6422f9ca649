from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import programs_on_path

from .fix_project import Project
from .world import World, at_home

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    at_home(monkeypatch, str(tmp_path))
    return World(tmp_path)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    at_home(monkeypatch, str(tmp_path))
    programs_on_path.install(monkeypatch, tmp_path / "bin")
    return Project(str(tmp_path))
