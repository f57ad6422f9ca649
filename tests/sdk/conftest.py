"""Tests against the real Claude Agent SDK: run only by `make test-sdk`, which installs it from PyPI."""

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
