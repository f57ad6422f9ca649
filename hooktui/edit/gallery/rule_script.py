"""Write a rule of the gallery as a script of a host and language, or as a HOOK.md.

A template names the functions it needs in a line that begins with `#:`; each comes from `scripts/parts`. Words between `@`
are what differs between hosts.
"""

from __future__ import annotations

import functools
import os
import re
import textwrap
from typing import TYPE_CHECKING

from hooktui.core import events
from hooktui.edit import drafts, script_answers
from hooktui.edit.file_entries import HOSTS
from hooktui.formats import yaml_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.edit.drafts import HookDraft, Language
    from hooktui.edit.gallery.gallery_rules import Rule
    from hooktui.edit.script_answers import Dialect

_SCRIPTS = os.path.join(os.path.dirname(__file__), "scripts")
_USES = re.compile(r"\n#: (.*)\n")
_PLACEHOLDER = re.compile(r"@(\w+)@")
_UNREAD = '"stdin is not an event of this kind"'
_DENIED = f"print({_UNREAD}, file=sys.stderr)\nsys.exit(2)"  # a guard denies what it cannot read
_WIDTH, _INDENT = 110, " " * 4
_MODULES = ("fnmatch", "json", "os", "re", "shlex", "shutil", "subprocess", "sys", "time")
_TELL = "tell the agent"
_REASON, _TEXT = ('"what is missing"', '"why not"'), ('"what it should know"',)  # in the answers of script_answers
_QUOTE = "'"  # in single quotes a regex needs no escapes
_HOOK_MD = """\
---
name: {name}
description: {description}
trigger: {trigger}
{matcher}timeout: {timeout_ms}
priority: {priority}
---

# {name}

{about}
"""


def hook_md(draft: HookDraft, rule: Rule) -> str:
    """Return the text of a rule's HOOK.md."""
    matcher = f"matcher:\n  tool: {yaml_source.scalar(draft.tool, _QUOTE)}\n" if draft.tool else ""
    return _HOOK_MD.format(
        name=yaml_source.scalar(draft.name),
        description=yaml_source.scalar(rule.summary),
        trigger=draft.written,
        matcher=matcher,
        timeout_ms=rule.timeout_s * 1000,
        priority=rule.priority,
        about=textwrap.fill(rule.about, 120, break_long_words=False, break_on_hyphens=False),
    )


def is_written_in(rule: Rule, language: Language) -> bool:
    """Whether a rule has a script for a language."""
    return os.path.exists(_path(f"{rule.name}.{drafts.syntax(language)}"))


def tells(rule: Rule) -> bool:
    """Whether a rule's script tells the agent something."""
    templates = (
        _template(f"{rule.name}.{syntax}") for syntax in ("sh", "py") if os.path.exists(_path(f"{rule.name}.{syntax}"))
    )
    return any("tell" in _split(template)[1] for template in templates)


def can_tell(host: str, event: str, written: str) -> bool:
    """Whether a host passes on what a script tells the agent on an event, which it spells as `written`."""
    answers = script_answers.answers(host, script_answers.dialect_of(host, written), event, written)
    return any(answer.effect == _TELL for answer in answers)


def script(draft: HookDraft, rule: Rule) -> str:
    """Return the text of a rule's script."""
    dialect = script_answers.dialect_of(draft.place.format, draft.written)
    write = _sh if draft.syntax == "sh" else _py
    body = write(_template(f"{rule.name}.{draft.syntax}"), _words(draft, dialect), in_json=dialect.denies_in_json)
    return f"{dialect.first_lines(draft.language)}\n{_head(draft, rule)}\n{body}"


def _head(draft: HookDraft, rule: Rule) -> str:
    needs = rule.needs if draft.syntax == "sh" else rule.needs.removeprefix("python3").removeprefix(", ").removeprefix("and ")
    lines = [f"# {draft.name}: {rule.summary[0].lower()}{rule.summary[1:]} ({draft.written})."]
    return "\n".join([*lines, *([f"# Needs {needs}."] if needs else []), ""])


