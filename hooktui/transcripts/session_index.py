"""The sessions on disk that the log does not have yet, told by the beginnings and ends of their transcripts."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote

from hooktui.runner.journal import entry
from hooktui.transcripts import compressed
from hooktui.transcripts.import_portions import project_of
from hooktui.transcripts.reading import Reading, read_lines
from hooktui.transcripts.transcript_files import files_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.transcripts.import_portions import ImportChoice
    from hooktui.transcripts.transcript_files import FilePosition
    from hooktui.transcripts.transcript_spec import TranscriptSpec

_HEADS = (8_192, 65_536)  # bytes; more are read if the first do not tell enough
_TAIL = 8_192
_LAST_LINES = 20  # that are tried for a time
_LINES = ".jsonl"
_TITLE = b'itle"'  # of the keys that name a session
_SESSIONS = "SELECT host, name FROM session WHERE events > 0"
_FILES = "SELECT path FROM transcript"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    """A session that is not in the log, by the beginning and the end of its transcript.

    `title` is the agent's own, else the first line of the first prompt. Texts are as the log will have them, "" if unknown.
    Times are in seconds since 1970, `start` is 0 if unknown. `size` is in bytes, without the transcripts of subagents.
    """

    host: str
    id: str
    title: str
    cwd: str
    project: str
    model: str
    start: float
    end: float
    path: str
    size: int


def session_heads(
    agents: Iterable[TranscriptSpec], choice: ImportChoice, db: str, secrets: Sequence[str]
) -> Iterator[SessionHead]:
    """The sessions that the log does not have yet, the last written first. Files that cannot be read are left out."""
    paths, sessions = _known(db)
    files = [
        (agent, file)
        for agent in agents
        for file in (files_of(agent.name, agent.session_paths()) if agent.is_continued else agent.found(agent))
        if file.size and file.changed >= choice.since * 1e9 and file.path not in paths
    ]
    files.sort(key=lambda pair: -pair[1].changed)
    for agent, file in files:
        reading = _read(agent, file)
        session = reading.session
        known = (agent.name, session.id) in sessions
        if session.id and not known and not reading.notes.get("agent") and choice.allows(session):
            yield SessionHead(
                host=agent.name,
                id=session.id,
                title=entry.label(session.name, secrets),
                cwd=session.cwd,
                project=entry.stored_name(project_of(session), secrets),
                model=session.model,
                start=session.start,
                end=session.end or file.changed / 1e9,
                path=file.path,
                size=file.size,
            )


def _known(db: str) -> tuple[set[str], set[tuple[str, str]]]:
    """The transcripts and the sessions (host, id) of a log, none if it cannot be read."""
    if not os.path.exists(db):
        return set(), set()
    try:
        with closing(sqlite3.connect(f"file:{quote(os.path.abspath(db))}?mode=ro", uri=True, timeout=5)) as connection:
            return {path for (path,) in connection.execute(_FILES)}, set(connection.execute(_SESSIONS))
    except sqlite3.Error:
        return set(), set()


def _read(agent: TranscriptSpec, file: FilePosition) -> Reading:
    reading = agent.begin(file.path)
    if not agent.is_continued or file.path.endswith(compressed.SUFFIX):
        return reading  # what is compressed comes with the import
    try:
        if not file.path.endswith(_LINES):
            for portion in agent.portions(file):
                read_lines(reading, portion.lines, agent.read)
            return reading
        with open(file.path, "rb") as stream:
            for size in _HEADS:
                lines = (stream.read(size)).split(b"\n")
                if len(lines) > 1:
                    lines.pop()  # it may be cut
                _read_some(agent, reading, lines)
                if _is_complete(reading) or stream.tell() >= file.size:
                    break
                reading = agent.begin(file.path)
                stream.seek(0)
            if stream.tell() < file.size:
                stream.seek(max(file.size - _TAIL, stream.tell()))
                _read_end(agent, reading, stream.read(_TAIL).split(b"\n")[1:])
    except OSError:
        pass
    return reading


def _read_some(agent: TranscriptSpec, reading: Reading, lines: Iterable[bytes]) -> None:
    wanted = iter(line for line in lines if not agent.is_idle(line))
    while not _is_complete(reading) and (some := list(islice(wanted, 2))):
        read_lines(reading, some, agent.read)


def _is_complete(reading: Reading) -> bool:
    session = reading.session
    return bool(session.id and session.name and session.cwd and session.model) or "agent" in reading.notes


def _read_end(agent: TranscriptSpec, reading: Reading, lines: list[bytes]) -> None:
    """Read a new title, and the time of the last line that has one."""
    read_lines(reading, (line for line in lines if _TITLE in line and not agent.is_idle(line)), agent.read)
    for line in lines[: -_LAST_LINES - 1 : -1]:
        last = Reading(session=reading.session)
        before = reading.session.end
        if line and not agent.is_idle(line):
            read_lines(last, [line], agent.read)
        if reading.session.end > before:
            return
