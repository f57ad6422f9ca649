from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import forked_python

from .fix_project import Project
from .world import World, at_home


@pytest.fixture(scope="package", autouse=True)
def _forked_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    directory, python = tmp_path_factory.mktemp("python"), shutil.which("python3")
    assert python
    with forked_python.serving(directory, python), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(directory), prepend=os.pathsep)
        yield


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    at_home(monkeypatch, str(tmp_path))
    world = World(tmp_path)
    monkeypatch.chdir(world.project)  # as an agent's; a process that runs elsewhere has to be forked, which copies this one
    return world


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usual_programs: str) -> Project:
    at_home(monkeypatch, str(tmp_path))
    monkeypatch.setenv("PATH", usual_programs)
    return Project(str(tmp_path))
