"""Applying the repair that a diagnostic offers: whole or not at all, and only while what it was offered for still stands."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from hooktui import saving

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hooktui.model import Fix


def apply(fix: Fix) -> None:
    """Do what the fix says.

    Raises ValueError with a sentence when the file is no longer what the fix was made for, OSError when the system refuses.
    """
    _KINDS[fix.kind](fix)


def spliced(text: str, fix: Fix) -> str:
    """The text with a `replace` fix applied. Raises ValueError when the old text does not stand there any more."""
    if text[fix.start : fix.end] != fix.old:
        raise ValueError(f"{os.path.basename(fix.path)} has changed: check it again")
    return text[: fix.start] + fix.text + text[fix.end :]


def executable(mode: int) -> int:
    """The permissions with which whoever may read a file may run it, as `chmod +x` does under the usual umask."""
    return mode | (mode & 0o444) >> 2


def _chmod(fix: Fix) -> None:
    mode = os.stat(fix.path).st_mode
    if not stat.S_ISREG(mode):
        raise ValueError(f"{os.path.basename(fix.path)} is no regular file any more")
    os.chmod(fix.path, executable(stat.S_IMODE(mode)))


def _rename(fix: Fix) -> None:
    if fix.new_path is None:
        raise ValueError("the fix does not say what the new name is")
    taken = os.path.lexists(fix.new_path)
    if taken and not os.path.samefile(fix.path, fix.new_path):  # one file under both names: a case-insensitive disk
        raise ValueError(f"there is a {os.path.basename(fix.new_path)} already")
    os.rename(fix.path, fix.new_path)


def _replace(fix: Fix) -> None:
    document = saving.read(fix.path)
    if document.problem:
        raise ValueError(f"{document.name}: {document.problem}")
    changed = spliced(document.raw, fix).replace("\r\n", "\n")
    try:
        saving.save(document, changed)
    except saving.ChangedError as error:
        raise ValueError(str(error)) from error


_KINDS: Mapping[str, Callable[[Fix], None]] = {"chmod": _chmod, "rename": _rename, "replace": _replace}
