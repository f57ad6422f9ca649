"""Azure SRE Agent: reads hook contexts and answers in the expanded format (formats.md §4; seed 004)."""

from __future__ import annotations

from hooktui.core import events, fast_json, paths
from hooktui.core.model import DECISIONS, AzureEntry, Event, Outcome
from hooktui.hosts.base import Host
from hooktui.hosts.shared.answers import HostAnswer, denied, printed
from hooktui.hosts.shared.entry_spec import EntrySpec
from hooktui.hosts.shared.interpretation import RunResult, blocked_by_exit_2, failed, failure, invalid, parse, unfenced
from hooktui.hosts.shared.matcher_spec import MatcherSpec
from hooktui.hosts.shared.payloads import event_name, refuses, text, tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from hooktui.core.model import DecisionName, Dispatch, Hook, Via
    from hooktui.hosts.shared.interpretation import Ended

_NO_VOTE: tuple[DecisionName, Via | None] = ("none", None)
_DECISIONS: Mapping[str, DecisionName] = {"allow": "allow", "block": "deny"}

_DEFAULT_REJECTIONS = 3  # formats.md §4, maxRejections
_FIELDS = {"tool_name": "tool_name", "tool_input": "tool_input", "tool_result": "tool_output"}


def _judged(hook: Hook, event: Event, answer: dict[str, Any]) -> RunResult:
    answer = {key.lower(): value for key, value in answer.items()}  # Azure ignores the case of keys
    faults = _faults(answer)
    if faults:
        return invalid(*faults)
    result = RunResult(state="ok", outcome=_outcome(hook, answer))
    no_reason = result.outcome.decision == "deny" and not _words(answer.get("reason"))
    return _allowed_without_reason(result) if no_reason and event.name == events.GATE else result


def _faults(answer: dict[str, Any]) -> list[str]:
    faults = []
    if not isinstance(answer.get("ok", True), bool):
        faults.append("ok must be true or false")
    decision = answer.get("decision")
    if decision is not None and (not isinstance(decision, str) or decision.lower() not in _DECISIONS):
        faults.append(f"decision {fast_json.dumps(decision)[:80]} must be allow or block")
    if not isinstance(answer.get("reason"), str | None):
        faults.append("reason must be a string")
    if not isinstance(answer.get("hookspecificoutput"), dict | None):
        faults.append("hookSpecificOutput must be an object")
    return faults


def _outcome(hook: Hook, answer: dict[str, Any]) -> Outcome:
    """The stricter of `ok` and `decision`; without both, no decision."""
    votes: list[tuple[DecisionName, Via]] = []
    if "ok" in answer:
        votes.append(("allow" if answer["ok"] else "deny", "ok-field"))
    if answer.get("decision") is not None:
        votes.append((_DECISIONS[answer["decision"].lower()], "json"))
    decision, via = max(votes, key=lambda vote: DECISIONS.index(vote[0]), default=_NO_VOTE)
    specific = answer.get("hookspecificoutput")
    context = _words(specific.get("additionalContext")) if isinstance(specific, dict) else None
    reason = _words(answer.get("reason")) or (f"Blocked by hook {hook.label}" if decision == "deny" else None)
    problems = () if votes or context else ("the answer has neither ok nor decision",)
    return Outcome(decision=decision, via=via, reason=reason, additional_context=context, problems=problems)


def _allowed_without_reason(result: RunResult) -> RunResult:
    """A Stop rejection without a reason lets the agent stop (seed 004, "Caution")."""
    problem = "rejected without a reason, which the agent takes as approval"
    return RunResult(state="ok", outcome=result.outcome.replace(decision="allow", reason=None, problems=(problem,)))


def _by_fail_mode(hook: Hook, result: RunResult) -> RunResult:
    if hook.fail_mode == "allow":
        return result
    reason = f"Hook {hook.label} {'; '.join(result.outcome.problems)}"
    return result.replace(outcome=result.outcome.replace(decision="deny", reason=reason))


