"""What an agent tells of its hooks without naming one is no hook of the report."""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any

import pytest

from hooktui.catalog.known_hooks import KnownHooks
from hooktui.log.read.query import parse
from hooktui.log.read.reader import LogReader
from tests.claude_transcript import ClaudeTranscript
from tests.command_world import CommandWorld
from tests.unit.transcripts.past_imports import imported, logged

REASON = "Force pushes are not allowed here."


def settings(world: CommandWorld, *commands: str, event: str = "PreToolUse") -> None:
    """Write hooks into the project's settings, for the shell if the event has a tool, a minute ago."""
    entries = [{"type": "command", "command": command} for command in commands]
    file = world.project / ".claude/settings.json"
    file.parent.mkdir()
    group = {"hooks": entries} if event == "Stop" else {"matcher": "Bash", "hooks": entries}
    file.write_text(json.dumps({"hooks": {event: [group]}}))
    aged(world)


def aged(world: CommandWorld) -> None:
    """Let all files of the project be a minute old."""
    for directory, _, files in os.walk(world.project, topdown=False):
        for name in (*files, ""):
            os.utime(os.path.join(directory, name), (time.time() - 60, time.time() - 60))


@pytest.fixture
def transcript(world: CommandWorld) -> ClaudeTranscript:
    transcript = ClaudeTranscript(world.home, str(world.project), "s1")
    transcript.prompt("push it")
    return transcript


def denied(transcript: ClaudeTranscript, command: str = "") -> dict[str, Any]:
    """Deny a call; its payload."""
    call = transcript.call("git push --force")
    transcript.denied(call, command, REASON)
    about = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}, "tool_use_id": call}
    return {"hook_event_name": "PreToolUse", "session_id": "s1", **about}


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("InputValidationError: Bash failed due to the following issue:\n…", "invalid"),
        ("File is in a directory that is denied by your permission settings.", "denied-by-permission"),
    ],
)
def test_of_a_call_that_claude_refused_before_any_hook_it_is_known_that_none_ran(
    world: CommandWorld, transcript: ClaudeTranscript, words: str, outcome: str
) -> None:
    settings(world, "guard")
    transcript.failed(transcript.call("ls"), f"<tool_use_error>{words}</tool_use_error>")
    imported(world)
    report = the_call(world)
    assert (report["outcome"], report["hooks"], report["hooks_recorded"]) == (outcome, [], "all")


def the_call(world: CommandWorld) -> dict[str, Any]:
    (report,) = logged(world, "event:pre-tool-call")
    return report


def states(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(hook["label"], hook["state"], hook["decision"]) for hook in report["hooks"]]


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_denial_by_one_of_two_hooks_names_none(
    world: CommandWorld, transcript: ClaudeTranscript, *, is_recorded: bool
) -> None:
    settings(world, "guard", "push")
    payload = denied(transcript)
    if is_recorded:
        world.run("run", "--host", "claude", stdin={**payload, "cwd": str(world.project)})
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["outcome"], report["reason"]) == ("deny", "denied-by-hook", REASON)
    assert states(report) == [("guard", "unrecorded", "none"), ("push", "unrecorded", "none")]
    assert report["hooks_recorded"] == "none"
    assert "intact" in world.run("doctor", "--verify").stdout


def test_a_denial_that_names_no_hook_is_not_that_of_the_only_one_in_the_files(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    """A hook of `--settings` or `--plugin-dir` is in no file, and Claude Code runs it too."""
    settings(world, "push")
    denied(transcript)
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["reason"], report["hooks_recorded"]) == ("deny", REASON, "none")
    assert states(report) == [("push", "unrecorded", "none")]


def test_a_stop_that_names_no_hook_is_not_held_by_the_only_one_in_the_files(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    settings(world, "gate", event="Stop")
    transcript.stopped()
    transcript.meta(f"Stop hook feedback:\n{REASON}")
    imported(world)
    (report,) = logged(world, "event:pre-agent-turn-stop")
    assert (report["decision"], report["reason"], states(report)) == ("deny", REASON, [("gate", "unrecorded", "none")])


@pytest.mark.parametrize("others", [(), ("guard",)])
def test_a_recorded_denial_explains_one_without_a_name(
    world: CommandWorld, transcript: ClaudeTranscript, others: tuple[str, ...]
) -> None:
    settings(world, *others)
    world.hook("mine", "#!/bin/sh\necho ours >&2\nexit 2\n", trigger="pre-tool-call")
    payload = denied(transcript)
    world.run("run", "--host", "claude", stdin={**payload, "cwd": str(world.project)}, code=2)
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["reason"]) == ("deny", "ours")
    assert states(report) == [("mine", "ok", "deny"), *((name, "unrecorded", "none") for name in others)]


