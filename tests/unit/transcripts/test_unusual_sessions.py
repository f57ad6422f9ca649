"""What agents write in less usual sessions, in records of real runs (Claude Code 2.1.330, Codex 0.169.0) or as facts tell."""

from __future__ import annotations

import json
from typing import Any

from hooktui.transcripts import claude, codex, copilot, droid, gemini, kimi, opencode, qwen
from hooktui.transcripts.reading import Reading, read_lines
from hooktui.transcripts.transcript_records import TranscriptEvent, TranscriptSession
from hooktui.transcripts.transcript_spec import TranscriptSpec

Record = dict[str, Any]
AT = "2026-11-23T07:00:00.000Z"


def read(reading: Reading, *records: Record, of: TranscriptSpec | None = None) -> list[TranscriptEvent]:
    signs = {"payload": codex.AGENT, "data": copilot.AGENT, "toolCalls": gemini.AGENT}
    agent = of or next((agent for sign, agent in signs.items() if sign in records[-1]), claude.AGENT)
    read_lines(reading, [json.dumps({"timestamp": AT} | record).encode() for record in records], agent.read)
    assert reading.skipped == 0
    return reading.take()


def prompt(words: str, **more: Any) -> Record:
    return {"type": "user", "uuid": f"u-{words}", "sessionId": "s", "message": {"role": "user", "content": words}} | more


def answer(words: str, **more: Any) -> Record:
    message = {"id": f"m-{words}", "content": [{"type": "text", "text": words}], "stop_reason": "end_turn"}
    return {"type": "assistant", "uuid": f"a-{words}", "sessionId": "s", "message": message} | more


def call(number: str, **more: Any) -> Record:
    block = {"type": "tool_use", "id": number, "name": "Bash", "input": {"command": "ls"}}
    return {"type": "assistant", "uuid": number, "sessionId": "s", "message": {"content": [block]}} | more


def hook(kind: str, event: str, dispatch: str, **more: Any) -> Record:
    return {"type": "attachment", "attachment": {"type": kind, "hookEvent": event, "toolUseID": dispatch} | more}


def runs(event: TranscriptEvent) -> list[tuple[str | None, str, str | None, str | None]]:
    return [(run.command, run.decision, run.context, run.system_message) for run in event.hooks]


def test_a_run_whose_record_is_repeated_counts_once() -> None:
    ran = hook("hook_success", "PreToolUse", "t1", command="log.sh", exitCode=0, stdout="noted", durationMs=12)
    other = hook("hook_success", "PreToolUse", "t1", command="lint.sh", exitCode=0, stdout="noted", durationMs=12)
    *_, called = read(Reading(), prompt("go"), call("t1"), ran, ran, other)
    assert [run.command for run in called.hooks] == ["log.sh", "lint.sh"]


def test_a_call_that_opencode_did_not_run_says_who_refused_it() -> None:
    errors = {
        "The user rejected permission to use this specific tool call.": "denied-by-permission",
        "The user has specified a rule which prevents you from using this specific tool call.": "denied-by-permission",
        "Tool execution aborted": "interrupted",
        "File not found": None,  # or a plugin denied the call in these words
    }
    for error, outcome in errors.items():
        state = {"status": "error", "input": {"command": "ls"}, "error": error}
        part = {"type": "tool", "tool": "bash", "callID": "c1", "state": state}
        (called,) = read(Reading(), {"id": "p1", "at": 1_795_400_000_000, "part": part, "message": {}}, of=opencode.AGENT)
        assert (called.outcome, called.reason) == (outcome, error)


def test_a_stop_that_a_hook_held_has_one_denial_however_often_it_is_told() -> None:
    feedback = prompt("Stop hook feedback:\ntests first", isMeta=True)
    blocked = hook("hook_blocking_error", "Stop", "d1", blockingError={"blockingError": "tests first", "command": "gate.sh"})
    message = hook("hook_system_message", "Stop", "d2", content="held")
    infos = [{"command": "gate.sh", "durationMs": 5}, {"command": "notify.sh", "durationMs": 7}]
    summary = {"type": "system", "subtype": "stop_hook_summary", "hookInfos": infos}
    for told in ([feedback, blocked], [blocked, feedback]):
        *_, stop = read(Reading(), prompt("go"), answer("done"), *told, message, summary)
        assert (stop.outcome, stop.reason) == ("denied", "tests first")
        assert runs(stop) == [("gate.sh", "deny", None, "held"), ("notify.sh", "none", None, None)]
        assert [run.duration_ms for run in stop.hooks] == [5, 7]


def test_what_a_start_hook_added_begins_no_second_session() -> None:
    ran = hook("hook_success", "SessionStart", "d1", hookName="SessionStart:startup", command="c", content="ctx", stdout="ctx")
    effect = hook("hook_additional_context", "SessionStart", "hook-d2", hookName="SessionStart", content=["ctx"])
    start, _ = read(Reading(), ran, effect, prompt("go"))
    assert (start.event, runs(start)) == ("pre-session", [("c", "none", "ctx", None)])


