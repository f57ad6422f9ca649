"""The hook runs that Claude Code reports: attachments, and the words in which it tells a denial."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.transcripts.reading import content_text, items, mapping, number, text, whole
from hooktui.transcripts.transcript_records import ReportedRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.core.model import DecisionName, State
    from hooktui.transcripts.reading import JsonObject
    from hooktui.transcripts.transcript_records import TranscriptEvent

# The key of the event that hooks of these names ran for, before the id of its call.
CALL_KEYS = {
    "PreToolUse": "pre",
    "PermissionRequest": "pre",
    "PermissionDenied": "pre",
    "PostToolUse": "post",
    "PostToolUseFailure": "post",
}
HOOK_ERROR = " hook error: "
# A failed hook with `onFailure: block`, whatever its exit code (seen in 2.1.332).
_FAILURE = re.compile(r"(?P<how>failed|timed out); blocking because onFailure is \"block\"(?:\n(?P<stderr>.*))?", re.DOTALL)
_STATES: dict[str, State] = {"failed": "failed", "timed out": "timeout"}
_STDERR_PREFIX = "Failed with non-blocking status code: "
_TEXT_IS_CONTEXT = ("SessionStart", "UserPromptSubmit", "UserPromptExpansion", "SubagentStart")
_RESULT = "updatedToolOutput"
_DECISIONS: dict[str, DecisionName] = {"deny": "deny", "block": "deny", "ask": "ask", "allow": "allow", "approve": "allow"}


def add(event: TranscriptEvent, attachment: JsonObject) -> None:
    """Add what an attachment reports to the event that its hook ran for."""
    handler = _HANDLERS.get(text(attachment.get("type")))
    if handler:
        handler(event, attachment)


def denial(event: str, words: str) -> ReportedRun:
    """The run of a hook that denied, in the words of the denial: `[COMMAND]: REASON` after exit 2, else the bare reason.

    A hook whose entry has `onFailure: block` denies by failing.
    """
    command, reason = command_and_reason(words)
    run = ReportedRun(event=event, decision="deny", command=command, reason=reason)
    if failure := _FAILURE.fullmatch(reason):
        run.state, run.stderr = _STATES[failure["how"]], failure["stderr"] or ""
    elif command:
        run.exit_code = 2
    return run


def refuse_rewrite(run: ReportedRun, why: str) -> None:
    """Claude did not take the input or the result that a hook gave it."""
    run.state, run.decision, run.reason, run.modified_input = "invalid-output", "none", why, None


def add_denial(event: TranscriptEvent, run: ReportedRun) -> str | None:
    """Add a denial, or what it tells of one that is known; its reason. One is reported by words and by an attachment."""
    for known in event.hooks:
        if known.event == run.event and known.decision == "deny" and (known.reason in (None, run.reason)):
            known.reason, known.command = known.reason or run.reason, known.command or run.command
            return known.reason
    event.hooks.append(run)
    return run.reason


def is_effect(attachment: JsonObject) -> bool:
    """Whether an attachment tells an effect of a hook, not its run."""
    return _HANDLERS.get(text(attachment.get("type"))) in (_context, _effect, _stopped)


def command_and_reason(words: str) -> tuple[str | None, str]:
    """Split a denial into the command in brackets, None if it has none, and the reason."""
    command, is_command, reason = words.partition("]: ")
    return (command[1:], reason) if is_command and command.startswith("[") else (None, words)


def _run(attachment: JsonObject) -> ReportedRun:
    event, command = text(attachment.get("hookEvent")), text(attachment.get("command"))
    is_mod = command == f"classic.{event} hook"  # which mod is not told
    return ReportedRun(
        event=event,
        command=None if is_mod else command or None,
        is_mod=is_mod,
        exit_code=whole(attachment.get("exitCode")),
        stdout=text(attachment.get("stdout")),
        stderr=text(attachment.get("stderr")).removeprefix(_STDERR_PREFIX),
        duration_ms=number(attachment.get("durationMs")),
        dispatch=text(attachment.get("toolUseID")),
    )


def _succeeded(event: TranscriptEvent, attachment: JsonObject) -> None:
    run = _run(attachment)
    if run.stdout.lstrip().startswith("{"):
        take_answer("claude", run, 0)
        if run.decision == "stop":  # its record may come before that of the hook
            event.hooks = [known for known in event.hooks if known.command or known.decision != "stop" or known.is_mod]
    elif run.event in _TEXT_IS_CONTEXT:
        run.context = text(attachment.get("content")) or None
    _add(event, run)


def take_answer(host: str, run: ReportedRun, exit_code: int) -> State:
    """Read a run's output as its host does; the state that the run has then."""
    result = hosts.interpret(host, run.event, exit_code, run.stdout, run.stderr, label=run.command or "")
    outcome = result.outcome
    run.decision, run.reason = outcome.decision, outcome.reason
    run.modified_input = dict(outcome.modified_input) if outcome.modified_input else None
    run.context, run.system_message = outcome.additional_context, outcome.system_message
    return result.state


