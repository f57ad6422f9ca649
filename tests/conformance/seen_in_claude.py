"""What the real Claude Code 2.1.330 did with each of these hooks: the tables "Seen in the real Claude Code" of formats.md §3.

`test_seen_in_claude.py` compares hooktui with it; `tests/hosts/test_seen_in_claude.py` runs the same rows in the real program.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hooktui.core.model import DecisionName

    # ran: the tool ran; kept: it did not; on: the agent continued; stopped: it stopped; unheard: the prompt never
    # reached the model.
    Did = Literal["ran", "kept", "on", "stopped", "unheard"]

USER, PROJECT, LOCAL = "~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"
REASON = "the moon is full"
RUNS = "echo hook >> runs.txt"  # a hook that leaves a trace of each of its runs


@dataclass(frozen=True, slots=True)
class Seen:
    """One experiment. `files` are settings; `told` reached the model; `runs` is how often hooks left their trace.

    `tool_input` is what the tool ran with when it was rewritten. `decision` is what hooktui makes of it. `before` is what
    2.1.197 did and what hooktui makes of that, where it differs.
    """

    name: str
    files: Mapping[str, str]
    did: Did
    decision: DecisionName
    event: str = "PreToolUse"
    told: str = ""
    runs: int | None = None
    tool_input: Mapping[str, Any] = field(default_factory=dict)
    before: tuple[Did, DecisionName] | None = None


def write(seen: Seen, home: Path, project: Path) -> None:
    """Write the files of an experiment."""
    (project / "marks-the-project").touch()
    for name, text in seen.files.items():
        path = home / name[2:] if name.startswith("~/") else project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _settings(event: str, *commands: str, matcher: Any = "", **entry: Any) -> str:
    entries = [{"type": "command", "command": command, **entry} for command in commands]
    return json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": entries}]}})


def _says(answer: Any, code: int = 0, stderr: str = "") -> str:
    """A command that reads its stdin and answers."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    command = f"cat > /dev/null; printf '%s' '{text}'; printf '%s' '{stderr}' >&2; exit {code}"
    return command.replace(REASON, "the moon'' is full")  # Claude sends the command to the model, too


def _permission(decision: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision, **fields}}


def _seen(name: str, event: str, command: str, did: Did, decision: DecisionName, told: str = "", /, **entry: Any) -> Seen:
    """One hook in the user's file; `entry` are further keys."""
    return Seen(name, {USER: _settings(event, command, **entry)}, did, decision, event, told)


_DENY = _permission("deny", permissionDecisionReason=REASON)
_ASK = _permission("ask", permissionDecisionReason=REASON)
_BLOCK = {"decision": "block", "reason": REASON}
_UNNAMED = {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": REASON}}
_MISNAMED = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "deny"}}
_HALT = {"continue": False, "stopReason": REASON}

_KEPT = (
    _seen("exit 2 with stderr", "PreToolUse", _says("", 2, REASON), "kept", "deny", REASON),
    _seen("exit 2 without stderr", "PreToolUse", _says("", 2), "kept", "deny"),
    _seen("a JSON denial at exit 0", "PreToolUse", _says(_DENY), "kept", "deny", REASON),
    _seen("a JSON denial at exit 1", "PreToolUse", _says(_DENY, 1), "kept", "deny", REASON),
    _seen("a JSON allow with exit 2", "PreToolUse", _says(_permission("allow"), 2, REASON), "kept", "deny", REASON),
    _seen("a block at the top level", "PreToolUse", _says(_BLOCK), "kept", "deny", REASON),
    _seen("ask without a terminal", "PreToolUse", _says(_ASK), "kept", "ask", REASON),
    _seen("a missing Python script", "PreToolUse", f"'{sys.executable}' /nowhere/guard.py", "kept", "deny"),
)
_RAN = (
    _seen("a denial without hookEventName", "PreToolUse", _says(_UNNAMED), "ran", "none"),
    _seen("an unknown permissionDecision", "PreToolUse", _says(_permission("refuse")), "ran", "none"),
    _seen("an unknown decision", "PreToolUse", _says({"decision": "deny", "reason": REASON}), "ran", "none"),
    _seen("a denial outside of hookSpecificOutput", "PreToolUse", _says(_DENY["hookSpecificOutput"]), "ran", "none"),
    _seen("a denial with the name of another event", "PreToolUse", _says(_MISNAMED), "ran", "none"),
    _seen("broken JSON", "PreToolUse", _says('{"decision": "block"'), "ran", "none"),
    _seen("a log line before the JSON", "PreToolUse", _says("checking " + json.dumps(_BLOCK)), "ran", "none"),
    _seen("exit 1", "PreToolUse", _says("", 1, REASON), "ran", "none"),
    _seen("a missing script", "PreToolUse", "/nowhere/guard.sh", "ran", "none"),
    _seen("a timeout", "PreToolUse", "sleep 20; exit 2", "ran", "none", timeout=1),
    _seen("an async hook that exits with 2", "PreToolUse", _says("", 2, REASON), "ran", "none", **{"async": True}),
    _seen("continue false", "PreToolUse", _says(_HALT), "ran", "stop"),
    replace(
        _seen("continue false together with a denial", "PreToolUse", _says({**_HALT, **_DENY}), "kept", "stop", REASON),
        before=("kept", "deny"),
    ),
    _seen("a stopReason alone", "PreToolUse", _says({"stopReason": REASON}), "ran", "none"),
)


