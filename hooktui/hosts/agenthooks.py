"""Any agent that supports AgentHooks (seeds 000 and 001; contract.md, "`hooktui run`")."""

from __future__ import annotations

from hooktui.core import events, fast_json, paths
from hooktui.core.model import Event
from hooktui.hosts.shared.payloads import event_name, refuses, text, tool
from hooktui.hosts.shared.spec import BLOCKED, HookFiles, HostAnswer, HostSpec, Manner, MatcherSpec, SpeechSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hooktui.core.model import Dispatch


def read(payload: dict[str, Any], given: str | None, now: str) -> Event:
    """The event in a payload. `given` is the event named beside it; `now` stands in for a missing timestamp.

    Raises UnreadableEvent.
    """
    written = event_name(payload, given, "event_type", "hook_event_name")
    name = events.canonical(written)
    return Event(
        name=name or written,
        as_written=written,
        known=name is not None,
        host="agenthooks",
        session_id=text(payload.get("session_id")),
        work_dir=text(payload.get("work_dir")) or text(payload.get("cwd")) or paths.working_directory(),
        timestamp=text(payload.get("timestamp")) or now,
        tool_name=tool(payload.get("tool_name")),
        tool_input=payload.get("tool_input"),
        agent_name=text(payload.get("agent_name")) or None,
        fields={key: payload[key] for key in events.FIELDS.get(name or "", ()) if key in payload},
        payload=payload,
    )


def answer(dispatch: Dispatch) -> HostAnswer:
    """Exit 2 and the reason on stderr for a denial; else exit 0 and, if any hook spoke, one JSON object."""
    if refuses(dispatch):
        return HostAnswer(exit_code=BLOCKED, stderr=f"{dispatch.reason}\n")
    said = {
        "decision": dispatch.decision if dispatch.decision in ("allow", "ask") else None,
        "reason": dispatch.reason,
        "modified_input": dispatch.modified_input,
        "additional_context": "\n".join(dispatch.additional_context) or None,
        "log": "\n".join(dispatch.logs) or None,
    }
    spoken = {key: value for key, value in said.items() if value is not None}
    return HostAnswer(exit_code=0, stdout=fast_json.dumps(spoken) + "\n" if spoken else "")


SPEC: HostSpec = HostSpec(
    name="agenthooks",
    title="AgentHooks",
    rank=0,
    format="agenthooks",
    files=(
        HookFiles(scope="user", path="~/.config/agents/hooks", is_directory=True),
        HookFiles(scope="project", path=".agents/hooks", is_directory=True),
    ),
    style="kebab",
    events=events.TRIGGERS,
    tools={"shell": "Shell", "read": "ReadFile", "write": "WriteFile", "edit": "StrReplaceFile", "fetch": "FetchURL"},
    inputs={"path": "path", "content": "content", "old": "old", "new": "new"},
    edit_object="edit",
    calls={
        "Shell": {"command": "ls"},
        "WriteFile": {"path": "notes.txt", "content": "text\n"},
        "ReadFile": {"path": "notes.txt"},
        "FetchURL": {"url": "https://example.com/"},
    },
    matcher=MatcherSpec(rule="search", everything=(), draft_help="regex on the tool's name, like Shell; empty: any tool"),
    speech=SpeechSpec(
        protocol="agenthooks",
        manner=Manner(hands_on=True, heeds_setting=True, ends_at=("deny", "stop")),
        runs_in_session_dir=True,
        gate_limit="setting",
    ),
    signs=((10, ("event_type",)),),
    read=read,
    answer=answer,
    runs_new_hooks="Works in agents that support AgentHooks or call hooktui: `hooktui connect --help`.",
)
