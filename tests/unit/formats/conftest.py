"""Fixtures of the format tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.formats.agenthooks_world import World

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path, own_home: Path) -> World:
    """An empty home and an empty project, isolated from the user who runs the tests."""
    project = tmp_path / "project"
    project.mkdir()
    return World(own_home, project)