def _words(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _source(hook: Hook) -> AzureEntry | None:
    """Where a prompt is written; None for any other hook."""
    return hook.source if hook.type == "prompt" and isinstance(hook.source, AzureEntry) else None


class _Entry(EntrySpec):
    fails_closed_by = ("failMode", "block")
    types = ("prompt", "command")
    runs = ("prompt", "command")
    interpreter = ("bash", "-c")


class _Matcher(MatcherSpec):
    dialect = "python"
    rule = "whole"
    everything = ("*",)
    draft_help = "regex for the whole name, like Bash; empty: any tool"


class Azure(Host):
    """Azure SRE Agent."""

    name = "azure"
    title = "Azure SRE Agent"
    proof = "from its documentation, not run"
    rank = 4
    format = "azure"
    events = ("Stop", "PostToolUse", "PreToolUse")
    tools = {"shell": "Bash"}
    calls = {"Bash": {"command": "ls"}, "ExecuteShellCommand": {"command": "ls"}}
    entry = _Entry()
    matcher = _Matcher()
    directories_dir = "scripts"
    signs = (
        (50, ("hook_event_name", "agent_name")),
        (51, ("hook_event_name", "execution_summary")),
        (52, ("hook_event_name", "max_turns")),
    )
    runs_new_hooks = "Azure SRE Agent runs it after you apply the file to your agent."

    def gate_limit(self, hook: Hook, running: Iterable[Hook], setting: int) -> int:
        """Prompts have limits; the highest applies to each of them."""
        if hook.type != "prompt":
            return 0
        limits = (source.max_rejections for source in map(_source, running) if source)
        return max((limit or _DEFAULT_REJECTIONS for limit in limits), default=_DEFAULT_REJECTIONS)

    def gate_denials(self, event: Event) -> int | None:
        count = event.payload.get("stop_rejection_count")
        return count if type(count) is int else None

    def contexts(self, given: Sequence[str]) -> Sequence[str]:
        """Only the last context counts (formats.md §4)."""
        return given[-1:]

    def hook_stdin(self, hook: Hook, event: Event) -> dict[str, Any]:
        """The hook's context: common fields, then the event's own under Azure's names (formats.md §4; seed 004)."""
        own = event.payload if event.host == hook.format else {}
        fields = {name: event.fields[name] for name in ("tool_name", "tool_input") if name in event.fields}
        if "tool_output" in event.fields:
            fields.update(tool_result=event.fields["tool_output"], tool_succeeded=own.get("tool_succeeded", True))
        if event.name == events.GATE:
            message = event.fields.get("final_message")
            content = message.get("content") if isinstance(message, dict) else message
            fields["final_output"] = own.get("final_output", content if isinstance(content, str) else "")
            fields["stop_hook_active"] = own.get("stop_hook_active", False)
            fields["stop_rejection_count"] = own.get("stop_rejection_count", 0)
        common = {"agent_name": event.agent_name or "", "current_turn": 0, "max_turns": 0, "execution_summary": ""}
        return {**common, **own, **fields, "hook_event_name": hook.event_as_written}

    def read_payload(self, payload: dict[str, Any], given: str | None, now: str) -> Event:
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
            host=self.name,
            session_id=text(payload.get("session_id")) or text(payload.get("execution_summary")),
            work_dir=text(payload.get("cwd")) or text(payload.get("work_dir")) or paths.working_directory(),
            timestamp=text(payload.get("timestamp")) or now,
            tool_name=tool(payload.get("tool_name")),
            tool_input=payload.get("tool_input"),
            agent_name=text(payload.get("agent_name")) or None,
            fields=fields,
            payload=payload,
        )

    def answer(self, dispatch: Dispatch) -> HostAnswer:
        """Block with exit 2, whatever `failMode` says; else write the decision and the context.

        Azure cannot ask a person: before a tool, `ask` is a denial. `stop` blocks the action, but never keeps an agent from
        stopping.
        """
        name = dispatch.event.name
        asks = dispatch.decision == "ask" and name == "pre-tool-call"
        if asks or refuses(dispatch):
            return denied(dispatch.reason or "A hook asks the user to decide")
        specific: dict[str, Any] = {}
        if dispatch.modified_input is not None and name == "pre-tool-call":
            specific["updatedInput"] = dispatch.modified_input
        if context := "\n".join((*dispatch.additional_context, *dispatch.system_messages)):
            specific["additionalContext"] = context
        if dispatch.decision != "allow" and not specific:
            return printed({})
        value: dict[str, Any] = {"decision": "allow"}
        if dispatch.reason:
            value["reason"] = dispatch.reason
        if specific:
            value["hookSpecificOutput"] = {"hookEventName": self.spelling(name) or name, **specific}
        return printed(value)

    def interpret(self, hook: Hook, event: Event, ended: Ended) -> RunResult:
        """`failMode` decides the effect of a failure."""
        problem = failure(hook, ended)
        if problem:
            return _by_fail_mode(hook, failed(ended, problem))
        if ended.exit_code:
            result = blocked_by_exit_2(hook, ended)
            reason = ended.stderr.decode(errors="replace").strip()
            return result if reason or event.name != events.GATE else _allowed_without_reason(result)
        text = unfenced(ended.stdout.decode(errors="replace"))
        result = parse(ended, text, lambda answer: _judged(hook, event, answer))
        return result if result.state == "ok" else _by_fail_mode(hook, result)


HOST = Azure()