def _on_failure(name: str, command: str, did: Did, decision: DecisionName, event: str = "PreToolUse", /, **entry: Any) -> Seen:
    """A hook whose failures block since some version between 2.1.197 and 2.1.330."""
    return replace(_seen(name, event, command, did, decision, onFailure="block", **entry), before=("ran", "none"))


_FAILS = _says("", 1)
_ON_FAILURE = (
    _on_failure("onFailure: exit 1", _FAILS, "kept", "deny"),
    _on_failure("onFailure: exit 1 beside JSON", _says({"suppressOutput": True}, 1), "kept", "deny"),
    _on_failure("onFailure: a missing script", "/nowhere/guard.sh", "kept", "deny"),
    _on_failure("onFailure: a timeout", "sleep 20", "kept", "deny", timeout=1),
    _on_failure("onFailure: JSON that Claude rejects", _says({"hookSpecificOutput": {}}), "kept", "deny"),
    _on_failure("onFailure: broken JSON", _says('{"decision": "block"'), "ran", "none"),
    _on_failure("onFailure: text at exit 0", _says("hello"), "ran", "none"),
    _on_failure("onFailure: a prompt", _FAILS, "unheard", "deny", "UserPromptSubmit"),
    _on_failure("onFailure: after the tool", _FAILS, "ran", "deny", "PostToolUse"),
    _on_failure("onFailure: an async hook", _FAILS, "ran", "none", **{"async": True}),
    replace(_on_failure("onFailure: a gate", _FAILS, "stopped", "none", "Stop"), before=None),
)


def _rewrite(text: str) -> dict[str, Any]:
    return {"command": f"echo {text} >> ran.txt", "description": text}


def _rewritten(name: str, decision: DecisionName, *commands: str) -> Seen:
    return Seen(name, {USER: _settings("PreToolUse", *commands)}, "ran", decision, tool_input=_rewrite("second"))


