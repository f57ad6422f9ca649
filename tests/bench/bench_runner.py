"""What an event costs an agent: the commands that `hooktui connect` writes, beside other ways to write a hook.

All are measured in turns. Ratios are to `python -I -c pass` of the same environment.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hooktui.core import ids
from hooktui.log.store import database, import_journal, storing
from hooktui.runner.journal import spool
from hooktui.runner.journal.entry import DispatchEntry
from hooktui.runner.journal.recorder import SpoolRecorder
from tests.bench.figure import Figure
from tests.command_world import CommandWorld
from tests.log_world import LogWorld
from tests.log_world import run as run_of

_ROUNDS = 40
_AGENTS, _EVENTS = 50, 10
_DISPATCHES = 100
_BARE = "python -I -c pass"
_NO_OP = "#!/bin/sh\n"
_JQ = "jq -r .tool_input.command | grep -q 'rm -rf' && exit 2; exit 0"
_PYTHON = "import json, sys; sys.exit(2 * ('rm -rf' in json.load(sys.stdin)['tool_input']['command']))"
_NODE = "process.exit(JSON.parse(require('fs').readFileSync(0)).tool_input.command.includes('rm -rf') ? 2 : 0)"
_PEERS = {
    "sh no-op": ("/bin/sh", "-c", ":"),
    "bash + jq": ("bash", "-c", _JQ),
    "python3 + json": (getattr(sys, "_base_executable", sys.executable), "-c", _PYTHON),
    "node": ("node", "-e", _NODE),
    "uv run --script": ("uv", "run", "--quiet", "--offline", "--script", "{script}"),
}
_SCRIPT = "# /// script\n# dependencies = []\n# ///\nimport json, sys\njson.load(sys.stdin)\n"


class Cost(NamedTuple):
    """Milliseconds of a command: elapsed, and of the processor, its children included."""

    wall: list[float]
    cpu: list[float]

    def add(self, taken: tuple[float, float]) -> None:
        self.wall.append(taken[0])
        self.cpu.append(taken[1])

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.wall, n=20)[-1]

    def over(self, bare: Cost) -> tuple[float, float]:
        """The ratios of the medians, wall and CPU."""
        return (
            statistics.median(self.wall) / statistics.median(bare.wall),
            statistics.median(self.cpu) / statistics.median(bare.cpu),
        )

    def __str__(self) -> str:
        return f"{statistics.median(self.wall):.1f} ms (p95 {self.p95:.1f}, CPU {statistics.median(self.cpu):.1f})"


def one_of_20(_world: CommandWorld) -> Sequence[Figure]:
    """One no-op hook of 20 matches, by patterns like `^Bash$`, everything recorded."""
    ours = _costs()["1 of 20"]
    tail = Figure(ours.p95 / statistics.median(ours.wall), 1.5, "x", "p95 to median", part="p95")
    return *_ratios("1 of 20", 1.7, f"; {_peers()}"), tail


def one_of_1000(_world: CommandWorld) -> Sequence[Figure]:
    """One no-op hook of 1,000 matches."""
    return _ratios("1 of 1,000", 2.5)


def all_of_20(_world: CommandWorld) -> Sequence[Figure]:
    """20 no-op hooks match and run."""
    return _ratios("20 of 20", 3.5)


def observed(_world: CommandWorld) -> Sequence[Figure]:
    """An observed command of the host that does nothing."""
    return _ratios("exec", 1.4)


def _ratios(name: str, goal: float, more: str = "") -> tuple[Figure, Figure]:
    ours, bare = _costs()[name], _costs()[_BARE]
    wall, cpu = ours.over(bare)
    return Figure(wall, goal, "x", f"{ours}; {_BARE} {bare}{more}", part="wall"), Figure(cpu, goal, "x", part="CPU")


def _peers() -> str:
    """The other ways to write a hook, as ratios of wall and CPU."""
    costs = _costs()
    ratios = {name: costs[name].over(costs[_BARE]) if name in costs else None for name in _PEERS}
    return "beside: " + ", ".join(
        f"{name} {ratio[0]:.2f} / {ratio[1]:.2f}" if ratio else f"{name} is not installed" for name, ratio in ratios.items()
    )


@cache
def _costs() -> Mapping[str, Cost]:
    """The costs of all commands, from rounds in which each runs once; the first round warms up and does not count."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
        commands = dict(_commands(Path(root)))
        costs = {name: Cost([], []) for name in commands}
        for number in range(_ROUNDS + 1):
            for name, (world, command) in commands.items():
                taken = _timed(world, command)
                if number:
                    costs[name].add(taken)
    return costs


def _commands(root: Path) -> Iterator[tuple[str, tuple[CommandWorld, Sequence[str]]]]:
    worlds = {name: _world(root, name, *counts) for name, counts in _HOOKS.items()}
    one = worlds["1 of 20"]
    yield _BARE, (one, (sys.executable, "-I", "-c", "pass"))
    for name, world in worlds.items():
        yield name, (world, (str(launcher(world)), "claude"))
    yield "exec", (one, (str(launcher(one)), "claude", "--", "/bin/sh", "-c", ":"))
    script = root / "script.py"
    script.write_text(_SCRIPT)
    for name, command in _PEERS.items():
        if shutil.which(command[0]):
            yield name, (one, [part.replace("{script}", str(script)) for part in command])


