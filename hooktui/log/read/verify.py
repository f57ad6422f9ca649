"""Verify that the log is what was recorded, and locate every record that was changed (hash_chain.py).

Verification detects records that were edited, deleted, added or moved by someone who did not recompute every later hash.
Whoever can write the file can recompute them all, or cut off the newest records; only a head saved elsewhere detects that.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from hooktui.core.model import FAILURES
from hooktui.log.read.connection import upgrade
from hooktui.log.store import hash_chain, merge_sources, reported, skip_lists
from hooktui.log.store.retention import read_notes

# moved: out of order in the chain; cut: the newest records are missing; rewritten: the chain does not contain the saved head.
FaultKind = Literal["edited", "deleted", "added", "moved", "cut", "rewritten"]


class ChainFault(NamedTuple):
    """A difference between the log and what was recorded.

    `session` is the session's row in the log and `record` the id of a dispatch, run or note; 0 means none.
    """

    kind: FaultKind
    session: int
    record: int
    message: str


class Verification(NamedTuple):
    """The result of verifying a session or a log.

    `records` is the number of verified dispatches, async run ends and notes; `unchained` the number of dispatches older than
    the chain, which does not cover them. `head_pruned`: the record of the saved head was pruned, so the head proves nothing.
    `elsewhere`: nothing was verified, for only the machine of the session has the whole chain.
    """

    records: int
    unchained: int
    faults: tuple[ChainFault, ...]
    head_pruned: bool = False
    elsewhere: bool = False

    @property
    def intact(self) -> bool:
        return not self.faults


class HeadError(ValueError):
    """The text is not a head of a chain."""


def session(path: str, number: int, is_cancelled: Callable[[], bool] = lambda: False) -> Verification:
    """Verify one session, by its row in the log. Raises sqlite3.Error, also within milliseconds of `is_cancelled`."""
    with closing(_open(path)) as connection:
        connection.set_progress_handler(is_cancelled, _STEPS)
        return _Verifier(connection).session(number) if _is_chained(connection) else _without_chain(connection)


def log(path: str, head: str = "", tell: Callable[[int, int], None] = lambda _done, _total: None) -> Verification:
    """Verify a whole log, against a saved `head` if given (`head_of`). Raises HeadError, sqlite3.Error.

    `tell` is called with the numbers of verified and of all sessions.
    """
    saved = _parsed(head) if head else None
    with closing(_open(path)) as connection:
        if not _is_chained(connection):
            return _without_chain(connection, head)
        verifier = _Verifier(connection)
        numbers = sorted({number for (number,) in connection.execute(_SESSIONS)})
        verdicts: list[Verification] = []
        for number in numbers:
            verdicts.append(verifier.session(number))
            tell(len(verdicts), len(numbers))
        faults = [fault for verdict in verdicts for fault in verdict.faults] + list(verifier.gaps())
        if saved:
            faults += verifier.against(*saved)
        return Verification(
            records=sum(verdict.records for verdict in verdicts),
            unchained=sum(verdict.unchained for verdict in verdicts),
            faults=tuple(dict.fromkeys(faults)),
            head_pruned=bool(saved and verifier.has_pruned(saved[0])),
        )


def gaps(path: str) -> list[ChainFault]:
    """Find records missing from the chain of all sessions: half a second for a million records. Raises sqlite3.Error."""
    with closing(_open(path)) as connection:
        return list(_Verifier(connection).gaps()) if _is_chained(connection) else list(_without_chain(connection).faults)


def head_of(path: str) -> str:
    """Position and hash of the newest record, to save elsewhere; "" without a chain. Raises sqlite3.Error."""
    with closing(_open(path)) as connection:
        if not _is_chained(connection):
            return ""
        last = connection.execute("SELECT seq, hash FROM link ORDER BY seq DESC LIMIT 1").fetchone()
        return f"{last[0]}-{last[1].hex()}" if last else ""


def names(path: str) -> dict[int, str]:
    """Session ids by row. Raises sqlite3.Error."""
    with closing(_open(path)) as connection:
        return dict(connection.execute("SELECT id, name FROM session"))


class _Link(NamedTuple):
    """A row of `link` with the hash of the previous row, None if that row is missing."""

    seq: int
    session: int
    nth: int
    kind: str
    subject: int
    digest: bytes
    hash: bytes
    previous: bytes | None


_LINKS = """
SELECT own.seq, own.session, own.nth, own.kind, own.subject, own.digest, own.hash, before.hash
FROM link AS own LEFT JOIN link AS before ON before.seq = own.seq - 1"""
_GAPS = """
SELECT seq, next FROM (SELECT seq, lead(seq) OVER (ORDER BY seq) AS next FROM link) WHERE next > seq + 1"""


class _Verifier:
    """Verifies sessions of one log in a single transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        notes = read_notes(connection)
        self._older_until, self._pruned, self._changed_in_spool = notes.older_until, notes.pruned, notes.changed_in_spool
        self._first, self._last = connection.execute("SELECT ifnull(min(seq), 0), ifnull(max(seq), 0) FROM link").fetchone()
        hooks = connection.execute(hash_chain.HOOKS.format(which="1").replace(" FROM", ", digest FROM"))
        self._forged_hooks = {
            row[0]: row[3] for *row, sealed in hooks if sealed is not None and hash_chain.row_digest(row) != sealed
        }
        self._forged_lists = skip_lists.forged(connection)

    def session(self, number: int) -> Verification:
        """Verify the records of a session; 0: those that belong to no session."""
        links = [_Link(*row) for row in self._connection.execute(f"{_LINKS} WHERE own.session = ? ORDER BY own.nth", (number,))]
        digests = self._digests(number)
        faults = [*self._order(links), *self._compared(links, digests)]
        covered = {(link.kind, link.subject) for link in links}
        loose = [subject for kind, subject in digests if kind != "end" and (kind, subject) not in covered]
        added = [subject for subject in loose if subject > self._older_until]
        faults += [ChainFault("added", number, subject, "not in the chain") for subject in added]
        faults += [
            ChainFault("edited", number, link.subject, _IN_SPOOL) for link in links if link.subject in self._changed_in_spool
        ]
        faults += [*self._forged_versions(number), *self._forged_skips(number), *self._event_count(number)]
        faults += [] if faults else [*self._merged(number), *self._session_totals(number)]
        return Verification(len(links), len(loose) - len(added), tuple(faults))

    def gaps(self) -> Iterator[ChainFault]:
        """Find positions missing from the chain, of any session."""
        if self._first > self._pruned.first:
            yield ChainFault("deleted", 0, 0, f"{_records(self._first - self._pruned.first)} missing at the start of the chain")
        for seq, after in self._connection.execute(_GAPS):
            yield ChainFault("deleted", 0, 0, f"{_records(after - seq - 1)} missing between positions {seq:,} and {after:,}")

    def against(self, seq: int, saved: bytes) -> Iterator[ChainFault]:
        if seq > self._last:
            yield ChainFault("cut", 0, 0, f"the last {_records(seq - self._last)} missing since the head was saved")
        elif seq >= self._first:
            row = self._connection.execute("SELECT hash FROM link WHERE seq = ?", (seq,)).fetchone()
            if row is not None and row[0] != saved:
                yield ChainFault("rewritten", 0, 0, f"record {seq:,} does not match the saved head")

    def has_pruned(self, seq: int) -> bool:
        return bool(seq < self._first <= self._pruned.first)

    def _order(self, links: Sequence[_Link]) -> Iterator[ChainFault]:
        """Check that each record follows the previous one, in its session and in the chain."""
        expected = links[0].nth if links and self._pruned.below else 1
        for link in links:
            if link.nth != expected:
                yield ChainFault(
                    "deleted", link.session, link.subject, f"{_records(link.nth - expected)} missing before this one"
                )
            expected = link.nth + 1
            previous = hash_chain.BEFORE_FIRST if link.seq == 1 else link.previous  # None: gaps() reports it
            if previous is not None and hash_chain.link_hash(previous, *link[:5], link.digest) != link.hash:
                yield ChainFault("moved", link.session, link.subject, "does not follow the previous record")

    def _compared(self, links: Sequence[_Link], digests: Mapping[tuple[str, int], bytes]) -> Iterator[ChainFault]:
        for link in links:
            content, noun = digests.get((link.kind, link.subject)), _NOUNS.get(link.kind, link.kind)
            if content is None and link.subject >= self._pruned.below:
                yield ChainFault("deleted", link.session, link.subject, f"{noun} is missing")
            elif content is not None and content != link.digest:
                yield ChainFault("edited", link.session, link.subject, f"{noun} was changed after it was recorded")

    def _digests(self, number: int) -> dict[tuple[str, int], bytes]:
        """Digests of the stored rows, by kind and id."""
        if number == hash_chain.NO_SESSION:
            notes = self._connection.execute(hash_chain.NOTES.format(which="1"))
            ends = self._connection.execute(hash_chain.RUNS.format(which=f"run.id IN ({_ENDS_OF} 0)"))
            return {("note", row[0]): hash_chain.digest(row) for row in notes} | {
                ("end", row[1]): hash_chain.row_digest(row) for row in ends
            }
        ended = {row[0] for row in self._connection.execute(f"{_ENDS_OF} ? UNION {_ENDS_OF} 0", (number,))}
        in_session = "run.dispatch IN (SELECT id FROM dispatch WHERE session = ?)"
        rows = self._connection.execute(hash_chain.RUNS.format(which=in_session), (number,))
        runs = {dispatch: list(group) for dispatch, group in groupby(rows, itemgetter(0))}
        digests: dict[tuple[str, int], bytes] = {}
        parts = self._connection.execute(hash_chain.PARTS.format(which="dispatch.session = ?"), (number,))
        recorded = {row[0]: row for row in self._connection.execute(hash_chain.DISPATCHES.format(which=_ALONE), (number,))}
        recorded |= {row[0]: row for row in parts}
        for row in recorded.values():
            own = runs.get(row[0], [])
            unended = ended | {run[1] for run in own if run[4] == "started"}
            digests["dispatch", row[0]] = hash_chain.dispatch_digest(row, own, unended)
            digests |= {("end", run[1]): hash_chain.row_digest(run) for run in own if run[1] in ended}
        return digests

    def _forged_versions(self, number: int) -> Iterator[ChainFault]:
        """Find hooks of a session whose stored text is not the one that ran."""
        for hook, name in self._forged_hooks.items():
            used = self._connection.execute(_USE, {"hook": hook, "session": number}).fetchone()
            if used:
                yield ChainFault("edited", number, used[0], f"the stored text of hook {name} was changed")

    def _forged_skips(self, number: int) -> Iterator[ChainFault]:
        """Find events of a session whose list of skipped hooks is not the one that was recorded."""
        for skips in self._forged_lists:
            for (event,) in self._connection.execute(_USES_OF_LIST, (skips, number)):
                yield ChainFault("edited", number, event, "the list of its skipped hooks was changed")

    def _merged(self, number: int) -> Iterator[ChainFault]:
        """Find events whose row does not follow from their records, which the chain covers."""
        joined = {row[0] for row in self._connection.execute(_JOINED, {"session": number})}
        observed = {row[0] for row in self._connection.execute(_OBSERVED, (number,))}
        completed = {row[0] for row in self._connection.execute(_COMPLETED, (number,))}
        for event, *values in self._connection.execute(_SUMMARIES, (number,)).fetchall():
            stored = dict(zip(_SUMMARY, values, strict=True))
            if stored["origin"] == "transcript":
                continue
            parts = merge_sources.records(self._connection, event) if event in joined else []
            origins = {part.id: part.origin for part in parts} or {event: stored["origin"]}
            misattributed = any((origin == "observed") is not (record in observed) for record, origin in origins.items())
            if misattributed or not self._follows(event, stored, has_several=event in joined, has_told=event in completed):
                yield ChainFault("edited", number, event, "the event does not agree with its records")

    def _follows(self, event: int, stored: Mapping[str, Any], *, has_several: bool, has_told: bool) -> bool:
        """Whether the row of an event follows from its sources; that of an event with one source is its record."""
        effect = merge_sources.effect(stored["decision"], stored["effects"])
        if not has_several:
            return bool(effect == stored["effect"] and not stored["overruled"] and not has_told)
        expected = reported.merged(self._connection, event)
        agrees = all(getattr(expected, name) == value for name, value in stored.items())
        return agrees and reported.has_runs(self._connection, event, expected.runs)

    def _event_count(self, number: int) -> Iterator[ChainFault]:
        counted = self._connection.execute("SELECT events FROM session WHERE id = ?", (number,)).fetchone()
        stored = self._connection.execute("SELECT count(*) FROM dispatch WHERE session = ?", (number,)).fetchone()[0]
        if counted and (counted[0] != stored or not stored):
            kind: FaultKind = "deleted" if stored < counted[0] else "added"
            yield ChainFault(kind, number, 0, f"the session counted {counted[0]:,} events and has {stored:,}")

    def _session_totals(self, number: int) -> Iterator[ChainFault]:
        """Check a session's totals against its events, which are intact."""
        totals = self._connection.execute(_TOTALS, (number,)).fetchone()
        *actual, late_failures = self._connection.execute(_ACTUAL_TOTALS, {"session": number}).fetchone()
        if totals and not _agree(totals, actual, late_failures):
            yield ChainFault("edited", number, 0, "the session's denials, failures or hook time do not match its events")


