"""The hook files of agents in projects: as they are, and as they were when an import read them last (the table `listing`)."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hooktui.core import ids
from hooktui.log.read.connection import read_only_uri
from hooktui.runner.journal.entry import STATES, stored_name
from hooktui.runner.redaction import CAP, redact

if TYPE_CHECKING:
    from hooktui.catalog.catalog import Catalog

_FRESH_S = 2.0  # until the files of a project are looked at again
_TIMES = "SELECT rowid, changed, seen FROM listing WHERE host = ? AND directory = ? ORDER BY changed DESC"
_FILES = "SELECT files FROM listing WHERE rowid = ?"
_LAST = "SELECT rowid, seen, files FROM listing WHERE host = ? AND directory = ? ORDER BY seen DESC LIMIT 1"
_SEEN = "UPDATE listing SET seen = ? WHERE rowid = ?"
_HOOKS = "SELECT id, key FROM hook WHERE format = ?"
_HAS_RUN = """
SELECT EXISTS (
    SELECT 1 FROM session CROSS JOIN json_each(:hooks) AS unlisted
    CROSS JOIN run ON run.hook = unlisted.value AND run.state IN (SELECT value FROM json_each(:states))
        AND run.dispatch BETWEEN max(first, :since) AND ifnull(:until, last)
    CROSS JOIN dispatch ON dispatch.id = run.dispatch
    WHERE session.name = :session AND host = :host AND project = :project AND dispatch.session = session.id)"""
_ADD = "INSERT INTO listing (host, directory, changed, seen, files) VALUES (?, ?, ?, ?, ?)"


@dataclass
class Listing:
    """The hooks of an agent in a project. Times are in seconds since 1970.

    `since` is given for files of the past, none of which changed between then and the event in question, nor before `until`.
    """

    catalog: Catalog
    since: float | None = None
    until: float | None = None
    looked_at: float = field(default_factory=time.monotonic)
    _changed: dict[str, float] = field(default_factory=dict)
    _missing: dict[tuple[str, str], bool] = field(default_factory=dict)
    silent: dict[tuple[str, str | None], bool] = field(default_factory=dict)  # by event and tool, whether no hook could run
    _past: Sequence[tuple[int, float, float]] | None = None  # remembered by the log: row, since and until, newest first

    def changed_at(self, path: str) -> float:
        """When a file was changed last; now for one that is missing."""
        if self.since is not None:
            return self.since
        if path not in self._changed:
            try:
                self._changed[path] = os.stat(path).st_mtime
            except OSError:
                self._changed[path] = time.time()
        return self._changed[path]

    @cached_property
    def changed_last(self) -> float:
        """When any file with hooks was changed, or one came or went in the project."""
        inside = os.path.join(self.catalog.project, "")
        directories = {os.path.dirname(path) for path in self.catalog.watched if path.startswith(inside)}
        here = [path for path in directories if os.path.isdir(path) and path + "/" != inside]
        return max(map(self.changed_at, (*self.catalog.files, *here)), default=0.0)

    def is_missing_hooks(self, db: str, host: str, session: str) -> bool:
        """Whether an agent's session in a log ran a hook after the files were changed last that is in none of them."""
        key = host, session
        if key not in self._missing:
            self._missing[key] = bool(db) and os.path.exists(db) and self._has_run_unlisted(db, host, session)
        return self._missing[key]

    def _has_run_unlisted(self, db: str, host: str, session: str) -> bool:
        secrets = self.catalog.settings.redact
        listed = {stored_name(hook.identity, secrets) for hook in self.catalog.hooks}
        since, until = ids.at_time(self.since or self.changed_last), self.until and ids.at_time(self.until)
        about = {"session": session, "host": host, "project": self.catalog.project, "since": since, "until": until}
        with closing(sqlite3.connect(read_only_uri(db), uri=True)) as connection:
            try:
                hooks = json.dumps([number for number, key in connection.execute(_HOOKS, (host,)) if key not in listed])
                return bool(connection.execute(_HAS_RUN, {**about, "hooks": hooks, "states": json.dumps(STATES)}).fetchone()[0])
            except sqlite3.Error:  # of an older log, or a damaged one
                return False

    def before(self, db: str, host: str, directory: str, at: float) -> tuple[int, float, float] | None:
        """The listing that a log remembers for a time: its row, and the times between which nothing changed."""
        if self._past is None:
            self._past = _read(db, _TIMES, host, directory)
        return next((times for times in self._past if times[1] < at <= times[2]), None)

    @property
    def is_fresh(self) -> bool:
        return time.monotonic() - self.looked_at < _FRESH_S


class Listings:
    """Keeps the hooks of projects for the next look. `db` is the log that remembers them, if any."""

    def __init__(self, db: str = "") -> None:
        self._db = db
        self._now: dict[tuple[str, str], Listing] = {}
        self._past: dict[tuple[str, str, int], Listing] = {}  # by the row of the log

    def now(self, host: str, directory: str) -> Listing:
        known = self._now.get((host, directory))
        if known is None or not known.is_fresh:
            from hooktui.catalog import catalog, hooks_of_host  # most imports find nothing new, and need no hooks

            last = known.catalog if known else None
            loaded = catalog.load(directory, hooks_of_host.formats(host), last)
            known = self._now[host, directory] = Listing(hooks_of_host.kept(loaded, host))
        return known

    def at(self, host: str, directory: str, at: float) -> Listing:
        """The hooks as they were at a time, if that is known; else as they are."""
        listing = self.now(host, directory)
        if listing.changed_last < at or (known := listing.before(self._db, host, directory, at)) is None:
            return listing
        row, since, until = known
        key = host, directory, row
        if key not in self._past:
            from hooktui.catalog import catalog, hooks_of_host

            files = json.loads(_read(self._db, _FILES, row)[0][0])
            texts = dict.fromkeys(listing.catalog.files) | {path: text.encode() for path, text in files.items()}
            past = catalog.with_contents(listing.catalog, hooks_of_host.formats(host), texts)
            self._past[key] = Listing(hooks_of_host.kept(past, host))
        self._past[key].since, self._past[key].until = since, until
        return self._past[key]


def _read(db: str, sql: str, *values: object) -> Sequence[Any]:
    """The rows of a query; none without a log, or in an older one, which is not upgraded yet."""
    if not os.path.exists(db):
        return ()
    with closing(sqlite3.connect(read_only_uri(db), uri=True)) as connection, suppress(sqlite3.Error):
        return connection.execute(sql, values).fetchall()
    return ()


def remember(connection: sqlite3.Connection, host: str, directory: str, listing: Listing, secrets: Sequence[str]) -> None:
    """Store the files of a listing, redacted, in a transaction of the caller. Raises sqlite3.Error."""
    texts = {path: _text(path, secrets) for path in listing.catalog.files}
    if None in texts.values():
        return
    files, now = json.dumps(texts, sort_keys=True), time.time()
    row = connection.execute(_LAST, (host, directory)).fetchone()
    if row and row[2] == files and listing.changed_last <= row[1]:
        connection.execute(_SEEN, (now, row[0]))
    elif texts or row:
        connection.execute(_ADD, (host, directory, listing.changed_last, now, files))


def _text(path: str, secrets: Sequence[str]) -> str | None:
    """The redacted text of a file; None for one that is too long or cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(CAP + 1)
    except OSError:
        return None
    return redact(text, secrets) if len(text) <= CAP else None