_FIRST, _SECOND = (_permission("allow", updatedInput=_rewrite(text)) for text in ("first", "second"))
_ALONE = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": _rewrite("second")}}
_REWRITTEN = (
    _rewritten("a rewrite with a decision", "allow", _says(_SECOND)),
    _rewritten("a rewrite without a decision", "none", _says(_ALONE)),
    _rewritten("two rewrites: the one that finished last", "allow", "sleep 1; " + _says(_SECOND), _says(_FIRST)),
)
_NESTED_BLOCK = {"hookSpecificOutput": {"hookEventName": "Stop", **_BLOCK}}
_CONTEXT = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": REASON}}
_LATE = {"hookSpecificOutput": {**_DENY["hookSpecificOutput"], "hookEventName": "PostToolUse"}}
_OTHER_EVENTS = (
    _seen("a gate that blocks with a reason", "Stop", _says(_BLOCK), "on", "deny", REASON),
    _seen("a gate that blocks without a reason", "Stop", _says({"decision": "block"}), "on", "deny"),
    _seen("a gate that exits with 2", "Stop", _says("", 2, REASON), "on", "deny", REASON),
    _seen("a gate that exits with 2 without stderr", "Stop", _says("", 2), "on", "deny"),
    _seen("a gate whose script is missing", "Stop", f"'{sys.executable}' /nowhere/gate.py", "stopped", "none"),
    _seen("a gate whose reason names a missing file", "Stop", _says("", 2, "x.py: No such file"), "stopped", "none"),
    _seen("a gate that also prints", "Stop", _says("red", 2, "x.py: No such file"), "on", "deny"),
    _seen("a gate that blocks only inside hookSpecificOutput", "Stop", _says(_NESTED_BLOCK), "stopped", "none"),
    _seen("a matcher on a gate", "Stop", _says(_BLOCK), "on", "deny", REASON, matcher="Edit"),
    _seen("a block after the tool", "PostToolUse", _says(_BLOCK), "ran", "deny", REASON),
    _seen("exit 2 after the tool", "PostToolUse", _says("", 2, REASON), "ran", "deny", REASON),
    _seen("context after the tool", "PostToolUse", _says(_CONTEXT), "ran", "none", REASON),
    _seen("context at the top level", "PostToolUse", _says({"additionalContext": REASON}), "ran", "none"),
    _seen("a permission after the tool", "PostToolUse", _says(_LATE), "ran", "none"),
    _seen("continue false after the tool", "PostToolUse", _says(_HALT), "ran", "stop"),
    _seen("a block after all tools of a turn", "PostToolBatch", _says(_BLOCK), "ran", "stop"),
    _seen("exit 2 after all tools of a turn", "PostToolBatch", _says("", 2, REASON), "ran", "stop"),
    _seen("a blocked prompt", "UserPromptSubmit", _says(_BLOCK), "unheard", "deny"),
    _seen("a prompt and exit 2", "UserPromptSubmit", _says("", 2, REASON), "unheard", "deny"),
    _seen("plain text for a prompt", "UserPromptSubmit", _says(REASON), "ran", "none", REASON),
    _seen("plain text for a session", "SessionStart", _says(REASON), "ran", "none", REASON),
    _seen("continue false for a session", "SessionStart", _says(_HALT), "ran", "none"),
)

_MATCHED: tuple[tuple[tuple[str, ...], Did, DecisionName, str], ...] = (
    (("bash", "Bas", "["), "ran", "none", ""),
    (("", "*", "Bash", "Bas.", "as.", "Edit|Bash", "Edit, Bash", "^(?!Edit).*$"), "kept", "deny", REASON),
)
_MATCHERS = tuple(
    _seen(f"matcher {matcher!r}", "PreToolUse", _says("", 2, REASON), did, decision, told, matcher=matcher)
    for matchers, did, decision, told in _MATCHED
    for matcher in matchers
)

_GOOD = {"matcher": "", "hooks": [{"type": "command", "command": _says("", 2, REASON)}]}


def _beside(*groups: Any, event: str = "PreToolUse") -> str:
    """A file with a good guard and something else."""
    others = {event: list(groups)} if event != "PreToolUse" else {}
    return json.dumps({"hooks": {"PreToolUse": [_GOOD, *(groups if event == "PreToolUse" else ())], **others}})


def _beside_setting(key: str, value: Any) -> str:
    return json.dumps({key: value, **json.loads(_beside())})


_WRONG_SETTINGS = {"model": 5, "verbose": "no", "permissions": {"deny": "Bash"}, "enabledPlugins": [], "cleanupPeriodDays": -1}


def _group(**entry: Any) -> dict[str, Any]:
    return {"matcher": "", "hooks": [entry]}


