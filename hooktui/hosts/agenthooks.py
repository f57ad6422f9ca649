"""Any agent that supports AgentHooks (seeds 000 and 001; contract.md, "`hooktui run`")."""

from __future__ import annotations

from hooktui.core import fast_json, paths
from hooktui.core.events import FIELDS, TRIGGERS, canonical
from hooktui.core.model import Event, Outcome
from hooktui.hosts.base import Host, Scheduling
from hooktui.hosts.shared.answers import HostAnswer, denied, printed
from hooktui.hosts.shared.interpretation import RunResult, blocked_by_exit_2, failed, failure, invalid, parse
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.payloads import event_name, refuses, text, tool
from hooktui.hosts.shared.places import HookFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hooktui.core.model import Dispatch, Hook
    from hooktui.hosts.shared.interpretation import Ended

_DECISIONS = ("allow", "deny", "ask")
_TEXT_FIELDS = ("reason", "additional_context", "log")


def _outcome(hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    if "decision" in answer and answer["decision"] not in _DECISIONS:
        return invalid(f"decision {fast_json.dumps(answer['decision'])[:80]} must be allow, deny or ask")
    problems = [f"{name} must be a string: ignored" for name in _TEXT_FIELDS if not isinstance(answer.get(name, ""), str)]
    texts = {name: answer[name] for name in _TEXT_FIELDS if isinstance(answer.get(name), str)}
    rewrite = answer.get("modified_input")
    if rewrite is not None and (event.name != "pre-tool-call" or not isinstance(rewrite, dict)):
        is_tool = event.name == "pre-tool-call"
        problem = "must be an object" if is_tool else f"has no effect on {event.name}"
        problems.append(f"modified_input {problem}: ignored")
        rewrite = None
    decision = answer.get("decision", "none")
    if decision == "deny" and not texts.get("reason", "").strip():
        texts["reason"] = f"Blocked by hook {hook.label}"
    outcome = Outcome(
        decision=decision,
        via="json" if decision != "none" else None,
        reason=texts.get("reason"),
        modified_input=rewrite,
        additional_context=texts.get("additional_context"),
        log=texts.get("log"),
        problems=tuple(problems),
    )
    return RunResult(state="ok", outcome=outcome)


class _Matcher(MatcherSpec):
    rule = "search"
    dialect = "python"
    everything = (None,)
    draft_help = "regex on the tool's name, like Shell; empty: any tool"


class AgentHooksHost(Host):
    """Agents that read HOOK.md."""

    name = "agenthooks"
    title = "AgentHooks"
    rank = 0
    format = "agenthooks"
    files = (
        HookFiles(scope="user", path="~/.config/agents/hooks", kind="directory"),
        HookFiles(scope="project", path=".agents/hooks", kind="directory"),
    )
    style = "kebab"
    events = TRIGGERS
    tools = {"shell": "Shell", "read": "ReadFile", "write": "WriteFile", "edit": "StrReplaceFile", "fetch": "FetchURL"}
    edit_tools = ("WriteFile", "StrReplaceFile")
    inputs = {"path": "path", "content": "content", "old": "edit.old", "new": "edit.new"}
    calls = {
        "Shell": {"command": "ls"},
        "WriteFile": {"path": "notes.txt", "content": "text\n"},
        "ReadFile": {"path": "notes.txt"},
        "FetchURL": {"url": "https://example.com/"},
    }
    matcher = _Matcher()
    scheduling = Scheduling(order="rewriting", ends_at=("deny", "stop"))
    runs_in_session_dir = True
    notices = "stderr"
    signs = ((10, ("event_type",)),)
    runs_new_hooks = "Runs in connected programs (`hooktui connect --all`, K in the app) and in agents that read HOOK.md."

    def gate_limit(self, hook: Hook, running: Iterable[Hook], setting: int) -> int:
        return setting

    def failure_denies(self, setting: str) -> bool:
        return setting == "deny"

    def hook_stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The base fields and the event's own, in the hook's vocabulary; further fields of an AgentHooks payload are kept.

        Source: formats.md §2; seed 001 §2 and §5.
        """
        context = event.payload.get("context")
        return {
            **(event.payload if event.host == hook.format else {}),
            "event_type": hook.event_as_written,
            "timestamp": event.timestamp,
            "session_id": event.session_id,
            "work_dir": event.work_dir,
            "context": context if isinstance(context, dict) else {},
            **event.fields,
        }

    def read_payload(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
        written = event_name(payload, given, "event_type", "hook_event_name")
        name = canonical(written)
        return Event(
            name=name or written,
            as_written=written,
            known=name is not None,
            host=self.name,
            session_id=text(payload.get("session_id")),
            work_dir=text(payload.get("work_dir")) or text(payload.get("cwd")) or paths.working_directory(),
            timestamp=text(payload.get("timestamp")) or now,
            tool_name=tool(payload.get("tool_name")),
            tool_input=payload.get("tool_input"),
            agent_name=text(payload.get("agent_name")) or None,
            fields={key: payload[key] for key in FIELDS.get(name or "", ()) if key in payload},
            payload=payload,
        )

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Exit 2 with the reason on stderr for a denial; else exit 0 and, if any hook answered, a JSON object."""
        if refuses(dispatch):
            return denied(dispatch.reason)
        fields = {
            "decision": dispatch.decision if dispatch.decision in ("allow", "ask") else None,
            "reason": dispatch.reason,
            "modified_input": dispatch.modified_input if dispatch.event.name == "pre-tool-call" else None,
            "additional_context": "\n".join(dispatch.additional_context) or None,
            "log": "\n".join(dispatch.logs) or None,
        }
        return printed({key: value for key, value in fields.items() if value is not None})

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        problem = failure(hook, ended)
        if problem:
            return failed(ended, problem)
        if ended.exit_code:
            return blocked_by_exit_2(hook, ended)
        return parse(ended, ended.stdout.decode(errors="replace").strip(), lambda answer: _outcome(hook, event, answer))


HOST = AgentHooksHost()
