"""Events that are not as they should be: never a traceback, never silence, never a blocked agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.faults.agent import DENY

if TYPE_CHECKING:
    from tests.faults.agent import Agent

# The report of an event is long enough for every promise about it to be tested once; plain stdin is in the conformance cases.


@pytest.mark.parametrize(
    "stdin",
    [
        b"",
        b" \n",
        b"{",
        b"[1]",
        b"null",
        b"42",
        b'{"event_type": "pre-tool-call"} x',
        b'{"a": "\xff\xfe"}',
        b"\x00\x01\x02",
        b"[" * 200_000,
    ],
    ids=["empty", "blank", "torn", "list", "null", "number", "two values", "no UTF-8", "binary", "nested for ever"],
)
def test_what_is_no_json_object_is_wrong_use(agent: Agent, stdin: bytes) -> None:
    done = agent.call(stdin)
    assert (done.code, done.stdout) == (64, "")
    assert "stdin" in agent.warning(done)
    assert not agent.db.exists()


def test_objects_nested_for_ever_are_wrong_use(agent: Agent) -> None:
    done = agent.call(b'{"event_type": "pre-tool-call", "tool_input": ' + b'{"a": ' * 100_000 + b"1" + b"}" * 100_000 + b"}")
    assert done.code == 64
    agent.warning(done)


def test_deep_nesting_that_json_can_read_is_matched(agent: Agent) -> None:
    agent.hook("guard", DENY, matcher={"pattern": "^needle$"})
    depth = 400
    nested = json.loads('{"a": [' * depth + '"needle"' + "]}" * depth)
    assert agent.call(agent.event(tool_input=nested)).code == 2


def test_a_byte_order_mark_is_fine(agent: Agent) -> None:
    agent.hook("guard", DENY)
    assert agent.call(b"\xef\xbb\xbf" + json.dumps(agent.event()).encode()).code == 2


def test_lone_surrogates_reach_the_hook_and_the_log(agent: Agent) -> None:
    agent.hook("guard", DENY, matcher={"pattern": "rm"})
    stdin = json.dumps(agent.event()).encode().replace(b'"ls"', b'"rm \\ud800 \\udfff"')
    done = agent.call(stdin)
    assert (done.code, done.stderr) == (2, "no\n")
    (report,) = agent.recorded()
    assert report["decision"] == "deny"


def test_a_surrogate_in_the_session_and_event_name_is_survived(agent: Agent) -> None:
    done = agent.call(b'{"event_type": "x\\ud800", "session_id": "\\udfff", "work_dir": "\\ud800"}')
    assert done.code == 0
    assert len(agent.recorded()) == 1


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_only_python_takes_for_a_number_is_no_json(agent: Agent, word: str) -> None:
    agent.hook("guard", DENY)
    done = agent.call(json.dumps(agent.event()).replace('"ls"', word).encode())
    assert (done.code, done.stdout) == (64, "")
    assert f"{word} is no JSON value" in agent.warning(done)


def test_a_payload_of_20_mb_is_handled_and_stored_capped(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\nwc -c >&2\nexit 2\n")
    done = agent.call(agent.event(tool_input={"content": "x" * 20_000_000}))
    assert done.code == 2
    assert int(done.stderr) > 20_000_000
    assert agent.db.stat().st_size < 2_000_000
    (report,) = agent.recorded()
    assert report["decision"] == "deny"


def test_values_of_wrong_types_do_no_harm(agent: Agent) -> None:
    agent.hook("guard", DENY)
    odd = {
        "session_id": 5,
        "tool_name": ["Shell"],
        "tool_input": "rm -rf /",
        "timestamp": {},
        "context": [],
        "tool_use_id": None,
    }
    assert agent.call({**agent.event(), **odd}).code == 2


def test_a_null_byte_in_the_directory_is_survived(agent: Agent) -> None:
    agent.hook("guard", DENY)
    done = agent.call(agent.event(work_dir="a\0b"))
    assert done.code == 2
    assert "does not exist" in done.stderr


def test_an_unknown_event_is_recorded_and_said(agent: Agent) -> None:
    agent.hook("guard", DENY)
    done = agent.call(agent.event("pre-coffee"))
    assert (done.code, done.stdout) == (0, "")
    assert "pre-coffee" in agent.warning(done)
    assert [report["event"] for report in agent.recorded()] == ["pre-coffee"]


def test_a_project_that_is_gone_is_said_and_the_users_guard_still_guards(agent: Agent) -> None:
    agent.hook("guard", DENY)
    done = agent.call(agent.event(work_dir=str(agent.project / "gone")))
    assert done.code == 2
    assert "gone" in done.stderr


def test_a_number_of_any_length_keeps_no_guard_from_its_work(agent: Agent) -> None:
    agent.hook("guard", DENY)
    assert agent.call(b'{"event_type": "pre-tool-call", "n": [1e999, ' + b"9" * 10_000 + b"]}").code == 2
