"""Tests against the real programs: only by `make test-hosts`, for they fetch them from npm."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.hosts.claude_code import ClaudeWorld, install

if TYPE_CHECKING:
    from pathlib import Path

collect_ignore_glob = [] if os.environ.get("HOOKTUI_TEST_HOSTS") else ["test_*.py"]


@pytest.fixture(scope="session")
def claude_code() -> Path:
    """The program; without npm there is nothing to test, which must not go unnoticed in continuous integration."""
    if shutil.which("npm") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("npm is not installed: it fetches Claude Code")
    return install()


@pytest.fixture
def world(tmp_path: Path, claude_code: Path) -> ClaudeWorld:
    return ClaudeWorld(tmp_path, claude_code)
