"""Import the past: read what the transcripts tell that is new, and store it, the last written first."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.transcripts.reading import read_lines
from hooktui.transcripts.transcript_changes import changed_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hooktui.transcripts.past_log import PastLog
    from hooktui.transcripts.reading import Reading
    from hooktui.transcripts.transcript_files import FilePosition
    from hooktui.transcripts.transcript_spec import TranscriptSpec


@dataclass(slots=True)
class HostImport:
    """What was new in the transcripts of an agent (contract.md, `import --json`).

    `skipped` counts lines that could not be read, `unreadable` files.
    """

    host: str
    title: str
    sessions: set[str] = field(default_factory=set)
    events: int = 0
    hooks: int = 0
    skipped: int = 0
    bytes: int = 0
    seconds: float = 0.0
    unreadable: int = 0

    def as_json(self) -> dict[str, object]:
        """The fields of `--json`."""
        counts = {name: getattr(self, name) for name in ("events", "hooks", "skipped", "bytes")}
        return {"host": self.host, "sessions": len(self.sessions), **counts, "seconds": round(self.seconds, 3)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportChoice:
    """What to import: transcripts written after `since` (seconds since 1970) of sessions in `directory`, if given.

    Sessions in one of the directories `exclude` are left out.
    """

    since: float = 0.0
    directory: str = ""
    exclude: tuple[str, ...] = ()

    def allows(self, log: PastLog, reading: Reading) -> bool:
        """Whether a session may be imported."""
        if not self.directory and not self.exclude:
            return True
        places = {log.project_of(reading), paths.canonical(reading.session.cwd)}
        wanted = not self.directory or any(_is_in(place, self.directory) for place in places)
        return wanted and not any(_is_in(place, left_out) for place in places for left_out in self.exclude)


def _is_in(place: str, directory: str) -> bool:
    top = paths.canonical(directory)
    return place == top or place.startswith(os.path.join(top, ""))


def import_past(
    log: PastLog, agents: Iterable[TranscriptSpec], choice: ImportChoice, is_cancelled: Callable[[], bool] = lambda: False
) -> list[HostImport]:
    """Import the transcripts of agents; an import that is cancelled is continued by the next. Raises sqlite3.Error."""
    results = []
    for agent in agents:
        begun = time.monotonic()
        result = HostImport(agent.name, agent.title)
        for file in changed_files(agent, log.files, choice.since):
            if is_cancelled():
                break
            try:
                _import_file(log, agent, file, choice, result)
            except OSError:
                result.unreadable += 1  # it was deleted or is not ours to read
        result.seconds = time.monotonic() - begun
        results.append(result)
    return results


def _import_file(log: PastLog, agent: TranscriptSpec, file: FilePosition, choice: ImportChoice, result: HostImport) -> None:
    reading = log.reading(agent, file)
    for portion in agent.portions(file):
        before = reading.skipped
        read_lines(reading, (line for line in portion.lines if not agent.is_idle(line)), agent.read)
        reading.skipped += portion.too_long
        if not choice.allows(log, reading):
            return
        result.skipped += reading.skipped - before + portion.cut
        result.bytes += portion.end - file.position if agent.is_continued else sum(map(len, portion.lines))
        file.position = portion.end
        events, hooks = log.store(agent, file, reading)
        result.events += events
        result.hooks += hooks
        if events:
            result.sessions.add(reading.session.id)
    log.files[file.path] = file
