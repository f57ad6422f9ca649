"""Places in files, and paths as people read them."""

from __future__ import annotations

from typing import NamedTuple

from hooktui.core import paths
from hooktui.core.text_sanitizer import one_line


def near(path: str, project: str) -> str:
    """A path relative to the project if it is inside, else with the home directory as `~`; safe to show."""
    return one_line(paths.near(path, project))


class FilePlace(NamedTuple):
    """Where to put an editor's cursor, line and columns from 1; with an `end_column`, the text up to it is selected."""

    path: str
    line: int = 1
    column: int = 1
    end_column: int = 0
