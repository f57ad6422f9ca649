"""Tool calls in Claude Code's transcripts and their outcomes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui.transcripts import claude_hooks
from hooktui.transcripts.claude_hooks import CALL_KEYS, HOOK_ERROR
from hooktui.transcripts.claude_turns import agent_of, turn_fields
from hooktui.transcripts.reading import content_text, mapping, text
from hooktui.transcripts.transcript_records import ReportedRun, TranscriptEvent

if TYPE_CHECKING:
    from hooktui.transcripts.reading import JsonObject, Reading
    from hooktui.transcripts.transcript_records import Outcome

_STOPPED_BY_PERSON = "The user doesn't want to proceed"
# Other ends of calls that Claude words in place of a result, after which no hook runs (in the programs 2.1.197 and 2.1.332).
_ENDS: dict[str, Outcome] = {
    "[Request interrupted": "interrupted",
    "[Tool call did not complete: ": "interrupted",
    "The user doesn't want to take this action": "not-started",
    "[Tool call skipped: ": "not-started",
    "[Tool call not completed: ": "not-started",  # nobody answered the question for permission
    "[Tool call interrupted: the session ended": "no-result",  # a killed session was resumed (seen in 2.1.332)
    "[Tool call result not in this copy": "no-result",
    "[Agent call interrupted: ": "no-result",
}
_DENIAL_KINDS: dict[str, Outcome] = {
    "interrupted": "interrupted",
    "cancelled": "not-started",
    **dict.fromkeys(
        ("permission-rule", "automode-blocked", "automode-unavailable", "automode-parsing-error"), "denied-by-permission"
    ),
}
_NOT_PERMITTED = ("Claude requested permissions", "denied by your permission settings", "Permission to use ")
_NOT_PERMITTED_BEFORE = re.compile(  # in programs that record no permission (2.1.197): the shell's, and those of plan mode
    r"This command requires approval|This Bash command contains multiple operations\."
    r"|Commands that change directories .* require explicit approval|.* was blocked\. For security, Claude Code may only "
    r"|Cannot .* while in plan mode\."
)
_BAD_REWRITE = re.compile(r"PreToolUse hook for \S+ returned updatedInput that failed schema validation: ")
_FAILED = re.compile(r"Exit code \d|File does not exist\.|E[A-Z]{3,}: ")  # what Claude's own tools say of a failure
_USE_ERROR, _USE_ERROR_END = "<tool_use_error>", "</tool_use_error>"
# A mod's denial: of `tool.call` it tells no name, of `tool.check` those of all mods that hear it, Claude's own last.
_MOD_EVENTS, _MOD_CALL = "tool.", "tool.call"
_CHECKED = re.compile(r"Permission to use .+? denied by plugins? (?P<mods>[^:\n]+)(?:: (?P<reason>.*))?", re.DOTALL)
_OWN_MOD = "cc-plugin-"


def read_call(reading: Reading, record: JsonObject, block: JsonObject, at: float) -> None:
    """Add a call."""
    call, uid, cwd = text(block["id"]), text(record.get("uuid")), text(record.get("cwd"))
    agent, details = agent_of(reading, record), turn_fields(reading)
    reading.notes["held"] = 0
    reading.add_call(call, text(block["name"]), block.get("input"), at, uid, agent=agent, cwd=cwd, details=details)


def read_result(reading: Reading, record: JsonObject, block: JsonObject, at: float) -> None:
    """End the call that a result belongs to."""
    call = text(block["tool_use_id"])
    before = reading.open.get(f"pre:{call}")
    if before is None:
        return
    if not block.get("is_error"):
        _end_call(reading, record, before, at, "ok")
    else:
        words = content_text(block.get("content"))
        outcome = _error_outcome(record, words, before)
        _end_call(reading, record, before, at, outcome, words)
        if outcome != "failed":
            _deny_call(before, record, words)
        if words.startswith(_USE_ERROR) and not before.hooks:
            before.hooks_recorded = "all"  # it is found before any hook is called (236 such calls in 2.1.197 and 2.1.332)


def event_of_hook(reading: Reading, record: JsonObject, name: str, call: str, at: float) -> TranscriptEvent | None:
    """The event that a hook ran for, about to change. One that ran after a failure shows that the call had begun."""
    before = reading.open.get(f"pre:{call}")
    if before and before.outcome is None and name == "PostToolUseFailure":
        _end_call(reading, record, before, at, "failed", before.reason or "")
        before.reason = None
    return reading.change(f"{CALL_KEYS[name]}:{call}") or reading.change(f"pre:{call}")


def _end_call(
    reading: Reading, record: JsonObject, before: TranscriptEvent, at: float, outcome: Outcome | None, error: str = ""
) -> None:
    """End a call as a record tells; what ran gets the event after it, with the hooks that ran there."""
    call = text(before.call)
    after = reading.end_call(call, at, outcome, **before.details)
    if after is None:
        return
    if outcome == "failed":
        after.details["error"] = error.removeprefix("Error: ")
    after.uid = f"{text(record.get('uuid'))}:{call}"
    after.cwd = text(record.get("cwd"))
    after.hooks += [run for run in before.hooks if CALL_KEYS.get(run.event) == "post"]
    before.hooks = [run for run in before.hooks if CALL_KEYS.get(run.event) != "post"]


def _error_outcome(record: JsonObject, words: str, before: TranscriptEvent) -> Outcome | None:
    """What became of a call whose result is an error; None if that is not recorded: it was refused, or it ran and failed."""
    decision = mapping(record.get("permissionDecision"))
    rejected = decision.get("decision") == "reject"
    if _BAD_REWRITE.match(words):
        return "not-started"
    event, is_hook_error, _ = words.partition(HOOK_ERROR)
    if (rejected and decision.get("source") == "hook") or (is_hook_error and event.partition(":")[0] in CALL_KEYS):
        return "denied-by-hook"
    if _is_denied_by_mod(record, words):
        return "denied-by-hook"
    if words.startswith(_STOPPED_BY_PERSON):
        return "not-started" if record.get("toolDenialBeforeRun") else "interrupted"
    asked = any(run.decision == "ask" and run.reason == words for run in before.hooks)
    if rejected or asked or any(sign in words[:500] for sign in _NOT_PERMITTED):
        return "denied-by-permission"
    ended = next((outcome for sign, outcome in _ENDS.items() if words.startswith(sign)), None)
    ended = ended or _DENIAL_KINDS.get(text(record.get("toolDenialKind")))
    if ended or words.startswith(_USE_ERROR):
        return ended or "invalid"
    if decision or _FAILED.match(words) or any(run.event == "PostToolUseFailure" for run in before.hooks):
        return "failed"
    if words == f"Hook PreToolUse:{before.tool} denied this tool":
        return "denied-by-hook"
    return "denied-by-permission" if _NOT_PERMITTED_BEFORE.match(words) else None


def _is_denied_by_mod(record: JsonObject, words: str) -> bool:
    """Whether a mod denied a call before anything else could: no permission was asked for, and the input was not invalid."""
    is_denial = record.get("toolDenialKind") == "permission-rule" and not record.get("permissionDecision")
    return is_denial and words.startswith(_USE_ERROR)


def _deny_call(before: TranscriptEvent, record: JsonObject, words: str) -> None:
    before.reason = words
    rewrites = [run for run in before.hooks if run.modified_input is not None]
    if _BAD_REWRITE.match(words) and len(rewrites) == 1:
        claude_hooks.refuse_rewrite(rewrites[0], words)
    if before.outcome != "denied-by-hook":
        return
    run = _denial(record, words)
    if run:
        before.reason = claude_hooks.add_denial(before, run)


def _denial(record: JsonObject, words: str) -> ReportedRun | None:
    """The run that denied; None if a mod may have: before a call, Claude introduces only what hooks of settings said."""
    if _is_denied_by_mod(record, words):
        reason = words.removeprefix(_USE_ERROR).removesuffix(_USE_ERROR_END)
        return ReportedRun(event=_MOD_CALL, decision="deny", reason=reason, is_mod=True)
    code = text(mapping(record.get("permissionDecision")).get("reasonCode")).removeprefix("hook:")
    if code.startswith(_MOD_EVENTS):
        return _check_of_mods(code, words)
    event, is_hook_error, told = words.partition(HOOK_ERROR)
    if is_hook_error and event.partition(":")[0] in CALL_KEYS:
        return claude_hooks.denial(event.partition(":")[0], told)
    return None if code in ("PreToolUse", "") else claude_hooks.denial(code, words)


def _check_of_mods(event: str, words: str) -> ReportedRun:
    """The denial of one of the mods that Claude names."""
    checked = _CHECKED.fullmatch(words)
    mods = checked["mods"].split(", ") if checked else []
    theirs = [mod for mod in mods if not mod.startswith(_OWN_MOD)] or mods
    reason = checked["reason"] if checked else words
    return ReportedRun(event=event, decision="deny", command=" or ".join(theirs) or None, reason=reason, is_mod=True)
