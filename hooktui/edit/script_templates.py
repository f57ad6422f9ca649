"""The texts of a new hook: HOOK.md, and for every host a script that reads its event and shows each answer in a comment.

It is ready to run. What its host does not look for, a pattern in the input or any matcher, it looks for itself.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from typing import TYPE_CHECKING

import yaml

from hooktui.core import events
from hooktui.core.text_sanitizer import one_line
from hooktui.edit import script_answers
from hooktui.edit.locate_entry import HOSTS
from hooktui.edit.script_answers import EXIT_2, NOTHING
from hooktui.formats import yaml_writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.edit.drafts import HookDraft, Language
    from hooktui.edit.script_answers import ScriptAnswer

GO_ON = "Go on here:"  # stands above the line that a person changes first
_ANSWER = 16  # columns
_LONGEST = 200  # characters of a regex in what a hook is said to do
_PART = re.compile(r'\s*(?:reason ?= ?f?"(?P<words>.*)"|(?P<command>\S.*))')
_ANY = ("*", ".*")
_NAMES = re.compile(r"\w+(?:\|\w+)*")
_SHEBANGS = {"sh": "#!/bin/sh", "py": "#!/usr/bin/env python3"}
_AZURE_SH = "#!/bin/bash"  # the only shell that Azure takes (formats.md §4)
_EXIT_2 = {"sh": 'echo "{}" >&2; exit 2', "py": 'print("{}", file=sys.stderr); sys.exit(2)'}
_SAY = {"sh": "echo '{}'", "py": "print('{}')"}
_QUIET = {"sh": "exit 0", "py": "sys.exit(0)"}
_RAN = '{"log": "ran, and decided nothing yet"}'  # where there is a log for it

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

Say here, for people, what this hook does and why.

- exit 0: nothing to object to; JSON on stdout may say more
- exit 2: {blocked}; stderr is the reason
- any other exit: the hook has failed, and the agent goes on
"""

_HEAD = """\
{shebang}
# {name}: {purpose} ({event}).
#
# The event is one JSON object on stdin. Answers:
{answers}

"""
_READS = {
    "sh": """\
event=$(cat)

# sh reads no JSON, so python3 does: the value below some keys, nothing when it is absent. Fails where there is no event.
field() {
    printf '%s' "$event" | python3 -I -c '
import json, sys
try:
    value = json.load(sys.stdin.buffer)
except (ValueError, RecursionError):
    value = None
if not isinstance(value, dict):
    sys.exit("there is no event on stdin that can be read")
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
    # The event on stdin.
    try:
        event = json.load(sys.stdin.buffer)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        print("there is no event on stdin that can be read", file=sys.stderr)
        sys.exit({unread})
    return event


def field(value, *keys):
    # The value below some keys as text, empty when it is absent.
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
""",
}
# Added where the script must look for something itself.
_FINDS = {
    "sh": """
# Whether a regex finds something in a text below some keys, at any depth: yes or no.
finds() {
    printf '%s' "$event" | python3 -I -c '
import json, re, sys
pattern, *keys = sys.argv[1:]
value = json.load(sys.stdin.buffer)
for key in keys:
    value = value.get(key) if isinstance(value, dict) else None
values = [value]
for value in values:
    values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
texts = (value if isinstance(value, str) else json.dumps(value) for value in values if isinstance(value, (str, int, float)))
print("yes" if any(re.search(pattern, text) for text in texts) else "no")' "$@"
}
""",
    "py": """

def finds(pattern, value):
    # Whether a regex finds something in a text, at any depth.
    values = [value]
    for value in values:
        values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    texts = (value if isinstance(value, str) else json.dumps(value) for value in values if isinstance(value, (str, int, float)))
    return any(re.search(pattern, text) for text in texts)
""",
}
_BEGINS = {
    "sh": "\n{variable}=$(field {keys}) || exit {unread}\n",
    "py": "\n\nevent = read_event()\n{variable} = field(event, {keys})\n",
}
_LEAVES = {
    "sh": '[ "$(finds {pattern} {key})" = no ] && exit 0\n',
    "py": 'if not finds({pattern}, event.get("{key}")):\n    sys.exit(0)\n',
}
_DENIES = "\n# What its matcher finds comes here, and is denied.\n# Go on here: say why, and what to do instead.\n"
_DECIDES = "\n# It decides nothing yet{told}.\n# Go on here: look at {variable}, and answer.\n"
_DENY = {
    "sh": 'reason="This call of $tool is not allowed here"\necho "$reason" >&2\nexit 2\n',
    "py": 'reason = f"This call of {tool} is not allowed here"\nprint(reason, file=sys.stderr)\nsys.exit(2)\n',
}
# Copilot CLI reads a decision from its own JSON in every version.
_DENY_COPILOT = {
    "sh": """\
reason="This call of $tool is not allowed here"
python3 -I -c '
import json, sys
print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": sys.argv[1]}))' "$reason"
""",
    "py": """\
reason = f"This call of {tool} is not allowed here"
print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": reason}))
""",
}


def hook_md(draft: HookDraft) -> str:
    """The text of HOOK.md."""
    matcher = {"tool": draft.tool, "pattern": draft.pattern}
    lines = [f"  {key}: {_scalar(regex)}\n" for key, regex in matcher.items() if regex is not None]
    return _HOOK_MD.format(
        name=yaml_writer.scalar(draft.name),
        description=yaml_writer.scalar(purpose(draft)),
        trigger=draft.written,
        matcher="".join(["matcher:\n", *lines]) if lines else "",
        blocked="the agent goes on working" if draft.canonical == events.GATE else "denied",
    )