def _words(draft: HookDraft, dialect: Dialect) -> Mapping[str, str]:
    """What replaces the words between `@` in the templates."""
    event = draft.canonical
    written = events.spelling(event, "pascal") or event
    answers = {answer.effect: answer.output for answer in script_answers.answers(draft.place.format, dialect, event, written)}
    denial = next((answers[effect] for effect in ("also deny", "keep it working") if effect in answers), "")
    is_text = dialect.input_key != "tool_input"
    return {
        "input": dialect.input_key,
        "tool": dialect.value_keys("pre-tool-call")[0],
        "session": dialect.value_keys("")[0],
        "fail": _DENIED if event == "pre-tool-call" else f"sys.exit({_UNREAD})",
        "decode": "call = json.loads(call) if isinstance(call, str) else call" if is_text else "",
        "filter": _filter(draft),
        "denial": denial,
        "context": answers.get(_TELL, ""),
    }


def _filter(draft: HookDraft) -> str:
    """Lines that end a script on tools that its host does not filter."""
    tool = draft.script_filter[0]
    if not tool:
        return ""
    names = textwrap.fill(", ".join(f'"{name}"' for name in tool.split("|")), _WIDTH)
    host = HOSTS[draft.place.format]
    return (
        f'# {host} runs hooks for every tool.\nif event.get("tool_name") not in (\n{textwrap.indent(names, _INDENT)},\n):\n'
        f"{_INDENT}sys.exit(0)"
    )


def _py(template: str, words: Mapping[str, str], *, in_json: bool) -> str:
    settings, uses, rest = _split(template)
    parts = [_part(name, "py", in_json=in_json) for name in uses]
    text = "\n\n\n".join(part.strip("\n") for part in (settings, *parts, rest))
    text = _filled(text, {**words, **_arguments(words, "reason", "text")})
    return f"{_imports(text)}\n{text}\n"


def _sh(template: str, words: Mapping[str, str], *, in_json: bool) -> str:
    settings, uses, rest = _split(template)
    words = {**words, **_arguments(words, "sys.argv[1]", "sys.argv[1]")}
    python = {name: _filled(_template(f"parts/{name}.py").strip("\n"), words) for name in ("commands", "paths", "call")}
    parts = [_part(name, "sh", in_json=in_json) for name in uses]
    parts = [_filled(part, {**words, **python, "imports": _imports_for(part, python)}) for part in parts]
    return "\n\n".join(part.strip("\n") for part in (_filled(settings, words), *parts, _filled(rest, words))) + "\n"


def _split(template: str) -> tuple[str, tuple[str, ...], str]:
    """Split a template into what a person edits, the names of the parts it needs, and the rule itself."""
    settings, uses, rest = _USES.split(template, maxsplit=1)
    return settings, tuple(uses.split()), rest


def _part(name: str, syntax: str, *, in_json: bool) -> str:
    return _template(f"parts/{'deny-in-json' if name == 'deny' and in_json else name}.{syntax}")


def _arguments(words: Mapping[str, str], reason: str, text: str) -> Mapping[str, str]:
    """The answers in JSON as expressions, with a variable for the text."""
    denial, context = words["denial"], words["context"]
    for placeholder in _REASON:
        denial = denial.replace(placeholder, reason)
    for placeholder in _TEXT:
        context = context.replace(placeholder, text)
    return {"denial": denial, "context": context}


def _filled(text: str, words: Mapping[str, str]) -> str:
    """Replace the words between `@`; a line of nothing but an empty one goes, and further lines are indented alike."""
    lines = []
    for line in text.split("\n"):
        match = _PLACEHOLDER.fullmatch(line.strip())
        if match and match[1] in words:
            indent = line[: len(line) - len(line.lstrip())]
            lines += textwrap.indent(words[match[1]], indent).split("\n") if words[match[1]] else []
        else:
            lines.append(_PLACEHOLDER.sub(lambda match: words.get(match[1], match[0]), line))
    return "\n".join(lines)


def _imports_for(part: str, python: Mapping[str, str]) -> str:
    used = "\n".join([part, *(text for name, text in python.items() if f"@{name}@" in part)])
    return _imports(used).strip("\n").replace("\nimport ", ", ")


def _imports(text: str) -> str:
    return "".join(f"import {module}\n" for module in _MODULES if re.search(rf"\b{module}\.\w", text))


def _path(name: str) -> str:
    return os.path.join(_SCRIPTS, f"{name}.tmpl")


@functools.cache
def _template(name: str) -> str:
    with open(_path(name), encoding="utf-8") as file:
        return file.read()
