"""Payloads for trying a hook: examples that fit it, events of the log, or typed by a person."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

from hooktui import formats, hosts
from hooktui.core import events
from hooktui.core.model import AzureEntry, Hook, HookDirectory, JsonEntry
from hooktui.runner import matching, pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hooktui.core.model import Event, HookSource

    Fields = Mapping[str, Any]

SESSION = "try"  # the session of all tries, so that none joins a real session

_SUBAGENT = {"subagent_name": "reviewer", "subagent_type": "coder", "task_description": "Review the change"}
# Example values of the fields of events.FIELDS, from seed 001 §5.
_FIELDS: Mapping[str, Fields] = {
    "pre-session": {"model": "kimi-latest", "args": {"ui": "shell", "agent": "default"}},
    "post-session": {"duration_seconds": 3600, "total_steps": 25, "exit_reason": "user_exit"},
    "pre-agent-turn": {"prompt": "Fix the failing test"},
    events.GATE: {
        "stop_reason": "no_tool_calls",
        "step_count": 5,
        "final_message": {"role": "assistant", "content": "Task completed successfully"},
    },
    "post-tool-call": {"tool_output": "done"},
    "post-tool-call-failure": {"error": "exit code 1"},
    "pre-subagent": _SUBAGENT,
    "post-subagent": _SUBAGENT,
    "pre-context-compact": {"trigger": "auto"},
}
# The same for the JSON hosts, where they differ (formats.md §3, "stdin").
_JSON_FIELDS: Mapping[str, Fields] = {
    "pre-session": {"source": "startup"},
    "post-session": {"reason": "exit"},
    events.GATE: {"stop_hook_active": False},
    "pre-subagent": {"agent_id": "agent-1", "agent_type": "reviewer"},
    "post-subagent": {"agent_id": "agent-1", "agent_type": "reviewer", "stop_hook_active": False},
    "post-tool-call": {"tool_response": "done"},
    "Notification": {"message": "The agent is waiting for you", "notification_type": "idle_prompt"},
}
# Steps from a simple regex to a text that it matches: each replaces one kind of choice.
_SIMPLER = (
    (r"\\b|(?<!\\)[\^$()]|\(\?:", ""),
    (r"(\\[Sw]|(?<!\\)\.)[*+]", "x"),
    (r"\\d[*+]?", "1"),
    (r"(\\s| )[*+]", " "),
    (r"(?<!\\)[*+?]", ""),
    (r"\\(.)", r"\1"),
)


class TrialError(Exception):
    """The hook cannot be tried on an event; the message says why, in a sentence."""


class NotApprovedError(TrialError):
    """A project hook is not approved. The message does not say how to approve it: the caller adds that."""


def payload_for(hook: Hook, project: str, then: Hook | None = None) -> dict[str, Any]:
    """Return an example event as the hook's own host sends it; it fits the matcher if that is simple.

    `then` is a hook whose matcher equals what the script checks itself.
    """
    if hook.event not in matching.WITH_TOOL:
        return _shaped(hook, project, {})
    hooks = [hook] if then is None else [hook, then]
    call = _matched_call(hooks, project)
    fitting = next(_fitting(hooks, project, _inputs(hooks, call)), call)
    return _shaped(hook, project, {**fitting, "tool_use_id": "tool_1"})


def example_payload(host: str, event: str, as_written: str, directory: str, call: Fields) -> dict[str, Any]:
    """Return an example event as a host sends it, for a tool call; an empty call for an event without tools.

    `event` is the canonical name or, for an event without one, the host's own.
    """
    return _shaped(formats.detached_hook(host, event, as_written), directory, call)


def samples(hook: Hook, project: str) -> Iterator[dict[str, Any]]:
    """Yield an example event for each known tool of the hook's host; only one for an event without tools."""
    if hook.event not in matching.WITH_TOOL:
        yield payload_for(hook, project)
        return
    for name, tool_input in _calls(hook).items():
        yield _shaped(hook, project, {"tool_name": name, "tool_input": tool_input, "tool_use_id": "tool_1"})


def typed(hook: Hook, project: str, tool: str, text: str) -> dict[str, Any]:
    """Return an event as a person typed it: a tool, and its input as a JSON object or as the tool's main text.

    Without a tool, one that the hook matches is used. On an event without tools, `tool` is what the matcher is compared with,
    such as a session's source.
    """
    if hook.event not in matching.WITH_TOOL:
        subject = matching.SUBJECTS.get(hook.event, ())[:1]
        return {**payload_for(hook, project), **dict.fromkeys(subject, tool)}
    tool = tool or _matched_call([hook], project)["tool_name"]
    known = _input_of(hook, tool)
    call = {"tool_name": tool, "tool_input": _object(text) or {next(iter(known)): text}}
    return _shaped(hook, project, call)


def payload_again(payload: Fields) -> dict[str, Any]:
    """Return a logged event to try again, in the session of tries."""
    key = "sessionId" if "sessionId" in payload and "session_id" not in payload else "session_id"
    return {**payload, key: SESSION}


def event_of(hook: Hook, payload: Fields, project: str) -> Event:
    """Read the event of a payload for a hook. Raises TrialError if the hook listens to another event."""
    name = next((payload[key] for key in ("event_type", "hook_event_name", "hookEventName") if key in payload), hook.event)
    if (events.canonical(str(name)) or name) != hook.event:
        raise TrialError(f"{hook.label} listens to {hook.event_as_written}, but the payload is for {name}")
    place = {} if {"cwd", "work_dir"} & payload.keys() else {"work_dir": project}
    session = {} if {"session_id", "sessionId"} & payload.keys() else {"session_id": SESSION}
    whole = {**place, **session, **payload}
    own = "" if hook.format == hosts.DEFAULT else hook.format  # every host may call the others
    try:
        return hosts.read(hosts.detect(whole, own), whole, hook.event_as_written, pipeline.now())
    except hosts.UnreadableEventError as error:
        raise TrialError(str(error)) from error


