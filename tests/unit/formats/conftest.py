"""Fixtures of the format tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.formats.agenthooks_world import World


@pytest.fixture
def world(tmp_path: Path, own_home: Path) -> World:
    """An empty home and an empty project, isolated from the user who runs the tests."""
    project = tmp_path / "project"
    project.mkdir()
    return World(own_home, project)
