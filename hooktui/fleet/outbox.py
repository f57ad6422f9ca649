"""What of a log waits for shipping: the records of its hash chain after a sequence, as records to send."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from hooktui.core import ids
from hooktui.core.report import LoggedReport
from hooktui.fleet import fleet_records
from hooktui.fleet.fleet_records import FleetRecord, Link, LoggedDispatch, RecordMaker
from hooktui.log.read import connection, rows, sessions

MOST_BYTES = 1024 * 1024  # of a batch
_CHUNK = 100  # links that are read at once
_DAY_NS = 86_400_000_000_000
_STATE, _SESSION = 4, 9  # columns of rows.DISPATCHES

_ENDS = "SELECT (SELECT min(seq) FROM link), (SELECT max(seq) FROM link)"  # both at once would read the whole table
_LINK = "SELECT seq, lower(hex(hash)) FROM link WHERE seq = ?"
# The dispatch of a link, for an end and for a record that was joined to an event too.
_LINKS = """
SELECT seq, lower(hex(hash)), link.kind, subject,
    CASE link.kind WHEN 'end' THEN (SELECT dispatch FROM run WHERE run.id = subject)
        WHEN 'dispatch' THEN ifnull((SELECT dispatch FROM part WHERE part.id = subject), subject) END,
    note.kind, note.detail
FROM link LEFT JOIN note ON link.kind = 'note' AND note.id = subject
WHERE seq > ? ORDER BY seq LIMIT ?"""
_FIRST_RECENT = "SELECT min(seq) FROM link WHERE seq > ? AND subject >= ?"
_TEXT = "SELECT text FROM hook WHERE name = ? AND key = ? LIMIT 1"
_PROMPT = re.compile(r"""\bprompt["']?\s*[:=]""")  # a key of an entry
_SCRIPTS = "\n--- "  # what follows the entry in a hook's text
_TITLES = f"SELECT session.id, {sessions.TITLE} FROM session WHERE session.id IN ({{ids}})"


class _LinkRow(NamedTuple):
    seq: int
    hash: str
    kind: str
    subject: int
    dispatch: int | None
    note: str | None
    detail: str | None

    @property
    def link(self) -> Link:
        return Link(self.seq, self.hash)


class Batch(NamedTuple):
    """Records that are sent in one request, and the last link that they cover."""

    records: tuple[FleetRecord, ...]
    last: Link

    @property
    def lost(self) -> int:
        return sum(record.lost for record in self.records)


class Outbox:
    """A log, open for reading; one that does not exist yet is empty. Every method raises LogError if it cannot be read."""

    def __init__(self, db: str) -> None:
        self.db = db
        self._prompts: dict[str, bool] = {}  # by a hook's id
        self._connection = connection.open_without_loop(db)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def ends(self) -> tuple[int, int]:
        """The sequences of the first and the last link; (0, 0) without one."""
        return next(((first or 0, last or 0) for first, last in self._rows(_ENDS)), (0, 0))

    def link(self, seq: int) -> Link | None:
        """A link by its sequence; None if it was pruned, or never was."""
        return next((Link(*row) for row in self._rows(_LINK, seq)), None)

    def first_recent(self, after: int, since: float) -> int:
        """The first sequence after another whose record is not older than a time; the next after the last if all are."""
        first = self._rows(_LINKS, after, 1)
        bound = ids.at_time(since)
        if not first or first[0][3] >= bound:
            return after + 1
        (recent,) = self._rows(_FIRST_RECENT, after, bound)[0]
        return int(recent or self.ends()[1] + 1)

    def beginning(self, began: int) -> FleetRecord | None:
        """The record of the place before the first link that an instance ships, which `began` there; None without a link."""
        first = next((_LinkRow(*row) for row in self._rows(_LINKS, 0, 1)), None)
        if first is None:
            return None
        return fleet_records.note(Link(max(first.seq - 1, began), ""), first.subject, {"kind": "begin"})

    def batches(self, after: int, maker: RecordMaker) -> Iterator[Batch]:
        """The records after a sequence, in order: at most MOST_BYTES at once, unless one record is larger, and of one day."""
        batch: list[FleetRecord] = []
        size, last = 0, Link(after, "")
        for record, link in self._records(after, maker):
            added = record.size
            if batch and (size + added > MOST_BYTES or record.time_ns // _DAY_NS != batch[-1].time_ns // _DAY_NS):
                yield Batch(tuple(batch), last)
                batch, size = [], 0
            batch.append(record)
            size, last = size + added, link
        if batch:
            yield Batch(tuple(batch), last)

    def _records(self, after: int, maker: RecordMaker) -> Iterator[tuple[FleetRecord, Link]]:
        while chunk := [_LinkRow(*row) for row in self._rows(_LINKS, after, _CHUNK)]:
            logged = self._logged(sorted({row.dispatch for row in chunk if row.dispatch}))
            for row in chunk:
                if row.seq > after + 1:  # pruned since the last chunk
                    before = Link(row.seq - 1, "")
                    yield fleet_records.gap(before, after + 1, row.subject), before
                after = row.seq
                dispatch = logged.get(row.dispatch or 0)
                yield (maker.dispatch(dispatch, row.link) if dispatch else _note(row)), row.link

    def _logged(self, numbers: Sequence[int]) -> dict[int, LoggedDispatch]:
        """The dispatches with these ids; missing ones are left out."""
        if not numbers:
            return {}
        dispatches, runs = rows.reports_sql(len(numbers))
        dispatch_rows = self._rows(dispatches, *numbers)
        titles = self._titles({row[_SESSION] for row in dispatch_rows})
        reports = rows.reports(dispatch_rows, self._rows(runs, *numbers), titles)
        return {
            row[0]: LoggedDispatch(row[0], report, row[_STATE], self._prompts_in(report))
            for row, report in zip(dispatch_rows, reports, strict=True)
        }

    def _prompts_in(self, report: LoggedReport) -> frozenset[str]:
        """The ids of the hooks whose label may be the beginning of a prompt."""
        for run in report["hooks"]:
            if run["id"] not in self._prompts:
                texts = self._rows(_TEXT, run["name"], run["id"]) if run["label"] != run["name"] else []
                self._prompts[run["id"]] = any(_PROMPT.search(text.partition(_SCRIPTS)[0]) for (text,) in texts)
        return frozenset(run["id"] for run in report["hooks"] if self._prompts[run["id"]])

    def _titles(self, numbers: Collection[int]) -> dict[int, str]:
        titles = self._rows(_TITLES.format(ids=rows.marks(len(numbers))), *numbers)
        return {number: sessions.title(prompt) for number, prompt in titles}

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        if self._connection is None:
            return []
        with connection.explained(self.db):
            return self._connection.execute(sql, values).fetchall()


def _note(row: _LinkRow) -> FleetRecord:
    """The record of a link that is no dispatch, or whose dispatch was pruned or is not there yet."""
    if row.note:
        return fleet_records.note(row.link, row.subject, {"kind": row.note, **json.loads(row.detail or "{}")})
    if row.kind == "end":
        return fleet_records.note(row.link, row.subject, {"kind": "end"})
    return fleet_records.gap(row.link, row.seq, row.subject)
