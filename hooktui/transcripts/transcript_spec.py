"""What the readers of all agents have in common: how to find transcripts, and how to begin one."""

from __future__ import annotations

import fnmatch
import glob
import os
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import events
from hooktui.transcripts.reading import Reading
from hooktui.transcripts.transcript_files import files_of, portions
from hooktui.transcripts.transcript_places import located

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from hooktui.core.model import Hook
    from hooktui.hosts import Host
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


@lru_cache(maxsize=200)
def _spelling(host: str, event: str) -> str:
    return hosts.spec(host).spelling(event) or events.spelling(event, "pascal") or event


def _begin(_path: str) -> Reading:
    return Reading()


def _is_idle(_line: bytes) -> bool:
    return False


def _found(spec: TranscriptSpec) -> Iterator[FilePosition]:
    return files_of(spec.name, spec.paths())


def _hook_names(hook: Hook) -> Iterable[str | None]:
    return hook.command, hook.url


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptSpec:
    """How a host's transcripts are read: usually JSON Lines.

    `begin` starts reading a file with what its path and the files beside it tell; `read` reads one record. `is_idle` recognises
    lines without a fact, unparsed. `found` lists the transcripts and `portions` reads one, from where the last import ended if
    it `is_continued`. `names` are events that it spells otherwise than the host's hooks, `hook_names` what it calls a hook.
    """

    host: Host
    read: ReadRecord
    begin: Callable[[str], Reading] = _begin
    is_idle: Callable[[bytes], bool] = _is_idle
    found: Callable[[TranscriptSpec], Iterator[FilePosition]] = _found
    portions: Callable[[FilePosition], Iterator[Portion]] = portions
    is_continued: bool = True
    names: Mapping[str, str] = field(default_factory=dict)
    hook_names: Callable[[Hook], Iterable[str | None]] = _hook_names
    payload: Callable[[TranscriptSpec, TranscriptSession, TranscriptEvent, str], dict[str, Any]] = payload

    @property
    def name(self) -> str:
        return self.host.name

    @property
    def title(self) -> str:
        return self.host.title

    def spelled(self, event: str) -> str:
        return self.names.get(event) or _spelling(self.name, event)

    def paths(self) -> Iterator[str]:
        """The paths of all transcripts. Directories that cannot be read have none."""
        yield from dict.fromkeys((*self.session_paths(), *self._matching(self.host.transcripts_of_subagents)))

    def session_paths(self) -> Iterator[str]:
        """The paths of the transcripts of sessions, without those of subagents that have files of another kind."""
        return self._matching(self.host.transcripts)

    def _matching(self, patterns: Iterable[str]) -> Iterator[str]:
        for directory, below in located(self.host, patterns):
            pattern = os.path.join(glob.escape(directory), below)
            yield from filter(os.path.isfile, glob.iglob(pattern))  # opening a FIFO would block

    def owns(self, path: str) -> bool:
        """Whether a path is that of a transcript, by its name alone; the WAL of a database counts as the database."""
        places = located(self.host, (*self.host.transcripts, *self.host.transcripts_of_subagents))
        return any(_fits(path.removesuffix("-wal"), *place) for place in places)


def _fits(path: str, directory: str, below: str) -> bool:
    names, patterns = path.removeprefix(f"{directory}/").split("/"), below.split("/")
    return path.startswith(f"{directory}/") and len(names) == len(patterns) and all(map(fnmatch.fnmatchcase, names, patterns))
