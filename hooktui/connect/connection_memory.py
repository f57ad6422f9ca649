"""What `connect` did to each file, so that `disconnect` can undo it to the byte: `connections.json` in the user's state.

Without it everything is still undone, by what stands in the files; only white space and empty directories may stay behind.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hooktui.core import atomic_write, paths

if TYPE_CHECKING:
    from collections.abc import Mapping


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
