"""Places in files, and paths as a person reads them."""

from __future__ import annotations

import os
from typing import NamedTuple

from hooktui.paths import short
from hooktui.plain import one_line


def near(path: str, project: str) -> str:
    """A path relative to the project when it is inside, else with the home directory as `~`; safe to show."""
    inside = path.startswith(project + os.sep)
    return one_line(os.path.relpath(path, project) if inside else short(path))


class Place(NamedTuple):
    """Where to put an editor's cursor; line and column from 1."""

    path: str
    line: int = 1
    column: int = 1
