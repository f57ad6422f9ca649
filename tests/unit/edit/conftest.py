from __future__ import annotations

from pathlib import Path

import pytest

from .fix_project import Project
from .world import World, at_home


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    at_home(monkeypatch, str(tmp_path))
    return World(tmp_path)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usual_programs: str) -> Project:
    at_home(monkeypatch, str(tmp_path))
    monkeypatch.setenv("PATH", usual_programs)
    return Project(str(tmp_path))
