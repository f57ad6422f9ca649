"""The time that the warm runner adds to a hook, which its client and the launcher are part of."""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from hooktui.cli import warm_client
from tests.bench.figure import Figure
from tests.command_world import CommandWorld

_ROUNDS = 60
_BURSTS, _AT_ONCE = 20, 10


def alone(world: CommandWorld) -> Figure | None:
    """One event at a time, 1 of 20 hooks, recorded, beyond the same hook run by itself. None without a C compiler."""
    try:
        launcher, hook = _started(world)
        taken = [(_timed(world, [launcher, "agenthooks"]), _timed(world, [hook])) for _ in range(_ROUNDS + 1)]
    except warm_client.CompileError:
        return None
    finally:
        _warm(world, "stop")
    ours, bare = (statistics.median(column) for column in zip(*taken[1:], strict=True))
    return Figure(ours - bare, 5, "ms", f"warm runner {ours:.1f} ms, the hook itself {bare:.1f} ms")


def together(world: CommandWorld) -> Figure | None:
    """Ten events at once. None without a C compiler."""
    try:
        launcher, hook = _started(world)
        bursts = [[launcher, "agenthooks"]] * _AT_ONCE, [[hook]] * _AT_ONCE
        taken = [tuple(_timed(world, *burst) for burst in bursts) for _ in range(_BURSTS + 1)]
    except warm_client.CompileError:
        return None
    finally:
        _warm(world, "stop")
    ours, bare = (statistics.median(column) for column in zip(*taken[1:], strict=True))
    return Figure(ours, 50, "ms", f"{_AT_ONCE} events at once; the hooks themselves {bare:.1f} ms")


def _started(world: CommandWorld) -> tuple[str, str]:
    """Start the warm runner on 20 hooks; the launcher, and the script of the one that matches. Raises CompileError."""
    warm_client.compile_to(str(world.home / "client"))
    script = world.hook("noop", matcher={"tool": "^Shell$"}) / "scripts/run"
    for number in range(19):
        world.hook(f"other-{number}", matcher={"tool": f"^Tool{number}$"})
    _runtime(world).mkdir(mode=0o700)
    _warm(world, "start")
    return str(world.home / ".local/share/hooktui/hook"), str(script)


def _timed(world: CommandWorld, *commands: Sequence[str]) -> float:
    """Milliseconds until commands that start at once have ended."""
    event = {"event_type": "pre-tool-call", "session_id": "s", "work_dir": str(world.project), "tool_name": "Shell"}
    payload = world.home / "event.json"
    payload.write_text(json.dumps({**event, "tool_input": {"command": "ls -la"}}))
    env = {**world.environment, "XDG_RUNTIME_DIR": str(_runtime(world))}
    with contextlib.ExitStack() as files:
        stdin = [files.enter_context(payload.open("rb")) for _ in commands]
        started = time.perf_counter()
        processes = [
            subprocess.Popen(command, stdin=file, stdout=subprocess.DEVNULL, env=env, cwd=world.project)
            for command, file in zip(commands, stdin, strict=True)
        ]
        codes = [process.wait() for process in processes]
        milliseconds = (time.perf_counter() - started) * 1000
    assert not any(codes)
    return milliseconds


def _runtime(world: CommandWorld) -> Path:
    return world.home / "run"


def _warm(world: CommandWorld, command: str) -> None:
    world.run("warm", command, XDG_RUNTIME_DIR=str(_runtime(world)))
