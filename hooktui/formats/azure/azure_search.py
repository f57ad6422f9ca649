"""Search a project for YAML files that may contain Azure SRE Agent hooks (formats.md §4), by their bytes."""

from __future__ import annotations

import os
import re
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hooktui.formats import files

if TYPE_CHECKING:
    from hooktui.formats.source_cache import Sources

SIZE_LIMIT = 256 * files.KIB
# Breadth-first. Without a limit, opening a home directory would take minutes.
DIRECTORY_LIMIT = 5_000
_SUFFIXES = (".yaml", ".yml")
_LEFT_OUT = ("node_modules", "__pycache__")
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
_SIGN = re.compile(rb"ExtendedAgent|GlobalHook|HookV2|azuresre\.ai|event_?[tT]ype")
SCHEMA = "azuresre.ai"


@dataclass(frozen=True, slots=True)
class SearchedDirectory:
    """A directory: its YAML files, those that may contain hooks, and the subdirectories to search."""

    path: str
    yaml: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    @property
    def watched(self) -> tuple[str, ...]:
        """Every path whose change would change the result."""
        return self.path, *self.yaml


@dataclass(frozen=True, slots=True)
class ProjectSearch:
    """`candidates` are files that may contain hooks, `watched` all searched directories and YAML files."""

    candidates: tuple[str, ...]
    watched: tuple[str, ...]


def scan(project: str, sources: Sources) -> ProjectSearch:
    """Search a project in the order of paths. Its content never raises."""
    searched: list[SearchedDirectory] = []
    waiting = deque([project])
    while waiting and len(searched) < DIRECTORY_LIMIT:
        path = waiting.popleft()
        searched.append(sources.keep(("azure", path), partial(_look, path)))
        waiting.extend(searched[-1].below)
    candidates = sorted(path for directory in searched for path in directory.candidates)
    return ProjectSearch(tuple(candidates), tuple(path for directory in searched for path in directory.watched))


def _look(path: str) -> SearchedDirectory:
    entries = _entries(path)
    if any(entry.name == _VIRTUAL_ENVIRONMENT for entry in entries):
        return SearchedDirectory(path)
    directories = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    others = (entry.path for entry in entries if not entry.is_dir(follow_symlinks=False))
    yaml = tuple(other for other in others if other.lower().endswith(_SUFFIXES))
    return SearchedDirectory(path, yaml, tuple(filter(_may_hold_hooks, yaml)), tuple(filter(_is_looked_into, directories)))


def _is_looked_into(path: str) -> bool:
    name = os.path.basename(path)
    return not name.startswith(".") and name not in _LEFT_OUT


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _may_hold_hooks(path: str) -> bool:
    try:
        data, size = files.read_bytes(path, SIZE_LIMIT)
    except files.Unreadable:
        return False
    return size <= SIZE_LIMIT and _SIGN.search(data) is not None
