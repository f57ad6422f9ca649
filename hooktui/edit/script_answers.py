"""Tables of what a new hook's script reads and may answer, by dialect (formats.md §2, §3, §4)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui import formats, hosts
from hooktui.core import events
from hooktui.core.model import AzureEntry, HookDirectory, JsonEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.core.model import HookSource
    from hooktui.edit.drafts import Language
    from hooktui.hosts import Host

    Keys = tuple[str, ...]  # a path to a value of the event
    Answers = tuple[tuple[str, Mapping[str, Any]], ...]  # what each is for, for a person, and its JSON

EXIT_2 = "exit 2"  # the reason on stderr
NOTHING = ""  # exit 0 with nothing on stdout
_PYTHON = "#!/usr/bin/env python3"
_UV = """\
#!/usr/bin/env -S uv run --script
# /// script
# requires-python = ">=3.9"
# ///"""
_GRANTS = ("rewrite", "allow", "ask the user")
_EVENT = "EVENT"  # placeholder for the event as its host spells it
_WHY = "why not"


class ScriptAnswer(NamedTuple):
    """`effect` is for a person; `output` is the JSON to print, EXIT_2 or NOTHING; `reason` goes with EXIT_2."""

    effect: str
    output: str
    reason: str = ""


class Dialect(NamedTuple):
    """What scripts read and may answer, by event (canonical, or the format's own).

    `values` are the paths to the most useful value, "" for all other events; `rest` are the answers on all other events.
    `input_key` is the key of a tool's input, `shebang` the first line of a shell script. `denies_in_json`: a denial is
    JSON, not exit code 2. `logs`: an answer may write to the log. `notifications` are events with nothing to deny.
    """

    values: Mapping[str, Keys]
    answers: Mapping[str, Answers]
    rest: Answers = ()
    input_key: str = "tool_input"
    shebang: str = "#!/bin/sh"
    denies_in_json: bool = False
    logs: bool = False
    notifications: tuple[str, ...] = ("pre-session", "pre-subagent")

    def first_lines(self, language: Language) -> str:
        return self.shebang if language == "sh" else _PYTHON if language == "py" else _UV

    def value_keys(self, event: str) -> Keys:
        return self.values.get(event) or self.values[""]


def variable(keys: Keys) -> str:
    """Return a variable name for a value."""
    return _SHORT.get(keys[-1]) or re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", keys[-1])


def dialect_of(format_name: str, event_as_written: str) -> Dialect:
    """Return a hook's dialect: by the shape of its file, and by the case of its event where that matters."""
    host = hosts.spec(format_name)
    if host.style == "steps":
        return _FLAT._replace(denies_in_json=events.canonical(event_as_written) in _CONTINUES)
    if host.style == "camel":
        return _CAMEL if host.is_camel_case(event_as_written) else _PASCAL
    return _DIALECTS[type(formats.detached_source(format_name))]


def answers(host: str, dialect: Dialect, event: str, event_as_written: str) -> Iterator[ScriptAnswer]:
    """Yield what a hook may answer on an event (canonical, or the format's own), the strictest first."""
    spec = hosts.spec(host)
    if block := _block(spec, dialect, event):
        yield block
    for effect, answer in dialect.answers.get(event, dialect.rest):
        written = _written(spec, answer, event)
        text = json.dumps(written).replace(_EVENT, event_as_written)
        if written and _is_obeyed(written, spec, event_as_written) and _works(host, effect, event_as_written, text):
            yield ScriptAnswer(effect, text)
    yield ScriptAnswer("no opinion", NOTHING)


def _works(host: str, effect: str, event_as_written: str, text: str) -> bool:
    outcome = hosts.interpret(host, event_as_written, 0, text).outcome
    if effect in _GRANTS:
        return outcome.decision != "none" or outcome.modified_input is not None
    return not outcome.problems


def _written(spec: Host, answer: Mapping[str, Any], event: str) -> Mapping[str, Any] | None:
    """The answer in the words of a host that follows Claude Code's protocol only in part; None if it has none."""
    if answer == _TELL_CLAUDE[1] and event not in spec.context_on:
        return None
    if answer == _REWRITE_CLAUDE[1] and spec.rewrite_key != "updatedInput":
        return _specific(**{spec.rewrite_key: _INPUT}) if spec.rewrite_key else None
    grants = "permissionDecision" in answer.get("hookSpecificOutput", ())
    return None if grants and "nested" not in spec.permission_at else answer


def _is_obeyed(answer: Mapping[str, Any], spec: Host, event_as_written: str) -> bool:
    obeyed = spec.obeys(event_as_written)
    return obeyed is None or set(answer) <= {*obeyed}


def _block(spec: Host, dialect: Dialect, event: str) -> ScriptAnswer | None:
    """Return the answer that blocks the agent by exit code 2, if the host obeys it."""
    ignored = dialect.notifications if spec.exit_2_denies is None else _PERMISSIONS
    if event in ignored or not spec.denies_by_exit_2(event):
        return None
    if event in _CONTINUES:
        return ScriptAnswer("keep it working", EXIT_2, "what is missing")
    return ScriptAnswer("deny", EXIT_2, _WHY)


