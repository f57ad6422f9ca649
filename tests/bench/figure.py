"""What a measurement gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


def peak_mb() -> float:
    """What this process held at most, in megabytes; `getrusage` would count what its parent held before."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number, what it must not exceed, and what it was made of."""

    value: float
    goal: float
    unit: str
    detail: str = ""
