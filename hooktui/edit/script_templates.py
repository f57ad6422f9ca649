"""Templates of a new hook: HOOK.md, and for each host a script that reads its event and lists the possible answers.

The script is ready to run. It checks what its host does not: a pattern in the input, or any matcher.
"""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from typing import TYPE_CHECKING, Literal

from hooktui.core import events
from hooktui.core.text_sanitizer import one_line
from hooktui.edit import script_answers
from hooktui.edit.file_entries import HOSTS
from hooktui.edit.matcher_translation import TEXTS_BELOW
from hooktui.edit.script_answers import EXIT_2, NOTHING
from hooktui.formats import yaml_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.edit.drafts import HookDraft
    from hooktui.edit.script_answers import Dialect, ScriptAnswer

EDIT_HERE = "Edit here:"  # in the comment above the line to edit first
_ANSWER = 16  # columns
_LONGEST = 200  # characters of a regex in a description
_PART = re.compile(r'\s*(?:reason ?= ?f?"(?P<text>.*)"|(?P<command>\S.*))')
_ANY = ("*", ".*")
_NAMES = re.compile(r"\w+(?:\|\w+)*")
_EXIT_2 = {"sh": 'echo "{}" >&2; exit 2', "py": 'print("{}", file=sys.stderr); sys.exit(2)'}
_SAY = {"sh": "echo '{}'", "py": "print('{}')"}
_QUIET = {"sh": "exit 0", "py": "sys.exit(0)"}
_RAN = '{"log": "ran without a decision"}'  # for AgentHooks, whose hooks can write to the log

_HOOK_MD = """\
---
name: {name}
description: {description}
trigger: {trigger}
{matcher}timeout: 30000
async: false
priority: 100
---

# {name}

Describe here what this hook does and why.

- exit 0: no objection; JSON on stdout can decide otherwise
- exit 2: {blocked}; stderr is the reason
- any other exit code: the hook failed; the agent continues
"""

_HEAD = """\
{shebang}
# {name}: {purpose} ({event}).
#
# The event is one JSON object on stdin. Answers:
{answers}

"""
_READ = {
    "sh": """\
event=$(cat)

# Print the value at a path of keys, or nothing if it is missing. sh cannot read JSON, so python3 does.
field() {
    printf '%s' "$event" | python3 -I -c '
import json, sys
try:
    value = json.load(sys.stdin.buffer)
except (ValueError, RecursionError):
    value = None
if not isinstance(value, dict):
    sys.exit("stdin must be a JSON object")
for key in sys.argv[1:]:
    value = value.get(key) if isinstance(value, dict) else None
text = "" if value is None else value if isinstance(value, str) else json.dumps(value)
sys.stdout.buffer.write(text.encode(errors="replace"))' "$@"
}
""",
    "py": """\
import json
{imports}import sys


def read_event():
    # Read the event from stdin.
    try:
        event = json.load(sys.stdin.buffer)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        print("stdin must be a JSON object", file=sys.stderr)
        sys.exit({unread})
    return event


def field(value, *keys):
    # Return the value at a path of keys as text, empty if it is missing.
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
""",
}
# Added if the script must check something itself.
_MATCHES = {
    "sh": """\

# Print yes if a regex matches a text below a path of keys, at any depth, else no.
matches() {
    printf '%s' "$event" | python3 -I -c '
import json, re, sys
pattern, *keys = sys.argv[1:]
value = json.load(sys.stdin.buffer)
for key in keys:
    value = value.get(key) if isinstance(value, dict) else None
"""
    + TEXTS_BELOW
    + """\
print("yes" if any(re.search(pattern, text) for text in texts) else "no")' "$@"
}
""",
    "py": """

def matches(pattern, value):
    # Tell whether a regex matches a text in a value, at any depth.
"""
    + textwrap.indent(TEXTS_BELOW, "    ")
    + """\
    return any(re.search(pattern, text) for text in texts)
""",
}
_BEGIN = {
    "sh": "\n{variable}=$(field {keys}) || exit {unread}\n",
    "py": "\n\nevent = read_event()\n{variable} = field(event, {keys})\n",
}
_SKIP = {
    "sh": '[ "$(matches {pattern} {key})" = no ] && exit 0\n',
    "py": 'if not matches({pattern}, event.get("{key}")):\n    sys.exit(0)\n',
}
_DENY_COMMENT = "\n# Deny what the hook matches.\n# Edit here: say why, and what to do instead.\n"
_NONE_COMMENT = "\n# No decision yet{effect}.\n# Edit here: look at {variable} and answer.\n"
_DENY = {
    "sh": 'reason="Blocked this $tool call"\necho "$reason" >&2\nexit 2\n',
    "py": 'reason = f"Blocked this {tool} call"\nprint(reason, file=sys.stderr)\nsys.exit(2)\n',
}
# Every version of Copilot CLI reads a decision from its own JSON.
_DENY_COPILOT = {
    "sh": """\
reason="Blocked this $tool call"
python3 -I -c '
import json, sys
print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": sys.argv[1]}))' "$reason"
""",
    "py": """\
reason = f"Blocked this {tool} call"
print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": reason}))
""",
}


