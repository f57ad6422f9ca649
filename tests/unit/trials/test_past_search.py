"""Searching the past: which logged events a matcher accepts, by the rule of a dispatch, without running anything."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hooktui.core.model import Hook, JsonEntry
from hooktui.hosts import UnreadableEventError
from hooktui.log.read import query
from hooktui.runner import matching
from hooktui.trials import backtest_matches, backtest_search
from hooktui.trials.backtest_matches import PastCall, PastMatcher, event_of
from hooktui.trials.backtest_search import PastCount
from tests.log_world import LogWorld
from tests.unit.trials.test_matcher_tester import PROJECT, call, hook

BASH_GIT = JsonEntry(condition="Bash(git *)")
HOOKS = (
    hook(tool="Shell"),
    hook(tool="^Sh", pattern=r"\brm\b"),
    hook(pattern="curl|wget"),
    hook("claude", written="PreToolUse", tool="Bash|Edit"),
    hook("claude", written="PreToolUse", tool="Task"),
    hook("claude", written="PreToolUse", source=BASH_GIT),
    hook("claude", event="pre-session", written="SessionStart", tool="startup"),
    hook("claude", event="pre-agent-turn", written="UserPromptSubmit", tool="ignored"),
    hook("vscode", written="PreToolUse", tool="Bash"),
    hook("copilot", written="preToolUse", tool="shell.*"),
)
PAYLOADS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("agenthooks", {"event_type": "pre-tool-call", "tool_name": "Shell", "tool_input": {"command": "rm -rf /"}}),
    ("agenthooks", {"event_type": "pre-tool-call", "tool_name": "Shell", "tool_input": {"command": 'say "wget"'}}),
    ("claude", {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": "é\ncurl"}, "cwd": "/p"}),
    ("claude", {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "cd x && git push"}}),
    ("claude", {"hook_event_name": "SessionStart", "source": "startup"}),
    ("claude", {"hook_event_name": "UserPromptSubmit", "prompt": "curl"}),
    ("copilot", {"toolName": "shell", "toolArgs": json.dumps({"command": "curl x"}), "cwd": "/p", "sessionId": "s"}),
    ("gone", {"event_type": "pre-tool-call", "tool_name": "Shell", "tool_input": {"command": "ls"}}),
)


async def counted(log: LogWorld, *hooks: Hook, **more: Any) -> PastCount:
    """The last count."""
    counts = [count async for count in backtest_search.search(hooks, db=log.db, **more)]
    assert [count.is_done for count in counts].count(True) == 1
    return counts[-1]


@pytest.mark.parametrize("one", HOOKS, ids=lambda one: f"{one.format}-{one.event}-{one.tool}-{one.pattern}")
def test_past_events_are_judged_as_in_a_dispatch(one: Hook) -> None:
    for host, payload in PAYLOADS:
        logged = PastCall(1, "", payload.get("tool_name", payload.get("toolName")), host, "/p", json.dumps(payload))
        event = event_of(logged._replace(event="preToolUse" if host == "copilot" else ""))
        logged = logged._replace(event=event.name)
        expected = event.name == one.event and matching.match(one, event).skip is None
        matcher = PastMatcher([one])
        assert (matcher.matching(logged) == (one,)) is expected
        by_name = matcher.by_name(logged)
        assert by_name in (None, expected)


def test_what_is_no_payload_is_not_an_event() -> None:
    for text in ("", "[1]", "{"):
        with pytest.raises(UnreadableEventError):
            PastMatcher([hook(pattern="x")]).matching(PastCall(1, "pre-tool-call", "Shell", "claude", "/p", text))


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("rm -rf /", ("rm -rf ",)),
        (r"\bgit push\b.*--force", ("git push",)),
        ("curl|wget", ("curl", "wget")),
        (r"(^|/)\.env", (".env",)),
        ("x (push|commit)", ("push", "commit")),
        (r"\d+", ()),
        ("(?i)curl", ()),
        ("(?i:curl)", ()),
        ("(curl)?", ()),
        ("a|curl", ()),
        ('"quoted"', ("quoted",)),
        ("(", ()),
    ],
)
def test_a_match_contains_one_of_these_texts(pattern: str, texts: tuple[str, ...]) -> None:
    assert backtest_matches.required_texts(pattern) == texts


@given(st.text(alphabet='ab/".|()?*+\\ é', max_size=12), st.text(alphabet='ab/". é\n', max_size=12))
@example("ab|", "")
@example("(?:ab)?/", "/")
def test_no_payload_with_a_match_lacks_them(pattern: str, text: str) -> None:
    try:
        matches = re.search(pattern, text)
    except re.error:
        return
    texts = backtest_matches.required_texts(pattern)
    if matches and texts:
        assert any(part in json.dumps({"command": text}, ensure_ascii=False) for part in texts)


async def test_the_newest_matches_are_told_and_all_are_counted(log: LogWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backtest_search, "KEPT", 2)
    for command in ("git push", "ls", "git push --tags", "git push --force"):
        call(log, command)
    call(log, "git push", tool="Read")
    count = await counted(log, hook(tool="Shell", pattern="git push"))
    assert (count.matched, count.searched, count.total) == (3, 5, 5)
    assert [(match.tool, match.about) for match in count.newest] == [
        ("Shell", "git push --force"),
        ("Shell", "git push --tags"),
    ]
    assert count.text.startswith("3 of 5 calls since January")


async def test_project_query_and_last_limit_what_is_searched(log: LogWorld) -> None:
    for command in ("ls", "make", "git push"):
        call(log, command)
    log.add(tool="Shell", payload={"tool_name": "Shell", "tool_input": {"command": "ls"}}, project="/home/dev/other")
    every = hook(tool="Shell")
    assert (await counted(log, every)).total == 4
    assert (await counted(log, every, project=PROJECT)).total == 3
    assert (await counted(log, every, query=query.parse("push"))).total == 1
    assert (await counted(log, every, last=2)).total == 2


@pytest.mark.parametrize(
    ("project", "text"),
    [(PROJECT, "1 of 1 call since"), ("/home/dev/new", "2 of 2 calls since")],
    ids=["in a project with a past", "in a new project"],
)
async def test_a_draft_is_searched_for_in_its_project_or_in_the_others(log: LogWorld, project: str, text: str) -> None:
    call(log, "ls")
    log.add(tool="Shell", payload={"tool_name": "Shell", "tool_input": {"command": "ls"}}, project="/home/dev/other")
    draft = hook(tool="Shell").replace(scope="project")
    *_, count = [count async for count in backtest_search.of_draft(draft, None, project, log.db)]
    assert count.text.startswith(text)
    assert count.text.endswith(" in your other projects") == (project != PROJECT)


async def test_of_several_matchers_one_is_enough_and_that_of_the_script_is_needed(log: LogWorld) -> None:
    for command in ("ls", "git push"):
        call(log, command)
    call(log, "git push", tool="Read")
    assert (await counted(log, hook(pattern="ls"), hook(tool="Read"))).matched == 2
    assert (await counted(log, hook(tool="Shell"), then=hook(pattern="git push"))).matched == 1


async def test_events_that_were_logged_only_in_part_are_left_out(log: LogWorld) -> None:
    log.add(tool="Shell", payload={f"key {n}": "x" * 1000 for n in range(2000)})
    count = await counted(log, hook(pattern="x"))
    assert (count.matched, count.left_out) == (0, 1)


async def test_a_matcher_that_takes_forever_ends_the_search(log: LogWorld) -> None:
    call(log, "a" * 60)
    count = await counted(log, hook(pattern="(a|a)+$b"))
    assert (count.too_slow, count.searched) == (True, 0)


async def test_without_a_log_nothing_is_counted(log: LogWorld) -> None:
    counts = [count async for count in backtest_search.search([hook(tool="Shell")], db=f"{log.db}-none")]
    assert [(count.total, count.is_done) for count in counts] == [(0, True)]
