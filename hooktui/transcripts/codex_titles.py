"""The titles of Codex's threads, which its transcripts do not have: a table of `state_N.sqlite` (seen in 0.169.0, N is 5)."""

from __future__ import annotations

import glob
import os
import re
import sqlite3
from contextlib import closing
from functools import lru_cache
from urllib.parse import quote

from hooktui.transcripts.reading import first_line, text

_ROLLOUT = re.compile(
    r"(?P<root>.*)/(?:sessions(?:/[^/]+){3}|archived_sessions)/"
    r"rollout-.*-(?P<thread>[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})\.jsonl(?:\.zst)?",
    re.DOTALL,
)
_TITLES = "SELECT id, title FROM threads WHERE title <> ''"


def title_of(path: str) -> str:
    """The title of the thread whose transcript it is, "" if Codex has none."""
    rollout = _ROLLOUT.fullmatch(path)
    databases = glob.glob(os.path.join(glob.escape(rollout["root"]), "state_*.sqlite")) if rollout else []
    if not rollout or not databases:
        return ""
    newest = max(databases, key=lambda name: (len(name), name))
    return first_line(_titles(newest, _changed(newest)).get(rollout["thread"], ""))


def _changed(database: str) -> tuple[int, ...]:
    return tuple(os.stat(path).st_mtime_ns for path in (database, f"{database}-wal") if os.path.exists(path))


@lru_cache(maxsize=2)
def _titles(database: str, _changed: tuple[int, ...]) -> dict[str, str]:
    """The titles by thread; none if the database cannot be read."""
    try:
        with closing(sqlite3.connect(f"file:{quote(database)}?mode=ro", uri=True, timeout=1)) as connection:
            return {text(thread): text(title) for thread, title in connection.execute(_TITLES)}
    except sqlite3.Error:
        return {}
