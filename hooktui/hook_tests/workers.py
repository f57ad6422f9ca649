"""Run examples side by side, each in a worker process (worker.py) with a copy of the project of its own."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast

from hooktui.config import worker_process
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.hook_tests import git_files
from hooktui.hook_tests.example import TestError
from hooktui.hook_tests.project_copy import remove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hooktui.core.report import DispatchReport
    from hooktui.hook_tests.example import Example

    _Job = tuple[Example, str]  # with the identity of a hook to switch off, "" for none

_LONGEST: Final = 1 << 28  # bytes of a report
_MOST: Final = 4
_LOCK: Final = "lock"


class Request(TypedDict):
    """What all examples of a worker share.

    `repository` is what a copy of the project has for `.git`; `hosts` are those in use here, `formats` those with hooks;
    `copies`: some example needs a copy of the project.
    """

    directory: str
    place: str
    repository: str
    trusts: bool
    with_users: bool
    hosts: Sequence[str]
    formats: Sequence[str]
    copies: bool


class Answer(TypedDict):
    """The report of an example. `unapproved` says which hooks it reaches that may not run."""

    report: DispatchReport
    unapproved: list[str]
    differences: list[str]
    notes: list[str]


class Workers:
    """The workers of one run, which share the copy of the repository's objects. Made by `opened`."""

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
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._most, len(waiting))):
                    group.create_task(self._work(waiting, on_answer))
        except BaseExceptionGroup as errors:
            raise _first(errors) from None

    async def _work(self, waiting: list[_Job], on_answer: Callable[[_Job, Answer | TestError], object]) -> None:
        """Run examples until none is waiting; a worker that ends early is replaced."""
        worker = None
        while waiting:
            worker = worker or (self._idle.pop() if self._idle else await self._begun())
            if not waiting:
                break
            job = waiting.pop()
            try:
                on_answer(job, await worker.ask(job))
            except _EndedError as error:
                await worker.end()
                on_answer(job, TestError(str(error)))
                worker = None
            except TestError as error:
                on_answer(job, error)
        if worker:
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
        repository = ""
        if request["copies"]:
            repository = await _uninterrupted(git_files.prepared, projects.root(request["directory"]), place)
        workers = Workers(Request(**{**request, "repository": repository}), place, most)
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
    """A worker process with a copy of its own, which is asked job by job."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._place = request["place"]
        self._process: asyncio.subprocess.Process | None = None

    async def begin(self) -> None:
        """Start it and wait for its copy. Raises TestError."""
        os.mkdir(self._place, 0o700)
        self._process = await worker_process.start(("hooktui.hook_tests.worker",), limit=_LONGEST)
        await self._exchange(self._request)

    async def ask(self, job: _Job) -> Answer:
        """Run an example. Raises TestError, and _EndedError if the worker cannot go on."""
        example, off = job
        return cast("Answer", await self._exchange({"example": example._asdict(), "off": off}))

    async def end(self) -> None:
        """End the process and what it runs, and remove the copy."""
        process, self._process = self._process, None
        if process:
            await worker_process.end(process)
        await asyncio.to_thread(remove, self._place)

    async def _exchange(self, question: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process
        try:
            answer = await worker_process.exchange(self._process, question)
        except worker_process.WorkerEndedError as error:
            raise _EndedError(f"the process that ran it has ended: {error}") from None
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
