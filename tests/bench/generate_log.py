"""Make a big log to measure screens and queries with: `python tests/bench/generate_log.py OUT.db --dispatches 1000000`.

The same arguments give the same log: sessions of about 500 events, three hooks considered for each, payloads of about 1 KB.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from hooktui.core import ids
from hooktui.core.model import FAILURES
from hooktui.log.store import database, hash_chain, skip_lists, stored_hooks, word_index

_BATCH = 20_000
_LAST = 1_768_996_800.0  # the newest event: 2026-01-21T12:00:00Z
SESSION_EVENTS = 500
_AT_ONCE = 3  # parallel sessions
_OPEN_CALLS = 3  # of a session at one time
_RUNS = 3
_BEGIN, _END = "pre-tool-call", "post-tool-call"
_TOOLS = ("Shell", "Read", "Write", "Edit", "Grep", "WebFetch", "Task", "mcp__github__create_issue")
_EVENTS = (
    (_BEGIN,) * 45
    + (_END,) * 42
    + ("pre-agent-turn",) * 6
    + ("pre-agent-turn-stop",) * 5
    + (
        "post-tool-call-failure",
        "pre-context-compact",
    )
)
_HOSTS = ("agenthooks", "claude", "claude", "copilot")
_HOOKS = ("block-dangerous", "format-py", "audit", "scan-secrets", "notify", "tests-pass", "lint", "slow-check")
_DECISIONS = ("none",) * 80 + ("allow",) * 12 + ("deny",) * 6 + ("ask", "stop")
_STATES = ("ok",) * 60 + ("skipped",) * 36 + ("failed", "timeout", "invalid-output", "interrupted")
_FAILED = f"(SELECT count(*) FROM run WHERE run.dispatch = dispatch.id AND run.state IN {FAILURES})"
_REASON = "Dangerous command blocked: the pattern `rm -rf /` is not for an agent"
_TEXT = (
    "the parser reads one token and gives it back when the rule does not match so that every branch begins at the same place "
    "import return value error handler request response async timeout retry buffer stream index cache commit branch merge test"
)
_WORDS = _TEXT.split()
_open: dict[int, list[tuple[int, str]]] = {}  # calls of each session without an end: their first events and tools
_lists: dict[tuple[tuple[int, str, str, str], ...], int] = {}


def main() -> None:
    """Write the log described by the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", help="the file to write; it must not exist")
    parser.add_argument("--dispatches", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=_RUNS, help="hooks considered for each event")
    parser.add_argument("--chained", action="store_true", help="chain the records by hash, as a real log does: takes longer")
    options = parser.parse_args()
    if os.path.exists(options.out):
        parser.error(f"{options.out} exists")
    generate(options.out, options.dispatches, options.seed, runs=options.runs, chained=options.chained)


def generate(
    path: str,
    dispatches: int,
    seed: int = 1,
    *,
    runs: int = _RUNS,
    chained: bool = False,
    session_events: int = SESSION_EVENTS,
) -> None:
    """Write a log of so many dispatches, with so many runs each. Unchained dispatches count as older than the chain."""
    connection = database.connect(path)
    _lists.clear()
    _open.clear()
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    chance = random.Random(seed)
    for number, name in enumerate(_HOOKS, 1):
        hook = (
            number,
            name,
            f"agenthooks:user:{name}",
            name,
            "agenthooks",
            "user",
            f"/home/me/{name}/HOOK.md",
            4,
            "pre-tool-call",
            "",
        )
        connection.execute(f"INSERT INTO hook VALUES ({_marks(10)}, NULL, ?)", (*hook, name))
        hash_chain.seal_hook(connection, number)
    rows = _rows(dispatches, runs, chance, session_events)
    while batch := list(islice(rows, _BATCH)):
        _insert(connection, batch)
    _count_sessions(connection)
    if chained:
        _chain(connection)
    else:
        hash_chain.begin(connection)
    connection.close()


class _Row(NamedTuple):
    """A dispatch with its payload, its runs and the first event of its call, None for that event."""

    dispatch: tuple[Any, ...]
    payload: str
    runs: list[tuple[Any, ...]]
    head: int | None


def _rows(count: int, runs_each: int, chance: random.Random, session_events: int) -> Iterator[_Row]:
    """Dispatches oldest first, some seconds apart, each with its payload and runs."""
    payloads = [_payload(chance) for _ in range(997)]
    moments = _LAST - count * 4.0
    for number in range(count):
        moments += chance.random() * 8.0
        dispatch = ids.at_time(moments) + number % 4096
        session, decision = _session(number, session_events), chance.choice(_DECISIONS)
        event, tool, head = _in_call(dispatch, session, chance)
        runs = [_run(dispatch, place, decision if place == 0 else "none", chance) for place in range(runs_each)]
        ran = [_HOOKS[run[2] - 1] for run in runs if run[4] != "skipped"]
        state = max((run[4] for run in runs if run[4] != "skipped"), key=_STATES.index, default="")
        reason = _REASON if decision in ("deny", "stop") else None
        row = (
            dispatch,
            session,
            event,
            tool,
            decision,
            state,
            "\n".join(ran),
            reason,
            sum(run[13] for run in runs),
            0,
        )
        yield _Row(row, payloads[number % 997].replace("SEQUENCE", f"{number:08}"), runs, head)


