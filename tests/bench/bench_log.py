"""The figures of the Live screen on a big log, compared with other tools.

The log is made once for all of them: a million events, 2.5 GB. HOOKTUI_BENCH_LOG names one that generate_log.py made before,
which is written to.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache

from tests.bench import generate_log, others
from tests.bench.figure import Figure
from tests.bench.others import Paged
from tests.command_world import CommandWorld

_DISPATCHES = 1_000_000
_PAGED = 100_000  # events that less and lnav get as lines: they read all of them
_ROUNDS = 3
_LINES = f"in {_PAGED:,} lines"
_WORD = "timeout"  # occurs in nine of ten events
_FILTER = "SELECT id, event, tool FROM dispatch WHERE decision = 'deny' ORDER BY id DESC LIMIT 40"
_SEARCH = f"SELECT id FROM content WHERE payload LIKE '%{_WORD}%' ORDER BY id DESC LIMIT 40"
_COUNT = f"SELECT count(*) FROM content WHERE payload LIKE '%{_WORD}%'"


def opens(world: CommandWorld) -> Figure:
    """From switching to the Live screen of an open app until its first rows are there."""
    return Figure(
        _ours(world)["open"], 200, "ms", _beside(f"{_DISPATCHES:,} events; {_LINES} to the first screen", _paged("opened"))
    )


def sessions(world: CommandWorld) -> Figure:
    """From switching to the Sessions screen of an open app until its first rows are there."""
    return Figure(_ours(world)["sessions"], 200, "ms", f"of {_DISPATCHES // generate_log.SESSION_EVENTS:,} sessions")


def pages(world: CommandWorld) -> Figure:
    """Page down, home or end, whichever takes longest, until its rows are painted."""
    ours = _ours(world)
    again = {name: paged and max(paged.page, paged.home, paged.end_again) for name, paged in _pagers().items()}
    detail = f"{_beside(f'{_LINES} likewise', again)}; {_beside('to the end for the first time', _paged('end'))}"
    return Figure(max(ours[name] for name in ("page", "home", "end")), 16, "ms", detail)


def filters(world: CommandWorld) -> Figure:
    """From the last letter of `decision:deny` until its first rows are there."""
    theirs = {"sqlite3": _sqlite(_FILTER)}
    return Figure(_ours(world)["filter"], 100, "ms", _beside("for the same 40 rows", theirs))


def searches(world: CommandWorld) -> Figure:
    """From the last letter of a word that most events contain until its first rows are there."""
    theirs = {"sqlite3": _sqlite(_SEARCH)}
    return Figure(_ours(world)["search"], 300, "ms", _beside("for 40 rows with LIKE", theirs))


def counts(world: CommandWorld) -> Figure:
    """Likewise until all of its rows are found and counted."""
    ours = _ours(world)
    detail = _beside("to count with LIKE", {"sqlite3": _sqlite(_COUNT)})
    rare = _beside(f"{_LINES} to find one word", _paged("found"))
    return Figure(ours["search counted"] / 1000, 1, "s", f"{ours['search found']:,.0f} found; {detail}; {rare}")


def fresh(world: CommandWorld) -> Figure:
    """From the commit of another process, at five a second as agents do, until the row is painted."""
    return Figure(_ours(world)["fresh"], 100, "ms", "95 of 100 events are there by then")


def memory(world: CommandWorld) -> Figure:
    """The peak memory of the whole app meanwhile."""
    return Figure(_ours(world)["memory"], 150, "MB", "resident, Textual included")


@cache
def _log() -> str:
    """A log of many dispatches with three runs each."""
    given = os.environ.get("HOOKTUI_BENCH_LOG")
    if given:
        return given
    path = os.path.join(_place(), "log.db")
    sys.stderr.write(f"making a log of {_DISPATCHES:,} events …\n")
    generate_log.generate(path, _DISPATCHES)
    return path


@cache
def _place() -> str:
    directory = tempfile.TemporaryDirectory(prefix="hooktui-bench-")
    atexit.register(directory.cleanup)
    return directory.name


_measured: dict[str, float] = {}


def _ours(world: CommandWorld) -> Mapping[str, float]:
    """The figures of bench_live.py, each the median of some rounds in a process of its own."""
    if not _measured:
        command = [sys.executable, "-m", "tests.bench.bench_live", _log(), "--project", str(world.project), "--word", _WORD]
        rounds = [_round(command, world) for _ in range(_ROUNDS)]
        _measured.update({name: statistics.median(taken[name] for taken in rounds) for name in rounds[0]})
    return _measured


def _round(command: Sequence[str], world: CommandWorld) -> dict[str, float]:
    done = subprocess.run(command, env=world.environment, check=True, capture_output=True)
    taken: dict[str, float] = json.loads(done.stdout)
    return taken


def _sqlite(sql: str) -> float | None:
    """The milliseconds that the program sqlite3 takes for a query."""
    return others.timed(["sqlite3", "-readonly", _log(), sql]) if others.has("sqlite3") else None


@cache
def _pagers() -> Mapping[str, Paged | None]:
    """The figures of less and lnav on the newest events as JSON lines; None for a missing program."""
    lines = os.path.join(_place(), "events.jsonl")
    others.write_lines(_log(), lines, _PAGED)
    commands = {"less": ["less", "-n", "-S", lines], "lnav": ["lnav", lines]}
    return {name: others.paged(command, lines) if others.has(name) else None for name, command in commands.items()}


def _paged(what: str) -> Mapping[str, float | None]:
    return {name: paged and getattr(paged, what) for name, paged in _pagers().items()}


def _beside(what: str, theirs: Mapping[str, float | None]) -> str:
    """The figures of other tools, in words."""
    return f"{what}: " + ", ".join(f"{name} {_words(time)}" for name, time in theirs.items())


def _words(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "is not installed"
    if milliseconds == math.inf:
        return "more than a minute"
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 1000 else f"{milliseconds:.0f} ms"
