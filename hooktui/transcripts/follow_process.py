"""The process beside the app that reads agents' transcripts: first what is new, then what is written while the app is open.

Standard output has one JSON object a line: `heads`, sessions that are not in the log yet, newest first; `progress` of the
import; `ended` with whether everything was read; `unindexed`, the number of events whose words wait for the index, 0 at the
end. Standard input takes `cancel`, which ends the import, and `read PATH`, which reads a transcript next; its end ends the
process. It may be killed at any moment: a portion of a transcript and its position are stored together.
"""

from __future__ import annotations

import json
import os
import queue
import sqlite3
import sys
import threading
import time
from contextlib import closing, suppress
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from hooktui import config
from hooktui.core import paths
from hooktui.log.read.terms import time_of
from hooktui.log.store import index_queue
from hooktui.log.store.database import UnusableLogError
from hooktui.transcripts import transcript_places
from hooktui.transcripts.agents import BY_NAME, chosen
from hooktui.transcripts.import_log import ImportLog
from hooktui.transcripts.import_portions import ImportChoice
from hooktui.transcripts.import_transcripts import import_file, import_lock, import_slices
from hooktui.transcripts.session_index import session_heads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.settings import Settings
    from hooktui.transcripts.transcript_spec import TranscriptSpec

    Order = tuple[str, str]  # "cancel", "import" or "read", and a path

_PRIORITY = 19  # the lowest: at 10, three busy processes delay a key by half (docs/decisions/0040)
_BATCH = 100  # heads
_QUICK_S = 0.3  # an import that takes no longer is not shown
_REST_S = 0.1  # between two lines about progress
_STEP_MS, _DEBOUNCE_MS = 150, 400  # the wait for further changes of a transcript
_READY_MS = 500  # after which a watch has surely begun
_LOOK_S = 30.0  # between two looks for agents that are new
_OFTEN_S = 2.0  # the same while another process imports, and where the system watches no more directories


class Follower:
    """Reads transcripts into a log, in one thread; two others wait for orders and for changed files."""

    def __init__(self, log: ImportLog, db: str, agents: Sequence[TranscriptSpec], choice: ImportChoice) -> None:
        self._log = log
        self._db = db
        self._agents = agents
        self._choice = choice
        self._orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        self._watched: Sequence[str] = ()
        self._is_watching = False
        self._is_cancelled = False
        self._told = 0.0  # when the last line about the index was printed
        self._has_to_wait = False  # for the import of another process

    def run(self) -> None:
        """Import what is new, then follow. Never ends by itself. Raises sqlite3.Error."""
        threading.Thread(target=self._take_orders, daemon=True).start()
        self._watch()
        self._import()
        while True:
            is_indexing = index_queue.index_some(self._log.connection, self._db)
            self._tell_of_index(is_indexing=is_indexing)
            try:
                often = self._has_to_wait or not self._is_watching
                rest = index_queue.REST_S if is_indexing else _OFTEN_S if often else _LOOK_S
                self._obey(self._orders.get(timeout=rest))
            except queue.Empty:
                if not is_indexing:
                    # Directories of agents may be new, and nothing tells of changes where nothing is watched.
                    self._watch()
                    if (self._has_to_wait or not self._is_watching) and not self._is_cancelled:
                        self._import()

    def _tell_of_index(self, *, is_indexing: bool) -> None:
        """Tell how many events wait for the index, if they are many."""
        now = time.monotonic()
        if is_indexing and now - self._told > _REST_S:
            self._told = now
            _tell({"unindexed": index_queue.count(self._log.connection)})
        elif self._told and not is_indexing:
            self._told = 0.0
            _tell({"unindexed": 0})

    def _take_orders(self) -> None:
        for line in sys.stdin:
            kind, _, path = line.rstrip("\n").partition(" ")
            self._orders.put((kind, path))
        os._exit(0)  # the app has ended

    def _watch(self) -> None:
        directories = transcript_places.existing(agent.host for agent in self._agents)
        if list(directories) != list(self._watched):
            self._watched, self._is_watching = directories, True
            threading.Thread(target=self._await_changes, args=(directories,), daemon=True).start()

    def _await_changes(self, directories: Sequence[str]) -> None:
        """Order to read each file that changes, until other directories are watched."""
        import watchfiles

        changes = watchfiles.watch(
            *directories,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            rust_timeout=_READY_MS,
            yield_on_timeout=True,
            ignore_permission_denied=True,
        )
        with suppress(OSError, RuntimeError):  # the system watches no more, or a directory is gone
            next(changes)
            self._orders.put(("import", ""))  # what was written before the watch began
            for changed in changes:
                if self._watched is not directories:
                    return
                for _, path in changed:
                    # Of what was written into a new directory before the system watched it nothing tells.
                    self._orders.put(("import", "") if os.path.isdir(path) else ("read", path))
        self._is_watching = self._is_watching and self._watched is not directories

    def _import(self) -> None:
        """Import what is new, until that is cancelled; later, if another process does it."""
        with import_lock(self._db, waits=False) as is_ours:
            self._has_to_wait = not is_ours
            if is_ours:
                self._import_slices()

    def _import_slices(self) -> None:
        begun, told, everything = time.monotonic(), 0.0, True
        later: list[Order] = []
        with closing(import_slices(self._log, self._agents, self._choice)) as slices:
            for progress in slices:
                now = time.monotonic()
                if now - begun > _QUICK_S and now - told > _REST_S:
                    _tell({"progress": asdict(progress)})
                    told = now
                everything = self._obey_waiting(later)
                if not everything:
                    break
        self._is_cancelled = not everything
        for order in later:
            self._orders.put(order)
        _tell({"ended": everything})

    def _obey_waiting(self, later: list[Order]) -> bool:
        """Obey the orders that wait, but an import `later`; False for one to cancel."""
        with suppress(queue.Empty):
            while True:
                order = self._orders.get_nowait()
                if order[0] == "cancel":
                    return False
                if order[0] == "import":
                    later.append(order)
                else:
                    self._obey(order)
        return True

    def _obey(self, order: Order) -> None:
        kind, path = order
        if kind == "read":
            with suppress(OSError):  # it was deleted or is not ours to read
                import_file(self._log, self._agents, path, self._choice)
        elif kind == "import" and not self._is_cancelled:
            self._import()


def _tell(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _choice(settings: Settings) -> ImportChoice:
    since = 0.0 if settings.history_since == "all" else time_of(settings.history_since, time.time())
    return ImportChoice(since=since, exclude=settings.history_exclude)


def main(arguments: Sequence[str]) -> int:
    """Follow the transcripts of the agents in the configuration, for a log that is not the configured one if it is given."""
    settings, _ = config.load_or_defaults()
    if not settings.history_enabled:
        return 0
    os.nice(_PRIORITY)
    db = next(iter(arguments), "") or paths.log_path(settings.log_path)
    agents, choice = chosen([name for name in settings.history_hosts if name in BY_NAME]), _choice(settings)
    heads = session_heads(agents, choice, db, settings.redact)
    while batch := list(islice(heads, _BATCH)):
        _tell({"heads": [asdict(head) for head in batch]})
    try:
        with closing(ImportLog(db, settings.redact)) as log:
            Follower(log, db, agents, choice).run()
    except (UnusableLogError, sqlite3.Error) as error:
        print(error, file=sys.stderr)
    return 1


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the app has ended
        sys.exit(main(sys.argv[1:]))
