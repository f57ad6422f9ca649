"""Is a session in the log what was recorded, and if not, where (chain.py)?

What this can show: a record that was edited, deleted, added or moved by somebody who did not also compute every later hash
anew. Who can write the file can do that too; only a head (`Verdict.head`) that was kept elsewhere shows it, and that the newest
records were cut off.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import quote

from hooktui.log.write import entry, hash_chain, removal_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

# moved: out of its place in the chain; cut: the end is missing; rewritten: another chain than the one whose head was kept.
FaultKind = Literal["edited", "deleted", "added", "moved", "cut", "rewritten"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it was recorded.

    `session` is the number of its session in the log, 0 for none; `at` the id of a dispatch, a run or a note, 0 for none.
    """

    kind: FaultKind
    session: int
    at: int
    what: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of looking.

    `records` were checked: dispatches, ends of async runs, notes. `older` are dispatches from before there was a chain, which
    nothing covers. `outlived`: pruning has removed the place whose head was kept, so that it proves nothing any more.
    """

    records: int
    older: int
    faults: tuple[Fault, ...]
    outlived: bool = False

    @property
    def whole(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.faults


class HeadError(ValueError):
    """A text that is no head of a chain."""


def session(path: str, number: int, given_up: Callable[[], bool] = lambda: False) -> Verdict:
    """One session, by its number in the log. Raises sqlite3.Error, also soon after it was `given_up`."""
    with closing(_open(path)) as connection:
        connection.set_progress_handler(given_up, _STEPS)
        return _Look(connection).session(number) if _is_chained(connection) else _nothing_chained(connection)


def log(path: str, head: str = "") -> Verdict:
    """All of a log; `head` is one that was kept (`head_of`). Raises HeadError, sqlite3.Error."""
    wanted = _parsed(head) if head else None
    with closing(_open(path)) as connection:
        if not _is_chained(connection):
            return _nothing_chained(connection, head)
        look = _Look(connection)
        numbers = {number for (number,) in connection.execute(_SESSIONS)}
        verdicts = [look.session(number) for number in sorted(numbers)]
        faults = [fault for verdict in verdicts for fault in verdict.faults] + list(look.gaps())
        if wanted:
            faults += look.against(*wanted)
        records, older = sum(one.records for one in verdicts), sum(one.older for one in verdicts)
        return Verdict(records, older, tuple(dict.fromkeys(faults)), outlived=bool(wanted and look.has_outlived(wanted[0])))


def gaps(path: str) -> list[Fault]:
    """Records that are missing from the chain, whosever they were: half a second for a million. Raises sqlite3.Error."""
    with closing(_open(path)) as connection:
        return list(_Look(connection).gaps()) if _is_chained(connection) else list(_nothing_chained(connection).faults)


def head_of(path: str) -> str:
    """The last place of the chain and its hash, to be kept elsewhere; "" when there is none. Raises sqlite3.Error."""
    with closing(_open(path)) as connection:
        if not _is_chained(connection):
            return ""
        last = connection.execute("SELECT seq, hash FROM link ORDER BY seq DESC LIMIT 1").fetchone()
        return f"{last[0]}-{last[1].hex()}" if last else ""


def names(path: str) -> dict[int, str]:
    """What each session is called, by its number. Raises sqlite3.Error."""
    with closing(_open(path)) as connection:
        return dict(connection.execute("SELECT id, name FROM session"))


class _Link(NamedTuple):
    """A row of `link`, and the hash of the one before, None where that is gone."""

    seq: int
    session: int
    nth: int
    kind: str
    subject: int
    digest: bytes
    hash: bytes
    before: bytes | None


_LINKS = """
SELECT own.seq, own.session, own.nth, own.kind, own.subject, own.digest, own.hash, before.hash
FROM link AS own LEFT JOIN link AS before ON before.seq = own.seq - 1"""
_GAPS = """
SELECT seq, next FROM (SELECT seq, lead(seq) OVER (ORDER BY seq) AS next FROM link) WHERE next > seq + 1"""


class _Look:
    """One reading of a log: what is known of all of it, for looking at each session."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        known = removal_notes.read(connection)
        self._older_until, self._pruned = known.older_until, known.pruned
        self._first, self._last = connection.execute("SELECT ifnull(min(seq), 0), ifnull(max(seq), 0) FROM link").fetchone()
        self._forged_hooks = {
            row[0]: row[3]
            for row, sealed in self._hooks()
            if sealed is not None and hash_chain.digest(row) != sealed
        }  # fmt: skip

    def session(self, number: int) -> Verdict:
        """Everything that was recorded of one session; 0: all that belongs to none."""
        links = [_Link(*row) for row in self._connection.execute(f"{_LINKS} WHERE own.session = ? ORDER BY own.nth", (number,))]
        found = self._contents(number)
        faults = [*self._order(links), *self._compared(links, found)]
        covered = {(link.kind, link.subject) for link in links}
        loose = [subject for kind, subject in found if kind != "end" and (kind, subject) not in covered]
        added = [subject for subject in loose if subject > self._older_until]
        faults += [Fault("added", number, subject, "is in no place of the chain") for subject in added]
        faults += [*self._hook_faults(number), *self._miscounted(number)]
        faults += [] if faults else self._misjudged(number)
        return Verdict(len(links), len(loose) - len(added), tuple(faults))

    def gaps(self) -> Iterator[Fault]:
        """Places of the chain that are missing, whosever they were."""
        if self._first > self._pruned.first:
            yield Fault("deleted", 0, 0, f"{_records(self._first - self._pruned.first)} at the beginning of the chain")
        for seq, after in self._connection.execute(_GAPS):
            yield Fault("deleted", 0, 0, f"{_records(after - seq - 1)} between places {seq} and {after} of the chain")

    def against(self, seq: int, kept: bytes) -> Iterator[Fault]:
        """What a head that was kept has to say."""
        if seq > self._last:
            yield Fault("cut", 0, 0, f"the last {_records(seq - self._last)}, since the head was kept")
        elif seq >= self._first:
            found = self._connection.execute("SELECT hash FROM link WHERE seq = ?", (seq,)).fetchone()
            if found is not None and found[0] != kept:
                yield Fault("rewritten", 0, 0, f"place {seq} of the chain is not the one whose head was kept")

    def has_outlived(self, seq: int) -> bool:
        """Whether a place was removed by the log itself."""
        return bool(seq < self._first <= self._pruned.first)

    def _order(self, links: Sequence[_Link]) -> Iterator[Fault]:
        """Whether each follows the one before, in its session and in the chain."""
        expected = links[0].nth if links and self._pruned.below else 1
        for link in links:
            if link.nth != expected:
                yield Fault("deleted", link.session, link.subject, f"{_records(link.nth - expected)} before this one")
            expected = link.nth + 1
            before = hash_chain.BEFORE_FIRST if link.seq == 1 else link.before  # None: gaps() knows
            if before is not None and hash_chain.link_hash(before, *link[:5], link.digest) != link.hash:
                yield Fault("moved", link.session, link.subject, "does not follow the one before")

    def _compared(self, links: Sequence[_Link], found: Mapping[tuple[str, int], bytes]) -> Iterator[Fault]:
        """Whether each says what it said."""
        for link in links:
            content = found.get((link.kind, link.subject))
            if content is None and link.subject >= self._pruned.below:
                yield Fault("deleted", link.session, link.subject, f"{_WORDS.get(link.kind, link.kind)} is gone")
            elif content is not None and content != link.digest:
                yield Fault(
                    "edited", link.session, link.subject, f"{_WORDS.get(link.kind, link.kind)} is not what was recorded"
                )

    def _contents(self, number: int) -> dict[tuple[str, int], bytes]:
        """The digests of what is there now, by kind and id."""
        if number == hash_chain.NO_SESSION:
            notes = self._connection.execute(hash_chain.NOTES.format(which="1"))
            ends = self._connection.execute(hash_chain.RUNS.format(which=f"run.id IN ({_ENDS_OF} 0)"))
            return {("note", row[0]): hash_chain.digest(row) for row in notes} | {
                ("end", row[1]): hash_chain.digest(row) for row in ends
            }
        ended = {row[0] for row in self._connection.execute(f"{_ENDS_OF} ? UNION {_ENDS_OF} 0", (number,))}
        in_session = "run.dispatch IN (SELECT id FROM dispatch WHERE session = ?)"
        rows = self._connection.execute(hash_chain.RUNS.format(which=in_session), (number,))
        runs = {dispatch: list(group) for dispatch, group in groupby(rows, itemgetter(0))}
        found: dict[tuple[str, int], bytes] = {}
        for row in self._connection.execute(hash_chain.DISPATCHES.format(which="dispatch.session = ?"), (number,)):
            own = runs.get(row[0], [])
            unended = ended | {run[1] for run in own if run[4] == "started"}
            found["dispatch", row[0]] = hash_chain.dispatch_digest(row, own, unended)
            found |= {("end", run[1]): hash_chain.digest(run) for run in own if run[1] in ended}
        return found

    def _hook_faults(self, number: int) -> Iterator[Fault]:
        """Hooks that ran in a session, and whose stored text is not the one that ran."""
        for hook, name in self._forged_hooks.items():
            used = self._connection.execute(_USE, (hook, number)).fetchone()
            if used:
                yield Fault("edited", number, used[0], f"the stored text of its hook {name} is not what was recorded")

    def _miscounted(self, number: int) -> Iterator[Fault]:
        """Whether a session holds as many events as it counted."""
        counted = self._connection.execute("SELECT events FROM session WHERE id = ?", (number,)).fetchone()
        there = self._connection.execute("SELECT count(*) FROM dispatch WHERE session = ?", (number,)).fetchone()[0]
        if counted and (counted[0] != there or not there):
            kind: FaultKind = "deleted" if there < counted[0] else "added"
            yield Fault(kind, number, 0, f"it counted {counted[0]:,} events and holds {there:,}")

    def _misjudged(self, number: int) -> Iterator[Fault]:
        """Whether what a session's row says of its events, which are whole, is so."""
        told = self._connection.execute(_TOLD, (number,)).fetchone()
        *known, ended_badly = self._connection.execute(_KNOWN, {"session": number}).fetchone()
        if told and not _agree(told, known, ended_badly):
            yield Fault("edited", number, 0, "what it counted of denials, failures or time is not what its events say")

    def _hooks(self) -> Iterator[tuple[Sequence[Any], bytes | None]]:
        for row in self._connection.execute(hash_chain.HOOKS.format(which="1").replace(" FROM", ", digest FROM")):
            yield row[:-1], row[-1]


