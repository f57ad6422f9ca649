"""What a script loads, found without running it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Loads:
    """What one script loads.

    `files` are found from its own path or from the project's root, as absolute paths; those in Python find their imports in
    `search`. `gaps` say what cannot be covered, and `bound` why the script works only from its place in the project.
    """

    files: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    bound: list[str] = field(default_factory=list)
    search: list[str] = field(default_factory=list)

    def add(self, other: Loads) -> None:
        """Add what another script loads."""
        self.files += other.files
        self.gaps += other.gaps
        self.bound += other.bound
        self.search = other.search or self.search


def below(path: str, root: str) -> bool:
    """Whether a path is inside a directory."""
    return path.startswith(os.path.join(root, ""))


def existing(paths: Iterable[str | None], root: str) -> list[str]:
    """The paths of files inside a directory."""
    return [path for path in paths if path and below(path, root) and os.path.isfile(path)]
