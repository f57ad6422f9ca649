"""The results of measurements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


def peak_mb() -> float:
    """The peak memory of this process in megabytes; `getrusage` would include its parent's before the fork."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number, its limit, and the samples it was computed from. `part` tells figures of one name apart."""

    value: float
    goal: float
    unit: str
    detail: str = ""
    part: str = ""

    @property
    def is_good(self) -> bool:
        return self.value <= self.goal