_TOLD = "SELECT first, last, denials, failures, hook_ms FROM session WHERE id = ?"
_FAILED = f"""
SELECT count(*) FROM run JOIN dispatch ON dispatch.id = run.dispatch
WHERE session = :session AND run.state IN {entry.FAILURES}"""
# The last column: async hooks that failed, which only pruning counts.
_KNOWN = f"""
SELECT min(id), max(id), total(decision IN ('deny', 'stop')), ({_FAILED}), total(duration_ms),
    ({_FAILED} AND run.id IN (SELECT subject FROM link WHERE kind = 'end'))
FROM dispatch WHERE session = :session"""
_SESSIONS = f"SELECT id FROM session UNION SELECT session FROM link UNION SELECT {hash_chain.NO_SESSION}"
_USE = "SELECT run.dispatch FROM run JOIN dispatch ON dispatch.id = run.dispatch WHERE hook = ? AND session = ? LIMIT 1"
_CHAINED_SINCE = 2  # schema
_STEPS = 10_000  # of SQLite's machine, a millisecond or so, between two looks at whether it goes on
_ENDS_OF = "SELECT subject FROM link WHERE kind = 'end' AND session ="
_WORDS = {"dispatch": "this event", "end": "the end of an async hook", "note": "a note of the log about itself"}


