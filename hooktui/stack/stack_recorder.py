"""Record the decisions of an agent's hooks in the log (formats.md §5, "recording").

A thread commits events in groups. Forks of the agent's process are safe: no lock is held and no database is open during one.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from hooktui import config
from hooktui.core import ids, paths
from hooktui.core import project as projects
from hooktui.log.store import shipped, writer
from hooktui.runner.journal import spool
from hooktui.stack.event_payloads import event_of
from hooktui.stack.python_dispatch import dispatch_of
from hooktui.stack.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.util import Finalize
    from typing import Self

    from hooktui.core.model import Dispatch
    from hooktui.stack.contexts import HookContext
    from hooktui.stack.recording import RegisteredHook

# formats.md allows 0.2 s until an event is stored. The thread collects events for one commit, then waits for other writers
# before it uses the spool; twice their sum leaves a few milliseconds.
_GROUP_S, _PATIENCE_S = 0.03, 0.05
# A computing thread may starve ours: after _LATE_S the agent stores the events itself, or yields to our thread for _TURN_S;
# with _MAX_WAITING events it waits.
_LATE_S, _TURN_S, _MAX_WAITING = 0.1, 0.01, 1_000
_JOIN_S = 1.0
_LOG = logging.getLogger("hooktui")


class Recorder:
    """Records every event of its stacks; `with Recorder(…)` flushes at the end.

    `session_id` names the agent's session; `project` is its directory, the current one by default; `db` overrides the path of
    the log. A background thread commits events in groups: within 200 ms, on `flush()`, on leaving the `with` block and at exit.
    If the log cannot be written, events go to its spool and the logger "hooktui" warns once; the agent never fails.
    """

    def __init__(self, session_id: str, project: str | None = None, db: str | None = None) -> None:
        if not isinstance(session_id, str):
            raise TypeError(f"session_id must be a string, not {session_id!r}")
        settings, _ = config.load_or_defaults()
        self.session_id = session_id
        self.project = projects.root(paths.canonical(project or paths.working_directory()))
        self.db = os.path.abspath(db or paths.log_path(settings.log_path))
        self._secrets = settings.redact
        self._ships = settings.ships
        self._reset()
        self._log.open()  # creating a log takes longer than storing an event
        _recorders.add(self)

    def _reset(self) -> None:
        self._waiting: deque[Recording] = deque()
        self._starting = threading.Lock()
        self._storing = threading.RLock()
        self._is_storing = False
        # Both queues hold tokens; putting one takes no lock, so a signal handler can close the recorder.
        self._arrivals: SimpleQueue[None] = SimpleQueue()
        self._closing: SimpleQueue[None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._log = writer.LogWriter(self.db, self._secrets, _PATIENCE_S)
        self._warned: set[str] = set()
        self._finalizer: Finalize | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def flush(self) -> None:
        """Commit all events so far. Returns early only in a signal handler that interrupts the commit itself."""
        with self._storing:
            if self._is_storing:
                return
            self._is_storing = True
            try:
                waiting = [self._waiting[position] for position in range(len(self._waiting))]
                if waiting or not spool.is_empty(self.db):
                    self._store(waiting)
                for _ in waiting:  # only after storing: `_age` reads the oldest
                    self._waiting.popleft()
            finally:
                self._is_storing = False

    def close(self) -> None:
        """Commit all events and close the log. Later events are still recorded."""
        with self._storing:
            if self._is_storing:  # in a signal handler during a commit; closed again at exit
                return
        if self._thread is not None:
            self._closing.put(None)
            self._arrivals.put(None)
            self._thread.join(_JOIN_S)  # with a timeout: a signal handler may hold the lock that the thread waits for
            self._thread = None
        self.flush()
        self._log.close()
        atexit.unregister(self.close)
        if self._finalizer is not None:
            self._finalizer.cancel()

    def begin(self, registered: Sequence[RegisteredHook], context: HookContext[Any]) -> Recording:
        """Begin the recording of an event; it is stored once the event has been handled."""
        event = event_of(context, self.session_id, self.project)
        return Recording(self.db, ids.new(), event, registered, context, self._take)

    def _take(self, recording: Recording) -> None:
        self._waiting.append(recording)
        with self._starting:
            if self._thread is None:
                self._start()
        self._arrivals.put(None)
        if len(self._waiting) >= _MAX_WAITING:
            self.flush()
        elif self._age() > _LATE_S and self._storing.acquire(timeout=_TURN_S):
            try:
                self.flush()
            finally:
                self._storing.release()

    def _age(self) -> float:
        """Seconds since the oldest unstored event."""
        try:
            return time.perf_counter() - self._waiting[0].ended
        except IndexError:  # just stored
            return 0.0

    def _start(self) -> None:
        self._closing = SimpleQueue()
        self._thread = threading.Thread(target=self._commit, name="hooktui-recorder", daemon=True)
        self._thread.start()
        atexit.register(self.close)
        processes = sys.modules.get("multiprocessing.util")
        if processes is not None:  # its child processes do not run `atexit`
            self._finalizer = processes.Finalize(None, self.close, exitpriority=0)

    def _commit(self) -> None:
        closing = False
        while not closing:
            self._arrivals.get()
            with suppress(Empty):
                self._closing.get(timeout=_GROUP_S)
                closing = True
            with suppress(Empty):
                while True:
                    self._arrivals.get_nowait()
            self.flush()

    def _store(self, waiting: Sequence[Recording]) -> None:
        dispatches = (dispatch for dispatch in map(self._dispatch, waiting) if dispatch is not None)
        try:
            trouble = self._log.record_all(dispatches)
        except Exception:  # noqa: BLE001  # a bug of ours must not break the agent
            _LOG.exception("hooktui could not record %d events", len(waiting))
            return
        if trouble and trouble not in self._warned:
            self._warned.add(trouble)
            _LOG.warning("%s", trouble)
        if self._ships:
            shipped.start_shipper(self.db)

    def _dispatch(self, recording: Recording) -> Dispatch | None:
        """The dispatch of an event; None if the agent's objects cannot be converted."""
        try:
            return dispatch_of(recording, ids.several)
        except Exception:  # noqa: BLE001  # the agent's own classes may raise
            _LOG.exception("hooktui could not record %s", recording.event.as_written)
            return None

    def before_fork(self) -> None:
        """Finish the commit and close the log: a child process would believe that it holds the log's locks."""
        self._storing.acquire()
        self._log.close()

    def after_fork_in_parent(self) -> None:
        self._storing.release()

    def after_fork_in_child(self) -> None:
        """Start over in the child, which has no thread of ours; the parent stores the waiting events."""
        self._reset()


# Forks ------------------------------------------------------------------------------------------------------------------------

_recorders: WeakSet[Recorder] = WeakSet()
_forking: list[Recorder] = []
_fork_lock = threading.RLock()


def _before_fork() -> None:
    _fork_lock.acquire()
    _forking.extend(_recorders)
    for recorder in _forking:
        recorder.before_fork()


def _after_fork(resume: Callable[[Recorder], None]) -> None:
    while _forking:
        resume(_forking.pop())
    _fork_lock.release()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(Recorder.after_fork_in_parent),
    after_in_child=lambda: _after_fork(Recorder.after_fork_in_child),
)
