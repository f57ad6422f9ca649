"""Events in a few records of a transcript."""

from __future__ import annotations

import json
from typing import Any

from hooktui.transcripts.agents import AGENTS
from hooktui.transcripts.reading import Reading, read_lines
from hooktui.transcripts.transcript_records import TranscriptEvent

AT = "2026-11-23T23:20:00.000Z"


def events(host: str, *records: dict[str, Any], agent: str = "") -> list[TranscriptEvent]:
    """The events in a transcript of these records; of a subagent's, if it has a name."""
    spec = next(spec for spec in AGENTS if spec.name == host)
    reading = Reading(notes={"agent": agent} if agent else {})
    read_lines(reading, [json.dumps({"timestamp": AT, **record}).encode() for record in records], spec.read)
    assert reading.skipped == 0
    return reading.take()
