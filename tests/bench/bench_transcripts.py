"""Reading the transcripts of Claude Code, beside a Python loop over the same lines."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.bench.figure import Figure
from tests.command_world import CommandWorld

_SESSIONS, _CALLS = 100, 100
_OUTPUT = 2_300  # bytes of a tool's output, which a line holds twice
_WORDS = ("the", "parser", "reads", "token", "and", "returns", "it", "if", "rule", "does", "not", "match:", "every", "branch")
_LOOPS = 5


class _Cost(NamedTuple):
    cpu_s: float
    wall_s: float
    peak_mb: float


def reading(world: CommandWorld) -> tuple[Figure, Figure, Figure]:
    """Store everything that a tree of transcripts holds, then look again for what is new."""
    megabytes = write_tree(world, _SESSIONS)
    files = sorted(_tree(world).iterdir())
    loop_s, json_s = (min(_loop(files, read) for _ in range(_LOOPS)) for read in (_bytes, _json))
    first = _import(world)
    words = _measure(world, "hooktui.log.store.index_queue", str(world.db))  # beside the one that the import started
    again = _import(world)
    # Starting Python is left out: it is the same for a tree of any size.
    cpu_s = first.cpu_s - again.cpu_s
    loops = f"{cpu_s / loop_s:.0f} x a loop over the lines, {cpu_s / json_s:.1f} x one that also decodes them"
    detail = (
        f"of {megabytes:.0f} MB, {_SESSIONS} sessions, {_SESSIONS * _CALLS:,} calls, read in {first.cpu_s:.2f} s CPU, "
        f"{first.wall_s:.2f} s, words {words.wall_s:.1f} s later; {loops}"
    )
    return (
        Figure(cpu_s / megabytes * 1000, 30, "s", f"CPU for 1 GB, by one {detail}", part="store"),
        Figure(first.peak_mb, 200, "MB", "peak", part="memory"),
        Figure(again.wall_s * 1000, 200, "ms", "nothing new, Python's start included", part="again"),
    )


def write_tree(world: CommandWorld, sessions: int) -> float:
    """Write transcripts of Claude Code; their megabytes."""
    tree = _tree(world)
    return sum(_write(tree / f"{number:08}-0000-4000-8000-000000000000.jsonl", number) for number in range(sessions)) / 1e6


def _tree(world: CommandWorld) -> Path:
    return world.home / ".claude/projects/-home-me-app"


def _loop(files: list[Path], read: Callable[[Path], int]) -> float:
    """The processor's seconds of a loop that reads all lines."""
    began = time.process_time()
    assert sum(map(read, files))
    return time.process_time() - began


def _bytes(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(line) for line in file)


def _json(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(json.loads(line)) for line in file)


# Linux counts the memory of a process before `exec` too, so a small one starts the import.
_MEASURED = """
import resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss / 1024)
"""


def _import(world: CommandWorld) -> _Cost:
    return _measure(world, "hooktui", "import", "claude", "--since", "all", "--json")


def _measure(world: CommandWorld, *module: str) -> _Cost:
    """Run a module with arguments."""
    command = [sys.executable, "-I", "-c", _MEASURED, sys.executable, "-I", "-m", *module]
    done = subprocess.run(command, env=world.environment, cwd=world.project, capture_output=True, text=True, check=True)
    return _Cost(*map(float, done.stdout.split()))


def _write(path: Path, number: int) -> int:
    """Write a session; its size in bytes."""
    chance = random.Random(number)
    path.parent.mkdir(parents=True, exist_ok=True)
    common = {"sessionId": path.stem, "cwd": "/home/me/app", "version": "2.1.197", "gitBranch": "main", "userType": "external"}
    seconds, parent = number * 3600, None
    with path.open("w", encoding="utf-8") as file:
        for call in range(_CALLS):
            for kind, more in _records(chance, f"toolu_{number:06}{call:06}"):
                seconds += 1
                own = f"{number:08}-{seconds:012}"
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_768_000_000 + seconds))
                record = {
                    "parentUuid": parent,
                    "isSidechain": False,
                    **common,
                    "type": kind,
                    **more,
                    "uuid": own,
                    "timestamp": stamp,
                }
                file.write(json.dumps(record) + "\n")
                parent = own
    return path.stat().st_size


def _records(chance: random.Random, call: str) -> list[tuple[str, dict[str, object]]]:
    """A tool call and its result."""
    command = f"pytest -q tests/test_{chance.randrange(400)}.py"
    output = " ".join(chance.choices(_WORDS, k=_OUTPUT // 5))[:_OUTPUT]
    use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command, "description": "Run a test"}}
    result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": False}
    return [
        ("assistant", {"message": {"id": f"msg_{call}", "type": "message", "role": "assistant", "content": [use]}}),
        ("user", {"message": {"role": "user", "content": [result]}, "toolUseResult": {"stdout": output, "stderr": ""}}),
    ]
