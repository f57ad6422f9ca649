"""Carrying out a plan: all of its files or none."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from hooktui.connect import connection_memory
from hooktui.core import atomic_write
from hooktui.security import documents

if TYPE_CHECKING:
    from hooktui.connect.connection_plan import Change, Plan


def carry_out(plan: Plan) -> None:
    """Write what a plan says, and remember it.

    Raises saving.ChangedError when a file is no longer what the plan was made from, OSError when one cannot be written; then
    every file is as it was.
    """
    for change in plan.changes:
        _check(change)
    done: list[Change] = []
    try:
        for change in plan.changes:
            done.append(change)
            _write(change.path, change.then, change.made)
        connection_memory.remember(plan.place.host, {change.path: change.touched for change in plan.changes})
    except OSError:
        for change in reversed(done):
            with contextlib.suppress(OSError):  # what could not be written is as it was
                _write(change.path, change.now, change.made)
        raise


def _check(change: Change) -> None:
    """That a file is still what was read, and may be written: replacing it would go over its head."""
    try:
        with open(change.path, "rb") as file:
            now = file.read()
    except FileNotFoundError:
        now = None
    if now != (None if change.now is None else change.now.encode()):
        raise documents.ChangedError(f"{change.path} was changed meanwhile")
    if now is not None and not os.access(change.path, os.W_OK):
        raise PermissionError(13, "it is read-only", change.path)


def _write(path: str, text: str | None, made: tuple[str, ...]) -> None:
    """Give a file its text; without one, it goes, and the directories that came with it if they are empty."""
    if text is not None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        atomic_write.write(os.path.realpath(path), text.encode())
        return
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    for directory in reversed(made):
        with contextlib.suppress(OSError):  # somebody else's file is in it, or it is gone
            os.rmdir(directory)
