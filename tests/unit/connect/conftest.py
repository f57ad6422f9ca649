from __future__ import annotations

from collections.abc import Iterator

import pytest

from .world import World, a_world


@pytest.fixture
def world() -> Iterator[World]:
    with a_world() as one:
        yield one
