from __future__ import annotations

from pathlib import Path

import pytest

from tests import programs_on_path

from .fix_project import Project
from .world import World, at_home


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    at_home(monkeypatch, str(tmp_path))
    return World(tmp_path)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    at_home(monkeypatch, str(tmp_path))
    programs_on_path.install(monkeypatch, tmp_path / "bin")
    return Project(str(tmp_path))