_SKIPPED = tuple(
    Seen(f"a file with {what} is skipped whole", {USER: text}, "ran", "none")
    for what, text in (
        ("a flat entry", _beside({"type": "command", "command": "true"})),
        ("an entry without type", _beside(_group(command="true"))),
        ("an entry of an unknown type", _beside(_group(type="magic", command="true"))),
        ("an object as matcher", _beside({**_GOOD, "matcher": {"tool": "Bash"}})),
        ("a timeout in quotes", _beside(_group(type="command", command="true", timeout="30"))),
        ("a comment", "// hooks\n" + _beside()),
        *((f"{key} as {value!r}", _beside_setting(key, value)) for key, value in _WRONG_SETTINGS.items()),
        ("a trailing comma", _beside()[:-1] + ",}"),
    )
)
_FILES = (
    *_SKIPPED,
    *(
        Seen(f"{what} at another event loses only itself", {USER: _beside(group, event="Stop")}, "kept", "deny", told=REASON,
             before=("ran", "none"))
        for what, group in (
            ("an entry without type", _group(command="true")),
            ("a flat entry", {"type": "command", "command": "true"}),
            ("a number as matcher", {**_GOOD, "matcher": 5}),
        )
    ),
    *(
        Seen(f"{key} loses the file", {USER: json.dumps({key: value, **json.loads(_settings("PreToolUse", _says("", 2)))})},
             "ran", "none", before=("kept", "deny"))
        for key, value in (("PreToolUse", [_GOOD]), ("_parked", {"PreToolUse": [_GOOD]}), ("old", _GOOD))
    ),
    Seen("other hooks outside of hooks are fine", {USER: json.dumps({"_parked": {"Stop": [_GOOD]}, **json.loads(_beside())})},
         "kept", "deny", told=REASON),
    Seen("an unknown event loses only itself", {USER: _beside(_GOOD, event="BeforeTool")}, "kept", "deny", told=REASON),
    Seen("a byte order mark is fine", {USER: "\ufeff" + _beside()}, "kept", "deny", told=REASON),
    Seen("one handler in two files", dict.fromkeys((PROJECT, LOCAL), _settings("PreToolUse", RUNS)), "ran", "none", runs=1),
    Seen("two handlers in two files", {PROJECT: _settings("PreToolUse", RUNS), LOCAL: _settings("PreToolUse", RUNS + " ")},
         "ran", "none", runs=2),
)  # fmt: skip


def _switch(**switches: bool) -> dict[str, str]:
    """A guard in the user's file, and `disableAllHooks` in some files."""
    files = {"user": USER, "project": PROJECT, "local": LOCAL}
    switched: dict[str, Any] = {files[name]: {"disableAllHooks": value} for name, value in switches.items()}
    switched[USER] = switched.get(USER, {}) | json.loads(_beside())
    return {name: json.dumps(value) for name, value in switched.items()}


_SWITCHED = (
    Seen("switched off by the user", _switch(user=True), "ran", "none"),
    Seen("the project over the user", _switch(user=True, project=False), "kept", "deny", told=REASON),
    Seen("the project switches off", _switch(project=True), "ran", "none"),
    Seen("local over the project", _switch(project=True, local=False), "kept", "deny", told=REASON),
    Seen("local switches off", _switch(user=False, project=False, local=True), "ran", "none"),
)
_ENVIRONMENT = (
    _seen(
        "environment and directory",
        "PreToolUse",
        'test "$CLAUDE_PROJECT_DIR" = "$PWD" && test -z "${TOOL_INPUT_FILE_PATH+set}" && '
        'test -f marks-the-project && { echo "the moon"" is full" >&2; exit 2; }',
        "kept",
        "deny",
        REASON,
    ),
    _seen(
        "the project's directory in the arguments of a program",
        "PreToolUse",
        "sh",
        "kept",
        "deny",
        REASON,
        args=[
            "-c",
            'test "$0" = "<$PWD>" && test "$1" = "$(echo \'$CLAUDE_PROJECT_DIR\')" && echo "the moon"" is full" >&2 && exit 2',
            "<${CLAUDE_PROJECT_DIR}>",
            "$CLAUDE_PROJECT_DIR",
        ],
    ),
    _seen("a program below a variable", "PreToolUse", "$CLAUDE_PROJECT_DIR/guard", "ran", "none", args=[]),
)

# Rows of one hook before a tool that can be seen side by side in one session: none of them stops it.
_ONE_HOOK = (*_KEPT, *_RAN, *_ON_FAILURE, *_MATCHERS, *_ENVIRONMENT)
IN_ONE_SESSION = tuple(seen for seen in _ONE_HOOK if seen.event == "PreToolUse" and seen.decision != "stop")
ROWS = (*_KEPT, *_RAN, *_ON_FAILURE, *_REWRITTEN, *_OTHER_EVENTS, *_MATCHERS, *_FILES, *_SWITCHED, *_ENVIRONMENT)
