"""Recording what the hooks of an agent decide, in the same log as everybody else (formats.md §5, "recording")."""

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

from hooktui.core import config, ids, paths
from hooktui.log.write import spool, writer
from hooktui.stack import fork_safety
from hooktui.stack.dispatches import dispatch_of
from hooktui.stack.event_payloads import event_of
from hooktui.stack.run_notes import Recording

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.util import Finalize
    from types import TracebackType
    from typing import Self

    from hooktui.core.model import Dispatch
    from hooktui.stack.contexts import HookContext
    from hooktui.stack.hook_stack import Member

# formats.md allows an event 0.2 s until it is stored. Our thread waits so long for others to commit it with, and for others
# that write the log: what is held up longer goes to the spool. Twice that, and there are milliseconds left.
_GROUP_S, _PATIENCE_S = 0.03, 0.05
# Beside a thread that computes ours may come too late: after so long the agent stores events itself, or lets ours have a turn;
# when there are so many it waits for them.
_LATE_S, _TURN_S, _MANY = 0.1, 0.01, 1_000
_ENDING_S = 1.0
_LOG = logging.getLogger("hooktui")


class Recorder:
    """Stores every event that the stacks it is given to process. `with Recorder(…)` stores the last ones on leaving.

    `session_id` names the agent's session; `project` is its directory, by default the current one; `db` another log than the
    usual. Events are committed in groups by a thread of its own, which begins with the first of them: at the latest after
    200 ms, on `flush()`, on leaving and when the process ends. A log that cannot be written never raises: events go to its
    spool, and what is lost even so is told once to the logger "hooktui".
    """

    def __init__(self, session_id: str, project: str | None = None, db: str | None = None) -> None:
        if not isinstance(session_id, str):
            raise TypeError(f"a session's id is a text, not {session_id!r}")
        settings, _ = config.load_or_defaults()
        self.session_id = session_id
        self.project = paths.canonical(project or paths.here())
        self.db = os.path.abspath(db or writer.db_path(settings))
        self._secrets = settings.redact
        self._begin()
        self._log.open()  # making a new one takes longer than storing an event
        fork_safety.watch(self)

    def _begin(self) -> None:
        self._waiting: deque[Recording] = deque()
        self._starting = threading.Lock()
        self._storing = threading.RLock()
        self._is_storing = False
        self._some: SimpleQueue[None] = SimpleQueue()  # both are tokens, put without a lock: a signal's handler may close us
        self._closing: SimpleQueue[None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._log = writer.Recorder(self.db, self._secrets, _PATIENCE_S)
        self._troubles: set[str] = set()
        self._at_end: Finalize | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None, /
    ) -> None:
        self.close()

    def flush(self) -> None:
        """Store everything that has happened so far: when this returns, it is committed.

        Only the handler of a signal that interrupts the storing itself cannot wait for that.
        """
        with self._storing:
            if self._is_storing:
                return
            self._is_storing = True
            try:
                waiting = [self._waiting[place] for place in range(len(self._waiting))]
                if waiting or not spool.is_empty(self.db):
                    self._store(waiting)
                for _ in waiting:  # as long as they are not stored, the first tells how late we are
                    self._waiting.popleft()
            finally:
                self._is_storing = False

    def close(self) -> None:
        """Store everything and let go of the log. What happens afterwards is recorded all the same."""
        with self._storing:
            if self._is_storing:  # a signal's handler closes what we are just storing in: the end of the process does it again
                return
        if self._thread is not None:
            self._closing.put(None)
            self._some.put(None)
            self._thread.join(_ENDING_S)  # not for ever: the handler of a signal may hold the lock that it waits for
            self._thread = None
        self.flush()
        self._log.close()
        atexit.unregister(self.close)
        if self._at_end is not None:
            self._at_end.cancel()

    def begin(self, members: Sequence[Member], context: HookContext[Any]) -> Recording:
        """The notes of one event, which come back when it has been handled."""
        event = event_of(context, self.session_id, self.project)
        return Recording(self.db, ids.new(), event, members, context, self._take)

    def _take(self, recording: Recording) -> None:
        self._waiting.append(recording)
        with self._starting:
            if self._thread is None:
                self._start()
        self._some.put(None)
        if len(self._waiting) >= _MANY:
            self.flush()
        elif self._age() > _LATE_S and self._storing.acquire(timeout=_TURN_S):
            try:
                self.flush()
            finally:
                self._storing.release()

    def _age(self) -> float:
        """Seconds since the first event happened that is not stored."""
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
        if processes is not None:  # its children end without `atexit`
            self._at_end = processes.Finalize(None, self.close, exitpriority=0)

    def _commit(self) -> None:
        closing = False
        while not closing:
            self._some.get()
            with suppress(Empty):
                self._closing.get(timeout=_GROUP_S)
                closing = True
            with suppress(Empty):
                while True:
                    self._some.get_nowait()
            self.flush()

    def _store(self, waiting: Sequence[Recording]) -> None:
        dispatches = (dispatch for dispatch in map(self._told, waiting) if dispatch is not None)
        try:
            trouble = self._log.record_all(dispatches)
        except Exception:  # noqa: BLE001  # our own faults, too, must not break an agent
            _LOG.exception("hooktui could not record %d events", len(waiting))
            return
        if trouble and trouble not in self._troubles:
            self._troubles.add(trouble)
            _LOG.warning("%s", trouble)

    def _told(self, recording: Recording) -> Dispatch | None:
        """What the log stores of an event; None when what the agent put into it breaks that."""
        try:
            return dispatch_of(recording, ids.several)
        except Exception:  # noqa: BLE001  # the agent's own objects are asked for their names
            _LOG.exception("hooktui could not record %s", recording.event.as_written)
            return None

    def hold(self) -> None:
        """Before a fork: nothing is under way, nor the log open, of which the new process would think that it has the locks."""
        self._storing.acquire()
        self._log.close()

    def go_on(self) -> None:
        """Behind a fork."""
        self._storing.release()

    def begin_anew(self) -> None:
        """In the new process, which has not our thread; what waits is stored by the other one."""
        self._begin()
