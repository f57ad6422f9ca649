"""Fuzz each reader for a minute, two at a time: `python -m tests.fuzz [--seconds N] [NAME…]`.

Atheris guides the examples by the lines that they reach; where it is not installed, Hypothesis draws them. A failure prints its
example: write it into the property with `@example`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

from hypothesis import settings
from hypothesis.database import InMemoryExampleDatabase

_AT_ONCE = 2
_EXAMPLES = 500  # drawn before the clock is looked at


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=int, default=60, help="for each fuzzer")
    parser.add_argument("--here", action="store_true", help="in this process: one name only")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.here:
        _fuzz(options.names[0], options.seconds)
        return 0
    from tests.fuzz.fuzzers import FUZZERS

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        failed = list(pool.map(lambda name: _in_process(name, options.seconds), options.names or FUZZERS))
    return int(any(failed))


def _in_process(name: str, seconds: int) -> bool:
    """Whether a fuzzer failed, run in a process of its own, as atheris needs it."""
    command = [sys.executable, "-m", "tests.fuzz", "--here", "--seconds", str(seconds), name]
    with tempfile.TemporaryDirectory() as directory:  # Atheris leaves the failing input there
        environment = os.environ | {"TMPDIR": directory}
        ended = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    print(f"{'failed' if ended.returncode else 'passed'}  {name}", flush=True)
    if ended.returncode:
        print(ended.stdout, flush=True)
    return ended.returncode != 0


def _fuzz(name: str, seconds: int) -> None:
    try:
        atheris: Any = importlib.import_module("atheris")
    except ImportError:
        atheris = None
    with atheris.instrument_imports(include=["hooktui"]) if atheris else nullcontext():
        from tests.fuzz.fuzzers import FUZZERS
    examples = settings(max_examples=_EXAMPLES, deadline=None, database=InMemoryExampleDatabase())
    fuzzer = examples(FUZZERS[name])
    if atheris:
        _guide(atheris, fuzzer, seconds)
    else:
        _draw(fuzzer, seconds)


def _draw(fuzzer: Callable[[], None], seconds: int) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        fuzzer()


def _guide(atheris: Any, fuzzer: Any, seconds: int) -> None:
    """Run a fuzzer until its time is over; ends the process."""

    def run(data: bytes) -> None:
        try:
            fuzzer.hypothesis.fuzz_one_input(data)
        except Exception:
            fuzzer()  # finds the failure in its database, shortens it and tells the example
            raise

    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", f"-artifact_prefix={tempfile.gettempdir()}/"], run)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