def test_effects_without_a_run_are_one_run_without_a_command() -> None:
    message = hook("hook_system_message", "UserPromptSubmit", "d1", content="note")
    context = hook("hook_additional_context", "UserPromptSubmit", "hook-d2", content=["ctx"])
    *_, turn = read(Reading(), prompt("go"), message, context)
    assert runs(turn) == [(None, "none", "ctx", "note")]


def test_a_blocked_prompt_is_told_with_and_without_a_newline_behind_the_reason() -> None:
    for newline in ("", "\n"):
        words = f"UserPromptSubmit operation blocked by hook:\nnot that{newline}\n\nOriginal prompt: push it"
        *_, turn = read(Reading(), {"type": "system", "subtype": "informational", "uuid": "u", "content": words})
        assert (turn.details["prompt"], turn.outcome, turn.reason) == ("push it", "denied-by-hook", "not that")


def test_a_command_that_a_person_typed_is_the_prompt_that_hooks_get() -> None:
    """Claude Code's own commands begin with their name, and those that the model calls have no slash (2.1.197, 2.1.332)."""
    typed = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the\ntests</command-args>"
    bare = "<command-message>fix</command-message>\n<command-name>/fix</command-name>"
    skill = '<command-message>The "pdf" skill is loading</command-message>\n<command-name>pdf</command-name>'
    own = "<command-name>/compact</command-name>\n  <command-message>compact</command-message>\n  <command-args></command-args>"
    reading = Reading()
    told = read(reading, prompt(typed, promptId="p1"), call("t1"), prompt(skill), prompt(own), prompt(bare))
    prompts = [event.details["prompt"] for event in told if event.event == "pre-agent-turn"]
    assert prompts == ["/fix the\ntests", "/fix"]
    assert reading.session.prompt == "/fix the"
    assert next(event for event in told if event.call).details == {"prompt_id": "p1"}


def test_paths_in_payloads_are_absolute_as_hooks_get_them() -> None:
    for given, sent in (("a.py", "/app/a.py"), ("../b.py", "/b.py"), ("/c.py", "/c.py"), ("~/d.py", "~/d.py")):
        event = TranscriptEvent(
            key="k", event="pre-tool-call", at=0.0, tool="Read", input={"file_path": given, "limit": 2}, cwd="/app"
        )
        payload = claude.AGENT.payload(claude.AGENT, TranscriptSession(id="s"), event, "/t.jsonl")
        assert payload["tool_input"] == {"file_path": sent, "limit": 2}
        assert event.input["file_path"] == given


def test_a_hook_of_an_event_that_no_record_tells_is_in_the_session() -> None:
    *_, event = read(Reading(), prompt("go"), hook("hook_non_blocking_error", "Notification", "d1", command="bell", exitCode=1))
    assert (event.event, runs(event)) == ("Notification", [("bell", "none", None, None)])


def test_subagents_in_the_file_of_their_session_do_not_end_its_turns() -> None:
    """As versions before 2.1 wrote them, the oldest without an ID."""
    for own in ({"agentId": "a1"}, {}):
        side: Record = {"isSidechain": True, **own}
        events = read(
            Reading(), prompt("go"), prompt("task", **side), call("c1", **side), answer("found", **side), answer("end")
        )
        told = [(event.event, event.agent) for event in events]
        agents = [("pre-subagent", "a1"), ("pre-tool-call", "a1"), ("post-subagent", "a1")]
        assert told[2:-1] == (agents if own else [("pre-tool-call", "")])
        assert told[:2] + told[-1:] == [("pre-session", ""), ("pre-agent-turn", ""), ("pre-agent-turn-stop", "")]


def test_a_subagents_file_beside_that_of_its_session_belongs_to_it() -> None:
    reading = claude.begin("/home/me/.claude/projects/-app/agent-a1.jsonl")
    events = read(reading, prompt("task", isSidechain=True, agentId="a1"))
    assert (reading.session.id, [(event.event, event.agent) for event in events]) == ("s", [("pre-subagent", "a1")])


def test_a_summary_of_another_session_is_not_the_title() -> None:
    summaries = [
        {"type": "summary", "summary": name, "leafUuid": leaf, "timestamp": None}
        for name, leaf in (("Other", "x"), ("Own", "a-end"))
    ]
    reading = Reading()
    read(reading, summaries[0], prompt("go"), answer("end"))
    assert reading.session.name == "go"
    read(reading := Reading(), *summaries, prompt("go"), answer("end"))
    assert reading.session.name == "Own"


# Codex ------------------------------------------------------------------------------------------------------------------------


