"""What a hook may be called (formats.md §2): the same for one that is read, one that is made, and one that is typed."""

from __future__ import annotations

import re
import unicodedata

LIMIT = 64  # characters
WANTED = "other hosts want lower-case letters, digits and single hyphens"

_PORTABLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_ELSE = re.compile(r"[^a-z0-9]+")
_WORD_ENDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def remark(name: str) -> str:
    """What `check` warns of in a name; empty when every host takes it."""
    return "" if _PORTABLE.fullmatch(name) else f"{name} is no name for every host"


def corrected(text: str) -> str:
    """The name that every host takes and that is most like a text; empty when nothing of the text can stand in one."""
    letters = unicodedata.normalize("NFKD", _WORD_ENDS.sub("-", text).casefold()).encode("ascii", "ignore").decode()
    return _ELSE.sub("-", letters).strip("-")[:LIMIT].rstrip("-")
