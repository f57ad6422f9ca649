"""What a repair that a diagnostic offers makes of a text, or of a file's permissions; editing/mending.py carries it out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hooktui.core.model import Fix


def spliced(text: str, fix: Fix) -> str:
    """The text with a `replace` fix applied. Raises ValueError when the old text does not stand there any more."""
    if text[fix.start : fix.end] != fix.old:
        raise ValueError(f"{os.path.basename(fix.path)} has changed: check it again")
    return text[: fix.start] + fix.text + text[fix.end :]


def executable(mode: int) -> int:
    """The permissions with which whoever may read a file may run it, as `chmod +x` does under the usual umask."""
    return mode | (mode & 0o444) >> 2
