"""The subject of an event, from the payload of any host, and the text that is copied from it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.log.export import exporters
from hooktui.log.read import event_subject
from hooktui.log.read.reader import LogReader
from hooktui.runner.journal.entry import stored_json
from hooktui.runner.redaction import capped
from tests.log_world import LogWorld, run


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        ({"tool_name": "Shell", "tool_input": {"timeout": 5, "description": "tidy", "command": "rm -rf /"}}, "rm -rf /"),
        ({"tool_input": {"content": "text", "file_path": "notes.txt"}}, "notes.txt"),
        ({"tool_input": {"title": "A bug", "labels": ["x"]}}, "A bug"),
        ({"tool_input": {"files": ["a.py", "b.py"]}}, "a.py"),
        ({"tool_input": {"timeout": 5}}, ""),
        ({"toolName": "bash", "toolArgs": {"command": "ls"}}, "ls"),
        ({"toolName": "bash", "toolArgs": '{"command": "ls"}'}, "ls"),
        ({"event_type": "before_agent", "prompt": "Fix the failing test"}, "Fix the failing test"),
        ({"stop_reason": "no_tool_calls", "final_message": {"role": "assistant", "content": "Done."}}, "Done."),
        ({"final_message": None}, ""),
        ({"session_id": "s1", "timestamp": "2026-01-21T12:00:00Z"}, ""),
        (["no object"], ""),
    ],
)
def test_subject_is_found_in_any_hosts_payload(payload: Any, shown: str) -> None:
    assert event_subject.of_payload(payload) == shown
    assert event_subject.of_stored(json.dumps(payload)) == shown


def test_truncated_payload_has_its_file() -> None:
    stored = capped(json.dumps({"tool_input": {"file_path": 'a "b".txt', "content": "x" * 400_000}}))
    assert event_subject.of_stored(stored) == 'a "b".txt'


@pytest.mark.parametrize("name", ["toolArgs", "tool_input"])
def test_long_fields_do_not_hide_the_subject(name: str) -> None:
    given = {"content": "x" * 400_000, "command": "make all"}
    for tool_input in (given, json.dumps(given)):
        stored = stored_json({name: tool_input, "prompt": "no"}, ())
        assert event_subject.of_stored(stored or "") == "make all"


def test_copilot_input_is_found() -> None:
    assert event_subject.tool_input_of({"toolArgs": {"path": "a"}}) == {"path": "a"}
    assert event_subject.tool_input_of("cut off …") is None


_JSON = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(_JSON, st.sampled_from(["tool_input", "toolArgs", "prompt", "final_message"]))
def test_any_payload_has_a_string_subject(value: Any, name: str) -> None:
    assert isinstance(event_subject.of_stored(json.dumps({name: value})), str)


def test_deeply_nested_payload_has_no_subject() -> None:
    assert event_subject.of_stored('{"tool_input": ' + "[" * 100_000) == ""


async def test_the_copied_text_is_the_subject_of_a_tool_else_the_id(log: LogWorld, reader: LogReader) -> None:
    payload = {"tool_input": {"command": "rm -rf\t/\nls"}}
    (report,) = await reader.reports([log.add(tool="Shell", payload=payload, runs=[run("guard")])])
    assert exporters.best(report) == "rm -rf\t/\nls"
    assert exporters.best({**report, "tool_name": None}) == report["id"]
