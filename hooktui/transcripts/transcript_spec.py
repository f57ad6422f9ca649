"""What the readers of all agents have in common: where the transcripts are, and how to begin one."""

from __future__ import annotations

import fnmatch
import glob
import os
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from hooktui.core import events, paths
from hooktui.transcripts.reading import Reading
from hooktui.transcripts.transcript_files import files_of, portions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from hooktui.transcripts.reading import ReadRecord
    from hooktui.transcripts.transcript_files import FilePosition, Portion
    from hooktui.transcripts.transcript_records import TranscriptEvent, TranscriptSession


# Details that tell more of an event than its payload does.
_NOT_SENT = ("task", "origin")


def payload(spec: TranscriptSpec, session: TranscriptSession, event: TranscriptEvent, path: str) -> dict[str, Any]:
    """What the agent would have sent to a hook, as far as the transcript at a path tells."""
    fields = {
        "session_id": session.id,
        "transcript_path": path,
        "cwd": event.cwd,
        "hook_event_name": spec.spelled(event.event),
        "agent_id": event.agent,
        "tool_name": event.tool,
        "tool_input": event.input if event.tool else None,
        "tool_use_id": event.call,
        **event.details,
    }
    return {name: value for name, value in fields.items() if value is not None and value != "" and name not in _NOT_SENT}


_spelling = lru_cache(maxsize=200)(events.spelling)


def _begin(_path: str) -> Reading:
    return Reading()


def _is_idle(_line: bytes) -> bool:
    return False


def _found(spec: TranscriptSpec) -> Iterator[FilePosition]:
    return files_of(spec.name, spec.paths())


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptSpec:
    """An agent's transcripts: JSON Lines files below `directory` in the home directory, which `variable` may move.

    `files` are patterns of the paths of sessions, `subagents` of what belongs to them.
    `begin` starts reading a file with what its path and the files beside it tell; `read` reads one record. `is_idle` recognises
    lines without a fact, unparsed. `found` lists the transcripts and `portions` reads one, from where the last import ended if
    it `is_continued`. Events are spelled in a `style`, or as in `names`.
    """

    name: str
    title: str
    directory: str
    files: tuple[str, ...]
    read: ReadRecord
    subagents: tuple[str, ...] = ()
    variable: str = ""
    below_variable: str = ""
    begin: Callable[[str], Reading] = _begin
    is_idle: Callable[[bytes], bool] = _is_idle
    found: Callable[[TranscriptSpec], Iterator[FilePosition]] = _found
    portions: Callable[[FilePosition], Iterator[Portion]] = portions
    is_continued: bool = True
    style: str = "pascal"
    names: Mapping[str, str] = field(default_factory=dict)
    payload: Callable[[TranscriptSpec, TranscriptSession, TranscriptEvent, str], dict[str, Any]] = payload

    def spelled(self, event: str) -> str:
        return self.names.get(event) or _spelling(event, self.style) or event

    def root(self) -> str:
        """The directory, where the environment puts it."""
        moved = os.environ.get(self.variable) if self.variable else ""
        return os.path.join(moved, self.below_variable) if moved else os.path.join(paths.home(), self.directory)

    def paths(self) -> Iterator[str]:
        """The paths of all transcripts. Directories that cannot be read have none."""
        yield from dict.fromkeys(self._matching(*self.files, *self.subagents))

    def session_paths(self) -> Iterator[str]:
        """The paths of the transcripts of sessions, without those of subagents that have files of another kind."""
        return self._matching(*self.files)

    def _matching(self, *patterns: str) -> Iterator[str]:
        root = glob.escape(self.root())
        for pattern in patterns:
            yield from filter(os.path.isfile, glob.iglob(os.path.join(root, pattern)))  # opening a FIFO would block

    def owns(self, path: str) -> bool:
        """Whether a path is that of a transcript, by its name alone; the WAL of a database counts as the database."""
        top = os.path.join(self.root(), "")
        if not path.startswith(top):
            return False
        parts = path.removeprefix(top).removesuffix("-wal").split("/")
        return any(
            len(parts) == pattern.count("/") + 1 and all(map(fnmatch.fnmatchcase, parts, pattern.split("/")))
            for pattern in (*self.files, *self.subagents)
        )


def watched_directories(agents: Iterable[TranscriptSpec]) -> list[str]:
    """The existing directories of agents' transcripts; they are watched with all below them."""
    below = [(agent.root(), pattern.partition("*")[0]) for agent in agents for pattern in agent.files]
    places = {os.path.dirname(os.path.join(root, beginning)) for root, beginning in below}
    return sorted(place for place in places if os.path.isdir(place))
