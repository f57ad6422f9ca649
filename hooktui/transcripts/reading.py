"""A transcript that is being read: what a reader carries from line to line, and from one import to the next."""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

from hooktui.core.events import GATE, TOOL_EVENTS
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent, TranscriptSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from hooktui.core.report import HooksRecorded
    from hooktui.transcripts.transcript_records import Outcome

    JsonObject = dict[str, Any]
    ReadRecord = Callable[["Reading", JsonObject], None]

_TITLE_LENGTH = 200  # characters
_SMALL = 1 << 20  # bytes
_LATEST = 3.8e9  # seconds since 1970; an id can have no later time (ids.py)
_SPACE = " \t\n\r"
_OPEN_EVENTS = 256  # that may still change; older ones are closed
# What a record of another shape than expected raises.
_MALFORMED = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)


@dataclass(slots=True)
class Reading:
    """The state of one transcript: its session, the events that may still change, and notes of the agent's reader.

    `open` holds events by key, `changed` those to store, `removed` the stored ones that were taken back. `skipped` counts lines
    that cannot be read.
    """

    session: TranscriptSession = field(default_factory=TranscriptSession)
    open: dict[str, TranscriptEvent] = field(default_factory=dict)
    changed: dict[str, TranscriptEvent] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    removed: list[TranscriptEvent] = field(default_factory=list)
    skipped: int = 0

    def add(self, event: TranscriptEvent) -> TranscriptEvent:
        """Add an event, or replace the one with its key."""
        event.cwd = event.cwd or self.session.cwd
        if event.event == GATE and not event.agent and event.key not in self.open:
            self.end_turn()
        if len(self.open) >= _OPEN_EVENTS:
            del self.open[next(iter(self.open))]
        self.open[event.key] = self.changed[event.key] = event
        return event

    def change(self, key: str) -> TranscriptEvent | None:
        """An event that is about to change; None if it is not known or closed."""
        event = self.open.get(key)
        if event is not None:
            self.changed[key] = event
        return event

    def add_prompt(self, prompt: str, uid: str, at: float, agent: str) -> TranscriptEvent:
        self.end_turn()
        self.has_prompt(prompt)
        return self.add(
            TranscriptEvent(
                key=f"prompt:{uid}", event="pre-agent-turn", at=at, uid=uid, agent=agent, details={"prompt": prompt}
            )
        )

    def add_call(
        self,
        call: str,
        tool: str,
        tool_input: Any,
        at: float,
        uid: str,
        *,
        agent: str = "",
        cwd: str = "",
        hooks_recorded: HooksRecorded = "some",
        details: JsonObject | None = None,
    ) -> TranscriptEvent:
        """Add a tool call, without a result so far."""
        event = TranscriptEvent(key=f"pre:{call}", event="pre-tool-call", at=at, tool=tool, input=tool_input, call=call)
        event.outcome, event.uid, event.agent, event.cwd = "no-result", uid, agent, cwd
        event.hooks_recorded, event.details = hooks_recorded, details or {}
        return self.add(event)

    def end_call(self, call: str, at: float, outcome: Outcome | None, **details: Any) -> TranscriptEvent | None:
        """End a tool call, and return the event after it if it ran. Without an outcome, it is unknown whether it ran."""
        before = self.change(f"pre:{call}")
        if before is None:
            return None
        before.outcome = "ran" if outcome in ("ok", "failed") else outcome
        if before.outcome != "ran":
            return None
        return self.add(
            TranscriptEvent(
                key=f"post:{call}",
                event="post-tool-call" if outcome == "ok" else "post-tool-call-failure",
                at=at,
                tool=before.tool,
                input=before.input,
                call=before.call,
                written_tool=before.written_tool,
                outcome=outcome,
                agent=before.agent,
                duration_ms=max((at - before.at) * 1000, 0.0) if at and before.at else None,
                details=details,
            )
        )

    def last(self, event: str) -> TranscriptEvent | None:
        """The last event of a kind; it is about to change."""
        key = next((key for key in reversed(self.open) if self.open[key].event == event), None)
        return self.change(key) if key else None

    def remove(self, key: str) -> None:
        """Take back an event that was added too early."""
        event = self.open.pop(key, None)
        self.changed.pop(key, None)
        if event and event.stored:
            self.removed.append(event)

    def end_turn(self) -> None:
        """Close the events of the turn, except calls without a result, the last prompt and what it began with."""
        kept = {event.event: key for key, event in self.open.items() if event.event not in TOOL_EVENTS}
        self.open = {
            key: event for key, event in self.open.items() if event.outcome == "no-result" or kept.get(event.event) == key
        }

    def spans(self, at: float) -> None:
        """Widen the session to a moment."""
        session = self.session
        if at > session.end:
            session.end = at
        if at and not 0 < session.start <= at:
            session.start = at

    def has_prompt(self, prompt: str) -> None:
        """Name the session by its first prompt."""
        self.session.prompt = self.session.prompt or first_line(prompt)

    def take(self) -> list[TranscriptEvent]:
        """The events that are new or have changed since the last call."""
        events = list(self.changed.values())
        self.changed.clear()
        return events

    def take_removed(self) -> list[TranscriptEvent]:
        """The stored events that were taken back since the last call."""
        removed, self.removed = self.removed, []
        return removed

    def to_json(self) -> JsonObject:
        """All that reading needs to go on, as JSON values."""
        return {
            "session": asdict(self.session),
            "open": [_event_json(event) for event in self.open.values()],
            "notes": self.notes,
            "skipped": self.skipped,
        }

    @classmethod
    def from_json(cls, value: JsonObject) -> Reading:
        """The state that `to_json` gave. Raises TypeError and KeyError for any other value."""
        events = [
            TranscriptEvent(**{**event, "hooks": [ReportedRun(**run) for run in event.get("hooks", ())]})
            for event in value["open"]
        ]
        return cls(
            session=TranscriptSession(**value["session"]),
            open={event.key: event for event in events},
            notes=value["notes"],
            skipped=value["skipped"],
        )


