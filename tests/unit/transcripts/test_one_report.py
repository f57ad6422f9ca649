"""All sources of an event are one report, in whatever order they arrive (contract.md, "One event, one report")."""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any

import pytest

from hooktui.log.read import hook_versions
from hooktui.log.read.reader import LogReader
from tests.claude_transcript import ClaudeTranscript
from tests.command_world import CommandWorld, wait_until
from tests.unit.transcripts.past_imports import imported, logged

GUARD = '"$CLAUDE_PROJECT_DIR"/guard.sh'
REASON = "Force pushes are not allowed here."


@pytest.fixture
def transcript(world: CommandWorld) -> ClaudeTranscript:
    """The transcript of a session in a project whose settings have a guard."""
    script = world.project / "guard.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    entry = {"type": "command", "command": GUARD}
    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    for path in (script, settings, settings.parent, world.project):  # known before the session began
        os.utime(path, (time.time() - 60, time.time() - 60))
    transcript = ClaudeTranscript(world.home, str(world.project), "s1")
    transcript.prompt("push it")
    return transcript


def record(world: CommandWorld, call: str, event: str = "PreToolUse") -> None:
    """Record an event of a call with `run`, which has no hook of its own to run."""
    payload = {"hook_event_name": event, "session_id": "s1", "cwd": str(world.project), "prompt_id": "p"}
    about = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}, "tool_use_id": call}
    world.run("run", "--host", "claude", stdin={**payload, **about})


def the_call(world: CommandWorld) -> dict[str, Any]:
    (report,) = logged(world, "event:pre-tool-call")
    return report


