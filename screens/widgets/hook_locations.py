"""Places in files, and paths as a person reads them."""

from __future__ import annotations

import os
from typing import NamedTuple

from hooktui.core.paths import short
from hooktui.core.text_sanitizer import one_line


def near(path: str, project: str) -> str:
    """A path relative to the project when it is inside, else with the home directory as `~`; safe to show."""
    inside = path.startswith(project + os.sep)
    return one_line(os.path.relpath(path, project) if inside else short(path))


class Place(NamedTuple):
    """Where to put an editor's cursor; line and columns from 1. What stands up to an `end_column` is selected."""

    path: str
    line: int = 1
    column: int = 1
    end_column: int = 0