def begin_by_file_name(path: str) -> Reading:
    """Begin to read a session whose file is named by its ID."""
    reading = Reading()
    reading.session.id = os.path.basename(path).removesuffix(".jsonl")
    return reading


def read_lines(reading: Reading, lines: Iterable[bytes], read: ReadRecord) -> None:
    """Read whole lines of JSON; those that cannot be read are counted."""
    for line in lines:
        try:
            record = parsed(line)
        except (ValueError, RecursionError):
            if line.strip():
                reading.skipped += 1
            continue
        read_record(reading, record, read)


def _event_json(event: TranscriptEvent) -> JsonObject:
    """An event as JSON values, without the empty ones."""
    fields = {name: value for name in TranscriptEvent.__slots__ if (value := getattr(event, name))}
    if event.hooks:
        fields["hooks"] = [asdict(run) for run in event.hooks]
    return {"key": "", "event": "", "at": 0.0} | fields


def _finite(written: str) -> float:
    """A float; JSON has no infinity."""
    return max(-sys.float_info.max, min(float(written), sys.float_info.max))


_decode = json.JSONDecoder(parse_float=_finite, parse_constant=lambda _word: None).raw_decode


def parsed(line: bytes) -> object:
    """A JSON value, with question marks in place of lone surrogates. Raises ValueError and RecursionError."""
    text = line.decode()
    try:
        value, end = _decode(text)
    except ValueError:  # a space or a byte order mark before the value, or no JSON
        text = text.removeprefix("\ufeff").lstrip(_SPACE)
        value, end = _decode(text)
    if end != len(text) and text[end:].strip(_SPACE):
        raise ValueError("not JSON behind the value")
    if b"\\u" in line and (b"\\ud" in line or b"\\uD" in line):
        value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    return value


def read_record(reading: Reading, record: object, read: ReadRecord) -> None:
    """Read one record; one of another shape than expected is counted and skipped."""
    try:
        read(reading, cast("JsonObject", record))
    except _MALFORMED:
        reading.skipped += 1


def json_file(path: str) -> JsonObject:
    """The JSON object in a small file beside a transcript; an empty one if it cannot be read."""
    try:
        return mapping(parsed(small_file(path)))
    except (ValueError, RecursionError):
        return {}


def small_file(path: str) -> bytes:
    """The beginning of a file beside a transcript; b"" if it cannot be read."""
    try:
        if not os.path.isfile(path):
            return b""  # opening a FIFO would block
        with open(path, "rb") as file:
            return file.read(_SMALL)
    except OSError:
        return b""


def text(value: object) -> str:
    """A text, "" for any other value."""
    return value if isinstance(value, str) else ""


def mapping(value: object) -> JsonObject:
    """A JSON object, an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """A JSON array, an empty one for any other value."""
    return value if isinstance(value, list) else []


def number(value: object) -> float | None:
    """A finite number, None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def whole(value: object) -> int | None:
    """A whole number that fits into 32 bits, such as an exit code; None for any other value."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31 else None


def moment(value: object) -> float:
    """A time in seconds since 1970, from ISO 8601 or from milliseconds; 0 if it is neither, or one that no id can have."""
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
            seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return 0.0
    else:
        seconds = (number(value) or 0.0) / 1000
    return seconds if 0 < seconds < _LATEST else 0.0


def first_line(prompt: str) -> str:
    """The first line of a prompt that has words."""
    return next((line.strip()[:_TITLE_LENGTH] for line in prompt.splitlines() if line.strip()), "")


def content_text(content: object) -> str:
    """The text of a message's content: a text, or blocks of which those with text count."""
    if isinstance(content, str):
        return content
    return "\n".join(text(mapping(block).get("text")) for block in items(content) if mapping(block).get("text"))
