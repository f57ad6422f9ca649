"""The table of events (formats.md §1)."""

from __future__ import annotations

import pytest

from hooktui import hosts
from hooktui.core import events

SPELLINGS = {
    "pre-session": ("session_start", "SessionStart", "sessionStart", None, "ExecutionStart"),
    "post-session": ("session_end", "SessionEnd", "sessionEnd", None, "ExecutionEnd"),
    "pre-agent-turn": ("before_agent", "UserPromptSubmit", "userPromptSubmitted", None, None),
    "post-agent-turn": ("after_agent", None, None, None, None),
    "pre-agent-turn-stop": ("before_stop", "Stop", "agentStop", "Stop", "Stop"),
    "post-agent-turn-stop": (None, None, None, None, None),
    "pre-tool-call": ("before_tool", "PreToolUse", "preToolUse", "PreToolUse", "PreToolUse"),
    "post-tool-call": ("after_tool", "PostToolUse", "postToolUse", "PostToolUse", "PostToolUse"),
    "post-tool-call-failure": ("after_tool_failure", "PostToolUseFailure", "postToolUseFailure", None, None),
    "pre-subagent": ("subagent_start", "SubagentStart", "subagentStart", None, None),
    "post-subagent": ("subagent_stop", "SubagentStop", "subagentStop", None, "SubagentStop"),
    "pre-context-compact": ("pre_compact", "PreCompact", "preCompact", None, None),
    "post-context-compact": (None, "PostCompact", None, None, None),
    "pre-step": (None, None, None, None, "BeforeStep"),
    "post-step": (None, None, None, None, "AfterStep"),
    "agent-failure": (None, "StopFailure", "errorOccurred", None, "AgentFailed"),
}


def test_every_spelling_names_its_event() -> None:
    assert tuple(SPELLINGS) == events.CANONICAL
    for event, spellings in SPELLINGS.items():
        for spelling in filter(None, (event, *spellings)):
            assert events.canonical(spelling) == event


@pytest.mark.parametrize(("host", "column"), [("claude", 1), ("copilot", 2), ("azure", 3), ("python", 4)])
def test_each_host_spells_events_its_own_way(host: str, column: int) -> None:
    assert {event: hosts.spec(host).spelling(event) for event in SPELLINGS} == {
        event: row[column] for event, row in SPELLINGS.items()
    }


def test_agenthooks_writes_the_canonical_name() -> None:
    assert hosts.spec("agenthooks").spelling("pre-tool-call") == "pre-tool-call"
    assert hosts.spec("agenthooks").spelling("Notification") is None


def test_names_are_exact() -> None:
    assert [events.canonical(name) for name in ("PRETOOLUSE", "pre_tool_call", "pretooluse", "", "Notification")] == [None] * 5


def test_triggers_are_13_kebab_and_11_snake_names() -> None:
    assert len([name for name in events.TRIGGERS if "_" not in name]) == 13
    assert len([name for name in events.TRIGGERS if "_" in name]) == 11
    assert not set(events.TRIGGERS) & {"pre-step", "post-step", "agent-failure"}


def test_every_event_has_a_meaning_in_one_line() -> None:
    assert set(events.MEANING) == set(events.CANONICAL)
    assert all(meaning and "\n" not in meaning for meaning in events.MEANING.values())
