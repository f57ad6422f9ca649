"""Fixtures of the log's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from hooktui.log.read.reader import LogReader
from tests.log_world import LogWorld


@pytest.fixture
async def reader(log: LogWorld) -> AsyncIterator[LogReader]:
    """A reader of `log`, which may still be missing."""
    reader = await LogReader.open(log.db)
    yield reader
    await reader.close()
