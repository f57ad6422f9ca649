"""Tests against the real programs: only by `make test-hosts`, which fetches them from npm and says where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hosts.claude_code import ClaudeWorld

_PROGRAM = os.environ.get("HOOKTUI_TEST_CLAUDE")
collect_ignore_glob = [] if _PROGRAM else ["test_*.py"]


@pytest.fixture
def world(tmp_path: Path) -> ClaudeWorld:
    assert _PROGRAM
    return ClaudeWorld(tmp_path, Path(_PROGRAM))