def _open(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True, timeout=5, isolation_level=None)
    connection.text_factory = lambda content: content.decode(errors="surrogateescape")  # somebody may have written anything
    connection.execute("BEGIN")  # one moment, whatever is recorded meanwhile
    return connection


def _is_chained(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'link'").fetchone()[0])


def _nothing_chained(connection: sqlite3.Connection, head: str = "") -> Verdict:
    """What can be said without a chain: logs of the first schema have none."""
    count = connection.execute("SELECT count(*) FROM dispatch").fetchone()[0]
    if connection.execute("PRAGMA user_version").fetchone()[0] < _CHAINED_SINCE and not head:
        return Verdict(0, count, ())
    return Verdict(0, 0, (Fault("deleted", 0, 0, "the whole chain: nothing shows any more what was recorded"),))


def _agree(told: Sequence[float], known: Sequence[float], ended_badly: int) -> bool:
    """Whether a session's row says what its events do; sums of fractions may differ in their last digits."""
    *counts, hook_ms = told
    *true, spent_ms = known
    spare = (0, 0, 0, ended_badly)
    close = math.isclose(hook_ms, spent_ms, rel_tol=1e-6, abs_tol=1e-3)
    return close and all(0 <= there - count <= may for count, there, may in zip(counts, true, spare, strict=True))


def _parsed(head: str) -> tuple[int, bytes]:
    found = re.fullmatch(r"(\d{1,18})-((?:[0-9a-f]{2})+)", head.strip())
    if not found:
        raise HeadError(f"{head} is no head: it looks like 1204-9f3c…, as `hooktui doctor --verify` prints it")
    return int(found[1]), bytes.fromhex(found[2])


def _records(count: int) -> str:
    return f"{count:,} {'record' if count == 1 else 'records'}"
