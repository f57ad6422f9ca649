"""opencode's sessions: rows of a SQLite database (seen in 1.18.33). It has no hooks; a plugin's denial is a plain error.

Every session of the database counts as a transcript of its own, `DATABASE#SESSION`, and is read as a whole when it has changed.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

from hooktui.hosts import opencode as host
from hooktui.transcripts.reading import Reading, first_line, mapping, moment, text
from hooktui.transcripts.transcript_files import FilePosition, Portion
from hooktui.transcripts.transcript_records import TranscriptEvent
from hooktui.transcripts.transcript_spec import TranscriptSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_records import Outcome

_SESSIONS = "SELECT id, time_updated, (SELECT count(*) FROM part WHERE session_id = session.id) FROM session"
_SESSION = "SELECT parent_id, directory, title, agent FROM session WHERE id = ?"
_PARTS = """
SELECT part.id, part.time_created, part.data, message.data
FROM part JOIN message ON message.id = message_id WHERE part.session_id = ? ORDER BY part.time_created, part.id"""
_CALL = 'SELECT data FROM part WHERE session_id = ? AND instr(data, ?) AND instr(data, \'"type":"tool"\') LIMIT 1'
_NOT_PERMITTED = ("The user rejected permission to use", "The user has specified a rule which prevents")
_ABORTED = "Tool execution aborted"
# What its tools say; a plugin denies before they run.
_OF_TOOLS = ("File not found: ", "Could not find oldString in the file", "Found multiple matches for oldString")
_MOST_LEVELS = 20  # of sessions that subagents started


def found(spec: TranscriptSpec) -> Iterator[FilePosition]:
    """The sessions in the databases; one that cannot be read has none."""
    for path in spec.paths():
        try:
            with closing(_open(path)) as database:
                rows = database.execute(_SESSIONS).fetchall()
                inode = os.stat(path).st_ino
        except (sqlite3.Error, OSError):
            continue
        for session, updated, count in rows:
            at = int(moment(updated) * 1e9)
            yield FilePosition(path=f"{path}#{text(session)}", host=spec.name, inode=inode, size=count, changed=at)


def _open(path: str) -> sqlite3.Connection:
    """Open a database for reading only, with what its WAL holds."""
    return sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=5)


def begin(path: str) -> Reading:
    """A reading of a session, or of the subagent whose session it is."""
    reading = Reading()
    database_path, _, session = path.rpartition("#")
    try:
        with closing(_open(database_path)) as database:
            row = database.execute(_SESSION, (session,)).fetchone() or (None, "", "", "")
            parent, directory, title, agent = row
            reading.session.cwd = text(directory)
            reading.session.id = session
            if parent:
                call = database.execute(_CALL, (parent, session)).fetchone()
                reading.notes.update(agent=session, agent_type=text(agent))
                reading.notes["parent_call"] = text(mapping(json.loads(call[0])).get("callID")) if call else None
                reading.session.id = _root(database, text(parent))
            else:
                reading.session.title = first_line(text(title))
    except (sqlite3.Error, ValueError, RecursionError):
        return reading
    return reading


def _root(database: sqlite3.Connection, session: str) -> str:
    """The session in which the first of several nested subagents was started."""
    for _ in range(_MOST_LEVELS):
        row = database.execute(_SESSION, (session,)).fetchone()
        if not row or not row[0]:
            break
        session = text(row[0])
    return session


def portions(file: FilePosition) -> Iterator[Portion]:
    """The parts of a session with their messages, as lines. Raises OSError."""
    path, _, session = file.path.rpartition("#")
    try:
        with closing(_open(path)) as database:
            rows = database.execute(_PARTS, (session,)).fetchall()
    except sqlite3.Error as error:
        raise OSError(str(error)) from error
    lines = [
        f'{{"id": {json.dumps(uid)}, "at": {json.dumps(at)}, "part": {part}, "message": {message}}}'.encode(errors="replace")
        for uid, at, part, message in rows
    ]
    yield Portion(lines, file.size)


def read(reading: Reading, record: JsonObject) -> None:
    """Read one part of a message."""
    part, message = mapping(record["part"]), mapping(record["message"])
    at = moment(record.get("at"))
    reading.spans(at)
    model = text(message.get("modelID")) or text(mapping(message.get("model")).get("modelID"))
    reading.session.model = model or reading.session.model
    uid = text(record.get("id"))
    if part.get("type") == "tool":
        _call(reading, part, uid, at)
    elif part.get("type") == "text" and not part.get("synthetic"):
        if message.get("role") == "user":
            _prompt(reading, text(part.get("text")), uid, at)
        elif message.get("finish") == "stop":
            _stop(reading, text(part.get("text")), uid, at)


def _prompt(reading: Reading, prompt: str, uid: str, at: float) -> None:
    agent = reading.notes.get("agent", "")
    if agent and not reading.notes.get("task"):
        reading.notes["task"] = True
        event = TranscriptEvent(key=f"agent:{agent}", event="pre-subagent", at=at, uid=uid, agent=agent)
        event.parent_call = reading.notes.get("parent_call")
        event.details = {"agent_type": reading.notes.get("agent_type"), "task": prompt}
        reading.add(event)
        return
    reading.add_prompt(prompt, uid, at, agent)


def _call(reading: Reading, part: JsonObject, uid: str, at: float) -> None:
    state = mapping(part.get("state"))
    times, call = mapping(state.get("time")), text(part["callID"])
    begun, agent = moment(times.get("start")) or at, reading.notes.get("agent", "")
    reading.add_call(call, text(part["tool"]), state.get("input"), begun, uid, agent=agent, hooks_recorded="none")
    if state.get("status") in ("completed", "error"):
        ended = moment(times.get("end")) or at
        reading.spans(ended)
        error = text(state.get("error"))
        after = reading.end_call(call, ended, "ok" if state.get("status") == "completed" else _error_outcome(error))
        if after:
            after.uid, after.hooks_recorded = f"{uid}:end", "none"
            if error:
                after.details["error"] = error
        else:
            reading.open[f"pre:{call}"].reason = error


def _error_outcome(error: str) -> Outcome | None:
    """What became of a call, in opencode's own words; None for other errors: the tool failed, or a plugin denied it."""
    if error.startswith(_NOT_PERMITTED):
        return "denied-by-permission"
    if error.startswith(_OF_TOOLS):
        return "failed"
    return "interrupted" if error == _ABORTED else None


def _stop(reading: Reading, final: str, uid: str, at: float) -> None:
    agent = reading.notes.get("agent", "")
    event = TranscriptEvent(
        key=f"stop:{uid}", event="post-subagent" if agent else "pre-agent-turn-stop", at=at, outcome="ok", agent=agent
    )
    event.uid, event.parent_call, event.details = uid, reading.notes.get("parent_call"), {"final_message": final}
    reading.add(event)


AGENT = TranscriptSpec(
    host=host.HOST,
    begin=begin,
    read=read,
    found=found,
    portions=portions,
    is_continued=False,
)
