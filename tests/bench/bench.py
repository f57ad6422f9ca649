"""Measure the program against its goals: `make bench`, or `python -m tests.bench.bench [NAME …]` for some of them.

Each figure is the median of many runs; a ratio is taken against a baseline that alternates with it, so that a busy machine
affects both. Nothing here fails: the output is for people.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.bench import (
    bench_app,
    bench_claude,
    bench_log,
    bench_runner,
    bench_session,
    bench_stack,
    bench_transcripts,
    bench_warm,
    generate_log,
)
from tests.bench.figure import Figure
from tests.browser import CHROMIUM, Browser
from tests.command_world import CommandWorld


def main(names: Sequence[str]) -> int:
    """Measure the named figures, or all; 2 for an unknown name."""
    unknown = set(names) - set(FIGURES)
    if unknown:
        sys.stderr.write(f"no such figure: {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}\n")
        return 2
    began, figures = time.monotonic(), list[tuple[str, Figure]]()
    for name in names or FIGURES:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
            measured = FIGURES[name](CommandWorld(Path(root)))
        if measured is None:
            sys.stdout.write(f"{name:<16} skipped: what it measures is not installed\n")
        for figure in (measured,) if isinstance(measured, Figure) else measured or ():
            figures.append((f"{name} {figure.part}".rstrip(), figure))
            sys.stdout.write(_line(*figures[-1]))
        sys.stdout.flush()
    missed = [label for label, figure in figures if not figure.is_good]
    sys.stdout.write(f"{len(figures)} figures in {time.monotonic() - began:.0f} s; missed: {', '.join(missed) or 'none'}\n")
    return 0


def _line(label: str, figure: Figure) -> str:
    verdict = "good" if figure.is_good else "MISSED"
    return f"{label:<16} {figure.value:8.2f} {figure.unit:<2} goal {figure.goal:g}  {verdict:<6}  {figure.detail}\n"


def load(world: CommandWorld) -> Figure:
    """Load and check 1,000 HOOK.md hooks."""
    _many_hooks(world, 1000)
    code = "import sys, time; from hooktui.catalog import catalog; t = time.perf_counter(); found = catalog.load(sys.argv[1]); "
    code += "print(time.perf_counter() - t, len(found.hooks))"

    def timed() -> float:
        command = [sys.executable, "-I", "-c", code, str(world.project)]
        done = subprocess.run(command, env=world.environment, check=True, capture_output=True, text=True)
        seconds, count = done.stdout.split()
        assert count == "1000"
        return float(seconds)

    (seconds,) = _alternating([timed], rounds=5)
    return Figure(seconds, 1.5, "s", "1,000 hooks, files warm")


def cold(world: CommandWorld) -> Figure:
    """The first `hooktui run` after a hook has changed: all hooks are loaded and compiled again."""
    _many_hooks(world, 20)
    stdin = json.dumps({"event_type": "pre-tool-call", "session_id": "s", "work_dir": str(world.project)})
    touched = world.home / ".config/agents/hooks/hook-1/HOOK.md"

    def timed() -> float:
        touched.touch()
        started = time.perf_counter()
        world.run("run", stdin=stdin)
        return time.perf_counter() - started

    (seconds,) = _alternating([timed], rounds=10)
    return Figure(seconds, 0.5, "s", "20 hooks, one of them just changed")


def typing(world: CommandWorld) -> Figure:
    """From a key to the letter on the screen."""
    return Figure(_in_editor(world, "typing"), 30, "ms", "in a hook file of 500 lines, 1,000 hooks loaded")


def problems(world: CommandWorld) -> Figure:
    """From the last key to the problems on the screen."""
    return Figure(_in_editor(world, "problems"), 100, "ms", "in a hook file of 500 lines, 1,000 hooks loaded")


def moving(world: CommandWorld) -> Figure:
    """From a key to the cursor on the next hook."""
    return Figure(_in_editor(world, "moving"), 30, "ms", "in the tree of 1,000 hooks")


def reading(world: CommandWorld) -> Figure:
    """From a key to the cursor on the next hook, at worst, while a month of transcripts is read and a session is recorded."""
    megabytes = bench_transcripts.write_tree(world, 1_800)
    return Figure(_in_editor(world, "reading"), 40, "ms", f"at worst, while {megabytes:.0f} MB of transcripts are read")


def opening(world: CommandWorld) -> Figure:
    """From the hooks being loaded to their tree on the screen."""
    return Figure(_in_editor(world, "opening"), 200, "ms", "the tree of 1,000 hooks")


def reload(world: CommandWorld) -> Figure:
    """From another process's write to a hook to that hook's row on the screen."""
    return Figure(_in_editor(world, "reload"), 200, "ms", "one of 1,000 hooks, written by another process")


def _in_editor(world: CommandWorld, what: str) -> float:
    """Milliseconds that an action of the Hooks screen takes, in a process of its own."""
    _many_hooks(world, 1000)
    with (world.hook("long") / "HOOK.md").open("a") as file:
        file.writelines(f"Line {number}, which says *what* the hook is `for`.\n" for number in range(500))
    command = [sys.executable, "-m", "tests.bench.bench_editor", what, str(world.project)]
    done = subprocess.run(command, env=world.environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def bytes_on_disk(world: CommandWorld) -> Figure:
    """The size of one event with one run in the log, at a median payload of 1 KB, including all indexes and the chain."""
    db, events = world.home / "log.db", 20_000
    generate_log.generate(str(db), events, runs=1, chained=True)
    return Figure(db.stat().st_size / events / 1000, 2.5, "KB", f"{events:,} events with one run each, payloads of 1 KB")


def page(world: CommandWorld) -> Figure:
    """The HTML report of 10,000 events."""
    db, out = world.home / "log.db", world.home / "report.html"
    generate_log.generate(str(db), 10_000)
    began = time.perf_counter()
    world.run("export", "--db", str(db), "-o", str(out))
    detail = f"10,000 events with three runs each, written in {time.perf_counter() - began:.1f} s{_opened(world, out)}"
    return Figure(out.stat().st_size / 1_000_000, 10, "MB", detail)


def _opened(world: CommandWorld, page: Path) -> str:
    """The time until a page can be used, if there is a browser to measure it."""
    if CHROMIUM is None:
        return ""
    with Browser(world.home / "chromium") as browser:
        browser.open(page)
        return f", interactive after {browser.run('document.documentElement.dataset.ready')} ms (goal 1000)"


def _many_hooks(world: CommandWorld, count: int) -> None:
    for number in range(count):
        matcher = {"tool": "Shell|Bash", "pattern": f"^git push .*branch-{number}"}
        world.hook(f"hook-{number}", matcher=matcher, priority=number % 1000, trigger="before_tool")


def _alternating(measures: Sequence[Callable[[], float]], rounds: int) -> list[float]:
    """The median of each, taken in turns; the first round warms up and does not count."""
    taken = [[measure() for measure in measures] for _ in range(rounds + 1)]
    return [statistics.median(column) for column in zip(*taken[1:], strict=True)]


FIGURES: Mapping[str, Callable[[CommandWorld], Figure | Sequence[Figure] | None]] = {
    "run": bench_runner.one_of_20,
    "run-1000": bench_runner.one_of_1000,
    "run-20": bench_runner.all_of_20,
    "exec": bench_runner.observed,
    "waiting": bench_runner.waiting,
    "events": bench_runner.disk,
    "claude": bench_claude.added,
    "warm": bench_warm.alone,
    "together": bench_warm.together,
    "cold": cold,
    "load": load,
    "paint": bench_app.paint,
    "first": bench_app.first,
    "cpu": bench_app.cpu,
    "typing": typing,
    "problems": problems,
    "moving": moving,
    "reading": reading,
    "opening": opening,
    "reload": reload,
    "stack": bench_stack.stack,
    "record": bench_stack.record,
    "disk": bytes_on_disk,
    "page": page,
    "session": bench_session.session,
    "transcripts": bench_transcripts.reading,
    "live": bench_log.opens,
    "sessions": bench_log.sessions,
    "paging": bench_log.pages,
    "filter": bench_log.filters,
    "search": bench_log.searches,
    "count": bench_log.counts,
    "fresh": bench_log.fresh,
    "memory": bench_log.memory,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
