from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.command_world import CommandWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CommandWorld]:
    made = CommandWorld(tmp_path)
    yield made
    made.end()
