"""Azure SRE Agent: reads hook contexts and answers in the expanded format (formats.md §4; seed 004)."""

from __future__ import annotations

from hooktui.core import events, fast_json, paths
from hooktui.core.model import Event
from hooktui.hosts.shared.payloads import event_name, refuses, text, tool
from hooktui.hosts.shared.spec import BLOCKED, EntrySpec, HostAnswer, HostSpec, MatcherSpec, SpeechSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

_FIELDS = {"tool_name": "tool_name", "tool_input": "tool_input", "tool_result": "tool_output"}


def read(payload: dict[str, Any], given: str | None, now: str) -> Event:
    """The event in a payload; Azure names no session, so the agent and its transcript stand for one."""
    written = event_name(payload, given, "hook_event_name")
    name = events.canonical(written)
    final = payload.get("final_output")
    fields = {ours: payload[theirs] for theirs, ours in _FIELDS.items() if theirs in payload}
    if name == events.GATE:
        fields["final_message"] = {"role": "assistant", "content": final} if isinstance(final, str) else None
    return Event(
        name=name or written,
        as_written=written,
        known=name is not None,
        host="azure",
        session_id=text(payload.get("session_id")) or text(payload.get("execution_summary")),
        work_dir=text(payload.get("cwd")) or text(payload.get("work_dir")) or paths.working_directory(),
        timestamp=text(payload.get("timestamp")) or now,
        tool_name=tool(payload.get("tool_name")),
        tool_input=payload.get("tool_input"),
        agent_name=text(payload.get("agent_name")) or None,
        fields=fields,
        payload=payload,
    )


def answer(dispatch: Dispatch) -> HostAnswer:
    """Exit 2 blocks whatever failMode says; else the decision and the context.

    Azure can ask nobody: before a tool `ask` is a denial. `stop` blocks the action, and lets an agent stop that wants to.
    """
    name = dispatch.event.name
    asks = dispatch.decision == "ask" and name == "pre-tool-call"
    if asks or refuses(dispatch):
        return HostAnswer(exit_code=BLOCKED, stderr=f"{dispatch.reason or 'A hook wants a person to be asked'}\n")
    specific: dict[str, Any] = {}
    if dispatch.modified_input is not None:
        specific["updatedInput"] = dispatch.modified_input
    if context := "\n".join((*dispatch.additional_context, *dispatch.system_messages)):
        specific["additionalContext"] = context
    if dispatch.decision != "allow" and not specific:
        return HostAnswer(exit_code=0)
    said: dict[str, Any] = {"decision": "allow"}
    if dispatch.reason:
        said["reason"] = dispatch.reason
    if specific:
        said["hookSpecificOutput"] = {"hookEventName": SPEC.spelling(name) or name, **specific}
    return HostAnswer(exit_code=0, stdout=fast_json.dumps(said) + "\n")


SPEC: HostSpec = HostSpec(
    name="azure",
    title="Azure SRE Agent",
    rank=4,
    format="azure",
    events=("Stop", "PostToolUse", "PreToolUse"),
    tools={"shell": "Bash"},
    calls={"Bash": {"command": "ls"}, "ExecuteShellCommand": {"command": "ls"}},
    entry=EntrySpec(types=("prompt", "command"), runs=("prompt", "command"), interpreter=("bash", "-c")),
    matcher=MatcherSpec(
        rule="whole", everything=("*",), required=True, draft_help="regex for the whole name, like Bash; empty: any tool"
    ),
    speech=SpeechSpec(protocol="azure", gate_limit="prompts", last_context_only=True),
    directories_dir="scripts",
    signs=(
        (50, ("hook_event_name", "agent_name")),
        (51, ("hook_event_name", "execution_summary")),
        (52, ("hook_event_name", "max_turns")),
    ),
    read=read,
    answer=answer,
    runs_new_hooks="Azure SRE Agent runs it once you have applied the file to your agent.",
)
