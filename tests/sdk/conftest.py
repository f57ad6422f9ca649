"""Tests against the real Claude Agent SDK: only by `make test-sdk`, which fetches it from PyPI and says where it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sdk.sdk_world import SdkWorld

_SDK = os.environ.get("HOOKTUI_TEST_SDK")
collect_ignore_glob = [] if _SDK else ["test_*.py"]


@pytest.fixture
def world(tmp_path: Path) -> SdkWorld:
    assert _SDK
    return SdkWorld(tmp_path, Path(_SDK))