def purpose(draft: HookDraft) -> str:
    """What a hook does, in a line, told from what was chosen for it."""
    sought = f" whose input matches {_shown(draft.pattern)}" if draft.pattern else ""
    if draft.denies:
        return f"Denies {_calls(draft.tool)}{sought}"
    meaning = events.MEANING.get(draft.canonical, f"{HOSTS[draft.place.format]} says so")
    if draft.canonical in events.TOOL_EVENTS:
        about = f", for {_calls(draft.tool)}{sought}" if draft.tool or sought else ""
    else:
        about = f", if it matches {_shown(draft.tool)}" if draft.tool else ""
    return f"Runs when {meaning}{about}"


def _calls(tool: str | None) -> str:
    """Calls of the tools that a matcher names, or is like."""
    if not tool or tool in _ANY:
        return "tool calls"
    *others, last = tool.split("|")
    names = f"{', '.join(others)} or {last}" if others else last
    return f"calls of {names}" if _NAMES.fullmatch(tool) else f"calls of tools that match {_shown(tool)}"


def _shown(regex: str | None) -> str:
    """A regex on a line of prose or of a comment, of which it shall not be the end."""
    text = one_line(regex or "")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def script(draft: HookDraft) -> str:
    """The text of the script: it reads its event, and denies what it was asked to find."""
    return "".join(_parts(draft))


def part_to_edit(text: str, first: int = 1) -> tuple[int, int, int]:
    """What a person writes anew first, in a text with a script that begins at or behind a line: the words of a reason,
    else a whole command. Its line, its first column and the one behind its last, from 1.
    """
    lines = text.split("\n")
    number = next((number for number, line in enumerate(lines[first - 1 :], first) if GO_ON in line), first - 1) + 1
    found = _PART.match(lines[number - 1] if number <= len(lines) else "")
    start, end = found.span(found.lastgroup or 0) if found else (0, 0)
    return number, start + 1, end + 1


def _parts(draft: HookDraft) -> Iterator[str]:
    language = draft.language
    words = script_answers.words_of(draft.place.format, draft.written)
    keys = script_answers.looks_at(words, draft.canonical)
    looks = any(draft.sought)
    yield _head(draft, words)
    unread = "2" if draft.denies else "1"  # a guard denies what it cannot read, any other hook has failed
    yield _READS[language].replace("{imports}", "import re\n" if looks else "").replace("{unread}", unread)
    yield _FINDS[language] if looks else ""
    yield _BEGINS[language].format(variable=script_answers.variable(keys), keys=_keys(keys, language), unread=unread)
    yield from _leaving(draft, words)
    yield _action(draft, words, script_answers.variable(keys))


def _head(draft: HookDraft, words: str) -> str:
    shebang = _AZURE_SH if draft.place.format == "azure" and draft.language == "sh" else _SHEBANGS[draft.language]
    event = events.spelling(draft.canonical, "pascal") or draft.canonical
    told = script_answers.answers(words, draft.canonical, event)
    return _HEAD.format(
        shebang=shebang,
        name=draft.name,
        purpose=purpose(draft)[0].lower() + purpose(draft)[1:],
        event=draft.written,
        answers="\n".join(f"#   {answer.does:<{_ANSWER}} {_line(answer, draft.language)}" for answer in told),
    )


def _leaving(draft: HookDraft, words: str) -> Iterator[str]:
    """The lines that end the script where it does not find what it looks for."""
    keys = (script_answers.looks_at(words, "pre-tool-call")[0], script_answers.tool_input(words))
    sought = [(regex, key) for regex, key in zip(draft.sought, keys, strict=True) if regex]
    if sought:
        yield f"\n# {HOSTS[draft.place.format]} does not look for this itself: what does not match is none of its business.\n"
    for regex, key in sought:
        pattern = shlex.quote(regex) if draft.language == "sh" else repr(regex)
        yield _LEAVES[draft.language].format(pattern=pattern, key=key)


def _action(draft: HookDraft, words: str, variable: str) -> str:
    """What it does at once. The hook's name, which may hold any quote, stands in no code."""
    if draft.denies:
        return _DENIES + (_DENY_COPILOT if words in ("copilot", "pascal") else _DENY)[draft.language]
    logs = words == "agenthooks"
    told = _DECIDES.format(told=", and notes in the log that it ran" if logs else "", variable=variable)
    return f"{told}{_SAY[draft.language].format(_RAN) if logs else _QUIET[draft.language]}\n"


def _keys(keys: script_answers.Keys, language: Language) -> str:
    return " ".join(keys) if language == "sh" else ", ".join(json.dumps(key) for key in keys)


def _line(answer: ScriptAnswer, language: Language) -> str:
    """One answer as a line of the script's language."""
    if answer.says == NOTHING:
        return "exit 0, with nothing on stdout"
    return _EXIT_2[language].format(answer.why) if answer.says == EXIT_2 else _SAY[language].format(answer.says)


def _scalar(text: str) -> str:
    """Text as a YAML scalar: single-quoted, where a regex needs no escapes; double-quoted for what that cannot hold."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return str(yaml.safe_dump(text, default_style='"', width=math.inf)).strip()