def _in_call(dispatch: int, session: int, chance: random.Random) -> tuple[str, str | None, int | None]:
    """An event with its tool, and the first event of the call that it ends: what ends a call follows its beginning soon."""
    event, calls = chance.choice(_EVENTS), _open.setdefault(session, [])
    if "tool" not in event:
        return event, None, None
    if not calls or (event == _BEGIN and len(calls) < _OPEN_CALLS):
        tool = chance.choice(_TOOLS)
        calls.append((dispatch, tool))
        return _BEGIN, tool, None
    head, tool = calls.pop(0)
    return _END if event == _BEGIN else event, tool, head


def _session(number: int, session_events: int) -> int:
    """Yield the events of parallel sessions."""
    return number // (_AT_ONCE * session_events) * _AT_ONCE + number % _AT_ONCE + 1


def _run(dispatch: int, place: int, decision: str, chance: random.Random) -> tuple[Any, ...]:
    state = "ok" if decision != "none" else chance.choice(_STATES)
    skipped = state == "skipped"
    hook = chance.randrange(len(_HOOKS)) + 1
    why = "tool Shell is not matched by Write|Edit" if skipped else "matched every tool"
    duration = 0.0 if skipped else round(chance.lognormvariate(2.5, 1.0), 3)
    stdout = "" if skipped else f"checked {chance.randrange(100)} files\n"
    skip = "tool-mismatch" if skipped else None
    via, exit_code = ("exit-2", 2) if decision == "deny" else (None, 0)
    reason = _REASON if decision == "deny" else None
    return (
        *(dispatch + 4096 * (place + 1), dispatch, hook, place, state, skip, why, decision, via, reason),
        *(None if skipped else exit_code, None, 15.0 * place, duration, stdout, reason or "", 0, None),
    )


def _payload(chance: random.Random) -> str:
    size = min(int(chance.lognormvariate(4.98, 0.7)), 8000)  # words: about 1 KB, some much longer
    text = " ".join(chance.choices(_WORDS, k=size))
    command = f"grep -n {chance.choice(_WORDS)} src/module_{chance.randrange(400)}.py # SEQUENCE"
    return json.dumps({"session_id": "s", "work_dir": "/home/dev/app", "tool_input": {"command": command, "content": text}})


def _insert(connection: sqlite3.Connection, batch: list[_Row]) -> None:
    connection.execute("BEGIN")
    lists = [_list_of(connection, [run for run in row.runs if run[4] == "skipped"]) for row in batch]
    # an effect, a key of its own, its list, and the call that it ends
    dispatches = [
        (*row.dispatch, row.dispatch[4], row.dispatch[0], skips, row.head) for row, skips in zip(batch, lists, strict=True)
    ]
    connection.executemany(f"INSERT INTO dispatch VALUES ({_marks(10)}, 'run', ?, ?, NULL, NULL, ?, 0, ?)", dispatches)
    connection.executemany("INSERT INTO content VALUES (?, ?, NULL)", [(row.dispatch[0], row.payload) for row in batch])
    ran = [run for row in batch for run in row.runs if run[4] != "skipped"]
    connection.executemany(f"INSERT INTO run VALUES ({_marks(18)}, NULL, NULL)", ran)
    words = [
        (row.dispatch[0], word_index.words_of(row.payload, [text for run in row.runs for text in run[14:16]])) for row in batch
    ]
    connection.executemany("INSERT INTO words (rowid, body) VALUES (?, ?)", words)
    connection.execute("COMMIT")


def _list_of(connection: sqlite3.Connection, skipped: list[tuple[Any, ...]]) -> int | None:
    """The row of the list that skipped runs are stored in."""
    rows = [(run[3], _HOOKS[run[2] - 1], run[5], run[6]) for run in skipped]
    key = tuple(rows)
    if key and key not in _lists:
        stored = skip_lists.store(connection, rows, None, stored_hooks.known_versions(connection, _HOOKS))
        assert stored
        _lists[key] = stored.row
    return _lists.get(key)


def _chain(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")
    for number, session in connection.execute("SELECT id, session FROM dispatch ORDER BY id").fetchall():
        (row,) = connection.execute(hash_chain.DISPATCHES.format(which="dispatch.id = ?"), (number,))
        runs = connection.execute(hash_chain.RUNS.format(which="run.dispatch = ?"), (number,))
        hash_chain.add(connection, [("dispatch", number, session, hash_chain.dispatch_digest(row, runs, ()))])
    connection.execute("COMMIT")


def _count_sessions(connection: sqlite3.Connection) -> None:
    hosts = f"json_extract('{json.dumps(_HOSTS)}', '$[' || (session % {len(_HOSTS)}) || ']')"
    connection.execute(f"""
        INSERT INTO session (id, name, host, project, first, last, events, denials, failures, hook_ms)
        SELECT session, printf('s-%05d', session), {hosts}, '/home/dev/app-' || (session % 7), min(id), max(id), count(*),
            sum(decision IN ('deny', 'stop')), sum({_FAILED}), sum(duration_ms)
        FROM dispatch GROUP BY session""")


def _marks(count: int) -> str:
    return ", ".join("?" * count)


if __name__ == "__main__":
    main()
