from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .world import World, a_world

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def world() -> Iterator[World]:
    with a_world() as one:
        yield one
