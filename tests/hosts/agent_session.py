"""One run of an agent program against a scripted model."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hosts.scripted_model import ScriptedModel

_DEADLINE_S = 90


@dataclass(frozen=True, slots=True)
class Session:
    """The number of requests to the model, all the text in them, and the agent's final output for the user.

    `arrivals` are the times of the requests, in seconds of a monotonic clock.
    """

    turns: int
    heard: str
    result: str
    arrivals: tuple[float, ...]


def ended(model: ScriptedModel, result: str) -> Session:
    """The session as this model saw it."""
    return Session(len(model.requests), model.heard(), result, tuple(model.arrivals))


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
