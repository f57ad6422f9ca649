"""Answers of hooks and what Codex CLI 0.169 does with each, seen in the real program (tests/hosts/test_codex.py)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

REASON = "not while the moon is full"
NEW = {"command": "echo new >> ran.txt"}


class Answer(NamedTuple):
    """What a hook prints on an event, its exit code, and the decision that Codex obeys."""

    event: str
    decision: str
    stdout: Any = ""
    stderr: str = ""
    code: int = 0

    @property
    def text(self) -> str:
        """What it prints on stdout."""
        return self.stdout if isinstance(self.stdout, str) else json.dumps(self.stdout)


def nested(event: str = "PreToolUse", **fields: object) -> dict[str, Any]:
    """An answer with these fields in its hookSpecificOutput."""
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


DENIAL = nested(permissionDecision="deny", permissionDecisionReason=REASON)
BLOCK = {"decision": "block", "reason": REASON}
_TOOL, _STOP, _PROMPT, _RESULT = "PreToolUse", "Stop", "UserPromptSubmit", "PostToolUse"
# Those that hooktui once judged as other hosts do; each runs in the real program.
SURPRISING = {
    "silent exit 2": Answer(_TOOL, "none", code=2),
    "continue: false": Answer(_TOOL, "none", {"continue": False, "stopReason": REASON}),
    "ask": Answer(_TOOL, "none", nested(permissionDecision="ask", permissionDecisionReason=REASON)),
    "an extra key": Answer(_TOOL, "none", {"foo": 1, **DENIAL}),
    "an extra key inside": Answer(_TOOL, "none", nested(permissionDecision="deny", permissionDecisionReason=REASON, foo=1)),
    "a denial without a reason": Answer(_TOOL, "none", nested(permissionDecision="deny")),
    "a bare allow": Answer(_TOOL, "none", nested(permissionDecision="allow")),
    "approve": Answer(_TOOL, "none", {"decision": "approve"}),
    "a rewrite without allow": Answer(_TOOL, "none", nested(updatedInput=NEW)),
    "a rewrite without a command": Answer(_TOOL, "deny", nested(permissionDecision="allow", updatedInput={"cmd": "ls"})),
    "a denial without hookEventName": Answer(
        _TOOL, "none", {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": REASON}}
    ),
    "a denial in the name of another event": Answer(
        _TOOL, "deny", nested("Stop", permissionDecision="deny", permissionDecisionReason=REASON)
    ),
    "a denial": Answer(_TOOL, "deny", DENIAL),
    "a gate without a reason": Answer(_STOP, "none", {"decision": "block"}),
    "a silent gate": Answer(_STOP, "none", code=2),
    "a nested gate": Answer(_STOP, "none", nested("Stop", decision="block", reason=REASON)),
    "a gate": Answer(_STOP, "deny", BLOCK),
    "continue: false behind a tool": Answer(_RESULT, "deny", {"continue": False, "stopReason": REASON}),
    "a prompt blocked without a reason": Answer(_PROMPT, "none", {"decision": "block"}),
}
OTHERS = {
    "blanks on stderr": Answer(_TOOL, "none", stderr=" \n", code=2),
    "exit 2": Answer(_TOOL, "deny", stderr=REASON, code=2),
    "exit 2 beside an allow": Answer(_TOOL, "deny", nested(permissionDecision="allow"), REASON, 2),
    "exit 2 with the reason on stdout": Answer(_TOOL, "none", REASON, code=2),
    "a denial with a blank reason": Answer(_TOOL, "none", nested(permissionDecision="deny", permissionDecisionReason=" ")),
    "block": Answer(_TOOL, "deny", BLOCK),
    "block without a reason": Answer(_TOOL, "none", {"decision": "block"}),
    "decision deny": Answer(_TOOL, "none", {"decision": "deny", "reason": REASON}),
    "stopReason": Answer(_TOOL, "none", {"stopReason": REASON}),
    "a denial with continue: false": Answer(_TOOL, "none", {"continue": False, **DENIAL}),
    "suppressOutput": Answer(_TOOL, "none", {"suppressOutput": True, **DENIAL}),
    "suppressOutput: false": Answer(_TOOL, "deny", {"suppressOutput": False, **DENIAL}),
    "a reason alone": Answer(_TOOL, "none", {"reason": REASON}),
    "systemMessage": Answer(_TOOL, "deny", {"systemMessage": "m", **DENIAL}),
    "block beside an allow": Answer(_TOOL, "none", {**BLOCK, **nested(permissionDecision="allow")}),
    "approve beside a denial": Answer(_TOOL, "deny", {"decision": "approve", **DENIAL}),
    "a denial with a rewrite": Answer(
        _TOOL, "none", nested(permissionDecision="deny", permissionDecisionReason=REASON, updatedInput=NEW)
    ),
    "permissionDecision at the top": Answer(_TOOL, "none", DENIAL["hookSpecificOutput"]),
    "permissionDecision block": Answer(_TOOL, "none", nested(permissionDecision="block", permissionDecisionReason=REASON)),
    "a denial with exit 1": Answer(_TOOL, "none", DENIAL, code=1),
    "an array": Answer(_TOOL, "none", "[1]"),
    "a line before the denial": Answer(_TOOL, "none", f"log\n{json.dumps(DENIAL)}"),
    "null": Answer(_TOOL, "deny", {"decision": None, "reason": None, **DENIAL}),
    "a reason that is no text": Answer(_TOOL, "none", {"decision": "block", "reason": 1}),
    "a gate with an extra key": Answer(_STOP, "none", {**BLOCK, "x": 1}),
    "a gate that says stop": Answer(_STOP, "stop", {**BLOCK, "continue": False}),
    "a gate with suppressOutput": Answer(_STOP, "deny", {**BLOCK, "suppressOutput": True}),
    "a gate with hookSpecificOutput": Answer(_STOP, "none", {**BLOCK, **nested("Stop")}),
    "a gate that prints text": Answer(_STOP, "none", "hello"),
    "a blocked prompt": Answer(_PROMPT, "deny", BLOCK),
    "a stopped prompt": Answer(_PROMPT, "stop", {"continue": False}),
    "a result with suppressOutput": Answer(_RESULT, "none", {**BLOCK, "suppressOutput": True}),
    "a replaced result": Answer(_RESULT, "deny", BLOCK),
}