_HOOKS = {"1 of 20": (1, 19), "1 of 1,000": (1, 999), "20 of 20": (20, 0)}  # those that match and those that do not


def _world(root: Path, name: str, matching: int, others: int) -> CommandWorld:
    """A connected project with user hooks; its index is up to date."""
    (root / name).mkdir()
    world = CommandWorld(root / name)
    for number in range(matching + others):
        tool = "^Bash$" if number < matching else f"^Tool{number}$"
        world.hook(f"hook-{number}", _NO_OP, matcher={"tool": tool})
    world.run("connect", "claude", "--scope", "project", "--yes")
    time.sleep(0.1)  # the index trusts only sources that have not just changed
    _timed(world, (str(launcher(world)), "claude"))
    (report,) = [json.loads(line) for line in world.run("log", "--json").stdout.splitlines()]
    assert sum(hook["state"] == "ok" for hook in report["hooks"]) == matching
    return world


def launcher(world: CommandWorld) -> Path:
    """The program that a connection calls."""
    return world.home / ".local/share/hooktui/hook"


def payload(world: CommandWorld) -> bytes:
    """What Claude Code sends before it runs a command."""
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(world.project), "tool_name": "Bash"}
    return json.dumps({**event, "tool_input": {"command": "ls -la", "description": "x" * 800}}).encode()


def _timed(world: CommandWorld, command: Sequence[str]) -> tuple[float, float]:
    """Milliseconds that one event takes, elapsed and of the processor."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(payload(world))
        stdin.seek(0)
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=world.environment,
            cwd=world.project,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (command, process.returncode)
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def disk(world: CommandWorld) -> Sequence[Figure]:
    """The growth of the log by one event, everything included, with hooks considered that do not match."""
    return _on_disk(world, 20, 2.5), _on_disk(world, 1000, 4.0)


def _on_disk(world: CommandWorld, hooks: int, goal: float) -> Figure:
    """The size of events in the log that are alike but for their IDs, with payloads of 1 KB."""
    connected = _world(world.home, f"disk-{hooks}", 1, hooks - 1)
    _timed(connected, (str(launcher(connected)), "claude"))
    db = str(connected.db)
    (event,) = [entry for entry in spool.entries(db) if isinstance(entry, DispatchEntry)]
    import_journal.take(db)
    before = _size(db)
    with closing(database.connect(db)) as connection:
        for _ in range(_DISPATCHES):
            number = ids.new()
            runs = tuple(run.replace(id=ids.new(), dispatch=number) for run in event.runs)
            storing.insert(connection, [event.replace(id=number, runs=runs, event_key=None)])
    grown = (_size(db) - before) / _DISPATCHES / 1000
    return Figure(grown, goal, "KB", f"{hooks:,} hooks considered, {_DISPATCHES} events", part=f"{hooks:,}")


def _size(db: str) -> int:
    """The size of a log without a WAL."""
    connection = database.connect(db)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return os.stat(db).st_size


def waiting(world: CommandWorld) -> Sequence[Figure]:
    """The longest time that recording takes any of 50 agents at once, while the spool is taken in; and waits for the disk."""
    db = str(world.home / "log.db")
    LogWorld(db).add()
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[list[float]] = context.Queue()
    agents = [context.Process(target=_record, args=(db, number, results)) for number in range(_AGENTS)]
    for agent in agents:
        agent.start()
    taken: list[list[float]] = []
    while len(taken) < _AGENTS:
        import_journal.take(db)
        while not results.empty():
            taken.append(results.get())
    for agent in agents:
        agent.join()
    times = sorted(wait for own in taken for wait in own)
    detail = f"{_AGENTS} agents, {len(times)} events, median {statistics.median(times):.1f} ms"
    return Figure(times[-1], 250, "ms", detail), *_fsyncs(world)


def _fsyncs(world: CommandWorld) -> Iterator[Figure]:
    """How often an event waits for the disk; nothing where strace is missing or not allowed."""
    if shutil.which("strace") is None:
        return
    connected = _world(world.home, "traced", 1, 0)
    trace = world.home / "trace"
    program = subprocess.run(
        [
            "strace",
            "-qq",
            "-e",
            "signal=none",
            "-e",
            "trace=fsync,fdatasync,sync_file_range",
            "-o",
            trace,
            launcher(connected),
            "claude",
        ],
        input=payload(connected),
        env=connected.environment,
        cwd=connected.project,
        capture_output=True,
        check=False,
    )
    if program.returncode == 0:
        yield Figure(len(trace.read_text().splitlines()), 0, "", "fsyncs of an event, by strace", part="fsync")


def _record(db: str, agent: int, results: multiprocessing.Queue[list[float]]) -> None:
    world, recorder, times = LogWorld(db), SpoolRecorder(db), []
    for _ in range(_EVENTS):
        dispatch = world.made(runs=[run_of("guard")], session=f"s{agent}").replace(id=ids.new())
        began = time.perf_counter()
        assert recorder.record(dispatch) is None
        times.append((time.perf_counter() - began) * 1000)
    results.put(times)
