"""Texts and values with the words of hook files, payloads, answers and queries in any order, and anything between them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

WORDS = st.sampled_from(
    ["hooks", "PreToolUse", "pre-tool-call", "matcher", "command", "type", "timeout", "decision", "deny", "reason", "tool_name",
     "tool_input", "session_id", "event_type", "hook_event_name", "hookSpecificOutput", "permissionDecision", "name", "trigger",
     "version", "if", "spec", "since", "event", "project", "kind", "dispatch", "session", "runs", "hook", "id",
     "/project"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | WORDS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=5)
)
OBJECTS = st.dictionaries(WORDS | st.text(max_size=5), VALUES, max_size=6)
TEXTS = st.text() | OBJECTS.map(json.dumps)
BYTES = st.binary(max_size=200) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass"))
FRONTMATTER = TEXTS.map(lambda text: f"---\n{text}\n---\n")


def _texts_of(*pieces: str) -> st.SearchStrategy[str]:
    """Texts of a language: its words in any order, with anything between them."""
    return st.lists(st.sampled_from(pieces) | st.text(max_size=4)).map("".join)


QUERIES = _texts_of(":", "-", '"', "*", " ", "since:", "event:", "decision:", "slower:", "effect:", "200ms", "2h", "deny", "\\")
SCRIPTS = _texts_of(
    "sh ", "bash -c ", "python3 -m ", "./a.sh", "&&", "|", ";", "$(", ")", "`", "${", "}", "'", '"', "<<E\n", "\nE\n", "if ",
    " then ", " fi ", "{", "(", "cd ", "env A=b ", "#", "\\\n", "$HOME/"
)  # fmt: skip
# Scripts of hooks in several languages, with what rules look for in them.
HOOK_SCRIPTS = st.tuples(
    st.sampled_from(["", "#!/bin/bash\n", "#!/usr/bin/env python3\n", "#!/usr/bin/env node\n"]),
    _texts_of(
        "INPUT=$(cat)\n", "TOOL_NAME=", '"${CLAUDE_TOOL_NAME:-x}"', '"$1"', '"$TOOL_NAME"', "case ", " in ", "Bash) ", ";;",
        "esac\n", "if ", "[ -f a.json ]", "[ ", " = ", " ]", "; then ", " fi\n", " || ", " && ", "exit 2\n", "exit 0\n", "$?",
        ". ./lib.sh\n", "jq -r .tool_input", " // ", 'data.get("tool_name")', " or ", "os.environ.get('TOOL_INPUT', '')",
        "process.env.FILE_PATH", '{"decision": "block"}', "{hookSpecificOutput: {permissionDecision: 'allow'}}",
        "$(git rev-parse --show-toplevel)", "/*", "*/", "#", '"' * 3, "'" * 3, "'", '"', "`", "\\", "\n", "\r\n", "<<E\n",
        "\nE\n", "f() {", "}"
    ),
).map("".join)  # fmt: skip
MATCHERS = _texts_of(
    "Bash", "Edit|Write", "mcp__", "(", ")", "[", "]", "*", "+", ".", "|", "^", "$", "Bash(rm *)", "{2,", "\\", ","
)  # fmt: skip
CONFIGURATIONS = _texts_of(
    "[run]\n", "[log]\n", "[keys]\n", "[trust]\n", "redact", "on_error", "quit", "=", "'(a'", "[", "]", "true", "3", '"x"',
    "\n", "."
)  # fmt: skip
HANDLERS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["command", "http", "prompt", "mcp_tool"]) | SCALARS,
        "command": SCRIPTS | VALUES,
        "bash": SCRIPTS,
        "args": VALUES,
        "timeout": SCALARS,
        "timeoutSec": SCALARS,
        "if": TEXTS,
        "async": SCALARS,
        "url": TEXTS,
        "cwd": TEXTS,
    },
)
GROUPS = st.fixed_dictionaries({}, optional={"matcher": MATCHERS | VALUES, "hooks": st.lists(HANDLERS | VALUES, max_size=3)})
_EVENTS = st.sampled_from(["PreToolUse", "SessionStart", "preToolUse", "Stop"]) | WORDS
SETTINGS = st.fixed_dictionaries(
    {"hooks": st.dictionaries(_EVENTS, st.lists(GROUPS | HANDLERS | VALUES, max_size=3) | VALUES, max_size=3)},
    optional={"disableAllHooks": SCALARS, "version": SCALARS, "permissions": VALUES, "$comment": VALUES},
)
_EXAMPLE = st.fixed_dictionaries(
    {},
    optional={
        "name": SCALARS,
        "expect": st.fixed_dictionaries({}, optional={"decision": st.sampled_from(["deny", "none"]) | SCALARS, "by": SCALARS})
        | VALUES,
        "event": _EVENTS | SCALARS,
        "host": st.sampled_from(["claude", "copilot", "azure", "codex"]) | SCALARS,
        "tool": SCALARS,
        "input": OBJECTS | VALUES,
        "payload": OBJECTS | VALUES,
        "in_place": SCALARS,
    },
)
EXAMPLES = st.lists(_EXAMPLE | VALUES, max_size=3).map(json.dumps) | TEXTS
FILES = SETTINGS.map(json.dumps) | FRONTMATTER | TEXTS


def changed(value: object) -> st.SearchStrategy[str]:
    """JSON of a value in which values are replaced or keys are missing, sometimes cut."""
    return st.builds(lambda text, most: text[:most], _replaced(value).map(json.dumps), st.integers(0) | st.just(None))


def _replaced(value: object) -> st.SearchStrategy[object]:
    if isinstance(value, dict) and value:
        parts = {key: _replaced(part) for key, part in value.items()}
        return st.fixed_dictionaries({}, optional=parts) | st.fixed_dictionaries(parts) | VALUES
    if isinstance(value, list) and value:
        return st.tuples(*map(_replaced, value)).map(list) | VALUES
    return st.just(value) | st.just(value) | VALUES
