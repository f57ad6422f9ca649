"""Record the decisions of an agent's hooks in the log (formats.md §5, "recording").

Each event is a line of the spool at once, as with `hooktui run`. A thread takes the lines into the log in groups.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from hooktui import config
from hooktui.core import ids, paths
from hooktui.core import project as projects
from hooktui.log.store import import_journal
from hooktui.runner.journal.recorder import SpoolRecorder
from hooktui.stack.event_payloads import event_of
from hooktui.stack.python_dispatch import dispatch_of
from hooktui.stack.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from hooktui.stack.contexts import HookContext
    from hooktui.stack.recording import RegisteredHook

# formats.md allows 0.2 s until an event is committed: the thread waits for more events, then for other writers.
_GROUP_S, _PATIENCE_S = 0.05, 0.05
_LOG = logging.getLogger("hooktui")


class Recorder:
    """Records every event of its stacks; `with Recorder(…)` flushes at the end.

    `session_id` names the agent's session; `project` is its directory, the current one by default; `db` overrides the path of
    the log. A background thread commits events in groups: within 200 ms, on `flush()`, on leaving the `with` block and at exit.
    If the log cannot be written, events stay in its spool and the logger "hooktui" warns once; the agent never fails.
    """

    def __init__(self, session_id: str, project: str | None = None, db: str | None = None) -> None:
        if not isinstance(session_id, str):
            raise TypeError(f"session_id must be a string, not {session_id!r}")
        settings, _ = config.load_or_defaults()
        self.session_id = session_id
        self.project = projects.root(paths.canonical(project or paths.working_directory()))
        self.db = os.path.abspath(db or paths.log_path(settings.log_path))
        self._spool = SpoolRecorder(self.db, settings.redact)
        self._arrivals: SimpleQueue[bool] = SimpleQueue()  # False ends the thread
        self._thread: threading.Thread | None = None
        self._warned = False
        self.committing = threading.RLock()
        _recorders.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def flush(self) -> None:
        """Commit all events so far. Returns early only in a signal handler that interrupts the commit itself."""
        with self.committing:
            try:
                trouble = import_journal.take(self.db, _PATIENCE_S)
            except Exception:  # noqa: BLE001  # a bug of ours must not break the agent
                _LOG.exception("hooktui could not commit events")
                return
        if trouble:
            self._warn(f"the log cannot be written ({trouble}): events are kept in the spool; see `hooktui doctor`")

    def close(self) -> None:
        """Commit all events. Later events are still recorded."""
        self._arrivals.put(False)
        self.flush()
        atexit.unregister(self.close)

    def begin(self, registered: Sequence[RegisteredHook], context: HookContext[Any]) -> Recording:
        """Begin the recording of an event; it is stored once the event has been handled."""
        event = event_of(context, self.session_id, self.project)
        return Recording(self.db, ids.new(), event, registered, context, self._take)

    def _take(self, recording: Recording) -> None:
        try:
            trouble = self._spool.record(dispatch_of(recording, ids.several))
        except Exception:  # noqa: BLE001  # the agent's own classes may raise
            _LOG.exception("hooktui could not record %s", recording.event.as_written)
            return
        if trouble:
            self._warn(trouble)
        if self._thread is None or not self._thread.is_alive():  # the first event, here or in a forked process
            self._arrivals = SimpleQueue()
            self._thread = threading.Thread(target=self._commit, args=(self._arrivals,), name="hooktui-recorder", daemon=True)
            self._thread.start()
            atexit.register(self.close)
        self._arrivals.put(True)

    def _commit(self, arrivals: SimpleQueue[bool]) -> None:
        while arrivals.get():
            time.sleep(_GROUP_S)
            is_open = True
            with suppress(Empty):
                while is_open:
                    is_open = arrivals.get_nowait()
            self.flush()
            if not is_open:
                return

    def _warn(self, trouble: str) -> None:
        if not self._warned:
            self._warned = True
            _LOG.warning("%s", trouble)


_recorders: WeakSet[Recorder] = WeakSet()
_held: list[threading.RLock] = []


def _before_fork() -> None:
    """Wait for commits: a forked process must not have a database open, whose locks it would believe to hold."""
    for recorder in list(_recorders):
        recorder.committing.acquire()
        _held.append(recorder.committing)


def _after_fork() -> None:
    while _held:
        _held.pop().release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