def item(kind: str, **more: Any) -> Record:
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": kind, **more}}}


def turn(kind: str, **more: Any) -> Record:
    return {"type": "event_msg", "payload": {"type": kind, "turn_id": "t", **more}}


def context(words: str) -> Record:
    passed = {"content_item_kinds": ["hooks.additional_context"]}
    message = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": words}]}
    return {"type": "response_item", "payload": message | {"internal_chat_message_metadata_passthrough": passed}}


def asked(number: str, name: str, given: Record, **more: Any) -> Record:
    about = {"type": "function_call", "call_id": number, "name": name, "arguments": json.dumps(given)}
    return {"type": "response_item", "payload": about | more}


def output(number: str, words: str) -> Record:
    return {"type": "response_item", "payload": {"type": "function_call_output", "call_id": number, "output": words}}


CODEX_PROMPT = item("UserMessage", id="u", content=[{"type": "text", "text": "do it"}])


def test_tools_of_servers_have_the_names_that_hooks_see() -> None:
    server = asked("c1", "echo", {"text": "hi"}, namespace="mcp__srv")
    ran = item("McpToolCall", id="c1", status="failed", duration={"secs": 0, "nanos": 2_000_000})
    spawn = asked("c2", "spawn_agent", {"message": "task"}, namespace="multi_agent_v1")
    events = read(Reading(), turn("task_started"), CODEX_PROMPT, server, ran, output("c1", "Output:\nno"), spawn)
    told = [(event.event, event.tool, event.outcome) for event in events[1:]]
    assert told == [
        ("pre-tool-call", "mcp__srv__echo", "ran"),
        ("post-tool-call-failure", "mcp__srv__echo", "failed"),
        ("pre-tool-call", "spawn_agent", "no-result"),
    ]
    assert events[2].duration_ms == 2


def test_context_belongs_to_the_hooks_before_a_call_until_one_has_run() -> None:
    calls = [asked(number, "exec_command", {"cmd": "ls"}) for number in ("c1", "c2")]
    ran = [item("CommandExecution", id=number) for number in ("c2", "c1")]  # results out of order
    outputs = [output(number, "Output:\nx") for number in ("c1", "c2")]
    before, after = context("before"), context("after")
    events = read(
        Reading(), turn("task_started"), CODEX_PROMPT, *calls, before, before, ran[0], after, ran[1], after, *outputs
    )  # fmt: skip
    told = {(event.event, event.call): [(run.event, run.context) for run in event.hooks] for event in events if event.call}
    for number in ("c1", "c2"):
        assert told["pre-tool-call", number] == [("PreToolUse", "before")]
        assert told["post-tool-call", number] == [("PostToolUse", "after")]


def test_a_turn_that_only_compacts_is_no_stop() -> None:
    compacting = [
        turn("task_started"),
        {"type": "compacted", "payload": {}},
        turn("task_complete", last_agent_message="summary"),
    ]
    reading = Reading(session=TranscriptSession(id="s"))
    events = read(reading, turn("task_started"), CODEX_PROMPT, turn("task_complete", last_agent_message="end"), *compacting)
    assert [event.event for event in events] == [
        "pre-agent-turn", "pre-agent-turn-stop", "pre-context-compact", "post-context-compact",
    ]  # fmt: skip


# Copilot and Gemini -----------------------------------------------------------------------------------------------------------


def test_runs_that_copilot_reports_before_their_event_belong_to_it() -> None:
    def ran(name: str, number: str, **given: str) -> list[Record]:
        about = {"hookType": name, "hookInvocationId": number}
        return [
            {"type": "hook.start", "data": about | {"input": given}},
            {"type": "hook.end", "id": number, "data": about | {"success": True}},
        ]

    events = read(
        Reading(),
        *ran("subagentStop", "1", agentId="a1"),
        {"type": "subagent.completed", "id": "e1", "agentId": "a1", "data": {}},
        *ran("preCompact", "2", trigger="auto"),
        *ran("sessionEnd", "3"),
        {"type": "session.shutdown", "id": "e2", "data": {}},
    )
    told = [(event.event, event.agent, [run.event for run in event.hooks]) for event in events]
    assert told == [
        ("post-subagent", "a1", ["subagentStop"]),
        ("pre-context-compact", "", ["preCompact"]),
        ("post-session", "", ["sessionEnd"]),
    ]
    assert events[1].details == {"trigger": "auto"}


def test_a_call_of_gemini_with_input_of_a_wrong_shape_is_invalid() -> None:
    response = {"functionResponse": {"response": {"error": "params must have required property 'x'"}}}
    about = {"id": "c1", "name": "replace", "args": {}, "status": "error", "result": [response]}
    (event,) = read(Reading(), {"id": "m1", "type": "gemini", "toolCalls": [about]})
    assert (event.event, event.outcome) == ("pre-tool-call", "invalid")


