"""One run of an agent program against a scripted model."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_DEADLINE_S = 90


@dataclass(frozen=True, slots=True)
class Session:
    """The number of requests to the model, all the text in them, and what the agent told the person in the end."""

    turns: int
    heard: str
    result: str


def play(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run an agent program to its end, without a terminal."""
    return subprocess.run(
        command,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_DEADLINE_S,
        check=False,
    )
