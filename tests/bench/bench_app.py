"""The app on a terminal beside a minimal Textual app: its first paint, and its CPU time while nothing or much happens."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self

from hooktui.core import ids
from hooktui.runner.journal import entry, spool
from tests.bench.figure import Figure
from tests.command_world import CommandWorld
from tests.log_world import LogWorld
from tests.log_world import run as run_of

SCRIPT = Path(sys.executable).with_name("hooktui")
_PAINTED = b"Diagnostics"  # the last word of the header
_MINIMAL = """
from textual.app import App
from textual.widgets import Footer, Static
class Minimal(App):
    BINDINGS = [("q", "quit", "Quit")]
    def compose(self):
        yield Static("Diagnostics")
        yield Footer()
Minimal().run()
"""
_ROUNDS = 6
_FIRST_ROUNDS = 3
_FIRST_S, _IDLE_S, _BUSY_S = 8.0, 10.0, 8.0
_EVENTS_A_SECOND = 100


class _Terminal:
    """A program on a terminal of its own, whose output is read all the time."""

    def __init__(self, world: CommandWorld, command: Sequence[str]) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._began = time.perf_counter()
        self._program = subprocess.Popen(
            command, env=world.environment, cwd=world.project, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._ours)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def until_painted(self) -> float:
        """The milliseconds from the start of the program until its header is painted."""
        shown = b""
        while _PAINTED not in shown:
            shown += os.read(self._ours, 65536)
        return (time.perf_counter() - self._began) * 1000

    def read_for(self, seconds: float) -> None:
        latest = time.perf_counter() + seconds
        while (left := latest - time.perf_counter()) > 0:
            if select.select([self._ours], [], [], left)[0]:
                os.read(self._ours, 65536)

    def cpu_s(self) -> float:
        """Seconds of the processor so far."""
        user, system = Path(f"/proc/{self._program.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def paint(world: CommandWorld) -> Figure:
    """From starting the app on 1,000 hooks until its first full screen, beyond that of a minimal Textual app."""
    _hooks(world, range(1000))
    ours: list[float] = []
    minimal: list[float] = []
    for _ in range(_ROUNDS + 1):
        for times, command in ((ours, [str(SCRIPT)]), (minimal, _minimal())):
            with _Terminal(world, command) as terminal:
                times.append(terminal.until_painted())
    whole, theirs = statistics.median(ours[1:]), statistics.median(minimal[1:])
    return Figure(whole - theirs, 80, "ms", f"1,000 hooks: {whole:.0f} ms; minimal Textual app {theirs:.0f} ms")


def first(world: CommandWorld) -> Sequence[Figure]:
    """The processor time of the app in its first seconds, beside a minimal Textual app."""
    _with_one_event(world)
    _hooks(world, range(20))
    few = _first(world, "20 hooks", 3.5)
    _hooks(world, range(20, 1000))
    return few, _first(world, "1,000 hooks", 5.5)


def _first(world: CommandWorld, hooks: str, goal: float) -> Figure:
    rounds = [(_first_s(world, [str(SCRIPT)]), _first_s(world, _minimal())) for _ in range(_FIRST_ROUNDS)]
    ours, minimal = map(statistics.median, zip(*rounds, strict=True))
    return Figure(ours / minimal, goal, "x", f"{hooks}, {_FIRST_S:g} s: {ours:.2f} s; minimal app {minimal:.2f} s", part=hooks)


def _first_s(world: CommandWorld, command: Sequence[str]) -> float:
    with _Terminal(world, command) as terminal:
        terminal.read_for(_FIRST_S)
        return terminal.cpu_s()


def cpu(world: CommandWorld) -> Sequence[Figure]:
    """The processor time of the app idle, and while it follows 100 events a second."""
    _hooks(world, range(1000))
    _with_one_event(world)
    with _Terminal(world, [str(SCRIPT)]) as app:
        app.read_for(_FIRST_S)
        settled = app.cpu_s()
        app.read_for(_IDLE_S)
        idle = app.cpu_s() - settled
        app.press("2")
        app.read_for(2.0)
        before = app.cpu_s()
        for _ in _events(world):
            app.read_for(1 / _EVENTS_A_SECOND)
        busy = app.cpu_s() - before
    return (
        Figure(100 * idle / _IDLE_S, 0.5, "%", f"over {_IDLE_S:g} s", part="idle"),
        Figure(100 * busy / _BUSY_S, 10, "%", f"of a core, {_EVENTS_A_SECOND} events a second, on Live", part="busy"),
    )


def _events(world: CommandWorld) -> Iterator[None]:
    """Put an event into the spool before each step."""
    log = LogWorld(str(world.db))
    for number in range(int(_BUSY_S * _EVENTS_A_SECOND)):
        payload = {"tool_name": "Bash", "tool_input": {"command": f"echo {number}"}, "tool_use_id": f"toolu_{number}"}
        made = log.made(tool="Bash", runs=[run_of("guard")], payload=payload, project=str(world.project))
        dispatch = made.replace(id=ids.new())
        spool.append(str(world.db), entry.of_dispatch(dispatch, ()))
        yield


def _minimal() -> list[str]:
    return [sys.executable, "-c", _MINIMAL]


def _hooks(world: CommandWorld, numbers: Iterable[int]) -> None:
    for number in numbers:
        world.hook(f"hook-{number}", matcher={"tool": "Shell|Bash", "pattern": f"^git push .*branch-{number}"})


def _with_one_event(world: CommandWorld) -> None:
    world.db.parent.mkdir(parents=True, mode=0o700)
    LogWorld(str(world.db)).add(project=str(world.project))
