"""Real commands in a world of their own, instead of the format tests' world one folder up."""

from __future__ import annotations

from tests.conftest import world

__all__ = ["world"]
