"""The matcher tester: a matcher on known tools, logged events and typed events."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from hooktui import formats
from hooktui.core.model import Hook, JsonEntry, Obstacle
from hooktui.trials import matcher_tester, payload_templates
from hooktui.trials.matcher_tester import Doubt, MatcherReport
from tests.log_world import LogWorld

PROJECT = "/home/dev/app"


def hook(fmt: str = "agenthooks", *, event: str = "pre-tool-call", written: str | None = None, **fields: Any) -> Hook:
    common: dict[str, Any] = {"id": f"{fmt}:user:guard", "name": "guard", "scope": "user", "file": "", "line": 1}
    common |= {"source": formats.detached_source(fmt), **fields}
    return Hook(format=fmt, event=event, event_as_written=written or event, **common)


def call(log: LogWorld, command: str, tool: str = "Shell", **more: Any) -> None:
    payload = {"event_type": "pre-tool-call", "session_id": "s", "work_dir": PROJECT}
    log.add(tool=tool, payload={**payload, "tool_name": tool, "tool_input": {"command": command}}, project=PROJECT, **more)


async def examined(log: LogWorld, one: Hook) -> MatcherReport:
    return matcher_tester.examine(one, await matcher_tester.cases(one, PROJECT, log.db))


def parts(found: MatcherReport) -> list[str]:
    """The matches in the logged events."""
    return [" + ".join(hit.text[hit.start : hit.end] for hit in one.verdict.hits) for one in found.logged if one.matched]


async def test_it_counts_the_logged_events_and_the_tools_that_match(log: LogWorld) -> None:
    for command in ("ls", "rm -rf /", "git push", "rm -rf /tmp"):
        call(log, command)
    call(log, "notes about rm -rf /", tool="Search")
    found = await examined(log, hook(tool="Shell", pattern="rm -rf /"))
    assert found.of_logged == "2 of the last 5"
    assert found.of_tools == "1 of 5 tools"  # four known tools of AgentHooks hosts, and Search
    assert parts(found) == ["Shell + rm -rf /", "Shell + rm -rf /"]
    assert found.doubts == ()


async def test_what_does_not_match_says_why_in_the_words_of_why_not(log: LogWorld) -> None:
    call(log, "ls")
    call(log, "ls", tool="Read")
    found = await examined(log, hook(tool="Shell", pattern="rm"))
    whys = [one.verdict.why for one in found.logged]
    assert whys == ["tool Read does not match Shell", "no value of tool_input matches rm"]


async def test_without_a_log_the_known_tools_are_tested(log: LogWorld) -> None:
    found = await examined(log, hook("claude", written="PreToolUse", tool="Edit|Write"))
    assert (found.of_tools, found.of_logged) == ("2 of 5 tools", "")


async def test_a_tool_is_not_called_unmatched_for_an_input_that_was_made_up(log: LogWorld) -> None:
    found = await examined(log, hook(tool="Shell|Write", pattern="git push"))
    assert [one.case.event.tool_name for one in found.results if one.depends] == ["Shell", "WriteFile"]
    call(log, "ls")
    assert not any(one.depends for one in (await examined(log, hook(pattern="git push"))).logged)


async def test_a_permission_rule_shows_the_command_that_fits(log: LogWorld) -> None:
    guard = hook("claude", written="PreToolUse", tool="Bash", source=JsonEntry(condition="Bash(git *)"))
    one = matcher_tester.typed(guard, PROJECT, "Bash", "cd src && git push --force")
    [result] = matcher_tester.examine(guard, [one]).results
    _tool, command = result.verdict.hits
    assert command.text[command.start : command.end] == "git push --force"
    other = matcher_tester.typed(guard, PROJECT, "Bash", "ls")
    [result] = matcher_tester.examine(guard, [other]).results
    assert (result.matched, result.verdict.why) == (False, "the input does not match its `if`: Bash(git *)")


@pytest.mark.parametrize(
    ("fmt", "written", "tool", "typed", "expected"),
    [
        ("agenthooks", "before_tool", "Shell", "rm -rf /", {"command": "rm -rf /"}),
        ("agenthooks", "before_tool", "Shell", '{"command": "ls", "timeout": 5}', {"command": "ls", "timeout": 5}),
        ("claude", "PreToolUse", "Write", "a.py", {"file_path": "a.py"}),
        ("claude", "PreToolUse", "mcp__x__y", "[1]", {"input": "[1]"}),
        ("copilot", "preToolUse", "bash", "ls", {"command": "ls"}),
        ("azure", "PreToolUse", "Bash", "ls", {"command": "ls"}),
    ],
)
def test_a_person_types_a_tool_and_its_input(fmt: str, written: str, tool: str, typed: str, expected: dict[str, Any]) -> None:
    event = matcher_tester.typed(hook(fmt, written=written), PROJECT, tool, typed).event
    assert (event.name, event.tool_name, event.tool_input) == ("pre-tool-call", tool, expected)


def test_matcher_of_an_event_without_tools_is_compared_with_the_typed_text() -> None:
    start = hook("claude", event="pre-session", written="SessionStart", tool="resume|compact")
    given = [matcher_tester.typed(start, PROJECT, source, "") for source in ("startup", "resume")]
    found = matcher_tester.examine(start, given)
    assert [one.matched for one in found.results] == [False, True]
    assert found.of_tools == ""


@pytest.mark.parametrize(("fmt", "tool"), [("agenthooks", "^WriteFile$"), ("claude", "Write|Edit"), ("azure", "Execute.*")])
def test_typed_input_without_a_tool_uses_a_tool_that_the_hook_matches(fmt: str, tool: str) -> None:
    guard = hook(fmt, tool=tool, written="pre-tool-call" if fmt == "agenthooks" else "PreToolUse")
    (found,) = matcher_tester.examine(guard, (matcher_tester.typed(guard, PROJECT, "", "secret"),)).results
    assert found.matched
    assert found.case.about == "secret"


async def test_a_hook_of_a_project_is_tested_on_its_projects_events(log: LogWorld) -> None:
    call(log, "ls")
    log.add(tool="Shell", payload={"event_type": "pre-tool-call", "tool_name": "Shell"}, project="/home/dev/other")
    assert (await examined(log, hook(scope="project"))).of_logged == "1 of the last 1"
    assert (await examined(log, hook())).of_logged == "2 of the last 2"


async def test_events_that_cannot_be_read_are_left_out(log: LogWorld) -> None:
    call(log, "ls")
    log.add(payload={"event_type": "pre-session"})  # logged as another event than its payload names
    log.add(payload={"tool_input": {f"key {number}": "x" * 1000 for number in range(2000)}})
    assert (await examined(log, hook())).of_logged == "1 of the last 1"


async def test_a_pattern_that_takes_forever_is_cancelled(log: LogWorld) -> None:
    for _ in range(50):
        call(log, "a" * 40 + "!")
    begun = time.thread_time()
    found = await examined(log, hook(pattern="^(a|aa)+$"))
    [doubt] = found.doubts
    assert re.fullmatch(r"the matcher took longer than 50 ms on a{20,}\S*; \d+ more events not tested", doubt.text)
    assert found.untested
    assert found.of_logged == ""  # it would count only a few
    assert time.thread_time() - begun < 5


async def test_an_invalid_pattern_is_reported_once(log: LogWorld) -> None:
    for _ in range(50):
        call(log, "ls")
    [doubt] = (await examined(log, hook(tool="("))).doubts
    assert doubt.text.startswith("the matcher is not a valid regex")


def test_every_format_has_a_sample_for_each_tool_it_knows() -> None:
    for fmt, written in (("agenthooks", "before_tool"), ("claude", "PreToolUse"), ("copilot", "preToolUse")):
        one = hook(fmt, written=written)
        tools = [
            payload_templates.event_of(one, payload, PROJECT).tool_name for payload in payload_templates.samples(one, PROJECT)
        ]
        assert len(set(tools)) == len(tools) > 2
    [only] = payload_templates.samples(hook(event="pre-session"), PROJECT)
    assert only["event_type"] == "pre-session"


async def test_a_hook_that_cannot_run_matches_nothing_and_says_why(log: LogWorld) -> None:
    call(log, "ls")
    found = await examined(log, hook(obstacle=Obstacle(skip="invalid", why="it has no trigger")))
    assert (found.of_tools, found.of_logged, found.doubts) == ("", "0 of the last 1", (Doubt("it has no trigger", "error"),))
