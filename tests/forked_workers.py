"""The workers of trials and hook tests without the start of an interpreter: forked by the server of `fork_server`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests import fork_server

_PYTHON = (sys.executable, "-I", "-m")
_start = asyncio.create_subprocess_exec


@contextmanager
def forking() -> Iterator[None]:
    """Fork each worker that this process starts; those of commands in processes of their own start as usual."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "create_subprocess_exec", _fork)
        yield


async def _fork(*command: str, **options: Any) -> Any:
    if command[:-1] != _PYTHON or command[-1] not in fork_server.WORKERS:
        return await _start(*command, **options)
    pipes = [os.pipe() for _ in range(4)]
    theirs = [pipes[0][0], *(write for _, write in pipes[1:])]
    fork_server.start_worker(command[-1], theirs)
    for descriptor in theirs:
        os.close(descriptor)
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(pipes[0][1], "wb", 0))
    readers = [await _reader(read, options["limit"]) for read, _ in pipes[1:]]
    pid = int(await readers[-1].readline())
    return _Worker(pid, asyncio.StreamWriter(transport, protocol, None, loop), *readers)


async def _reader(descriptor: int, limit: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(limit)
    file = os.fdopen(descriptor, "rb", 0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), file)
    return reader


class _Worker:
    """As much of `asyncio.subprocess.Process` as `worker_process` uses."""

    def __init__(
        self,
        pid: int,
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
        status: asyncio.StreamReader,
    ) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
        self.returncode: int | None = None
        self._watch = asyncio.create_task(self._end(status))

    async def _end(self, status: asyncio.StreamReader) -> None:
        self.returncode = int(await status.read())

    async def wait(self) -> None:
        await asyncio.shield(self._watch)

    async def communicate(self, stdin: bytes) -> tuple[bytes, bytes]:
        self.stdin.write(stdin)
        self.stdin.close()
        stdout, stderr, _ = await asyncio.gather(self.stdout.read(), self.stderr.read(), self.wait())
        return stdout, stderr
