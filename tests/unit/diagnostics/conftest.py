"""The world of the format tests."""

from __future__ import annotations

from tests.unit.formats.conftest import world

__all__ = ["world"]