def test_hooktui_itself_is_never_a_hook(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    world.run("connect", "claude", "--yes")
    entries = json.loads((world.project / ".claude/settings.local.json").read_text())
    denied(transcript, entries["hooks"]["PreToolUse"][0]["hooks"][0]["command"])
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["reason"], report["hooks"]) == ("deny", REASON, [])
    assert report["hooks_recorded"] == "none"


@pytest.mark.parametrize(("sub", "expected"), [(".", ("unrecorded", None)), ("sub", ("skipped", "disabled"))])
def test_a_hook_that_qwen_does_not_read_in_a_subdirectory_did_not_run(
    world: CommandWorld, sub: str, expected: tuple[str, str | None]
) -> None:
    entry = {"hooks": [{"type": "command", "command": "guard"}]}
    for name in (".git", "sub", ".qwen"):
        (world.project / name).mkdir()
    (world.project / ".qwen/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    aged(world)
    call = {"tool_name": "run_shell_command", "tool_input": {"command": "ls"}, "cwd": str((world.project / sub).resolve())}
    world.run("run", "--host", "qwen", stdin={"hook_event_name": "PreToolUse", "session_id": "s1", **call})
    assert [(hook["state"], hook["skip"]) for hook in the_call(world)["hooks"]] == [expected]


def copilot(world: CommandWorld, *records: tuple[str, dict[str, Any]]) -> None:
    """Write the transcript of a session of Copilot CLI."""
    file = world.home / ".copilot/session-state/s1/events.jsonl"
    file.parent.mkdir(parents=True)
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    lines = [{"type": kind, "id": f"r{place}", "timestamp": at, "data": data} for place, (kind, data) in enumerate(records)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize(("names", "expected"), [(("guard",), "ok"), (("guard", "push"), "unrecorded")])
def test_a_report_of_all_silent_hooks_of_an_event_is_no_hook(
    world: CommandWorld, names: tuple[str, ...], expected: str
) -> None:
    own = {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": name} for name in names]}}
    file = world.project / ".github/hooks/own.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(own))
    aged(world)
    copilot(
        world,
        ("session.start", {"sessionId": "s1", "context": {"cwd": str(world.project)}}),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "ls"}}),
        ("hook.start", {"hookInvocationId": "h1", "hookType": "preToolUse", "input": {"toolCalls": [{"id": "c1"}]}}),
        ("hook.end", {"hookInvocationId": "h1", "hookType": "preToolUse", "success": True}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": True}),
    )
    imported(world)
    assert states(the_call(world)) == [(name, expected, "none") for name in names]
    assert the_call(world)["hooks_recorded"] == ("all" if expected == "ok" else "none")


def test_a_result_that_a_hook_of_copilot_changed_is_a_rewrite(world: CommandWorld) -> None:
    call = {"toolName": "bash", "toolArgs": {"command": "ls"}}
    copilot(
        world,
        ("session.start", {"sessionId": "s1", "context": {"cwd": str(world.project)}}),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "ls"}}),
        ("hook.start", {"hookInvocationId": "h1", "hookType": "postToolUse", "input": call}),
        (
            "hook.end",
            {"hookInvocationId": "h1", "hookType": "postToolUse", "success": True, "output": {"modifiedResult": True}},
        ),
        ("tool.execution_complete", {"toolCallId": "c1", "success": True, "result": {"content": "changed"}}),
    )
    imported(world)
    (report,) = logged(world, "event:post-tool-call")
    assert (report["effect"], report["modified_input"]) == ("rewrite", {"toolResult": {"textResultForLlm": "changed"}})


def copilot_call(world: CommandWorld) -> None:
    """Let a hook in Copilot deny a call of the shell."""
    copilot(
        world,
        ("session.start", {"sessionId": "s1", "context": {"cwd": str(world.project)}}),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "ls"}}),
        ("hook.start", {"hookInvocationId": "h1", "hookType": "preToolUse", "input": {"toolCalls": [{"id": "c1"}]}}),
        ("hook.end", {"hookInvocationId": "h1", "hookType": "preToolUse", "success": True, "output": {"c1": REASON}}),
        ("tool.execution_complete", {"toolCallId": "c1", "success": False, "error": {"code": "denied", "message": REASON}}),
    )
    imported(world)