_TOTALS = "SELECT first, last, denials, failures, hook_ms FROM session WHERE id = ?"
_FAILED = f"""
SELECT count(*) FROM run JOIN dispatch ON dispatch.id = run.dispatch
WHERE session = :session AND run.state IN {FAILURES}"""
# The last column: failed async hooks, which only pruning counts.
_ACTUAL_TOTALS = f"""
SELECT min(id), max(id), total(decision IN ('deny', 'stop')), ({_FAILED}), total(duration_ms),
    ({_FAILED} AND run.id IN (SELECT subject FROM link WHERE kind = 'end'))
FROM dispatch WHERE session = :session"""
_SESSIONS = f"SELECT id FROM session UNION SELECT session FROM link UNION SELECT {hash_chain.NO_SESSION}"
_USE = """
SELECT run.dispatch FROM run JOIN dispatch ON dispatch.id = run.dispatch WHERE hook = :hook AND session = :session UNION ALL
SELECT dispatch.id FROM skip JOIN dispatch ON dispatch.skips = skip.list WHERE skip.hook = :hook AND session = :session
LIMIT 1"""
_USES_OF_LIST = "SELECT id FROM dispatch WHERE skips = ? AND session = ?"
_ALONE = """
dispatch.session = ? AND origin <> 'transcript' AND NOT EXISTS (SELECT 1 FROM part WHERE part.dispatch = dispatch.id)"""
_SUMMARY = (*merge_sources.MERGED, "effects")
_SUMMARIES = f"SELECT id, {', '.join(_SUMMARY)} FROM dispatch JOIN content USING (id) WHERE session = ?"
# Records of observed hooks: of schema 4, or older.
_OBSERVED = """
SELECT ifnull(part, dispatch) FROM run JOIN dispatch ON dispatch.id = run.dispatch JOIN hook ON hook.id = run.hook
WHERE session = ? AND (run.origin = 'observed' OR hook.key GLOB '*:observed:*')"""
# Events with several sources.
_JOINED = """
SELECT part.dispatch FROM part JOIN dispatch ON dispatch.id = part.dispatch WHERE session = :session
UNION SELECT told.dispatch FROM told JOIN dispatch ON dispatch.id = told.dispatch WHERE session = :session"""
# Recorded events with runs that only a transcript tells.
_COMPLETED = """
SELECT dispatch FROM run JOIN dispatch ON dispatch.id = run.dispatch WHERE session = ? AND run.origin = 'transcript'"""
_CHAINED_SINCE = 2  # schema
_STEPS = 10_000  # of SQLite's virtual machine between two cancellation checks: about a millisecond
_ENDS_OF = "SELECT subject FROM link WHERE kind = 'end' AND session ="
_IN_SPOOL = "the event, or the one before it, was changed before it was stored in the log"
_NOUNS = {"dispatch": "the event", "end": "the end of an async hook", "note": "a note"}