def _failed(event: TranscriptEvent, attachment: JsonObject) -> None:
    run = _run(attachment)
    run.state = "failed"
    _add(event, run)


def _refused(event: TranscriptEvent, attachment: JsonObject) -> None:
    """Claude Code names no hook: the only one that gave another result is the one whose result it refused."""
    name, words = text(attachment.get("hookEvent")), content_text(attachment.get("content"))
    runs = [run for run in event.hooks if run.event == name and _RESULT in run.stdout]
    if _RESULT in words and len(runs) == 1:
        refuse_rewrite(runs[0], words)
    else:
        _failed(event, attachment)


def _cancelled(event: TranscriptEvent, attachment: JsonObject) -> None:
    run = _run(attachment)
    run.state = "timeout" if attachment.get("timedOut") else "interrupted"
    run.timeout_ms = number(attachment.get("timeoutMs"))
    _add(event, run)


def _add(event: TranscriptEvent, run: ReportedRun) -> None:
    """Add a run, once: a resumed session may repeat its record, and Claude Code runs equal commands once."""
    if run not in event.hooks:
        event.hooks.append(run)


def _blocked(event: TranscriptEvent, attachment: JsonObject) -> None:
    told = mapping(attachment.get("blockingError"))
    run = _run({**attachment, "command": told.get("command")})
    command, reason = command_and_reason(text(told.get("blockingError")))
    run.decision, run.command, run.reason = "deny", run.command or command, reason
    event.reason = add_denial(event, run)


def _permission(event: TranscriptEvent, attachment: JsonObject) -> None:
    run = _run(attachment)
    run.decision = _DECISIONS.get(text(attachment.get("decision")), "none")
    event.hooks.append(run)


def _effect(event: TranscriptEvent, attachment: JsonObject) -> None:
    """An effect joins the run of its dispatch that has it, or one that spoke; else it is a run whose command is not told."""
    name, dispatch = text(attachment.get("hookEvent")), text(attachment.get("toolUseID"))
    kind = text(attachment.get("type"))
    words = _words(attachment)
    field = _EFFECTS.get(kind, "context")
    spoke = []
    for run in event.hooks:
        told = (run.context, run.system_message, run.reason, run.stdout)
        if run.event == name and any(told):
            if run.dispatch == dispatch or words in told:
                return
            spoke += [run] if getattr(run, field) is None else []
    if not spoke:
        spoke.append(ReportedRun(event=name, dispatch=dispatch))
        event.hooks += spoke
    setattr(spoke[-1], field, words)


def _context(event: TranscriptEvent, attachment: JsonObject) -> None:
    """Context at a stop makes the agent go on."""
    _effect(event, attachment)
    if attachment.get("hookEvent") in ("Stop", "SubagentStop"):
        event.outcome, event.reason = "denied", _words(attachment)


def _words(attachment: JsonObject) -> str:
    return content_text(attachment.get("content")) or "\n".join(map(text, items(attachment.get("content"))))


def _stopped(event: TranscriptEvent, attachment: JsonObject) -> None:
    """A hook ended the turn: that of an answer or a denial that is known, else one that the words may name, as in a denial."""
    name = text(attachment.get("hookEvent"))
    command, reason = command_and_reason(text(attachment.get("message")))
    runs = [run for run in event.hooks if run.event == name]
    if any(run.decision == "stop" or (run.decision == "deny" and run.reason == reason) for run in runs):
        return
    stopping = next((run for run in runs if command and run.command == command), None)
    if stopping is None:
        stopping = ReportedRun(event=name, command=command, dispatch=text(attachment.get("toolUseID")))
        event.hooks.append(stopping)
    stopping.decision, stopping.reason, stopping.exit_code = "stop", reason, 2 if command else stopping.exit_code


_EFFECTS = {"hook_system_message": "system_message"}
_HANDLERS: dict[str, Callable[[TranscriptEvent, JsonObject], None]] = {
    "hook_success": _succeeded,
    "hook_non_blocking_error": _failed,
    "hook_error_during_execution": _refused,
    "hook_cancelled": _cancelled,
    "hook_blocking_error": _blocked,
    "hook_permission_decision": _permission,
    "hook_additional_context": _context,
    "hook_system_message": _effect,
    "hook_stopped_continuation": _stopped,
}
