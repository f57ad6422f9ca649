"""Run a hooktui module in a separate process, because hooks fork and block.

Cancelling ends the process and its hooks, which lead their own process groups.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

_LIMIT = 65536
_GRACE_S = 2.0  # wait for the process to end its hooks


async def run(arguments: Sequence[str], stdin: bytes) -> tuple[int, bytes, bytes]:
    """Run `python -I -m` with arguments. Returns exit code, stdout and stderr."""
    process = await start(arguments)
    try:
        stdout, stderr = await process.communicate(stdin)
    finally:
        await end(process)
    assert process.returncode is not None
    return process.returncode, stdout, stderr


async def start(arguments: Sequence[str], *, limit: int = _LIMIT) -> asyncio.subprocess.Process:
    """Start `python -I -m` with arguments and three pipes; `limit` is the longest line in bytes."""
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=limit,
        )
    )
    try:
        return await asyncio.shield(starting)  # asyncio leaves pipes open that it connects after a cancellation
    except asyncio.CancelledError:
        await end(await starting)
        raise


async def end(process: asyncio.subprocess.Process) -> None:
    """End a process with its hooks, and close its pipes; cancelled meanwhile, it still does so first."""
    ending, cancelled = asyncio.ensure_future(_end(process)), False
    while not ending.done():
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError


async def _end(process: asyncio.subprocess.Process) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.returncode is not None:
            break
        with suppress(ProcessLookupError):  # it has already ended
            os.killpg(process.pid, number)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE_S)
    # Reading to the end closes the pipes, before the event loop may stop.
    if process.stdin:
        process.stdin.close()
    for stream in (process.stdout, process.stderr):
        with suppress(TimeoutError):
            await asyncio.wait_for(stream.read() if stream else asyncio.sleep(0), _GRACE_S)


class WorkerEndedError(Exception):
    """A worker ended without an answer; the message is the last line it wrote to stderr, or `killed`."""


async def exchange(process: asyncio.subprocess.Process, question: Mapping[str, Any]) -> dict[str, Any]:
    """Send a worker one line of JSON and return the object it answers with. Raises WorkerEndedError."""
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin and stdout and stderr
    stdin.write(json.dumps(question).encode() + b"\n")
    line = await stdout.readline()
    if not line:
        last = (await stderr.read()).decode(errors="replace").strip().rpartition("\n")[2]
        raise WorkerEndedError(last or "killed")
    answer: dict[str, Any] = json.loads(line)
    return answer
