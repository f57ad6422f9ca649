"""Run examples side by side, each in a worker process (worker.py) with a copy of the project of its own."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from hooktui.config import worker_process
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.hook_tests import git_files
from hooktui.hook_tests.example import TestError
from hooktui.hook_tests.project_copy import remove, size
from hooktui.hook_tests.worker_protocol import QUOTA, Answer, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hooktui.hook_tests.example import Example

    _Job = tuple[Example, str]  # with the identity of a hook to switch off, "" for none

_LONGEST: Final = 1 << 28  # bytes of a report
_LOOK_S: Final = 0.25  # between two looks at what a hook writes
_MOST: Final = 4
_LOCK: Final = "lock"


class Workers:
    """The workers of one run, which share the copy of the repository's objects. Made by `opened`.

    The first begins at once, each further one when the others have worked as long as it takes to begin: of a large project, few
    copies are made.
    """

    def __init__(self, request: Request, place: str, most: int | None) -> None:
        self._request = request
        self._place = place
        self._most = min(most or _MOST, os.cpu_count() or 1)
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []

    async def run(self, jobs: Iterable[_Job], on_answer: Callable[[_Job, Answer | TestError], object]) -> None:
        """Run examples and tell each answer, or why there is none, as it comes. Leaving it ends everything that still runs.

        Raises TestError if no example can run.
        """
        waiting = list(jobs)[::-1]
        if not waiting:
            return
        finished = asyncio.Event()
        first = self._idle.pop() if self._idle else await self._begun()

        async def work(worker: _Worker) -> None:
            await self._work(worker, waiting, on_answer)
            finished.set()

        async def join(number: int) -> None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(finished.wait(), first.took_s * number)
            if waiting:
                await work(self._idle.pop() if self._idle else await self._begun())

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(work(first))
                for number in range(1, self._most):
                    group.create_task(join(number))
        except BaseExceptionGroup as errors:
            raise _first(errors) from None

    async def _work(
        self, worker: _Worker, waiting: list[_Job], on_answer: Callable[[_Job, Answer | TestError], object]
    ) -> None:
        """Run examples until none is waiting; a worker that ends early is replaced."""
        while waiting:
            job = waiting.pop()
            try:
                on_answer(job, await worker.ask(job))
            except _EndedError as error:
                await worker.end()
                on_answer(job, TestError(str(error)))
                if not waiting:
                    return
                worker = await self._begun()
            except TestError as error:
                on_answer(job, error)
        self._idle.append(worker)

    async def _begun(self) -> _Worker:
        worker = _Worker(Request(**{**self._request, "place": os.path.join(self._place, str(len(self._all)))}))
        self._all.append(worker)
        await worker.begin()
        return worker

    async def end(self) -> None:
        """End all workers and remove their copies."""
        await asyncio.gather(*(worker.end() for worker in self._all))


@asynccontextmanager
async def opened(request: Request, most: int | None = None) -> AsyncIterator[Workers]:
    """The workers for a project; leaving removes all copies. `most` limits their number. Raises TestError."""
    with _place() as place:
        objects = ""
        if request["copies"]:
            project = projects.root(request["directory"])
            objects = await _uninterrupted(git_files.copy_objects, project, os.path.join(place, "objects"))
        workers = Workers(Request(**{**request, "objects": objects}), place, most)
        try:
            yield workers
        finally:
            await workers.end()


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


class _EndedError(TestError):
    """The worker has ended, or had to be ended."""


class _Worker:
    """A worker process with a copy of its own, which is asked job by job. `took_s`: how long it took to begin."""

    def __init__(self, request: Request) -> None:
        self.took_s = 0.0
        self._request = request
        self._place = request["place"]
        self._limit = 0
        self._process: asyncio.subprocess.Process | None = None

    async def begin(self) -> None:
        """Start it and wait for its copy. Raises TestError."""
        begun = time.monotonic()
        os.mkdir(self._place, 0o700)
        self._process = await worker_process.start(("hooktui.hook_tests.worker",), limit=_LONGEST)
        self._limit = (await self._exchange(self._request))["bytes"] + QUOTA
        self.took_s = time.monotonic() - begun

    async def ask(self, job: _Job) -> Answer:
        """Run an example. Raises TestError, and _EndedError if the worker cannot go on."""
        example, off = job
        asking = asyncio.ensure_future(self._exchange({"example": asdict(example), "off": off}))
        try:
            await self._watch(asking)
            return cast("Answer", await asking)
        finally:
            asking.cancel()

    async def end(self) -> None:
        """End the process and what it runs, and remove the copy."""
        process, self._process = self._process, None
        if process:
            await worker_process.end(process)
        await asyncio.to_thread(remove, self._place)

    async def _watch(self, asking: asyncio.Future[Any]) -> None:
        """Wait for an answer, but not while a hook fills the disk. Raises _EndedError."""
        free = _free(self._place)
        while not (await asyncio.wait({asking}, timeout=_LOOK_S))[0]:
            if free - _free(self._place) > QUOTA and await asyncio.to_thread(size, self._place) > self._limit:
                raise _EndedError(f"its hooks wrote more than {QUOTA >> 20} MiB into the copy and were ended")

    async def _exchange(self, question: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process
        try:
            answer = await worker_process.exchange(self._process, question)
        except worker_process.WorkerEndedError as error:
            raise _EndedError(f"the process that ran it has ended: {error}") from None
        if "error" in answer:
            raise TestError(answer["error"])
        return answer


def _free(place: str) -> int:
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize


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
    """The directory of all copies. It is not one of hooktui's own, where guards that protect those would deny every write."""
    beside = f"{paths.cache_dir()}-tests"
    for is_usual in (True, False):
        with contextlib.suppress(OSError):
            root = beside if is_usual else os.path.join(paths.temporary_dir(), "tests")
            paths.make_directories(root)
            if os.access(root, os.W_OK):
                return paths.canonical(root)
    raise TestError(f"cannot write to {paths.short(beside)}")


def _remove_stale(place: str) -> None:
    """Remove the directory of a run that has ended without doing so."""
    with contextlib.suppress(OSError):
        lock = os.open(os.path.join(place, _LOCK), os.O_WRONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(place)
        finally:
            os.close(lock)
