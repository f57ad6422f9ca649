"""Import the past: read what is new in the transcripts and store it, the last written first."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hooktui.transcripts import import_portions
from hooktui.transcripts.import_portions import ImportChoice
from hooktui.transcripts.transcript_changes import changed_files, continue_file, head
from hooktui.transcripts.transcript_files import files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from hooktui.transcripts.import_log import ImportLog
    from hooktui.transcripts.import_portions import ImportPortion
    from hooktui.transcripts.transcript_files import FilePosition
    from hooktui.transcripts.transcript_spec import TranscriptSpec

    Portions = list[tuple["HostImport", ImportPortion]]

_REFUSED = (OverflowError, ValueError, sqlite3.InterfaceError, sqlite3.ProgrammingError, sqlite3.IntegrityError)
_EVERYTHING = ImportChoice()
_SLICE = 4 << 20  # bytes of transcripts that are stored in one transaction
_SLICE_S = 0.25  # a slice ends after this time, too


@dataclass(slots=True)
class HostImport:
    """What was new in the transcripts of an agent (contract.md, `import --json`).

    `skipped` counts lines that could not be read, `unreadable` files by the reason.
    """

    host: str
    title: str
    sessions: set[str] = field(default_factory=set)
    events: int = 0
    hooks: int = 0
    skipped: int = 0
    bytes: int = 0
    seconds: float = 0.0
    unreadable: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, object]:
        counts = {name: getattr(self, name) for name in ("events", "hooks", "skipped", "bytes")}
        return {"host": self.host, "sessions": len(self.sessions), **counts, "seconds": round(self.seconds, 3)}

    def add(self, portion: ImportPortion, counts: tuple[int, int]) -> None:
        events, hooks = counts
        self.events += events
        self.hooks += hooks
        self.skipped += portion.skipped
        self.bytes += portion.size
        if events:
            self.sessions.add(portion.session_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """How far an import is. `host` is the title of the agent whose transcripts were stored last, "" before the first."""

    bytes_done: int = 0
    bytes_total: int = 0
    host: str = ""
    sessions: int = 0
    events: int = 0

    @property
    def share(self) -> float:
        """The part that is done, 0 to 1."""
        return min(self.bytes_done / self.bytes_total, 1.0) if self.bytes_total else 1.0


@contextmanager
def import_lock(db: str, *, waits: bool) -> Iterator[bool]:
    """Keep other imports into a log away; whether that was possible. `waits` until another import has ended.

    It saves work: two imports at a time store nothing twice. Raises OSError.
    """
    fd = os.open(f"{db}.import", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(fd)


def import_past(
    log: ImportLog,
    agents: Sequence[TranscriptSpec],
    choice: ImportChoice,
    tell: Callable[[ImportProgress], None] = lambda _: None,
) -> list[HostImport]:
    """Import the transcripts of agents; an import that is killed is continued by the next.

    `tell` is called with the progress after each transaction. Raises sqlite3.Error.
    """
    results = {agent.name: HostImport(agent.name, agent.title) for agent in agents}
    for progress in _import(log, agents, choice, results):
        tell(progress)
    return list(results.values())


def import_slices(
    log: ImportLog, agents: Sequence[TranscriptSpec], choice: ImportChoice = _EVERYTHING
) -> Generator[ImportProgress, None, None]:
    """Import the transcripts of agents; yields the progress before the first, after each transaction and at the end.

    An iteration that ends early is continued by the next import. Raises sqlite3.Error.
    """
    yield from _import(log, agents, choice, {agent.name: HostImport(agent.name, agent.title) for agent in agents})


def import_file(log: ImportLog, agents: Iterable[TranscriptSpec], path: str, choice: ImportChoice = _EVERYTHING) -> int | None:
    """Import what is new in a transcript; the number of events that are new or have changed, whose ids are in `log.stored`.

    None if the path is none of these agents' transcripts. Raises sqlite3.Error.
    """
    agent = next((agent for agent in agents if agent.owns(path)), None)
    if agent is None:
        return None
    stored: list[int] = []
    for file in agent.found(agent) if not agent.is_continued else files_of(agent.name, [path]):
        if continue_file(agent, file, log.known_file(file.path)):
            if not file.position:
                file.first = head(file.path).first
            log.load_state(file)
            try:
                for portion in import_portions.portions(agent, file, choice, log.secrets):
                    if _stored(log, [portion])[0] is None:
                        break
                    stored += log.stored
            except OSError:
                continue
    log.stored = stored
    return len(stored)


def _import(
    log: ImportLog, agents: Sequence[TranscriptSpec], choice: ImportChoice, results: dict[str, HostImport]
) -> Iterator[ImportProgress]:
    files = changed_files(agents, log.known_files(), choice.since)
    bytes_total = sum(file.size - file.position for agent, file in files if agent.is_continued)
    progress = ImportProgress(bytes_total=bytes_total)
    yield progress
    bytes_done, begun = 0, time.monotonic()
    for slice_ in _slices(log, files, choice, results):
        for (result, portion), counts in zip(slice_, _stored(log, [portion for _, portion in slice_]), strict=True):
            if counts is not None:
                result.add(portion, counts)
        bytes_done += sum(portion.size for _, portion in slice_)
        host = slice_[-1][0]
        begun, ended = time.monotonic(), begun
        host.seconds += begun - ended
        progress = replace(
            progress,
            bytes_done=bytes_done,
            host=host.title,
            sessions=sum(len(result.sessions) for result in results.values()),
            events=sum(result.events for result in results.values()),
        )
        yield progress
    yield replace(progress, bytes_done=bytes_total)


def _stored(log: ImportLog, portions: Sequence[ImportPortion]) -> list[tuple[int, int] | None]:
    """Store portions together; one with a value that SQLite refuses must not keep out the others."""
    try:
        return log.store(portions)
    except _REFUSED:
        if len(portions) == 1:
            return [None]
        return [counts for portion in portions for counts in _stored(log, [portion])]


def _slices(
    log: ImportLog,
    files: Sequence[tuple[TranscriptSpec, FilePosition]],
    choice: ImportChoice,
    results: dict[str, HostImport],
) -> Iterator[Portions]:
    """Portions that are stored together."""
    slice_: Portions = []
    size, begun = 0, time.monotonic()
    for agent, file in files:
        result = results[agent.name]
        log.load_state(file)
        try:
            for portion in import_portions.portions(agent, file, choice, log.secrets):
                slice_.append((result, portion))
                size += portion.size
                if size >= _SLICE or time.monotonic() - begun > _SLICE_S:
                    yield slice_
                    slice_, size, begun = [], 0, time.monotonic()
        except OSError as error:  # such as one that was deleted or is not ours to read
            result.unreadable[error.strerror or str(error)] += 1
    if slice_:
        yield slice_
