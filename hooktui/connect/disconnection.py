"""One change to a text taken back while another one stays: what `disconnect` does to a file that was edited meanwhile."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from hooktui.core import atomic_write, paths

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
# Pieces that are compared before it takes too long; tokens repeat more than lines do.
_LIMITS = ((_LINE, 20_000), (_TOKEN, 4_000))


def taken_back(before: str, after: str, now: str) -> str | None:
    """`now`, which was made from `after`, without the change from `before` to `after`.

    None when both changes touch the same place, or it would take too long to tell.
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


@dataclass(frozen=True, slots=True)
class Touched:
    """One file as it was before a host was connected (None: not there), as it was left, and the directories made for it."""

    before: str | None
    after: str
    made: tuple[str, ...] = ()


def path() -> str:
    """Where it is kept."""
    return os.path.join(paths.state_dir(), "connections.json")


def recall(host: str) -> dict[str, Touched]:
    """The files touched for a host; none when the memory is missing or broken."""
    files = _read().get(host)
    return {name: one for name, value in (files if isinstance(files, dict) else {}).items() if (one := _touched(value))}


def remember(host: str, changes: Mapping[str, Touched | None]) -> None:
    """Keep what was done to files; None forgets one. Raises OSError when it cannot be written."""
    everything = _read()
    files = everything.get(host)
    files = {**(files if isinstance(files, dict) else {}), **{name: one and asdict(one) for name, one in changes.items()}}
    everything[host] = {name: value for name, value in files.items() if value is not None}
    os.makedirs(paths.state_dir(), mode=0o700, exist_ok=True)
    atomic_write.write(path(), json.dumps(everything, indent=2).encode() + b"\n", mode=0o600)


def _read() -> dict[str, Any]:
    try:
        with open(path(), encoding="utf-8") as file:
            everything = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return everything if isinstance(everything, dict) else {}


def _touched(value: Any) -> Touched | None:
    match value:
        case {"before": str() | None as before, "after": str(after), "made": [*made]}:
            return Touched(before, after, tuple(str(name) for name in made))
    return None
