from __future__ import annotations

from tests.unit.changing.conftest import world

__all__ = ["world"]
