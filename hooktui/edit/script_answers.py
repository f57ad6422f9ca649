"""What the script of a new hook reads and may answer, in the words of its host (formats.md §2, §3, §4), as tables."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hooktui import hosts
from hooktui.core import events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Keys = tuple[str, ...]  # lead to a value of the event

EXIT_2 = "exit 2"  # the reason on stderr
NOTHING = ""  # exit 0 with nothing on stdout
_EVENT = "EVENT"  # stands for the event as its host spells it
_WHY = "why not"


@dataclass(frozen=True, slots=True)
class ScriptAnswer:
    """`does`: what comes of it, for a person. `says`: the JSON to print, EXIT_2 or NOTHING. `why`: the reason of an exit."""

    does: str
    says: str
    why: str = ""


def looks_at(words: str, event: str) -> Keys:
    """What is worth looking at on an event (canonical, or the format's own), in the words of a host."""
    return _LOOKS[words].get(event) or _LOOKS[words]["tool" if event in _PERMISSIONS else ""]


def variable(keys: Keys) -> str:
    """What a script calls a value, in its own language's manner."""
    return _SHORT.get(keys[-1]) or re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", keys[-1])


def tool_input(words: str) -> str:
    """The key below which a tool's input stands."""
    return "toolArgs" if words == "copilot" else "tool_input"


def words_of(format_name: str, event_as_written: str) -> str:
    """Whose words a hook reads in: Copilot has others for its camelCase events than for those that it shares."""
    return "pascal" if format_name == "copilot" and event_as_written[:1].isupper() else format_name


def answers(words: str, event: str, event_as_written: str) -> Iterator[ScriptAnswer]:
    """What a hook may answer on an event (canonical, or the format's own), what decides most first."""
    block = _block(words, event)
    if block:
        yield block
    for does, said in _says(words, event):
        yield ScriptAnswer(does, json.dumps(said).replace(_EVENT, event_as_written))
    yield ScriptAnswer("no opinion", NOTHING)


def _block(words: str, event: str) -> ScriptAnswer | None:
    """The answer that keeps the agent from what it wants, where exit 2 gives it."""
    goes_on = event in _GOES_ON
    if words == "agenthooks":
        heeded = event != "post-session"
    elif words in ("azure", "vscode"):
        heeded = event not in _TOLD_ONLY
    else:
        heeded = hosts.spec("copilot" if words == "pascal" else words).denies_by_exit_2(event) and event not in _PERMISSIONS
    if not heeded:
        return None
    return ScriptAnswer("keep it working", EXIT_2, "what is missing") if goes_on else ScriptAnswer("deny", EXIT_2, _WHY)


def _says(words: str, event: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if words == "azure":
        yield from _AZURE["stop" if event == events.GATE else ""]
    elif words == "agenthooks":
        yield from _AGENTHOOKS.get(event, _AGENTHOOKS_REST)
    elif words in ("copilot", "pascal"):
        yield from _COPILOT.get(event, ())
    else:
        yield from _CLAUDE.get(event, ())
        yield "tell the person", {"systemMessage": "what happened"}


_PERMISSIONS = ("PermissionRequest", "permissionRequest")
_GOES_ON = (events.GATE, "post-subagent")
_TOLD_ONLY = ("pre-session", "pre-subagent")  # nothing is about to happen that could be denied
_SHORT = {
    **dict.fromkeys(("tool_name", "toolName"), "tool"),
    **dict.fromkeys(("text_result_for_llm", "textResultForLlm"), "result"),
}
# The values to look at, by event; "tool" on requests for a permission, "" on every other event.
_CLAUDES: Mapping[str, Keys] = {
    "": ("session_id",),
    "tool": ("tool_name",),
    "pre-session": ("source",),
    "post-session": ("reason",),
    "pre-agent-turn": ("prompt",),
    events.GATE: ("stop_hook_active",),
    "pre-tool-call": ("tool_name",),
    "post-tool-call": ("tool_response",),
    "post-tool-call-failure": ("error",),
    "pre-subagent": ("agent_type",),
    "post-subagent": ("agent_type",),
    "pre-context-compact": ("trigger",),
    "agent-failure": ("error",),
    "Notification": ("message",),
}
_LOOKS: Mapping[str, Mapping[str, Keys]] = {
    "agenthooks": {
        "": ("session_id",),
        "pre-session": ("model",),
        "post-session": ("exit_reason",),
        "pre-agent-turn": ("prompt",),
        events.GATE: ("stop_reason",),
        "pre-tool-call": ("tool_name",),
        "post-tool-call": ("tool_output",),
        "post-tool-call-failure": ("error",),
        "pre-subagent": ("task_description",),
        "post-subagent": ("task_description",),
        "pre-context-compact": ("trigger",),
    },
    "claude": _CLAUDES,
    "vscode": _CLAUDES,
    "pascal": {**_CLAUDES, "post-tool-call": ("tool_result", "text_result_for_llm")},
    "copilot": {
        "": ("sessionId",),
        "tool": ("toolName",),
        "pre-session": ("source",),
        "post-session": ("reason",),
        "pre-agent-turn": ("prompt",),
        events.GATE: ("stopReason",),
        "pre-tool-call": ("toolName",),
        "post-tool-call": ("toolResult", "textResultForLlm"),
        "post-tool-call-failure": ("error",),
        "pre-subagent": ("agentName",),
        "post-subagent": ("agentName",),
        "pre-context-compact": ("trigger",),
        "agent-failure": ("error",),
    },
    "azure": {
        "": ("agent_name",),
        events.GATE: ("final_output",),
        "pre-tool-call": ("tool_name",),
        "post-tool-call": ("tool_result",),
    },
}

_TELL = ("tell the agent", {"additional_context": "what it should know"})
_LOG = ("note in the log", {"log": "what happened"})
_AGENTHOOKS_REST = (_TELL, _LOG)
_AGENTHOOKS: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "pre-tool-call": (
        ("rewrite", {"modified_input": {"command": "ls"}}),
        ("allow", {"decision": "allow"}),
        ("ask the person", {"decision": "ask", "reason": "why"}),
        _TELL,
        _LOG,
    ),
    "post-session": (_LOG,),
    events.GATE: (_LOG,),
}


def _specific(**said: Any) -> Mapping[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": _EVENT, **said}}


_TELL_CLAUDE = ("tell the agent", _specific(additionalContext="what it should know"))
_CLAUDE: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "pre-tool-call": (
        ("rewrite", _specific(updatedInput={"command": "ls"})),
        ("allow", _specific(permissionDecision="allow")),
        ("ask the person", _specific(permissionDecision="ask", permissionDecisionReason="why")),
        _TELL_CLAUDE,
    ),
    **dict.fromkeys(
        ("post-tool-call", "post-tool-call-failure", "pre-agent-turn", "pre-session", "pre-subagent"), (_TELL_CLAUDE,)
    ),
    "PermissionRequest": (
        ("deny", _specific(decision={"behavior": "deny", "message": _WHY})),
        ("allow", _specific(decision={"behavior": "allow"})),
    ),
}
_TELL_COPILOT = ("tell the agent", {"additionalContext": "what it should know"})
_COPILOT: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "pre-tool-call": (
        ("deny as well", {"permissionDecision": "deny", "permissionDecisionReason": _WHY}),
        ("rewrite", {"modifiedArgs": {"command": "ls"}}),
        ("allow", {"permissionDecision": "allow"}),
        ("ask the person", {"permissionDecision": "ask", "permissionDecisionReason": "why"}),
        _TELL_COPILOT,
    ),
    **dict.fromkeys(_GOES_ON, (("keep it working", {"decision": "block", "reason": "what is missing"}),)),
    **dict.fromkeys(("post-tool-call", "pre-agent-turn", "pre-session", "pre-subagent"), (_TELL_COPILOT,)),
    **dict.fromkeys(_PERMISSIONS, (("deny", {"behavior": "deny", "message": _WHY}), ("allow", {"behavior": "allow"}))),
}
_AZURE: Mapping[str, tuple[tuple[str, Mapping[str, Any]], ...]] = {
    "": (
        ("deny as well", {"decision": "block", "reason": _WHY}),
        ("allow", {"decision": "allow"}),
        ("tell the agent", {"decision": "allow", "hookSpecificOutput": {"additionalContext": "what it should know"}}),
    ),
    "stop": (("let it stop", {"ok": True}), ("go on as well", {"ok": False, "reason": "what is missing"})),
}
