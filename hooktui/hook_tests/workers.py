"""Run examples side by side, each in a worker process (worker.py) with a copy of the project of its own."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.hook_tests import git_files
from hooktui.hook_tests.example import TestError
from hooktui.hook_tests.project_copy import remove, size
from hooktui.hook_tests.worker import QUOTA, Answer, Request
from hooktui.stack import worker_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hooktui.hook_tests.example import Example

    _Job = tuple[Example, str]  # with the identity of a hook to switch off, "" for none

_LONGEST: Final = 1 << 28  # bytes of a report
_LOOK_S: Final = 0.25  # between two looks at what a hook writes
_PER_WORKER: Final = 3  # examples that are worth the start of another worker
_MOST: Final = 4
_LOCK: Final = "lock"


class Workers:
    """The workers of one run, whose copies share the objects of the project's repository. Made by `opened`."""

    def __init__(self, request: Request, place: str, most: int | None) -> None:
        self._request = request
        self._place = place
        self._most = most or _MOST

    async def run(self, jobs: Iterable[_Job], on_answer: Callable[[_Job, Answer | TestError], object]) -> None:
        """Run examples and tell each answer, or why there is none, as it comes. Leaving it ends everything that still runs.

        Raises TestError if no example can run.
        """
        waiting = list(jobs)[::-1]
        count = min(self._most, os.cpu_count() or 1, -(-len(waiting) // _PER_WORKER))
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(count):
                    request = Request(**{**self._request, "place": os.path.join(self._place, str(number))})
                    group.create_task(_work(waiting, request, on_answer))
        except BaseExceptionGroup as errors:
            raise _first(errors) from None


@asynccontextmanager
async def opened(request: Request, most: int | None = None) -> AsyncIterator[Workers]:
    """The workers for a project; leaving removes all copies. `most` limits their number. Raises TestError."""
    with _place() as place:
        objects = ""
        if request["copies"]:
            project = projects.root(request["directory"])
            objects = await _uninterrupted(git_files.copy_objects, project, os.path.join(place, "objects"))
        yield Workers(Request(**{**request, "objects": objects}), place, most)


async def _uninterrupted(work: Callable[[str, str], str], project: str, target: str) -> str:
    """Copy in a thread; cancelled meanwhile, wait for it, since what it writes is removed then. Raises TestError."""
    working = asyncio.ensure_future(asyncio.to_thread(work, project, target))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise
    except OSError as error:
        raise TestError(f"the project's repository cannot be copied: {error.strerror or error}") from error


def _first(error: BaseException) -> BaseException:
    """The first error of a group of tasks."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


async def _work(waiting: list[_Job], request: Request, on_answer: Callable[[_Job, Answer | TestError], object]) -> None:
    """Run examples until none is waiting; a worker that ends early is replaced."""
    while waiting:
        async with _worker(request) as ask:
            while waiting:
                job = waiting.pop()
                try:
                    on_answer(job, await ask(job))
                except _EndedError as error:
                    on_answer(job, TestError(str(error)))
                    break
                except TestError as error:
                    on_answer(job, error)


class _EndedError(TestError):
    """The worker has ended, or had to be ended."""


@asynccontextmanager
async def _worker(request: Request) -> AsyncIterator[Callable[[_Job], Any]]:
    """A worker that is asked job by job. Raises TestError if it cannot begin."""
    place = request["place"]
    os.mkdir(place, 0o700)
    process = await worker_process.start(("hooktui.hook_tests.worker",), limit=_LONGEST)
    try:
        begun = await _exchange(process, request)
        limit = begun["bytes"] + QUOTA

        async def ask(job: _Job) -> Answer:
            example, off = job
            asking = asyncio.ensure_future(_exchange(process, {"example": asdict(example), "off": off}))
            try:
                await _guard_disk(asking, place, limit)
                return cast("Answer", await asking)
            finally:
                asking.cancel()

        yield ask
    finally:
        await worker_process.end(process)
        await asyncio.to_thread(remove, place)


async def _guard_disk(asking: asyncio.Future[Any], place: str, limit: int) -> None:
    """Wait for an answer, but not while a hook fills the disk. Raises _EndedError."""
    free = _free(place)
    while not (await asyncio.wait({asking}, timeout=_LOOK_S))[0]:
        if free - _free(place) > QUOTA and await asyncio.to_thread(size, place) > limit:
            raise _EndedError(f"its hooks wrote more than {QUOTA >> 20} MiB: ended")


def _free(place: str) -> int:
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize


async def _exchange(process: asyncio.subprocess.Process, question: Mapping[str, Any]) -> dict[str, Any]:
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin and stdout and stderr
    stdin.write(json.dumps(question).encode() + b"\n")
    line = await stdout.readline()
    if not line:
        last = (await stderr.read()).decode(errors="replace").strip().rpartition("\n")[2]
        raise _EndedError(f"the process that ran it has ended: {last or 'killed'}")
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise TestError(answer["error"])
    return answer


@contextlib.contextmanager
def _place() -> Any:
    """A directory for all copies of a run, removed afterwards, with those that killed runs have left behind."""
    root = _root()
    for name in os.listdir(root):
        _remove_stale(os.path.join(root, name))
    place = tempfile.mkdtemp(dir=root)
    lock = os.open(os.path.join(place, _LOCK), os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield place
    finally:
        remove(place)
        os.close(lock)


def _root() -> str:
    for directory in (paths.state_dir, paths.temporary_dir):
        root = os.path.join(directory(), "tests")
        with contextlib.suppress(OSError):
            paths.make_directories(root)
            if os.access(root, os.W_OK):
                return paths.canonical(root)
    raise TestError(f"cannot write to {paths.short(paths.state_dir())}")


def _remove_stale(place: str) -> None:
    """Remove the directory of a run that has ended without doing so."""
    with contextlib.suppress(OSError):
        lock = os.open(os.path.join(place, _LOCK), os.O_WRONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(place)
        finally:
            os.close(lock)
