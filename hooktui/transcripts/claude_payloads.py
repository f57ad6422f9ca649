"""What Claude Code would have sent to hooks: paths of files are absolute there (seen in 2.1.197 and 2.1.330)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.transcripts import transcript_spec
from hooktui.transcripts.reading import mapping, text

if TYPE_CHECKING:
    from typing import Any

    from hooktui.transcripts.transcript_records import TranscriptEvent, TranscriptSession
    from hooktui.transcripts.transcript_spec import TranscriptSpec

_PATHS = ("file_path", "notebook_path")


def payload(spec: TranscriptSpec, session: TranscriptSession, event: TranscriptEvent, path: str) -> dict[str, Any]:
    """The payload of an event."""
    fields = transcript_spec.payload(spec, session, event, path)
    given = mapping(fields.get("tool_input"))
    for name in _PATHS:
        file = text(given.get(name))
        if file and not file.startswith(("/", "~")) and event.cwd:
            fields["tool_input"] = given = given | {name: os.path.normpath(os.path.join(event.cwd, file))}
    return fields
