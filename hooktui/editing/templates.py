"""New HOOK.md hooks: what `hooktui new` and the app's add flow write, ready to run, with every answer shown in a comment."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import yaml

from hooktui import events, suggest

if TYPE_CHECKING:
    from collections.abc import Mapping

Language = Literal["sh", "py"]

# What an answer does, and what is printed for it (formats.md §2): JSON on stdout, or the reason on stderr with exit 2.
_SAYS = {
    "rewrite": '{"modified_input": {"command": "ls"}}',
    "allow": '{"decision": "allow"}',
    "ask the person": '{"decision": "ask", "reason": "why"}',
    "tell the agent": '{"additional_context": "what it should know"}',
    "note in the log": '{"log": "what happened"}',
}
_BLOCKS = {"deny": "why not", "keep it working": "what is missing"}
_NAME_LIMIT = 64  # characters (formats.md §2)
_NOTHING = "no opinion"
_GO_ON = "Go on here:"  # stands above the line that a person changes first
_RAN = '{"log": "ran, and decided nothing yet"}'
_BLOCK_LINE = {"sh": 'echo "{}" >&2; exit 2', "py": 'print("{}", file=sys.stderr); sys.exit(2)'}
_SAY_LINE = {"sh": "echo '{}'", "py": "print('{}')"}


@dataclass(frozen=True, slots=True)
class _Family:
    """Events that are read and answered alike: the variable to look at, the keys that lead to it, the answers that count."""

    variable: str
    keys: tuple[str, ...]
    answers: tuple[str, ...] = ("deny", "tell the agent", "note in the log", _NOTHING)


_FAMILIES: Mapping[str, _Family] = {
    "pre-session": _Family("model", ("model",)),
    "post-session": _Family("exit_reason", ("exit_reason",), ("note in the log", _NOTHING)),
    "pre-agent-turn": _Family("prompt", ("prompt",)),
    "pre-agent-turn-stop": _Family("stop_reason", ("stop_reason",), ("keep it working", "note in the log", _NOTHING)),
    "pre-tool-call": _Family("tool", ("tool_name",), ("deny", "rewrite", *list(_SAYS)[1:], _NOTHING)),
    "post-tool-call": _Family("tool_output", ("tool_output",)),
    "post-tool-call-failure": _Family("error", ("error",)),
    "pre-subagent": _Family("task", ("task_description",)),
    "post-subagent": _Family("task", ("task_description",)),
    "pre-context-compact": _Family("trigger", ("trigger",)),
}
_OTHER = _Family("session", ("session_id",))

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

_SCRIPT = {
    "sh": """\
#!/bin/sh
# {name}: runs when {meaning} ({trigger}).
#
# The event is one JSON object on stdin. Answers:
{answers}

event=$(cat)

# sh reads no JSON, so python3 does: the value below some keys, nothing when it is absent.
field() {{
    printf '%s' "$event" | python3 -I -c '
import json, sys
value = json.load(sys.stdin)
for key in sys.argv[1:]:
    value = value.get(key) if isinstance(value, dict) else None
print("" if value is None else value if isinstance(value, str) else json.dumps(value))' "$@"
}}

{variable}=$(field {keys})

{action}
""",
    "py": """\
#!/usr/bin/env python3
# {name}: runs when {meaning} ({trigger}).
#
# The event is one JSON object on stdin. Answers:
{answers}

import json
import sys


def field(value, *keys):
    # The value below some keys as text, empty when it is absent.
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


event = json.load(sys.stdin)
{variable} = field(event, {keys})

{action}
""",
}

# What a new script does at once. The hook's name, which may hold any quote, stands in no code.
_DENIES = "# What the matcher in HOOK.md finds comes here, and is denied.\n# Go on here: say why, and what to do instead."
_NOTES = "# It decides nothing yet, and notes in the log that it ran.\n# Go on here: look at {variable}, and answer."
_DENY = {
    "sh": 'reason="This call of $tool is not allowed here"\necho "$reason" >&2\nexit 2',
    "py": 'reason = f"This call of {tool} is not allowed here"\nprint(reason, file=sys.stderr)\nsys.exit(2)',
}


@dataclass(frozen=True, slots=True)
class Draft:
    """A hook to be written. `trigger` is the event in any spelling; `tool` and `pattern` are regexes of a tool event.

    Raises ValueError, with a sentence for the person, when it could not be a working hook.
    """

    name: str
    trigger: str
    tool: str | None = None
    pattern: str | None = None
    language: Language = "sh"

    def __post_init__(self) -> None:
        _check_name(self.name)
        object.__setattr__(self, "trigger", _trigger(self.trigger))
        if (self.tool is not None or self.pattern is not None) and self.event not in events.TOOL_EVENTS:
            raise ValueError(f"a tool or pattern needs a tool event ({', '.join(events.TOOL_EVENTS)}), not {self.event}")
        _check_regex("tool", self.tool)
        _check_regex("pattern", self.pattern)

    @property
    def event(self) -> str:
        """The canonical name of the trigger."""
        name = events.canonical(self.trigger)
        assert name is not None
        return name

    @property
    def denies(self) -> bool:
        """Whether it denies what it was asked to find: without a matcher that would be every tool, and later is too late."""
        return self.event == "pre-tool-call" and bool(self.tool or self.pattern)

    @property
    def entry(self) -> str:
        """The entry script, relative to the hook's directory."""
        return os.path.join("scripts", f"run.{self.language}")


