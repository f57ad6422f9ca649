"""Read transcripts in portions, ready to be stored; the log is not needed for that."""

from __future__ import annotations

import _json
import json
import os
from dataclasses import dataclass, field
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from hooktui.core import fast_json, paths, project
from hooktui.runner.journal import entry
from hooktui.runner.journal.entry import SessionEntry
from hooktui.runner.redaction import CAP, may_hold_secrets, redacted_value
from hooktui.transcripts import import_rows
from hooktui.transcripts.reading import Reading, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hooktui.runner.journal.entry import HookEntry
    from hooktui.transcripts.import_rows import EventRows
    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_files import FilePosition
    from hooktui.transcripts.transcript_records import TranscriptSession
    from hooktui.transcripts.transcript_spec import TranscriptSpec

_HEAD = 65_536  # bytes that tell where a session was
# Like fast_json.dumps, which makes an encoder for each value.
_encode = _json.make_encoder(None, fast_json.reject_value, encode_basestring, None, ": ", ", ", False, False, True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChoice:
    """What to import: transcripts written after `since` (seconds since 1970) of sessions in `directory`, if given.

    Sessions in one of the directories `exclude` are left out.
    """

    since: float = 0.0
    directory: str = ""
    exclude: tuple[str, ...] = ()

    def allows(self, session: TranscriptSession) -> bool:
        if not self.directory and not self.exclude:
            return True
        places = {project_of(session), paths.canonical(session.cwd)}
        wanted = not self.directory or any(_is_in(place, self.directory) for place in places)
        return wanted and not any(_is_in(place, excluded) for place in places for excluded in self.exclude)


def _is_in(place: str, directory: str) -> bool:
    top = paths.canonical(directory)
    return place == top or place.startswith(os.path.join(top, ""))


@dataclass(slots=True, kw_only=True)
class ImportPortion:
    """A portion of a transcript: its events and the row of its file behind it, as they are stored.

    `hooks` are those of the runs by their versions. `known` identifies the row of the file that the log has to have
    (`FilePosition.mark`). `session_id` is the agent's own and `end` the time of the session's last record. `removed` holds the
    keys of events that were taken back. `skipped` counts lines that could not be read.
    """

    path: str
    known: tuple[int, ...] | None
    row: tuple[Any, ...]
    first: str
    session: SessionEntry
    session_id: str
    title: str
    end: float
    size: int
    skipped: int
    events: list[EventRows] = field(default_factory=list)
    hooks: dict[str, HookEntry] = field(default_factory=dict)
    removed: list[int] = field(default_factory=list)


def portions(
    agent: TranscriptSpec, file: FilePosition, choice: ImportChoice, secrets: Sequence[str]
) -> Iterator[ImportPortion]:
    """Read what is new in a transcript; nothing if its session is left out. Moves the position of `file`. Raises OSError."""
    if not file.position and _is_left_out(agent, file.path, choice):
        return
    reading = begin(agent, file)
    for portion in agent.portions(file):
        skipped = reading.skipped
        read_lines(reading, [line for line in portion.lines if not agent.is_idle(line)], agent.read)
        reading.skipped += portion.too_long
        if not choice.allows(reading.session):
            return
        size = portion.end - file.position if portion.end and agent.is_continued else sum(map(len, portion.lines))
        file.position, file.session = portion.end, reading.session.id
        hooks: dict[str, HookEntry] = {}
        events = _events(agent, file.path, reading, secrets, hooks)
        file.state = state_text(reading.to_json(), secrets)
        session = reading.session
        yield ImportPortion(
            path=file.path,
            known=file.known,
            row=file.row,
            first=file.first,
            session=_session_entry(agent.name, session.id, project_of(session), tuple(secrets)),
            session_id=session.id,
            title=entry.label(session.title, secrets),
            end=session.end or file.changed / 1e9,
            size=size,
            skipped=reading.skipped - skipped + portion.cut,
            events=events,
            hooks=hooks,
            removed=[import_rows.key_of(session.id, one.event, one.call, one.key) for one in reading.take_removed()],
        )
        file.known = file.mark


def _is_left_out(agent: TranscriptSpec, path: str, choice: ImportChoice) -> bool:
    """Whether the beginning of a transcript tells that its session is not to be imported."""
    if not agent.is_continued or not (choice.directory or choice.exclude):
        return False
    with open(path, "rb") as stream:
        lines = stream.read(_HEAD).split(b"\n")[:-1]
    reading = agent.begin(path)
    read_lines(reading, [line for line in lines if not agent.is_idle(line)], agent.read)
    return bool(reading.session.cwd) and not choice.allows(reading.session)


def begin(agent: TranscriptSpec, file: FilePosition) -> Reading:
    """The state of a file's reader; a file without a usable state is read from its beginning."""
    if file.position:
        try:
            return Reading.from_json(json.loads(file.state))
        except (ValueError, KeyError, TypeError):
            file.position = 0
    return agent.begin(file.path)


def _events(
    agent: TranscriptSpec, path: str, reading: Reading, secrets: Sequence[str], hooks: dict[str, HookEntry]
) -> list[EventRows]:
    events, session = reading.take(), reading.session
    payloads = payload_texts([agent.payload(agent, session, event, path) for event in events], secrets)
    rows = [
        import_rows.event_rows(agent.name, session.id, event, payload, secrets, hooks)
        for event, payload in zip(events, payloads, strict=True)
    ]
    for event in events:
        event.stored = True
    return rows


@lru_cache(maxsize=100)
def _session_entry(host: str, session: str, place: str, secrets: tuple[str, ...]) -> SessionEntry:
    return SessionEntry(name=entry.session_name(session, secrets), host=host, project=entry.stored_name(place, secrets))


def project_of(session: TranscriptSession) -> str:
    """The project that a session belongs to."""
    return _project(session.project or session.cwd)


@lru_cache(maxsize=1000)
def _project(directory: str) -> str:
    return project.root(paths.canonical(directory)) if directory.startswith("/") else directory


def payload_texts(payloads: Sequence[JsonObject], secrets: Sequence[str]) -> list[str]:
    """Payloads as they are stored (`entry.stored_json`); a field is redacted once, however many payloads repeat its value."""
    places: dict[str, dict[str | int, int]] = {}  # of each field by its name, then by its value
    fields: list[tuple[str, Any]] = []
    rows = []
    for payload in payloads:
        row = []
        for name, value in payload.items():
            key = value if type(value) is str else id(value)
            known = places.setdefault(name, {})
            if key not in known:
                known[key] = len(fields)
                fields.append((name, value))
            row.append(known[key])
        rows.append(row)
    texts = _redacted(fields, secrets)
    stored = [f"{{{', '.join([texts[place] for place in row])}}}" for row in rows]
    # Another field may name what `value` holds: `{"name": "api_key", "value": …}`
    if any(name.lower() == "value" for name in places):
        return [entry.stored_json(payload, secrets) or "{}" for payload in payloads]
    return list(map(entry.shortened_json, stored))


def state_text(state: JsonObject, secrets: Sequence[str]) -> str:
    """The state of a reader, as JSON; its texts are redacted and long ones cut."""
    names = [name for name in state if name != "open"]
    texts = _redacted([*((name, state[name]) for name in names), *(("", event) for event in state["open"])], secrets)
    opened = ", ".join(text.partition(": ")[2] for text in texts[len(names) :])
    return f'{{{", ".join(texts[: len(names)])}, "open": [{opened}]}}'


def _redacted(pairs: Sequence[tuple[str, Any]], secrets: Sequence[str]) -> list[str]:
    """Fields with their values as redacted JSON, each without braces."""
    texts = [f"{encode_basestring(name)}: {_text(value)}" for name, value in pairs]
    for place, (name, value) in enumerate(pairs):
        if secrets or len(texts[place]) > CAP or may_hold_secrets(texts[place]):
            texts[place] = _encoded(redacted_value({name: value}, secrets))[1:-1]
    return texts


def _text(value: object) -> str:
    return encode_basestring(value) if type(value) is str else _encoded(value)


def _encoded(value: object) -> str:
    return "".join(_encode(value, 0))
