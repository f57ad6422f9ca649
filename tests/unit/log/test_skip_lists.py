"""Skipped hooks are stored once for all dispatches that skip the same, and read like those with rows of their own."""

from __future__ import annotations

import json
import sqlite3
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from hooktui.core import ids
from hooktui.core.model import Dispatch, Run
from hooktui.core.settings import Settings
from hooktui.log.read import hook_history, hook_versions, recent_events
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from hooktui.log.store import database, import_journal, retention
from hooktui.runner.journal import entry, side_files, skipped_runs, spool
from hooktui.runner.upkeep import DAY_S
from tests.log_world import NOON, LogWorld, busy_day, run
from tests.unit.log.tampering import faults, rows, value, with_rows_of_skipped_hooks

HOOKS = ("audit", "scan-secrets", "format-py", "block-dangerous")
KEYS = [f"agenthooks:user:{name}" for name in HOOKS]


def skipped(name: str, skip: Any = "tool-mismatch", why: str = "tool Shell does not match Write") -> Run:
    return run(name, "skipped", skip=skip, why=why)


async def answers(log: LogWorld) -> dict[str, Any]:
    """What readers tell of a log in which hooks were skipped."""
    reader = await LogReader.open(log.db)
    queries = ("", "state:skipped", "state:skipped hook:audit", "-state:skipped", "hook:audit", "state:skipped state:ok")
    found = {text: list(await reader.newest(parse(text))) for text in queries}
    told = {
        "reports": await reader.reports(found[""]),
        "hooks": [await reader.stored_hook(number, key) for number in found[""] for key in KEYS],
        "counts": [await reader.count(parse(text)) for text in queries],
    }
    await reader.close()
    histories = await hook_history.read(log.db, HOOKS)
    lifetimes = [
        await hook_versions.read(log.db, key, f"/home/me/.config/agents/hooks/{name}/HOOK.md")
        for key, name in zip(KEYS, HOOKS, strict=True)
    ]
    past = [await recent_events.read(log.db, "pre-tool-call", key, 100) for key in KEYS]
    return {**found, **told, "histories": histories, "lifetimes": lifetimes, "past": past}


async def test_equal_skips_are_stored_once(log: LogWorld) -> None:
    for number in range(20):
        log.add(runs=[skipped("a"), run("b"), skipped("c", why=f"reason {number % 2}")])
    assert [value(log, f"SELECT count(*) FROM {table}") for table in ("run", "skip_list", "skip")] == [20, 2, 4]
    assert faults(log) == []


async def test_report_has_every_hook_in_its_place(log: LogWorld, reader: LogReader) -> None:
    number = log.add(runs=[skipped("a", "untrusted", "not approved"), run("b"), skipped("c"), run("d"), skipped("e")])
    report = await reader.report(number)
    assert report
    assert [(hook["label"], hook["state"], hook["skip"]) for hook in report["hooks"]] == [
        ("a", "skipped", "untrusted"),
        ("b", "ok", None),
        ("c", "skipped", "tool-mismatch"),
        ("d", "ok", None),
        ("e", "skipped", "tool-mismatch"),
    ]
    assert report["hooks"][0]["why"] == "not approved"
    assert set(report["hooks"][0]) == set(report["hooks"][1])


async def test_log_of_schema_5_gives_the_same_answers(log: LogWorld) -> None:
    busy_day(log)
    log.add(runs=[skipped("audit")], synthetic=True)
    before = await answers(log)
    assert before["state:skipped hook:audit"]
    with_rows_of_skipped_hooks(log)
    assert await answers(log) == before
    assert value(log, "PRAGMA user_version") == database.SCHEMA
    assert value(log, "SELECT count(*) FROM run WHERE state = 'skipped'")
    assert faults(log) == []


async def test_skips_of_an_older_and_of_this_schema_are_counted_together(log: LogWorld) -> None:
    log.add(runs=[skipped("audit")], tool="Read")
    with_rows_of_skipped_hooks(log)
    log.add(runs=[skipped("audit")], tool="Write")
    log.add(runs=[skipped("audit"), skipped("format-py")], tool="Write")
    history = (await hook_history.read(log.db, ["audit"]))["audit"]
    assert (history.unmatched, history.tools, history.unmatched_at) == (3, ("Write", "Read"), NOON + 2)
    lifetime = await hook_versions.read(log.db, KEYS[0], "/home/me/.config/agents/hooks/audit/HOOK.md")
    assert lifetime
    assert (dict(lifetime.states), lifetime.unmatched_since) == ({"skipped": 3}, 3)
    assert faults(log) == []


