"""Undo our change of a file that was edited meanwhile, and remember the files that `connect` changed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from hooktui.core import atomic_write, fast_json, paths

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
# Pieces to compare at most, to limit the time; tokens repeat more often than lines.
_LIMITS = ((_LINE, 20_000), (_TOKEN, 4_000))


def taken_back(before: str, after: str, now: str) -> str | None:
    """Remove the change from `before` to `after` from `now`, which was made from `after`.

    None if both changes overlap, or if comparing would take too long.
    """
    for unit, limit in _LIMITS:
        pieces = [unit.findall(text) for text in (before, after, now)]
        merged = _merged(*pieces) if max(map(len, pieces)) <= limit else None
        if merged is not None:
            return "".join(merged)
    return None


def _merged(old: list[str], ours: list[str], theirs: list[str]) -> list[str] | None:
    untouched = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    merged: list[str] = []
    at = 0
    for tag, start, end, old_start, old_end in SequenceMatcher(None, ours, old, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        block = next((block for block in untouched if block.a <= start and end <= block.a + block.size), None)
        if block is None:
            return None
        place = block.b + start - block.a
        merged += [*theirs[at:place], *old[old_start:old_end]]
        at = place + end - start
    return [*merged, *theirs[at:]]


class Touched(NamedTuple):
    """The text of a file before (None: no file) and after a host was connected, and the directories made for it."""

    before: str | None
    after: str
    made: tuple[str, ...] = ()


def path() -> str:
    """The file that remembers them."""
    return os.path.join(paths.state_dir(), "connections.json")


def recall(host: str) -> dict[str, Touched]:
    """The files touched for a host, by path; none if the memory is missing or broken."""
    touched = ((name, _touched(value)) for name, value in _of_host(fast_json.read_object(path()), host).items())
    return {name: file for name, file in touched if file}


def remember(host: str, changes: Mapping[str, Touched | None]) -> None:
    """Remember files by path; None forgets a file. Raises OSError."""
    everything = fast_json.read_object(path())
    files = _of_host(everything, host) | {name: file and file._asdict() for name, file in changes.items()}
    everything[host] = {name: value for name, value in files.items() if value is not None}
    paths.make_directories(paths.state_dir())
    atomic_write.write(path(), json.dumps(everything, indent=2).encode() + b"\n", mode=0o600)


def _of_host(everything: dict[str, Any], host: str) -> dict[str, Any]:
    files = everything.get(host)
    return files if isinstance(files, dict) else {}


def _touched(value: Any) -> Touched | None:
    match value:
        case {"before": str() | None as before, "after": str(after), "made": [*made]}:
            return Touched(before, after, tuple(str(name) for name in made))
    return None