# Droid, Kimi Code and Qwen Code -----------------------------------------------------------------------------------------------


def test_hooks_of_droid_that_answer_with_json_decide() -> None:
    def message(number: str, content: list[Record], role: str = "user", **more: Any) -> Record:
        return {"type": "message", "id": number, "message": {"role": role, "content": content} | more}

    def ran(event: str, answer: Record, **more: str) -> Record:
        results = [{"exitCode": 0, "stdout": json.dumps(answer)}]
        return message("h", [], hookEventName=event, hookCommands=[{"command": "c"}], hookResults=results, **more)

    events = read(
        Reading(),
        message("1", [{"type": "text", "text": "<system-reminder>"}], visibility="llm_only"),
        message("2", [{"type": "text", "text": "do it"}]),
        message("3", [{"type": "tool_use", "id": "c1", "name": "LS", "input": {}}], "assistant"),
        ran(
            "PreToolUse",
            {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}},
            hookToolCallId="c1",
        ),
        message("4", [{"type": "tool_result", "tool_use_id": "c1", "is_error": True, "content": "Error: no"}]),
        message("5", [{"type": "text", "text": "end"}], "assistant"),
        ran("Stop", {"decision": "block", "reason": "tests first"}, hookParentId="5"),
        message("6", [{"type": "text", "text": "tests first"}]),
        of=droid.AGENT,
    )
    assert [(event.event, event.outcome, event.reason) for event in events] == [
        ("pre-agent-turn", None, None),
        ("pre-tool-call", "denied-by-hook", "no"),
        ("pre-agent-turn-stop", "denied", "tests first"),
    ]
    assert [run.decision for event in events for run in event.hooks] == ["deny", "deny"]


def test_what_a_hook_of_kimi_said_belongs_to_the_prompt_behind_it() -> None:
    def said(words: str, kind: str, **more: Any) -> Record:
        return {"type": "context.append_message", "message": {"content": words, "origin": {"kind": kind} | more}}

    result = '<hook_result hook_event="UserPromptSubmit">\n{}\n</hook_result>'
    events = read(
        Reading(),
        said(result.format("use tabs"), "hook_result", event="UserPromptSubmit"),
        {"type": "turn.prompt", "promptId": "p1", "input": "do it", "origin": {"kind": "user"}},
        said(result.format("not that"), "hook_result", event="UserPromptSubmit", blocked=True),
        said("push it", "user"),
        {"type": "prompt.completed", "promptId": "p2", "reason": "blocked"},
        of=kimi.AGENT,
    )
    assert [(event.details["prompt"], event.outcome, event.reason) for event in events] == [
        ("do it", None, None),
        ("push it", "denied-by-hook", "not that"),
    ]
    assert [run.context for event in events for run in event.hooks] == ["use tabs", None]


def test_a_stop_of_a_subagent_of_kimi_is_held_too() -> None:
    reading = Reading(notes={"agent": "agent-0"})
    ended = {"type": "context.append_loop_event", "event": {"type": "step.end", "uuid": "e", "finishReason": "end_turn"}}
    hold = {"content": "go on", "origin": {"kind": "system_trigger", "name": "stop_hook"}}
    (stop,) = read(reading, ended, {"type": "context.append_message", "message": hold}, of=kimi.AGENT)
    assert (stop.event, stop.outcome, stop.reason) == ("post-subagent", "denied", "go on")


def test_newer_versions_of_qwen_tell_calls_in_telemetry_too() -> None:
    """Qwen Code 0.24.4: a subagent's calls are only there."""
    shown = {"displayText": "do it", "hookContext": "use tabs"}
    asked = {
        "type": "user",
        "uuid": "1",
        "message": {"parts": [{"text": "do it"}, {"text": "<context>"}]},
        "systemPayload": shown,
    }
    parts = [{"functionCall": {"id": "c1", "name": "ls", "args": {}}}]

    def telemetry(prompt: str) -> Record:
        told = {"event.name": "qwen-code.tool_call", "prompt_id": prompt, "function_name": "ls", "success": True}
        return {"type": "system", "uuid": prompt, "systemPayload": {"uiEvent": told}}

    ran = {"type": "assistant", "uuid": "2", "message": {"parts": parts}}
    events = read(Reading(), asked, ran, telemetry("s########0"), telemetry("s#explorer-1#0"), of=qwen.AGENT)
    assert events[0].details["prompt"] == "do it"
    assert [run.context for run in events[0].hooks] == ["use tabs"]
    calls = [(event.event, event.agent, event.outcome) for event in events[1:]]
    assert calls == [
        ("pre-tool-call", "", "no-result"),
        ("pre-tool-call", "explorer-1", "ran"),
        ("post-tool-call", "explorer-1", "ok"),
    ]