async def test_newest_skips_of_all_lists_are_counted(log: LogWorld) -> None:
    log.add_all([log.made(runs=[skipped("audit", "untrusted")]) for _ in range(30)])
    mixed = [log.made(runs=[skipped("audit", why=f"{number % 3}")]) for number in range(hook_history.MOST_SKIPS - 10)]
    log.add_all(mixed)
    history = (await hook_history.read(log.db, ["audit"]))["audit"]
    assert dict(history.skips) == {"tool-mismatch": hook_history.MOST_SKIPS - 10, "untrusted": 10}


@pytest.mark.parametrize("order", permutations(range(3)))
async def test_joined_event_keeps_its_list(log: LogWorld, reader: LogReader, order: tuple[int, ...]) -> None:
    def record(origin: Any, at: float, *runs: Run) -> Dispatch:
        return log.made(tool="Bash", runs=runs, at=NOON + at, payload={"tool_use_id": "call-1"}, origin=origin)

    parts = [
        record("observed", 0.0, run("first.sh")),
        record("run", 0.01, skipped("audit"), run("house"), skipped("format-py")),
        record("observed", 0.02, run("last.sh")),
    ]
    numbers = [log.add_all([parts[place]])[0] for place in order]
    report = await reader.report(numbers[0])
    assert report
    assert [hook["label"] for hook in report["hooks"]] == ["first.sh", "audit", "house", "format-py", "last.sh"]
    assert list(await reader.newest(parse("state:skipped hook:audit"))) == [numbers[0]]
    assert faults(log) == []


async def test_lists_are_pruned_with_their_last_event(log: LogWorld) -> None:
    log.add(runs=[skipped("old")])
    log.add(runs=[skipped("audit")])
    log.add(runs=[skipped("audit")], at=NOON + 20 * DAY_S)
    retention.prune(log.db, Settings(keep_days=10), NOON + 21 * DAY_S)
    assert rows(log, "SELECT name FROM skip JOIN hook ON hook.id = hook") == [("audit",)]
    assert value(log, "SELECT count(*) FROM skip_list") == 1
    assert faults(log) == []


@pytest.mark.parametrize("version", ["", "../log.db", "\ud800", "unknown", 7, ["x"], {}])
def test_line_that_names_no_list_is_stored_without(log: LogWorld, version: Any) -> None:
    waiting = entry.of_dispatch(log.made(runs=[run("guard")]), ())
    spool.append(log.db, waiting.replace(skips=version))
    spool.append(log.db, entry.of_dispatch(log.made(runs=[run("guard")]), ()))
    assert import_journal.take(log.db) is None
    assert value(log, "SELECT count(*) FROM dispatch") in (1, 2)
    assert faults(log) == []


@pytest.mark.parametrize(
    "rows",
    [[["0", "guard", "s", "w"]], [[0, "guard", None, "w"]], [[0, "guard", "s", "w"]] * 2, [[0, "stranger", "s", "w"]]],
    ids=["position", "reason", "twice", "unknown hook"],
)
def test_list_that_hooktui_did_not_write_is_removed(log: LogWorld, rows: list[Any]) -> None:
    version = skipped_runs.version_of(rows)
    path = Path(side_files.path_of(log.db, version))
    path.parent.mkdir()
    path.write_text(json.dumps(rows))
    log.add(runs=[run("guard")])
    spool.append(log.db, entry.of_dispatch(log.made(runs=[run("guard")]), ()).replace(skips=version))
    assert import_journal.take(log.db) is None
    assert value(log, "SELECT count(*) FROM dispatch WHERE skips IS NULL") == 2
    assert not path.exists()
    assert faults(log) == []


async def test_kept_list_and_skips_of_its_own_are_one(log: LogWorld, reader: LogReader) -> None:
    dispatch = log.made(runs=[skipped("a"), skipped("b", "untrusted"), run("c"), skipped("d")])
    full = entry.of_dispatch(dispatch, (), side_files.keep_hooks(log.db, dispatch, ()))
    a, b, c, d = full.runs
    version = skipped_runs.keep(log.db, [a, d])
    for _ in range(2):
        number = ids.new()
        runs = tuple(kept.replace(id=ids.new(), dispatch=number) for kept in (b, c))
        spool.append(log.db, full.replace(id=number, runs=runs, skips=version))
        assert import_journal.take(log.db) is None
        report = await reader.report(number)
        assert report
        assert [hook["label"] for hook in report["hooks"]] == ["a", "b", "c", "d"]
    assert value(log, "SELECT count(*) FROM skip_list") == 2
    assert faults(log) == []


def test_large_log_is_read_by_index(log: LogWorld) -> None:
    log.add(runs=[skipped("audit")])
    connection = sqlite3.connect(log.db)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {hook_history.OF_LIST}", (1,))]
    assert plan == ["SEARCH dispatch USING INDEX dispatch_skips (skips=?)"]
