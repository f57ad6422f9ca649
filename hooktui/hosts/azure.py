"""Azure SRE Agent: reads hook contexts and answers in the expanded format (formats.md §4; seed 004)."""

from __future__ import annotations

from hooktui.core import events, paths
from hooktui.core.model import Event
from hooktui.hosts.shared import spec
from hooktui.hosts.shared.payloads import event_name, refuses, text, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch

_FIELDS = {"tool_name": "tool_name", "tool_input": "tool_input", "tool_result": "tool_output"}


def _read(host: spec.HostSpec, payload: dict[str, Any], given: str | None, now: str) -> Event:
    """Read a payload. Azure sends no session ID; the path of its `execution_summary` identifies the session."""
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
        host=host.name,
        session_id=text(payload.get("session_id")) or text(payload.get("execution_summary")),
        work_dir=text(payload.get("cwd")) or text(payload.get("work_dir")) or paths.working_directory(),
        timestamp=text(payload.get("timestamp")) or now,
        tool_name=tool(payload.get("tool_name")),
        tool_input=payload.get("tool_input"),
        agent_name=text(payload.get("agent_name")) or None,
        fields=fields,
        payload=payload,
    )


def _answer(dispatch: Dispatch) -> spec.HostAnswer:
    """Block with exit 2, whatever `failMode` says; else write the decision and the context.

    Azure cannot ask a person: before a tool, `ask` is a denial. `stop` blocks the action, but never keeps an agent from
    stopping.
    """
    name = dispatch.event.name
    asks = dispatch.decision == "ask" and name == "pre-tool-call"
    if asks or refuses(dispatch):
        return spec.denied(dispatch.reason or "A hook asks the user to decide")
    specific: dict[str, Any] = {}
    if dispatch.modified_input is not None and name == "pre-tool-call":
        specific["updatedInput"] = dispatch.modified_input
    if context := "\n".join((*dispatch.additional_context, *dispatch.system_messages)):
        specific["additionalContext"] = context
    if dispatch.decision != "allow" and not specific:
        return spec.printed({})
    value: dict[str, Any] = {"decision": "allow"}
    if dispatch.reason:
        value["reason"] = dispatch.reason
    if specific:
        value["hookSpecificOutput"] = {"hookEventName": SPEC.spelling(name) or name, **specific}
    return spec.printed(value)


SPEC: spec.HostSpec = spec.HostSpec(
    name="azure",
    title="Azure SRE Agent",
    proof="from its documentation, not run",
    rank=4,
    format="azure",
    events=("Stop", "PostToolUse", "PreToolUse"),
    tools={"shell": "Bash"},
    calls={"Bash": {"command": "ls"}, "ExecuteShellCommand": {"command": "ls"}},
    entry=spec.EntrySpec(
        fails_closed_by=("failMode", "block"),
        types=("prompt", "command"),
        runs=("prompt", "command"),
        interpreter=("bash", "-c"),
    ),
    matcher=spec.MatcherSpec(
        dialect="python",
        rule="whole",
        everything=("*",),
        required=True,
        draft_help="regex for the whole name, like Bash; empty: any tool",
    ),
    speech=spec.SpeechSpec(protocol="azure", gate_limit="prompts", last_context_only=True),
    directories_dir="scripts",
    signs=(
        (50, ("hook_event_name", "agent_name")),
        (51, ("hook_event_name", "execution_summary")),
        (52, ("hook_event_name", "max_turns")),
    ),
    read=_read,
    answer=_answer,
    runs_new_hooks="Azure SRE Agent runs it after you apply the file to your agent.",
)
