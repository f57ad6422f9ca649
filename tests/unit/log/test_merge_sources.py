"""Records of one event are joined in one row, in any order and from any process (contract.md, `origin`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from hooktui.core import ids
from hooktui.core.model import Dispatch
from hooktui.core.report import LoggedReport
from hooktui.core.settings import Settings
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from hooktui.log.store import database, import_journal, retention
from hooktui.runner.journal import entry, spool
from hooktui.transcripts import import_transcripts
from hooktui.transcripts.agents import AGENTS
from hooktui.transcripts.import_log import ImportLog
from tests.claude_transcript import ClaudeTranscript
from tests.log_world import NOON, LogWorld, run
from tests.unit.log.tampering import downgrade, faults, tamper, value

CALL = {"hook_event_name": "PreToolUse", "tool_use_id": "call-1", "tool_input": {"command": "rm -rf build"}}


def observed(log: LogWorld, name: str, *, at: float = 0.0, **values: Any) -> Dispatch:
    """The record of one observed hook."""
    decision = values.get("decision", "none")
    return record(log, "observed", [run(name, **values)], at=at, decision=decision, reason=values.get("reason"))


def record(log: LogWorld, origin: str, runs: Sequence[Any], *, at: float = 0.0, **values: Any) -> Dispatch:
    duration = {"duration_ms": 20.0} | values
    return log.made(tool="Bash", host="claude", runs=runs, at=NOON + at, payload=CALL, origin=origin, **duration)


async def reports(log: LogWorld, text: str = "") -> list[LoggedReport]:
    reader = await LogReader.open(log.db)
    try:
        return await reader.reports(await reader.newest(parse(text)))
    finally:
        await reader.close()


def told(report: LoggedReport) -> tuple[Any, ...]:
    return report["decision"], report["effect"], report["origin"], [(hook["label"], hook["origin"]) for hook in report["hooks"]]


@pytest.mark.parametrize("order", permutations(range(3)))
async def test_records_of_one_call_are_one_event_in_any_order(log: LogWorld, order: tuple[int, ...]) -> None:
    parts = [
        observed(log, "guard.sh", at=0.0, decision="deny", reason="no"),
        observed(log, "audit.sh", at=0.01),
        record(log, "run", [run("house")], at=0.02),
    ]
    for number in order:
        log.add_all([parts[number]])
    (report,) = await reports(log)
    hooks = [("guard.sh", "observed"), ("audit.sh", "observed"), ("house", "run")]
    assert told(report) == ("deny", "deny", "run", hooks)
    assert report["reason"] == "no"
    assert report["duration_ms"] == pytest.approx(40, abs=0.01)
    assert value(log, "SELECT events || ' ' || denials FROM session") == "1 1"
    assert faults(log) == []


async def test_records_of_one_call_are_one_event_when_they_come_together(log: LogWorld) -> None:
    log.add_all([observed(log, "a.sh"), observed(log, "b.sh", at=0.01), record(log, "run", [], at=0.02, duration_ms=0.1)])
    (report,) = await reports(log)
    assert told(report) == ("none", "none", "observed", [("a.sh", "observed"), ("b.sh", "observed")])
    assert faults(log) == []


async def test_only_records_that_ran_hooks_measure_the_wait(log: LogWorld) -> None:
    log.add_all([record(log, "run", [], duration_ms=5.0), observed(log, "a.sh", at=0.2)])
    (report,) = await reports(log)
    assert report["duration_ms"] == 20.0


@pytest.mark.parametrize("batches", [(4,), (1, 1, 1, 1), (2, 2)])
async def test_two_stops_of_a_turn_keep_their_outcomes_when_their_transcript_came_first(
    log: LogWorld, tmp_path: Path, batches: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    transcript = ClaudeTranscript(tmp_path, log.project, "s1")
    transcript.at = NOON
    transcript.prompt("go")
    for second in (1, 4):
        transcript.at = NOON + second
        transcript.stopped()
    past = ImportLog(log.db, ())
    import_transcripts.import_file(past, AGENTS, str(transcript.path))
    past.close()
    payload = {"hook_event_name": "Stop", "prompt_id": "p"}
    stops = [
        log.made("pre-agent-turn-stop", host="claude", at=NOON + at, payload=payload, origin=origin, runs=runs)
        for at, origin, runs in (
            (1.1, "observed", [run("stop.sh")]),
            (1.2, "run", []),
            (4.1, "observed", [run("stop.sh")]),
            (4.2, "run", []),
        )
    ]
    for size in batches:
        log.add_all([stops.pop(0) for _ in range(size)])
    events = await reports(log, "event:pre-agent-turn-stop")
    assert [(event["origin"], event["outcome"]) for event in events] == [("observed", "passed")] * 2
    assert faults(log) == []


async def test_hook_that_decided_is_named_first(log: LogWorld) -> None:
    runs = [run("audit"), run("guard", decision="ask")]
    log.add_all([record(log, "run", runs, decision="ask"), observed(log, "block.sh", at=0.01, decision="deny", reason="no")])
    assert value(log, "SELECT ran FROM dispatch") == "block.sh\nguard\naudit"
    assert faults(log) == []


async def test_second_call_by_one_hook_is_another_event(log: LogWorld) -> None:
    log.add_all([observed(log, "a.sh"), observed(log, "a.sh", at=0.5), observed(log, "b.sh", at=0.51)])
    assert [len(report["hooks"]) for report in await reports(log)] == [1, 2]


async def test_two_runs_of_hooktui_are_two_events(log: LogWorld) -> None:
    log.add_all([record(log, "run", [run("a")]), record(log, "run", [run("b")], at=0.1)])
    assert len(await reports(log)) == 2


@pytest.mark.parametrize("change", [{"tool_use_id": "call-2"}, {"tool_use_id": None, "prompt_id": "p"}])
async def test_other_calls_and_turns_are_other_events(log: LogWorld, change: dict[str, Any]) -> None:
    other = observed(log, "b.sh", at=0.1)
    event = other.event.replace(payload={**CALL, **change})
    log.add_all([observed(log, "a.sh"), other.replace(event=event)])
    assert len(await reports(log)) == 2


async def test_events_without_a_call_are_joined_by_their_turn(log: LogWorld) -> None:
    stop = {"hook_event_name": "Stop", "prompt_id": "p1"}
    for number, name in enumerate(("a.sh", "b.sh")):
        log.add("pre-agent-turn-stop", host="claude", runs=[run(name)], payload=stop, origin="observed", at=NOON + number / 100)
    log.add("pre-agent-turn-stop", host="claude", runs=[run("a.sh")], payload=stop, origin="observed", at=NOON + 3)
    assert [len(report["hooks"]) for report in await reports(log)] == [2, 1]


async def test_rewrite_is_the_effect_of_the_event(log: LogWorld) -> None:
    changed = {"command": "rm -r build"}
    first = observed(log, "a.sh").replace(modified_input=changed, additional_context=("one",))
    log.add_all([first])
    log.add_all([record(log, "run", [run("b")], at=0.01, additional_context=("two",))])
    (report,) = await reports(log, "effect:rewrite")
    assert [report] == await reports(log, "decision:rewrote")
    assert (report["modified_input"], report["additional_context"]) == (changed, ["one", "two"])
    assert await reports(log, "effect:context") == []


async def test_either_id_shows_the_event(log: LogWorld) -> None:
    numbers = log.add_all([observed(log, "a.sh"), record(log, "run", [run("b")], at=0.01)])
    reader = await LogReader.open(log.db)
    try:
        shown = [await reader.report(number) for number in numbers]
    finally:
        await reader.close()
    assert shown[0] == shown[1] is not None


async def test_joined_event_is_a_change_of_the_event_for_those_who_follow(log: LogWorld) -> None:
    (first,) = log.add_all([observed(log, "a.sh")])
    reader = await LogReader.open(log.db)
    try:
        before = await reader.commits()
        log.add_all([observed(log, "b.sh", at=0.01)])
        committed = await reader.committed(before)
    finally:
        await reader.close()
    assert (committed.new, committed.changed) == ([], [first])


async def test_spooled_records_are_joined(log: LogWorld) -> None:
    log.add_all([observed(log, "a.sh")])
    spool.append(log.db, entry.of_dispatch(record(log, "run", [run("b")], at=0.01), ()))
    for _ in range(2):  # a spool that could not be emptied is imported again
        spool.append(log.db, entry.of_dispatch(observed(log, "c.sh", at=0.02), ()))
    import_journal.take(log.db)
    (report,) = await reports(log)
    assert [hook["label"] for hook in report["hooks"]] == ["a.sh", "b", "c.sh"]
    assert faults(log) == []


@pytest.mark.parametrize("ends_first", [False, True])
async def test_end_of_an_async_hook_reaches_its_event(log: LogWorld, ends_first: bool) -> None:
    log.add_all([observed(log, "a.sh")])
    handled = record(log, "run", [run("slow", "started")], at=0.01)
    ended = handled.runs[0].replace(state="ok", stdout="finished")
    if ends_first:
        log.end(ended, handled.id, 0)
    log.add_all([handled])
    if not ends_first:
        log.end(ended, handled.id, 0)
    (report,) = await reports(log, "finished")
    assert [(hook["label"], hook["state"]) for hook in report["hooks"]] == [("a.sh", "ok"), ("slow", "ok")]
    assert faults(log) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE dispatch SET decision = 'none', effect = 'none'",
        "UPDATE dispatch SET effect = 'allow'",
        "UPDATE dispatch SET origin = 'run'",
        "UPDATE dispatch SET duration_ms = 1",
        "UPDATE part SET decision = 'none' WHERE decision = 'deny'",
        "UPDATE part SET origin = 'run'",
        "DELETE FROM part",
        "UPDATE run SET origin = NULL",
        "UPDATE hook SET label = 'other'",
    ],
)
def test_changed_event_or_record_is_a_fault(log: LogWorld, change: str) -> None:
    log.add_all([observed(log, "a.sh", decision="deny", reason="no"), observed(log, "b.sh", at=0.01)])
    assert faults(log) == []
    tamper(log, change)
    assert faults(log)


async def test_pruned_event_takes_its_records_and_words_along(log: LogWorld) -> None:
    first = observed(log, "a.sh", reason="apples", decision="allow")
    log.add_all([first, observed(log, "b.sh", at=0.01, reason="pears", decision="deny")])
    log.add(at=NOON + 86_400 * 20)
    retention.prune(log.db, Settings(keep_days=10), NOON + 86_400 * 21)
    assert value(log, "SELECT count(*) FROM part") == 0
    assert [await reports(log, word) for word in ("apples", "pears")] == [[], []]
    assert faults(log) == []


async def test_log_of_schema_3_is_upgraded_when_it_is_read(log: LogWorld) -> None:
    log.add(runs=[run("guard")], decision="deny")
    downgrade(log, 3)
    (report,) = await reports(log, "effect:deny")
    assert told(report) == ("deny", "deny", "run", [("guard", "run")])
    assert value(log, "PRAGMA user_version") == database.SCHEMA
    assert ids.parse(report["id"])


async def test_older_log_is_merged_again_where_the_rules_have_changed(
    log: LogWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Schema 10 called a stop that a hook ended denied, and a prompt that a hook held denied-by-hook, as transcripts do."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    transcript = ClaudeTranscript(tmp_path, log.project, "s1")
    transcript.at = NOON
    transcript.blocked_prompt("push it", "no")
    prompt, end = {"hook_event_name": "UserPromptSubmit", "prompt": "push it"}, {"hook_event_name": "Stop", "prompt_id": "p"}
    log.add(
        "pre-agent-turn", host="claude", at=NOON + 0.1, payload=prompt, runs=[run("guard", decision="deny")], decision="deny"
    )
    stopped: dict[str, Any] = {"host": "claude", "payload": end, "decision": "stop"}
    log.add("pre-agent-turn-stop", at=NOON + 1, origin="observed", runs=[run("end.sh", decision="stop")], **stopped)
    log.add("pre-agent-turn-stop", at=NOON + 1.1, runs=[run("end", decision="stop")], **stopped)
    with closing(ImportLog(log.db, ())) as past:
        import_transcripts.import_file(past, AGENTS, str(transcript.path))
    outcomes = [("pre-session", None), ("pre-agent-turn", "denied"), ("pre-agent-turn-stop", "passed")]
    assert [(report["event"], report["outcome"]) for report in await reports(log)] == outcomes
    older = (
        "UPDATE dispatch SET outcome = iif(event = 'pre-agent-turn', 'denied-by-hook', 'denied') WHERE origin <> 'transcript'"
    )
    tamper(log, older, "PRAGMA user_version = 10")
    assert faults(log) == []
    assert [(report["event"], report["outcome"]) for report in await reports(log)] == outcomes
    tamper(log, older)
    assert len(faults(log)) == 2


async def test_a_failure_shows_a_call_that_ran_only_where_a_denied_call_has_none(log: LogWorld) -> None:
    """Kimi Code reports a call that any hook denied as a failed one."""
    for begin, host in enumerate(("kimi", "claude")):
        for place, event in enumerate(("pre-tool-call", "post-tool-call-failure")):
            log.add(event, host=host, session=host, tool="Bash", at=NOON + begin * 10 + place, payload=CALL)
    outcomes = {report["host"]: report["outcome"] for report in await reports(log, "event:pre-tool-call")}
    assert outcomes == {"kimi": None, "claude": "ran"}
    older = "UPDATE dispatch SET outcome = 'ran' WHERE event = 'pre-tool-call'"
    tamper(log, older, "PRAGMA user_version = 11")
    assert {report["host"]: report["outcome"] for report in await reports(log, "event:pre-tool-call")} == outcomes