def copilot_hook(world: CommandWorld, path: str, **hooks: list[dict[str, Any]]) -> None:
    file = world.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks}))
    aged(world)


GUARD = {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}


def test_copilot_runs_a_projects_hooks_of_claude_code(world: CommandWorld) -> None:
    copilot_hook(world, ".claude/settings.json", PreToolUse=[GUARD, {**GUARD, "matcher": "bas."}])
    copilot_call(world)
    report = the_call(world)
    assert [(run["state"], run["decision"], run["format"]) for run in report["hooks"]] == [
        ("ok", "deny", "claude"), ("skipped", "none", "claude"),
    ]  # fmt: skip
    assert report["hooks_recorded"] == "all"


def test_no_hook_of_another_hosts_file_ran_where_copilots_settings_switch_all_off(world: CommandWorld) -> None:
    off = world.project / ".github/copilot/settings.json"
    off.parent.mkdir(parents=True)
    off.write_text('{"disableAllHooks": true}')
    copilot_hook(world, ".claude/settings.json", PreToolUse=[GUARD])
    copilot_call(world)
    assert [(run["state"], run["skip"]) for run in the_call(world)["hooks"]] == [("skipped", "disabled")]


@pytest.mark.parametrize("file", [".claude/settings.local.json", ".github/hooks/vscode.json"])
def test_a_denial_in_copilot_may_be_that_of_a_hook_in_another_hosts_file(world: CommandWorld, file: str) -> None:
    copilot_hook(world, file, PreToolUse=[GUARD])
    copilot_hook(world, ".github/hooks/own.json", preToolUse=[{"type": "command", "bash": "push", "matcher": "bash"}])
    copilot_call(world)
    assert sorted(states(the_call(world))) == [("guard", "unrecorded", "none"), ("push", "unrecorded", "none")]
    assert the_call(world)["hooks_recorded"] == "none"


@pytest.mark.parametrize(("event", "expected"), [("PostToolUse", []), ("Stop", ["ok"])])
def test_a_file_that_copilot_drops_has_no_hook_that_ran(world: CommandWorld, event: str, expected: list[str]) -> None:
    copilot_hook(world, ".claude/settings.json", PreToolUse=[GUARD], **{event: [{**GUARD, "matcher": ""}]})
    copilot_call(world)
    assert [run["state"] for run in the_call(world)["hooks"]] == expected


def test_an_event_is_not_known_whole_where_its_session_ran_a_hook_that_no_file_has(
    world: CommandWorld, transcript: ClaudeTranscript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file was there, and went with its directory."""
    quiet_call(world, transcript, monkeypatch)
    assert the_call(world)["hooks_recorded"] == "all"
    assert asyncio.run(in_lists(world))[0] == "all"
    transcript.failed_hook(transcript.call("make"), "lint")
    imported(world)
    calls = logged(world, "event:pre-tool-call")
    assert [(states(call), call["hooks_recorded"]) for call in calls] == [([], "none"), ([("lint", "failed", "none")], "some")]
    assert "all" not in asyncio.run(in_lists(world))


def test_a_list_says_of_a_call_what_its_detail_says_after_a_change_of_hooks(
    world: CommandWorld, transcript: ClaudeTranscript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of other agents say nothing of it."""
    quiet_call(world, transcript, monkeypatch)
    world.hook("guard")
    assert asyncio.run(in_lists(world))[-1] == the_call(world)["hooks_recorded"] == "all"
    settings(world, "true")
    assert "all" not in (asyncio.run(in_lists(world))[-1], the_call(world)["hooks_recorded"])


def quiet_call(world: CommandWorld, transcript: ClaudeTranscript, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import a call of a project whose files are older, for lists that read the user's files in this process."""
    monkeypatch.setenv("HOME", str(world.home))
    aged(world)
    transcript.call("ls")
    imported(world)


async def in_lists(world: CommandWorld) -> list[str | None]:
    """How much lists say of each event, the newest first."""
    reader = await LogReader.open(str(world.db))
    rows = await reader.rows(await reader.newest(parse("")))
    await reader.close()
    return [row.hooks_recorded for row in KnownHooks(str(world.db)).quieted(rows, str(world.project))]


def test_no_hook_is_open_for_a_call_that_is_not_valid(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    settings(world, "guard")
    transcript.failed(transcript.call("ls"), "<tool_use_error>InputValidationError: Bash failed</tool_use_error>")
    imported(world)
    report = the_call(world)
    assert (report["outcome"], report["hooks"], report["hooks_recorded"]) == ("invalid", [], "all")
