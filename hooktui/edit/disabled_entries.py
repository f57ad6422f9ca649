"""What hooktui keeps of changes in the user's state: a directory of JSON files, the oldest of which go."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from hooktui.core import paths
from hooktui.edit.file_steps import CannotChange, Write, content

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(name: str) -> str:
    """Where records of a kind are kept; the directory above is made for the user alone."""
    os.makedirs(paths.state_dir(), mode=0o700, exist_ok=True)
    return os.path.join(paths.state_dir(), name)


def keep(path: str, record: Mapping[str, Any]) -> Write:
    """The step that keeps a record at a path."""
    known = content(path)
    made = () if known is not None else paths.missing_directories(os.path.dirname(path))
    return Write(path, known, json.dumps(record, indent=2).encode() + b"\n", 0o600, made)


def forget(path: str) -> tuple[Write, ...]:
    """The step that removes a record; none when there is none."""
    known = content(path)
    return () if known is None else (Write(path, known, None, 0o600),)


def read(path: str) -> dict[str, Any]:
    """A record; empty when it is missing or broken."""
    try:
        record = json.loads(content(path) or b"{}")
    except (CannotChange, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def newest(name: str) -> list[str]:
    """The paths of the records of a kind, the newest first."""
    try:
        found = [os.path.join(folder(name), one) for one in os.listdir(folder(name)) if one.endswith(".json")]
        return sorted(found, key=lambda path: (_age(path), path), reverse=True)
    except OSError:
        return []


def prune(path: str) -> None:
    """Remove a record; one that cannot be removed goes another time."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def _age(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0
