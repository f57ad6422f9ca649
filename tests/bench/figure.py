"""What a measurement gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number, what it must not exceed, and what it was made of."""

    value: float
    goal: float
    unit: str
    detail: str = ""