_PERMISSIONS = ("PermissionRequest", "permissionRequest")
_CONTINUES = (events.GATE, "post-subagent")
_SHORT = {
    **dict.fromkeys(("tool_name", "toolName"), "tool"),
    **dict.fromkeys(("text_result_for_llm", "textResultForLlm"), "result"),
}
_VALUES: Mapping[str, Keys] = {
    "": ("session_id",),
    "pre-agent-turn": ("prompt",),
    events.GATE: ("stop_hook_active",),
    "pre-tool-call": ("tool_name",),
    "post-tool-call": ("tool_response",),
}


def _specific(**fields: Any) -> Mapping[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": _EVENT, **fields}}


_TELL = ("tell the agent", {"additional_context": "what it should know"})
_LOG = ("note in the log", {"log": "what happened"})
_AGENTHOOKS = Dialect(
    values={**_VALUES, events.GATE: ("stop_reason",), "post-tool-call": ("tool_output",)},
    answers={
        "pre-tool-call": (
            ("rewrite", {"modified_input": {"command": "ls"}}),
            ("allow", {"decision": "allow"}),
            ("ask the user", {"decision": "ask", "reason": "why"}),
            _TELL,
            _LOG,
        ),
        "post-session": (_LOG,),
        events.GATE: (_LOG,),
    },
    rest=(_TELL, _LOG),
    logs=True,
    notifications=("post-session",),
)
_INPUT = {"command": "ls"}
_REWRITE_CLAUDE = ("rewrite", _specific(updatedInput=_INPUT))
_TELL_CLAUDE = ("tell the agent", _specific(additionalContext="what it should know"))
_TELL_PERSON = ("tell the user", {"systemMessage": "what happened"})
_CLAUDE = Dialect(
    values=_VALUES,
    answers={
        "pre-tool-call": (
            _REWRITE_CLAUDE,
            ("allow", _specific(permissionDecision="allow")),
            ("ask the user", _specific(permissionDecision="ask", permissionDecisionReason="why")),
            _TELL_CLAUDE,
            _TELL_PERSON,
        ),
        **dict.fromkeys(
            ("post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent"),
            (_TELL_CLAUDE, _TELL_PERSON),
        ),
        "PermissionRequest": (
            ("deny", _specific(decision={"behavior": "deny", "message": _WHY})),
            ("allow", _specific(decision={"behavior": "allow"})),
            _TELL_PERSON,
        ),
    },
    rest=(_TELL_PERSON,),
)
_TELL_COPILOT = ("tell the agent", {"additionalContext": "what it should know"})
_PASCAL = Dialect(
    values={**_VALUES, "post-tool-call": ("tool_result", "text_result_for_llm")},
    answers={
        "pre-tool-call": (
            ("also deny", {"permissionDecision": "deny", "permissionDecisionReason": _WHY}),
            ("rewrite", {"modifiedArgs": {"command": "ls"}}),
            ("allow", {"permissionDecision": "allow"}),
            ("ask the user", {"permissionDecision": "ask", "permissionDecisionReason": "why"}),
            _TELL_COPILOT,
        ),
        **dict.fromkeys(_CONTINUES, (("keep it working", {"decision": "block", "reason": "what is missing"}),)),
        **dict.fromkeys(("post-tool-call", "pre-agent-turn"), (("deny", {"decision": "block", "reason": _WHY}), _TELL_COPILOT)),
        **dict.fromkeys(("post-tool-call-failure", "pre-session", "pre-subagent"), (_TELL_COPILOT,)),
        **dict.fromkeys(_PERMISSIONS, (("deny", {"behavior": "deny", "message": _WHY}), ("allow", {"behavior": "allow"}))),
    },
    denies_in_json=True,
)
_CAMEL = _PASCAL._replace(
    values={
        "": ("sessionId",),
        "pre-agent-turn": ("prompt",),
        events.GATE: ("stopReason",),
        "pre-tool-call": ("toolName",),
        "post-tool-call": ("toolResult", "textResultForLlm"),
    },
    input_key="toolArgs",
)
_TELL_FLAT = ("tell the agent", {"additional_context": "what it should know"})
_FLAT = Dialect(
    values={**_VALUES, events.GATE: ("loop_count",), "post-tool-call": ("tool_output",)},
    answers={
        "pre-tool-call": (("rewrite", {"updated_input": {"command": "ls"}}), _TELL_FLAT),
        **dict.fromkeys(("post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session"), (_TELL_FLAT,)),
        **dict.fromkeys(_CONTINUES, (("keep it working", {"followup_message": "what is missing"}),)),
    },
)
_AZURE = Dialect(
    values={
        "": ("agent_name",),
        events.GATE: ("final_output",),
        "pre-tool-call": ("tool_name",),
        "post-tool-call": ("tool_result",),
    },
    answers={events.GATE: (("let it stop", {"ok": True}), ("also continue", {"ok": False, "reason": "what is missing"}))},
    rest=(
        ("also deny", {"decision": "block", "reason": _WHY}),
        ("allow", {"decision": "allow"}),
        ("tell the agent", {"decision": "allow", "hookSpecificOutput": {"additionalContext": "what it should know"}}),
    ),
    shebang="#!/bin/bash",  # the only shell that Azure accepts (formats.md §4)
)
_DIALECTS: Mapping[type[HookSource], Dialect] = {HookDirectory: _AGENTHOOKS, JsonEntry: _CLAUDE, AzureEntry: _AZURE}
