"""A form shows the values in a hook's file, and editing a field changes only its value."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

import pytest

from hooktui import formats
from hooktui.edit.document import Document
from hooktui.formats.form_fields import FormField

_HOOK_MD = """\
---
name: guard  # keep this
description: Says no
trigger: pre-tool-call
matcher:
  tool: '^Shell$'
timeout: 5000
---
Body
"""
_CLAUDE = """\
{
  // the team's
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh", "timeout": 5}]},
    ],
  },
}
"""
_COPILOT = (
    '{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "guard.sh", "timeoutSec": 5, "matcher": "bash"}]}}\n'
)
_VSCODE = '{"hooks": {"Stop": [{"type": "command", "command": "a", "windows": "b"}]}}\n'
_AGENT = """\
kind: ExtendedAgent
metadata: {name: ops}
spec:
  hooks:
    PostToolUse:
      - type: command
        matcher: Bash|Read
        command: audit
        fail_mode: block  # house rule
"""
_GLOBAL = """\
kind: GlobalHook
metadata: {name: gate}
spec:
  eventType: Stop
  hook:
    prompt: "Done?\\n$ARGUMENTS"
    maxRejections: 5
"""
_FILES: Mapping[str, tuple[str, str, str]] = {
    "HOOK.md": ("agenthooks", "/p/.agents/hooks/guard/HOOK.md", _HOOK_MD),
    "claude": ("claude", "/p/.claude/settings.json", _CLAUDE),
    "copilot": ("copilot", "/p/.github/hooks/a.json", _COPILOT),
    "vscode": ("vscode", "/p/.github/hooks/b.json", _VSCODE),
    "azure agent": ("azure", "/p/agent.yaml", _AGENT),
    "azure global": ("azure", "/p/hook.yaml", _GLOBAL),
}


def _form(what: str, text: str | None = None) -> dict[str, FormField]:
    name, file, sample = _FILES[what]
    text = sample if text is None else text
    module = formats.load(name)
    hook = module.parse(text, file, "project").hooks[0]
    return {field.label: field for field in module.fields(text, hook)}


def _values(what: str) -> dict[str, Any]:
    return {label: field.value for label, field in _form(what).items() if field.value is not None}


@pytest.mark.parametrize(
    ("what", "values"),
    [
        ("HOOK.md", {"Name": "guard", "Event": "pre-tool-call", "About": "Says no", "Tool": "^Shell$", "Timeout": 5000}),
        ("claude", {"Event": "PreToolUse", "Matcher": "Bash", "Type": "command", "Command": "guard.sh", "Timeout": 5}),
        ("copilot", {"Event": "preToolUse", "Matcher": "bash", "Type": "command", "bash": "guard.sh", "Timeout": 5}),
        ("vscode", {"Event": "Stop", "Type": "command", "Command": "a", "Windows": "b"}),
        (
            "azure agent",
            {"Event": "PostToolUse", "Type": "command", "Matcher": "Bash|Read", "Command": "audit", "On failure": "block"},
        ),
        ("azure global", {"Event": "Stop", "Prompt": "Done?\n$ARGUMENTS", "Rejections": 5}),
    ],
)
def test_a_form_shows_the_written_values(what: str, values: Mapping[str, Any]) -> None:
    assert _values(what) == values


def test_a_missing_field_shows_its_default() -> None:
    assert [
        (_form(what)["Timeout"].default, _form(what)["Timeout"].unit)
        for what in ("HOOK.md", "claude", "vscode", "azure global")
    ] == [
        ("30000", "ms"),
        ("600", "s"),
        ("30", "s"),
        ("30", "s"),
    ]


def test_a_stop_of_claude_has_no_matcher_and_an_event_without_a_tool_no_pattern() -> None:
    assert "Matcher" not in _form("claude", _CLAUDE.replace("PreToolUse", "Stop"))
    assert "Pattern" not in _form(
        "HOOK.md", _HOOK_MD.replace("pre-tool-call", "pre-session").replace("matcher:\n  tool: '^Shell$'\n", "")
    )


@pytest.mark.parametrize("what", _FILES)
def test_typing_the_shown_value_changes_nothing(what: str) -> None:
    name, file, text = _FILES[what]
    for field in _form(what).values():
        if not field.locked and not field.moves:
            document = Document(text, name, file)
            assert document.fill(field, field.read(field.shown)).text == text, field.label


@pytest.mark.parametrize(
    ("what", "label", "typed", "removed", "added"),
    [
        ("HOOK.md", "Timeout", "9000", "timeout: 5000", "timeout: 9000"),
        ("HOOK.md", "Tool", "Write", "  tool: '^Shell$'", "  tool: 'Write'"),
        ("claude", "Timeout", "2.5", '"timeout": 5}', '"timeout": 2.5}'),
        ("claude", "Matcher", "Write", '"matcher": "Bash"', '"matcher": "Write"'),
        ("copilot", "bash", "b.sh", '"bash": "guard.sh"', '"bash": "b.sh"'),
        ("azure agent", "On failure", "allow", "fail_mode: block", "fail_mode: allow"),
        ("azure global", "Event", "PreToolUse", "eventType: Stop", "eventType: PreToolUse"),
    ],
)
def test_typing_into_a_field_changes_its_value_and_nothing_else(
    what: str, label: str, typed: str, removed: str, added: str
) -> None:
    name, file, text = _FILES[what]
    field = _form(what)[label]
    changed = Document(text, name, file).fill(field, field.read(typed)).text
    assert _form(what, changed)[label].shown == typed
    before, after = _changed_lines(text, changed)
    assert [line.replace(removed, added) for line in before] == after


@pytest.mark.parametrize(
    ("what", "label", "typed"),
    [
        ("HOOK.md", "Pattern", "rm -rf"),
        ("claude", "If", "Bash(git *)"),
        ("vscode", "Timeout", "3"),
        ("vscode", "Env", '{"A": "b"}'),
        ("azure agent", "Timeout", "9"),
    ],
)
def test_a_missing_field_is_added(what: str, label: str, typed: str) -> None:
    name, file, text = _FILES[what]
    field = _form(what)[label]
    assert field.value is None
    changed = Document(text, name, file).fill(field, field.read(typed)).text
    assert _form(what, changed)[label].shown == typed


def test_clearing_a_field_deletes_it_unless_it_is_required() -> None:
    fields = _form("HOOK.md")
    assert fields["Timeout"].read("") is None
    assert fields["Name"].read("") == ""


@pytest.mark.parametrize(
    ("label", "typed", "says"),
    [
        ("Timeout", "soon", "not a number"),
        ("Timeout", "nan", "not a number"),
        ("Timeout", "5.5", "5.5 is not a whole number of ms"),
        ("Priority", "5.5", "5.5 is not a whole number"),
        ("Async", "maybe", "true or false"),
    ],
)
def test_invalid_input_is_refused_with_a_sentence(label: str, typed: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        _form("HOOK.md")[label].read(typed)


@pytest.mark.parametrize("what", ["HOOK.md", "claude", "azure agent"])
def test_an_unreadable_text_has_no_form(what: str) -> None:
    name, file, text = _FILES[what]
    hook = formats.load(name).parse(text, file, "project").hooks[0]
    with pytest.raises(ValueError, match=r"fix the .* first"):
        formats.load(name).fields('---\na: [\n---\n{"', hook)


def test_a_text_of_several_lines_is_left_to_the_source() -> None:
    assert _form("azure global")["Prompt"].locked == "several lines: edit the source"


def test_each_value_has_its_span() -> None:
    for what, (_, _, text) in _FILES.items():
        for field in _form(what).values():
            if field.span and isinstance(field.value, str) and "\n" not in field.value:
                assert field.value in text[slice(*field.span)]


def _changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return [line[2:] for line in lines if line.startswith("- ")], [line[2:] for line in lines if line.startswith("+ ")]


LAUNCHER = "/home/me/.local/share/hooktui/hook"


def observed(entry: dict[str, Any]) -> str:
    return json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", **entry}]}]}})


def test_an_observed_hook_shows_the_command_of_its_owner() -> None:
    text = observed({"command": f"{LAUNCHER} claude -- /bin/sh -c 'jq \"it'\"'\"'s\"'"})
    assert _form("claude", text)["Command"].value == 'jq "it\'s"'


def test_typing_a_command_keeps_it_observed() -> None:
    text = observed({"command": f"{LAUNCHER} claude -- /bin/sh -c 'guard.sh'"})
    field = _form("claude", text)["Command"]
    hook = formats.load("claude").parse(text, "/p/.claude/settings.json", "project").hooks[0]
    changed = Document.of(hook, text).fill(field, 'echo "it\'s"').text
    assert json.loads(changed)["hooks"]["PreToolUse"][0]["hooks"][0]["command"].startswith(f"{LAUNCHER} claude -- /bin/sh -c ")
    assert _form("claude", changed)["Command"].value == 'echo "it\'s"'
    assert Document.of(hook, changed).fill(field, "guard.sh", text).text == text


def test_an_observed_program_shows_its_own_arguments_and_is_edited_in_the_source() -> None:
    fields = _form("claude", observed({"command": LAUNCHER, "args": ["claude", "--", "guard", "--strict"]}))
    assert (fields["Command"].value, fields["Args"].value) == ("guard", ["--strict"])
    assert fields["Command"].locked == fields["Args"].locked == "observed: edit the source"