def hooks(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The hooks that ran."""
    ran = [hook for hook in report["hooks"] if hook["state"] not in ("skipped", "unrecorded")]
    return [(hook["label"], hook["decision"], hook["origin"]) for hook in ran]


def test_a_hook_told_by_a_transcript_is_that_of_the_catalog(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    transcript.denied(transcript.call("git push --force"), GUARD, REASON)
    imported(world)
    (listed,) = [hook for hook in world.run("list", "--json").json() if hook["label"] == "guard.sh"]
    (run,) = the_call(world)["hooks"]
    same = ("id", "label", "name", "scope", "file", "format")
    assert {name: run[name] for name in same} == {name: listed[name] for name in same}
    assert the_call(world)["reason"] == REASON


def test_an_observed_command_is_named_by_what_is_inside(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    world.run("connect", "claude", "--scope", "project", "--observe", "--yes")
    settings = json.loads((world.project / ".claude/settings.json").read_text())
    (wrapped,) = [
        hook["command"] for group in settings["hooks"]["PreToolUse"] for hook in group["hooks"] if "guard" in hook["command"]
    ]
    transcript.denied(transcript.call("git push --force"), wrapped, REASON)
    imported(world)
    assert hooks(the_call(world)) == [("guard.sh", "deny", "transcript")]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_recorded_call_has_the_denial_that_only_its_transcript_tells(
    world: CommandWorld, transcript: ClaudeTranscript, *, is_first: bool
) -> None:
    call = transcript.call("git push --force")
    transcript.failed_hook(call, "lint")
    transcript.denied(call, GUARD, REASON)
    steps = (lambda: imported(world), lambda: record(world, call))
    for step in steps if is_first else reversed(steps):
        step()
    report = the_call(world)
    assert (report["origin"], report["decision"], report["effect"]) == ("run", "deny", "deny")
    assert (report["outcome"], report["reason"], report["overruled"]) == ("denied-by-hook", REASON, False)
    assert sorted(hooks(report)) == [("guard.sh", "deny", "transcript"), ("lint", "none", "transcript")]
    assert report["hooks_recorded"] != "all"
    assert [event["decision"] for event in logged(world, "hook:guard.sh", "force")] == ["deny"]
    assert "intact" in world.run("doctor", "--verify").stdout


def test_a_transcript_that_is_read_again_doubles_nothing(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    call = transcript.call("git push --force")
    record(world, call)
    imported(world)
    assert the_call(world)["outcome"] == "no-result"
    transcript.denied(call, GUARD, REASON)
    imported(world)
    assert hooks(the_call(world)) == [("guard.sh", "deny", "transcript")]
    assert [event["event"] for event in logged(world)] == ["pre-session", "pre-agent-turn", "pre-tool-call"]
    assert "intact" in world.run("doctor", "--verify").stdout


def test_a_fork_does_not_repeat_what_was_recorded_of_its_parent(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    call = transcript.call("git push --force")
    transcript.denied(call, GUARD, REASON)
    transcript.stopped()
    record(world, call)
    imported(world)
    fork = transcript.forked("s2")
    again = fork.call("git push --force again")
    fork.denied(again, GUARD, REASON)
    imported(world)
    calls = logged(world, "event:pre-tool-call")
    assert [(event["session_id"], event["decision"], event["origin"]) for event in calls] == [
        ("s1", "deny", "run"),
        ("s2", "deny", "transcript"),
    ]
    assert len(logged(world, "event:pre-agent-turn-stop")) == 1
    assert "intact" in world.run("doctor", "--verify").stdout


def test_what_was_told_can_be_forgotten(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    call = transcript.call("git push --force")
    record(world, call)
    before = the_call(world)
    transcript.denied(call, GUARD, REASON)
    imported(world)
    world.run("import", "--forget")
    assert logged(world) == [before]
    assert "intact" in world.run("doctor", "--verify").stdout


def test_a_call_that_ran_although_a_hook_denied_it_is_overruled(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="pre-tool-call")
    call = transcript.call("git push --force")
    world.run("run", "--host", "claude", stdin=_payload(world, call), code=2)
    assert (the_call(world)["decision"], the_call(world)["outcome"]) == ("deny", "denied-by-hook")
    transcript.result(call)
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["effect"], report["outcome"]) == ("none", "none", "ran")
    assert report["overruled"]
    assert hooks(report) == [("guard", "deny", "run")]
    assert "intact" in world.run("doctor", "--verify").stdout


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_permission_by_a_hook_decides_nothing_where_a_rule_refuses_the_call(
    world: CommandWorld, transcript: ClaudeTranscript, *, is_recorded: bool
) -> None:
    answer = {"decision": "allow", "modified_input": {"command": "true"}}
    world.hook("helper", f"#!/bin/sh\ncat > /dev/null\necho '{json.dumps(answer)}'\n", trigger="pre-tool-call")
    call = transcript.call("git push --force")
    if is_recorded:
        world.run("run", "--host", "claude", stdin=_payload(world, call))
    else:
        transcript.allowed(call, "./helper.sh")
    transcript.failed(call, "Permission to use Bash with command git push --force has been denied.")
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["effect"], report["reason"]) == ("none", "none", None)
    assert report["outcome"] == "denied-by-permission"
    assert [hook["decision"] for hook in report["hooks"] if hook["state"] == "ok"] == ["allow"]
    assert "intact" in world.run("doctor", "--verify").stdout


def test_a_rewrite_that_the_tool_does_not_take_is_an_invalid_output_and_no_denial(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    call = transcript.call("git push --force")
    transcript.allowed(call, "./helper.sh")
    words = "PreToolUse hook for Bash returned updatedInput that failed schema validation: Bash failed due to …"
    transcript.refused(call, words, "hook:PreToolUse")
    imported(world)
    report = the_call(world)
    assert (report["decision"], report["effect"], report["outcome"]) == ("none", "none", "not-started")
    (run,) = [hook for hook in report["hooks"] if hook["state"] != "unrecorded"]
    assert (run["state"], run["decision"], run["reason"]) == ("invalid-output", "none", words)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(("words", "decision"), [("no", "deny"), ("Exit code 1\nno such file", "none")])
def test_a_denial_that_an_agent_tells_as_an_error_in_its_words_was_obeyed(
    is_first: bool, words: str, decision: str, world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="pre-tool-call")
    call = transcript.call("git push --force")
    transcript.at = time.time() + 5  # behind what is recorded
    transcript.failed(call, words)
    if is_first:
        imported(world)
    world.run("run", "--host", "claude", stdin=_payload(world, call), code=2)
    imported(world)
    report, obeyed = the_call(world), decision == "deny"
    assert (report["decision"], report["overruled"]) == (decision, not obeyed)
    assert report["outcome"] == ("denied-by-hook" if obeyed else "ran")
    assert len(logged(world, "event:post-tool-call-failure")) == (0 if obeyed else 1)
    assert not world.run("doctor", "--verify").stdout.count("does not agree")


def test_a_recorded_result_overrules_a_denial(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="pre-tool-call")
    for event in ("PreToolUse", "PostToolUse"):
        world.run("run", "--host", "claude", stdin=_payload(world, "call-1", event), code=None)
    report = the_call(world)
    assert (report["decision"], report["outcome"], report["overruled"]) == ("none", "ran", True)
    assert "intact" in world.run("doctor", "--verify").stdout


def test_hooks_that_nobody_recorded_are_named_with_what_is_known(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    settings = world.project / ".claude/settings.json"
    groups = json.loads(settings.read_text())
    groups["hooks"]["PreToolUse"].append({"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "scan"}]})
    settings.write_text(json.dumps(groups))
    os.utime(settings, (time.time() - 60, time.time() - 60))
    record(world, transcript.call("git push --force"))
    report = the_call(world)
    assert [(hook["label"], hook["state"], hook["skip"]) for hook in report["hooks"]] == [
        ("guard.sh", "unrecorded", None),
        ("scan", "skipped", "tool-mismatch"),
    ]
    assert report["hooks"][1]["why"] == "tool Bash does not match Write|Edit"
    assert report["hooks_recorded"] == "none"


def test_a_hook_that_was_changed_since_is_not_said_to_have_been_there(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    transcript.at = time.time() - 3600
    transcript.call("git push --force")
    imported(world)
    assert the_call(world)["hooks"] == []
    assert the_call(world)["hooks_recorded"] != "all"


def test_an_event_of_which_every_hook_was_observed_is_known_whole(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    world.run("connect", "claude", "--scope", "project", "--observe", "--yes")
    old = time.time() - 60
    for path in (world.project / ".claude/settings.json", world.project / ".claude"):
        os.utime(path, (old, old))
    call = transcript.call("git push --force")
    record(world, call)
    assert the_call(world)["hooks_recorded"] == "none"
    payload = json.dumps(_payload(world, call))
    command = ("/bin/sh", "-c", GUARD)
    world.run("exec", "--host", "claude", "--", *command, stdin=payload, CLAUDE_PROJECT_DIR=str(world.project))
    wait_until(lambda: the_call(world)["hooks_recorded"] == "all")
    assert hooks(the_call(world)) == [("guard.sh", "none", "observed")]


def test_hooktuis_own_answer_is_no_other_hook(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="pre-tool-call")
    world.run("connect", "claude", "--yes")
    settings = json.loads((world.project / ".claude/settings.local.json").read_text())
    own = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    call = transcript.call("git push --force")
    world.run("run", "--host", "claude", stdin=_payload(world, call), code=2)
    transcript.denied(call, own, "no")
    imported(world)
    assert hooks(the_call(world)) == [("guard", "deny", "run")]


def test_a_stop_without_a_failed_hook_has_passed_and_another_was_not_checked(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    transcript.stopped()
    imported(world)
    (stop,) = logged(world, "event:pre-agent-turn-stop")
    assert stop["outcome"] == "passed"
    world.hook("tests-pass", "#!/bin/sh\nexit 1\n", trigger="pre-agent-turn-stop")
    world.fire("pre-agent-turn-stop")
    assert [event["outcome"] for event in logged(world, "event:pre-agent-turn-stop")] == ["passed", "not-checked"]


def test_a_prompt_that_is_kept_with_the_context_of_hooks_is_one_prompt(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    """As opencode keeps it."""
    transcript.prompt("go on\n\nUse tabs.")
    about = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(world.project)}
    world.run("run", "--host", "claude", stdin={**about, "prompt": "go on"})
    imported(world)
    prompts = logged(world, "event:pre-agent-turn")
    assert [(prompt["origin"], prompt["payload"]["prompt"]) for prompt in prompts] == [
        ("transcript", "push it"),
        ("run", "go on"),
    ]


def test_a_prompt_that_a_hook_held_was_denied_whoever_tells(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    transcript.blocked_prompt("push it all", "no")
    imported(world)
    world.hook("no-prompts", "#!/bin/sh\nexit 2\n", trigger="pre-agent-turn")
    world.fire("pre-agent-turn", prompt="push it all")
    prompts = logged(world, "event:pre-agent-turn decision:deny")
    assert [(prompt["origin"], prompt["outcome"]) for prompt in prompts] == [("transcript", "denied"), ("run", "denied")]


def test_a_hook_that_ends_the_agent_at_its_stop_has_not_held_it(world: CommandWorld) -> None:
    entry = {"type": "command", "command": """echo '{"continue": false, "stopReason": "enough"}'"""}
    settings = world.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}}))
    payload = {"hook_event_name": "Stop", "session_id": "s1", "cwd": str(world.project)}
    world.run("run", "--host", "claude", "--format", "claude", stdin=payload)
    (stop,) = logged(world)
    assert (stop["decision"], stop["outcome"]) == ("stop", "passed")


def _payload(world: CommandWorld, call: str, event: str = "PreToolUse") -> dict[str, Any]:
    about = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}, "tool_use_id": call}
    return {"hook_event_name": event, "session_id": "s1", "cwd": str(world.project), **about}


def test_failures_that_transcripts_tell_are_not_every_run(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    for _ in range(5):
        transcript.failed_hook(transcript.call("git push"), GUARD)
    imported(world)
    problems = [problem["message"] for problem in world.run("check", "--format", "json", code=None).json()["diagnostics"]]
    assert not [message for message in problems if "every run" in message]


def test_the_history_of_a_hook_has_what_its_sessions_told(world: CommandWorld, transcript: ClaudeTranscript) -> None:
    transcript.denied(transcript.call("git push --force"), GUARD, REASON)
    imported(world)
    (listed,) = [hook for hook in world.run("list", "--json").json() if hook["label"] == "guard.sh"]
    lifetime = asyncio.run(hook_versions.read(str(world.db), listed["id"], listed["file"]))
    assert lifetime is not None
    assert (lifetime.ran, lifetime.denied, lifetime.told) == (1, 1, 1)


def test_what_was_known_of_the_past_stays_known_when_a_hook_file_changes(
    world: CommandWorld, transcript: ClaudeTranscript
) -> None:
    transcript.call("README.md", tool="Read")
    imported(world)
    before = the_call(world)
    assert [(hook["label"], hook["skip"]) for hook in before["hooks"]] == [("guard.sh", "tool-mismatch")]
    settings = world.project / ".claude/settings.json"
    settings.write_text(settings.read_text().replace("guard.sh", "other.sh"))
    assert the_call(world)["hooks"] == before["hooks"]
    world.run("connect", "claude", "--scope", "project", "--observe", "--yes")
    assert the_call(world)["hooks"] == before["hooks"]


async def test_a_session_counts_and_lists_its_overruled_denials(world: CommandWorld) -> None:
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="pre-tool-call")
    for event in ("PreToolUse", "PostToolUse"):
        world.run("run", "--host", "claude", stdin=_payload(world, "call-1", event), code=None)
    the_call(world)  # which imports the spool
    reader = await LogReader.open(str(world.db))
    (session,) = await reader.sessions(trouble=True)
    summary = await reader.summary(session.id, await reader.session_events(session.id))
    await reader.close()
    assert (session.failures, summary.overruled) == (1, 1)
    assert [row.overruled for row in summary.denials] == [True]