def readable(hook: Hook, payload: Fields, project: str) -> Event | None:
    """Read the event of a payload for a hook; None if it cannot be tried."""
    try:
        return event_of(hook, payload, project)
    except TrialError:
        return None


def _agenthooks(hook: Hook, project: str, call: Fields) -> dict[str, Any]:
    base = {"event_type": hook.event_as_written, "timestamp": pipeline.now(), "session_id": SESSION, "work_dir": project}
    return {**base, "context": {}, **call, **_FIELDS.get(hook.event, {})}


def _json(hook: Hook, project: str, call: Fields) -> dict[str, Any]:
    """Events in camelCase may have payloads of their own, which do not name their event."""
    host = hosts.spec(hook.format)
    if host.is_camel_case(hook.event_as_written):
        return _camel_case(hook, project, call)
    base = {"hook_event_name": hook.event_as_written, "session_id": SESSION, "cwd": project, "transcript_path": ""}
    stamp = {"timestamp": pipeline.now()} if host.sends_timestamp else {}
    usual = _JSON_FIELDS.get(hook.event, _FIELDS.get(hook.event, {}))
    return {**stamp, **base, **call, **usual, **host.example(hook.event_as_written)}


def _camel_case(hook: Hook, project: str, call: Fields) -> dict[str, Any]:
    base: dict[str, Any] = {"sessionId": SESSION, "timestamp": int(time.time() * 1000), "cwd": project}
    if call:
        base |= {"toolName": call["tool_name"], "toolArgs": call["tool_input"]}
    if hook.event == "post-tool-call":
        base["toolResult"] = {"resultType": "success", "textResultForLlm": "done"}
    return base if call else {**base, **_JSON_FIELDS.get(hook.event, _FIELDS.get(hook.event, {}))}


def _azure(hook: Hook, project: str, call: Fields) -> dict[str, Any]:
    base = {"hook_event_name": hook.event_as_written, "agent_name": hook.agent or "agent", "cwd": project}
    turn = {"current_turn": 1, "max_turns": 50, "execution_summary": ""}
    if hook.event == events.GATE:
        turn |= {"final_output": "Task completed", "stop_hook_active": False, "stop_rejection_count": 0}
    if hook.event == "post-tool-call":
        turn |= {"tool_result": "done", "tool_succeeded": True}
    return {**base, **turn, **{key: value for key, value in call.items() if key != "tool_use_id"}}


_PAYLOADS: Mapping[type[HookSource], Callable[[Hook, str, Fields], dict[str, Any]]] = {
    HookDirectory: _agenthooks,
    JsonEntry: _json,
    AzureEntry: _azure,
}


def _shaped(hook: Hook, project: str, call: Fields) -> dict[str, Any]:
    """Return the payload of the hook's host for a tool call; an empty call for events without tools."""
    return _PAYLOADS[type(hook.source)](hook, project, call)


def _calls(hook: Hook) -> Mapping[str, Fields]:
    """Map the tools of the hook's host to example inputs; the first is the default."""
    return hosts.spec(hook.format).calls


def _tool_calls(hooks: Sequence[Hook]) -> Iterator[Fields]:
    """Yield calls of the first host's tools, then of tools that the matchers may name."""
    for name, tool_input in _calls(hooks[0]).items():
        yield {"tool_name": name, "tool_input": tool_input}
    for hook in hooks:
        for name in _texts_for(hook.tool or ""):
            yield {"tool_name": name, "tool_input": _input_of(hooks[0], name)}


def _matched_call(hooks: Sequence[Hook], project: str) -> Fields:
    """Return a call of a tool that all matchers accept, whatever its input, else of the tool that the first one names."""
    any_input = [hook.replace(pattern=None) for hook in hooks]
    named = {"tool_name": hooks[0].tool or "", "tool_input": _input_of(hooks[0], hooks[0].tool or "")}
    return next(_fitting(any_input, project, _tool_calls(hooks)), named)


def _input_of(hook: Hook, tool: str) -> Fields:
    """Return an example input of a tool: as the hook's host sends it, else another host; of an unknown tool a single text."""
    known = (hosts.spec(name).calls.get(tool) for name in (hook.format, *hosts.names()))
    return next(filter(None, known), {"input": "example"})


def _inputs(hooks: Sequence[Hook], call: Fields) -> Iterator[Fields]:
    """Yield the call as it is, then with texts that the patterns may match."""
    yield call
    first = next(iter(call["tool_input"]))
    for part in (part for hook in hooks for part in _texts_for(hook.pattern or "")):
        longer = f"example{part}"  # a text that begins with a letter may stand alone; `.py` needs something before it
        for text in (part, longer) if part[:1].isalnum() else (longer, part):
            yield {**call, "tool_input": {**call["tool_input"], first: text}}


def _fitting(hooks: Sequence[Hook], project: str, calls: Iterator[Fields]) -> Iterator[Fields]:
    """Yield the calls of the first hook's host that every matcher accepts."""
    hook = hooks[0]
    for call in calls:
        event = event_of(hook, _shaped(hook, project, call), project)
        if all(matching.match(other, event).skip is None for other in hooks):
            yield call


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _texts_for(regex: str) -> Iterator[str]:
    """Yield a text for each alternative of a simple regex; the caller checks that it matches."""
    for alternative in re.split(r"(?<!\\)\|", regex):
        text = alternative
        for pattern, replacement in _SIMPLER:
            text = re.sub(pattern, replacement, text)
        yield text