def create(root: str, draft: Draft) -> str:
    """Write a hook below a hook root and return the path of its HOOK.md.

    Raises FileExistsError when there is something of that name already, OSError when it cannot be written.
    """
    directory = os.path.join(root, draft.name)
    os.makedirs(root, exist_ok=True)
    os.mkdir(directory)
    os.mkdir(os.path.join(directory, "scripts"))
    entry = os.path.join(directory, draft.entry)
    _write(entry, script(draft), mode=0o777)  # less the umask: other hosts run only what is executable
    path = os.path.join(directory, "HOOK.md")
    _write(path, hook_md(draft))
    return path


def hook_md(draft: Draft) -> str:
    """The text of HOOK.md."""
    matcher = {"tool": draft.tool, "pattern": draft.pattern}
    lines = [f"  {key}: {_scalar(regex)}\n" for key, regex in matcher.items() if regex is not None]
    return _HOOK_MD.format(
        name=_name(draft.name),
        description=f"Runs when {events.MEANING[draft.event]}",
        trigger=draft.trigger,
        matcher="".join(["matcher:\n", *lines]) if lines else "",
        blocked="the agent goes on working" if draft.event == events.GATE else "denied",
    )


def script(draft: Draft) -> str:
    """The text of the entry script: it reads its event, and denies what a matcher of its own was asked to find."""
    family = _FAMILIES.get(draft.event, _OTHER)
    quoted = [f'"{key}"' for key in family.keys]
    deny, note = _DENY[draft.language], _SAY_LINE[draft.language].format(_RAN)
    action = f"{_DENIES}\n{deny}" if draft.denies else f"{_NOTES.format(variable=family.variable)}\n{note}"
    return _SCRIPT[draft.language].format(
        name=draft.name,
        meaning=events.MEANING[draft.event],
        trigger=draft.trigger,
        answers="\n".join(f"#   {answer:<16} {_line(answer, draft.language)}" for answer in family.answers),
        variable=family.variable,
        keys=" ".join(family.keys) if draft.language == "sh" else ", ".join(quoted),
        action=action,
    )


def line_to_edit(draft: Draft) -> int:
    """The line of the script (1-based) that a person changes first."""
    before, _, _ = script(draft).rpartition(_GO_ON)
    return before.count("\n") + 2


def _line(answer: str, language: Language) -> str:
    """One answer as a line of the script's language."""
    if answer == _NOTHING:
        return "exit 0, with nothing on stdout"
    if answer in _BLOCKS:
        return _BLOCK_LINE[language].format(_BLOCKS[answer])
    return _SAY_LINE[language].format(_SAYS[answer])


def _check_name(name: str) -> None:
    plain = name.isprintable() and name == name.strip() and name and name[0] not in ".-" and not set(name) & set("/\\")
    if not plain:
        raise ValueError(f"{name!r} is no plain directory name: use letters, digits and hyphens, like block-dangerous")
    if len(name) > _NAME_LIMIT:
        raise ValueError(f"a hook's name has at most {_NAME_LIMIT} characters")


def _trigger(written: str) -> str:
    """The spelling to write: as given where HOOK.md knows it, else the canonical one."""
    name = written if written in events.TRIGGERS else events.canonical(written)
    if name in events.TRIGGERS:
        return name
    near = suggest.event(written, events.TRIGGERS)
    known = ", ".join(trigger for trigger in events.TRIGGERS if trigger in events.CANONICAL)
    hint = f"did you mean {near}?" if near else f"use one of {known}"
    raise ValueError(f"{written!r} is no event of a HOOK.md: {hint}")


def _check_regex(label: str, regex: str | None) -> None:
    try:
        re.compile(regex or "")
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"the {label} {regex!r} is no valid regex: {error}") from error


def _scalar(text: str) -> str:
    """Text as a YAML scalar: single-quoted, where a regex needs no escapes; double-quoted for what that cannot hold."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return str(yaml.safe_dump(text, default_style='"', width=math.inf)).strip()


def _name(name: str) -> str:
    """Bare when YAML reads it back as itself (`on` and `null` it does not), else quoted."""
    bare = re.fullmatch(r"[a-z][a-z0-9-]*", name) and yaml.safe_load(name) == name
    return name if bare else _scalar(name)


def _write(path: str, text: str, mode: int = 0o666) -> None:
    with open(path, "x", encoding="utf-8", newline="\n", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(text)