def hook_md(draft: HookDraft) -> str:
    """Return the text of HOOK.md."""
    matcher = {"tool": draft.tool, "pattern": draft.pattern}
    quote = "'"  # in single quotes a regex needs no escapes
    lines = [f"  {key}: {yaml_source.scalar(regex, quote)}\n" for key, regex in matcher.items() if regex is not None]
    return _HOOK_MD.format(
        name=yaml_source.scalar(draft.name),
        description=yaml_source.scalar(purpose(draft)),
        trigger=draft.written,
        matcher="".join(["matcher:\n", *lines]) if lines else "",
        blocked="the agent keeps working" if draft.canonical == events.GATE else "denied",
    )


def purpose(draft: HookDraft) -> str:
    """Describe what a hook does, in a line."""
    condition = f" whose input matches {_shown(draft.pattern)}" if draft.pattern else ""
    if draft.denies:
        return f"Denies {_calls(draft.tool)}{condition}"
    meaning = events.MEANING.get(draft.canonical, f"{HOSTS[draft.place.format]} fires it")
    if draft.canonical in events.TOOL_EVENTS:
        about = f", for {_calls(draft.tool)}{condition}" if draft.tool or condition else ""
    else:
        about = f", if it matches {_shown(draft.tool)}" if draft.tool else ""
    return f"Runs when {meaning}{about}"


def _calls(tool: str | None) -> str:
    """Describe the tool calls that a matcher accepts."""
    if not tool or tool in _ANY:
        return "tool calls"
    *others, last = tool.split("|")
    names = f"{', '.join(others)} or {last}" if others else last
    return f"calls to {names}" if _NAMES.fullmatch(tool) else f"calls to tools that match {_shown(tool)}"


def _shown(regex: str | None) -> str:
    text = one_line(regex or "")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def script(draft: HookDraft) -> str:
    """Return the text of the script, which reads its event and denies what it matches."""
    return "".join(_parts(draft))


def part_to_edit(text: str, first: int = 1) -> tuple[int, int, int]:
    """Find the part of a script to edit first: the text of a reason, else a whole command.

    The script begins at or after line `first`. Returns line, start and end column, 1-based, the end exclusive.
    """
    lines = text.split("\n")
    number = next((number for number, line in enumerate(lines[first - 1 :], first) if EDIT_HERE in line), first - 1) + 1
    match = _PART.match(lines[number - 1] if number <= len(lines) else "")
    start, end = match.span(match.lastgroup or 0) if match else (0, 0)
    return number, start + 1, end + 1


def _parts(draft: HookDraft) -> Iterator[str]:
    language = draft.syntax
    dialect = script_answers.dialect_of(draft.place.format, draft.written)
    keys = dialect.value_keys(draft.canonical)
    variable = script_answers.variable(keys)
    path = " ".join(keys) if language == "sh" else ", ".join(json.dumps(key) for key in keys)
    filters = any(draft.script_filter)
    yield _head(draft, dialect)
    unread = "2" if draft.denies else "1"  # a guard denies what it cannot read; any other hook fails
    yield _READ[language].replace("{imports}", "import re\n" if filters else "").replace("{unread}", unread)
    yield _MATCHES[language] if filters else ""
    yield _BEGIN[language].format(variable=variable, keys=path, unread=unread)
    yield from _filter_lines(draft, dialect)
    yield _action(draft, dialect, variable)


def _head(draft: HookDraft, dialect: Dialect) -> str:
    event = events.spelling(draft.canonical, "pascal") or draft.canonical
    answers = script_answers.answers(draft.place.format, dialect, draft.canonical, event)
    return _HEAD.format(
        shebang=dialect.first_lines(draft.language),
        name=draft.name,
        purpose=purpose(draft)[0].lower() + purpose(draft)[1:],
        event=draft.written,
        answers="\n".join(f"#   {answer.effect:<{_ANSWER}} {_line(answer, draft.syntax)}" for answer in answers),
    )


def _filter_lines(draft: HookDraft, dialect: Dialect) -> Iterator[str]:
    """Yield the lines that end the script if the event does not match."""
    keys = (dialect.value_keys("pre-tool-call")[0], dialect.input_key)
    filters = [(regex, key) for regex, key in zip(draft.script_filter, keys, strict=True) if regex]
    if filters:
        yield f"\n# {HOSTS[draft.place.format]} does not check this itself: skip events this hook does not match.\n"
    for regex, key in filters:
        pattern = shlex.quote(regex) if draft.syntax == "sh" else repr(regex)
        yield _SKIP[draft.syntax].format(pattern=pattern, key=key)


def _action(draft: HookDraft, dialect: Dialect, variable: str) -> str:
    """Return the decision of the new script. The hook's name may contain quotes, so no code contains it."""
    if draft.denies:
        return _DENY_COMMENT + (_DENY_COPILOT if dialect.denies_in_json else _DENY)[draft.syntax]
    comment = _NONE_COMMENT.format(effect=": only note in the log that it ran" if dialect.logs else "", variable=variable)
    return f"{comment}{_SAY[draft.syntax].format(_RAN) if dialect.logs else _QUIET[draft.syntax]}\n"


def _line(answer: ScriptAnswer, language: Literal["sh", "py"]) -> str:
    if answer.output == NOTHING:
        return "exit 0, with nothing on stdout"
    return _EXIT_2[language].format(answer.reason) if answer.output == EXIT_2 else _SAY[language].format(answer.output)
