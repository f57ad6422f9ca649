"""The YAML files of a project that may hold Azure SRE Agent hooks (formats.md §4): found by a look at their bytes."""

from __future__ import annotations

import os
import re
from collections import deque
from dataclasses import dataclass

from hooktui.formats import files

SIZE_LIMIT = 256 * files.KIB
# Nearest first: what lies deeper in a huge tree is not looked for, or opening a home directory would take minutes.
DIRECTORY_LIMIT = 5_000
_SUFFIXES = (".yaml", ".yml")
_LEFT_OUT = ("node_modules", "__pycache__")
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
_SIGN = re.compile(rb"ExtendedAgent|GlobalHook|HookV2|azuresre\.ai|event_?[tT]ype")
SCHEMA = "azuresre.ai"


@dataclass(frozen=True, slots=True)
class Scan:
    """`candidates` are files that may hold hooks, `watched` all directories and YAML files that were looked at."""

    candidates: tuple[str, ...]
    watched: tuple[str, ...]


def scan(project: str) -> Scan:
    """Look through a project, in the order of paths; never raises for what is there."""
    candidates: list[str] = []
    watched: list[str] = []
    waiting = deque([project])
    while waiting and len(watched) < DIRECTORY_LIMIT:
        directory = waiting.popleft()
        entries = _entries(directory)
        if any(entry.name == _VIRTUAL_ENVIRONMENT for entry in entries):
            continue
        watched.append(directory)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in _LEFT_OUT:
                    waiting.append(entry.path)
            elif entry.name.lower().endswith(_SUFFIXES):
                candidates.append(entry.path)
    found = (path for path in sorted(candidates) if _may_hold_hooks(path))
    return Scan(tuple(found), (*watched, *candidates))


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