def _open(path: str) -> sqlite3.Connection:
    upgrade(path, since=_CHAINED_SINCE)
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True, timeout=5, isolation_level=None)
    connection.text_factory = lambda content: content.decode(errors="surrogateescape")  # the file may have been tampered with
    connection.execute("BEGIN")  # one snapshot, whatever is recorded meanwhile
    return connection


def _is_chained(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'link'").fetchone()[0])


def _without_chain(connection: sqlite3.Connection, head: str = "") -> Verification:
    """The result without a chain; logs of schema 1 have none."""
    count = connection.execute("SELECT count(*) FROM dispatch").fetchone()[0]
    if connection.execute("PRAGMA user_version").fetchone()[0] < _CHAINED_SINCE and not head:
        return Verification(0, count, ())
    return Verification(0, 0, (ChainFault("deleted", 0, 0, "the whole chain is missing"),))


def _agree(totals: Sequence[float], actual: Sequence[float], late_failures: int) -> bool:
    """Whether a session's totals match its events; sums of fractions may differ in their last digits."""
    *counts, hook_ms = totals
    *actual_counts, actual_ms = actual
    allowed = (0, 0, 0, late_failures)
    close = math.isclose(hook_ms, actual_ms, rel_tol=1e-6, abs_tol=1e-3)
    return close and all(0 <= real - count <= spare for count, real, spare in zip(counts, actual_counts, allowed, strict=True))


def _parsed(head: str) -> tuple[int, bytes]:
    match = re.fullmatch(r"(\d{1,18})-((?:[0-9a-f]{2})+)", head.strip())
    if not match:
        raise HeadError(f"not a log head: {head} (expected 1204-9f3c…, as `hooktui doctor --verify` prints it)")
    return int(match[1]), bytes.fromhex(match[2])


def _records(count: int) -> str:
    return f"{count:,} {'record' if count == 1 else 'records'}"
