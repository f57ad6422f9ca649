"""Search the log for events that hooks match, in a separate process, where a pattern that takes forever can be stopped.

Standard input is one JSON object: `db`; `hooks` (plain_hook), `then`, `formats` and `project` (PastMatcher); `where`, a
condition on rows of `dispatch` with `params`; `last`: how many events at most; `kept`: how many matches to tell of; `each`:
whether to tell of every event. Standard output has JSON lines: `total`, `oldest` and, unless they are more than `kept`, `every`
with their ids; then batches of what is new (_Batch), at last with `done`, or `too_slow`.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from hooktui.core import patterns
from hooktui.core.hook_sources import decode_source, encode_source
from hooktui.core.model import Hook
from hooktui.hosts import UnreadableEventError
from hooktui.log.read import event_subject
from hooktui.log.read.connection import read_only_uri
from hooktui.runner.redaction import is_cut
from hooktui.trials.backtest_matches import PastCall, PastMatcher

_FIELDS = ("id", "name", "event", "event_as_written", "format", "scope", "file", "line", "tool", "pattern")
_CHUNK = 2_000  # events that are read at once
_FIRST = 200
_BATCH_S = 0.1  # between two batches
_LIMIT_S = 1.0  # CPU time of a batch: far more than matchers need that end
_EVENTS = "SELECT id FROM dispatch WHERE synthetic = 0 AND {where} ORDER BY id DESC LIMIT :last"
_CALLS = """
SELECT dispatch.id, event, tool, host, project FROM json_each(?) CROSS JOIN dispatch ON dispatch.id = value
JOIN session ON session.id = session"""
_PAYLOADS = "SELECT value, payload FROM json_each(?) LEFT JOIN content ON content.id = value"


def plain_hook(hook: Hook) -> dict[str, Any]:
    """What matching needs of a hook, as JSON."""
    return {**{name: getattr(hook, name) for name in _FIELDS}, "source": encode_source(hook.source)}


def _hook(plain: Mapping[str, Any]) -> Hook:
    return Hook(**{**plain, "source": decode_source(plain["source"])})


class _Batch:
    def __init__(self) -> None:
        self.searched = 0
        self.matched = 0
        self.left_out = 0
        self.found: list[tuple[int, str | None, str]] = []  # id, tool and subject of matches
        self.each: dict[int, list[str]] = {}  # of every event, the ids of the hooks that match
        self.deadline = time.monotonic() + _BATCH_S

    @property
    def is_due(self) -> bool:
        return time.monotonic() > self.deadline

    def as_json(self) -> dict[str, Any]:
        counts = {"searched": self.searched, "matched": self.matched, "left_out": self.left_out}
        return {**counts, "found": self.found, "each": self.each}


class _Search:
    def __init__(self, connection: sqlite3.Connection, request: Mapping[str, Any]) -> None:
        self._connection = connection
        then = _hook(request["then"]) if request["then"] else None
        self._matcher = PastMatcher(map(_hook, request["hooks"]), then, request["formats"], request["project"])
        self._to_keep = request["kept"]  # how many more matches to tell of
        self._tells_each = request["each"]

    def batches(self, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
        batch, start = _Batch(), 0
        while start < len(numbers):
            end = start + (_CHUNK if start else _FIRST)
            rows = self._connection.execute(_CALLS, (json.dumps(list(numbers[start:end])),)).fetchall()
            for call in self._with_payloads([PastCall(*row) for row in rows]):
                self._judge(call, batch)
                if batch.is_due:
                    yield batch.as_json()
                    batch = _Batch()
            start = end
        yield {**batch.as_json(), "done": True}

    def _with_payloads(self, calls: Sequence[PastCall]) -> Iterator[PastCall]:
        """The events in order, with the payloads that matter."""
        by_name = [self._matcher.by_name(call) for call in calls]
        to_show = [call.id for call, accepted in zip(calls, by_name, strict=True) if accepted][: self._to_keep]
        unclear = [call.id for call, accepted in zip(calls, by_name, strict=True) if accepted is None]
        numbers = sorted({*to_show, *unclear}, reverse=True)
        payloads = self._connection.execute(_PAYLOADS, (json.dumps(numbers),)) if numbers else iter(())
        number, payload = next(payloads, (0, ""))
        for call in calls:
            if call.id != number:
                yield call
                continue
            yield call._replace(payload=payload or "")
            number, payload = next(payloads, (0, ""))

    def _judge(self, call: PastCall, batch: _Batch) -> None:
        batch.searched += 1
        if is_cut(call.payload):
            batch.left_out += 1
            return
        try:
            hooks = self._matcher.matching(call)
        except UnreadableEventError:
            hooks = ()
        if self._tells_each:
            batch.each[call.id] = [hook.id for hook in hooks]
        if not hooks:
            return
        batch.matched += 1
        if self._to_keep:
            self._to_keep -= 1
            batch.found.append((call.id, call.tool, event_subject.of_stored(call.payload)))


def main() -> int:
    """Answer one request."""
    request = json.loads(sys.stdin.readline())
    try:
        numbers = _numbers(request)
        every = list(numbers) if len(numbers) <= request["kept"] else []
        _write({"total": len(numbers), "oldest": numbers[-1] if numbers else None, "every": every})
        for line in patterns.in_child(lambda: _batches(request, numbers), _LIMIT_S):
            _write(line)
    except patterns.RegexTimeoutError:
        _write({"too_slow": True})
    except BrokenPipeError:
        return 1
    return 0


def _numbers(request: Mapping[str, Any]) -> Sequence[int]:
    sql = _EVENTS.format(where=request["where"])
    with _opened(request) as connection:
        return array("q", (number for (number,) in connection.execute(sql, {**request["params"], "last": request["last"]})))


def _batches(request: Mapping[str, Any], numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
    with _opened(request) as connection:
        yield from _Search(connection, request).batches(numbers)


def _opened(request: Mapping[str, Any]) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(read_only_uri(request["db"]), uri=True, isolation_level=None))


def _write(line: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
