"""Records of changes in the user's state directory: JSON files, by kind."""

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
    """Return the directory for records of a kind; its parent is created for the user alone."""
    os.makedirs(paths.state_dir(), mode=0o700, exist_ok=True)
    return os.path.join(paths.state_dir(), name)


def keep(path: str, record: Mapping[str, Any]) -> Write:
    """Plan the step that writes a record."""
    current = content(path)
    made = () if current is not None else paths.missing_directories(os.path.dirname(path))
    return Write(path, current, json.dumps(record, indent=2).encode() + b"\n", 0o600, made)


def forget(path: str) -> tuple[Write, ...]:
    """Plan the step that deletes a record, if it exists."""
    current = content(path)
    return () if current is None else (Write(path, current, None, 0o600),)


def read(path: str) -> dict[str, Any]:
    """Read a record; empty if it is missing or broken."""
    try:
        record = json.loads(content(path) or b"{}")
    except (CannotChange, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def newest(name: str) -> list[str]:
    """List the paths of the records of a kind, the newest first."""
    try:
        records = [os.path.join(folder(name), file) for file in os.listdir(folder(name)) if file.endswith(".json")]
        return sorted(records, key=lambda path: (_age(path), path), reverse=True)
    except OSError:
        return []


def prune(path: str) -> None:
    """Delete a record; on failure it stays until the next time."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def _age(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return 0
