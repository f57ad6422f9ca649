"""Invalid events: never a traceback, never silence, never a blocked agent."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.command_world import HOOKTUI
from tests.faults.agent import DENY, Agent

# The report of an event is long enough for every promise about it to be tested once; plain stdin is in the conformance cases.


@pytest.mark.parametrize("stdin", [b" \n", b"42", b"\x00\x01\x02", b"[" * 4_000], ids=["blank", "number", "binary", "nested"])
def test_what_is_no_json_object_is_wrong_use(agent: Agent, stdin: bytes) -> None:
    done = agent.call(stdin)
    assert (done.code, done.stdout) == (64, "")
    assert "stdin" in agent.warning(done)
    assert not agent.stored().exists()


UNREADABLE = {
    "NaN": b'{"event_type": "pre-tool-call", "tool_input": {"n": NaN}}',
    "-Infinity": b'{"event_type": "pre-tool-call", "tool_input": {"n": -Infinity}}',
    "bad UTF-8": b'{"event_type": "pre-tool-call", "tool_input": {"command": "\xff"}}',
    "control character": b'{"event_type": "pre-tool-call", "tool_input": {"command": "a\nb"}}',
    "trailing bytes": b'{"event_type": "pre-tool-call"} {}',
    "a list": b'[{"event_type": "pre-tool-call"}]',
    "nothing": b"",
    "100,000 brackets": b'{"event_type": "pre-tool-call", "tool_input": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "5,000 objects": b'{"event_type": "pre-tool-call", "tool_input": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}",
}


@pytest.mark.parametrize("stdin", UNREADABLE.values(), ids=UNREADABLE)
def test_stdin_that_cannot_be_read_is_denied_where_a_guard_listens(agent: Agent, stdin: bytes) -> None:
    agent.hook("guard", matcher={"tool": "Other"})
    done = agent.call(stdin)
    assert (done.code, done.stdout) == (2, "")
    assert agent.warning(done).startswith("hooktui: event denied: stdin ")
    (report,) = agent.recorded()
    assert (report["event"], report["decision"]) == ("unreadable", "deny")
    assert report["reason"] == done.stderr.strip()


EVERY_HOST = [
    ("agenthooks", "pre-tool-call", 2, None),
    ("claude", "PreToolUse", 2, None),
    ("vscode", "PreToolUse", 2, None),
    ("codex", "PreToolUse", 2, None),
    ("copilot", "preToolUse", 2, ("permissionDecision", "deny")),
    ("copilot", "userPromptSubmitted", 0, ("decision", "block")),  # where Copilot does not obey exit 2
    ("azure", "PreToolUse", 2, None),
]


@pytest.mark.parametrize("given", [True, False], ids=["named", "unnamed"])
@pytest.mark.parametrize(("host", "event", "code", "answer"), EVERY_HOST)
def test_every_host_is_denied_in_its_own_way(
    agent: Agent, host: str, event: str, code: int, answer: tuple[str, str] | None, *, given: bool
) -> None:
    agent.hook("guard")
    done = agent.call(b"{", *([event] if given else []), "--host", host)
    assert "stdin is not valid JSON" in done.stderr + done.stdout
    assert done.code == (code if given else 2)
    if answer and given:
        assert done.json()[answer[0]] == answer[1]


@pytest.mark.parametrize("approved", [True, False])
def test_only_approved_guards_of_a_project_deny_what_cannot_be_read(agent: Agent, *, approved: bool) -> None:
    agent.hook("guard", scope="project")
    if approved:
        agent.approve()
    assert agent.call(b"{").code == (2 if approved else 64)


def test_a_disabled_guard_denies_nothing(agent: Agent) -> None:
    directory = agent.hook("guard")
    (directory / "HOOK.md").rename(directory / "HOOK.md.off")
    assert agent.call(b"{").code == 64


def test_the_user_may_let_unreadable_events_pass(agent: Agent) -> None:
    agent.hook("guard")
    agent.configure('[run]\non_error = "allow"\n')
    assert agent.call(b"{").code == 64


def test_the_report_of_an_unreadable_event_is_json(agent: Agent) -> None:
    agent.hook("guard")
    done = agent.call(b"{", "--json")
    assert (done.code, done.json()["decision"], done.json()["hooks"]) == (2, "deny", [])


def test_a_dry_run_of_an_unreadable_event_is_a_usage_error(agent: Agent) -> None:
    agent.hook("guard")
    assert agent.call(b"{", "--dry-run").code == 64
    assert not agent.stored().exists()


@pytest.mark.parametrize("levels", [800, 1_000, 4_900])
def test_a_guard_matches_at_any_depth(agent: Agent, levels: int) -> None:
    """The secret makes the log search the event, too; the hook gets every byte."""
    secret = "ghp" + "_" + "a1B2" * 9
    agent.hook("guard", "#!/bin/sh\nwc -c >&2\nexit 2\n", matcher={"pattern": "^needle$"})
    done = agent.call(_nested(agent, levels, f'needle", "{secret}'))
    assert done.code == 2, done.stderr
    assert int(done.stderr) > levels
    assert [report["decision"] for report in agent.recorded()] == ["deny"]
    assert secret.encode() not in b"".join(file.read_bytes() for file in agent.db.parent.rglob("*") if file.is_file())


def _nested(agent: Agent, levels: int, text: str) -> bytes:
    """An event with texts at this depth, in alternating objects and lists."""
    pairs = levels // 2
    return json.dumps(agent.event(tool_input=0)).replace(" 0}", '{"a":[' * pairs + f'"{text}"' + "]}" * pairs + "}").encode()


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


def test_a_payload_of_20_mb_is_handled_and_stored_capped(agent: Agent) -> None:
    agent.hook("guard", "#!/bin/sh\nwc -c >&2\nexit 2\n")
    done = agent.call(agent.event(tool_input={"content": "x" * 20_000_000}))
    assert done.code == 2
    assert int(done.stderr) > 20_000_000
    assert agent.stored().stat().st_size < 2_000_000
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


@pytest.mark.parametrize(
    ("name", "value"), [("session_id", 5), ("work_dir", ["/tmp"]), ("agent_name", {"a": 1})], ids=["session", "place", "agent"]
)
def test_a_field_of_a_wrong_type_is_named(agent: Agent, name: str, value: object) -> None:
    done = agent.call({**agent.event(), name: value})
    assert f"{name} must be text, not {json.dumps(value)}: the value is ignored" in agent.warning(done)
    (report,) = agent.recorded()
    assert name in report["warnings"][0]


@pytest.mark.parametrize(("tool", "name"), [(["Shell"], '"Shell"'), (["Shell", "x"], "Shell"), ({"name": "Shell"}, "Shell")])
def test_a_guard_looks_at_a_tool_name_of_a_wrong_type(agent: Agent, tool: object, name: str) -> None:
    agent.hook("guard", DENY, matcher={"tool": "Shell"})
    done = agent.report(agent.event(tool_name=tool))
    assert done.code == 2
    assert f"tool_name must be text, not {json.dumps(tool)}: matchers see " in done.stderr
    assert name in done.stderr.partition("matchers see")[2]


def test_copilots_arguments_that_are_not_json_are_reported_and_matched_as_text(agent: Agent) -> None:
    agent.hook("guard", DENY, matcher={"pattern": "rm -rf"})
    event = {"sessionId": "s1", "cwd": str(agent.project), "toolName": "bash", "toolArgs": '{"command": "rm -rf /"'}
    done = agent.report(event, "--host", "copilot")
    assert done.code == 2
    assert "toolArgs is not valid JSON" in done.stderr


def test_without_a_project_a_warning_says_that_only_user_hooks_apply(agent: Agent, tmp_path: Path) -> None:
    agent.hook("guard", DENY)
    event = {name: value for name, value in agent.event().items() if name != "work_dir"}
    (gone := tmp_path / "gone").mkdir()
    done = agent.report(event, cwd=gone, in_child=gone.rmdir)
    assert done.code == 2
    assert "the current directory no longer exists; only user hooks apply" in done.stderr


def test_ctrl_c_stops_what_waits_for_an_event_with_one_line(agent: Agent) -> None:
    terminal, theirs = pty.openpty()
    with subprocess.Popen(
        [*HOOKTUI, "run"], stdin=theirs, stderr=subprocess.PIPE, env=agent.environment, cwd=agent.project
    ) as process:
        assert process.stderr
        assert b"waiting for a JSON event on stdin" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b"hooktui: interrupted\n"
    assert process.returncode == -signal.SIGINT
    os.close(terminal)
    os.close(theirs)


def test_a_null_byte_in_the_directory_is_survived(agent: Agent) -> None:
    agent.hook("guard", DENY)
    done = agent.report(agent.event(work_dir="a\0b"))
    assert done.code == 2
    assert "does not exist" in done.stderr


def test_a_missing_project_is_reported_and_the_users_guard_still_runs(agent: Agent) -> None:
    agent.hook("guard", DENY)
    done = agent.report(agent.event(work_dir=str(agent.project / "gone")))
    assert done.code == 2
    assert "gone" in done.stderr
