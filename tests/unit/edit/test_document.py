from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.core.model import Hook
from hooktui.edit.document import Document, Form

_HOOK_MD = "---\nname: guard\ndescription: Says no\ntrigger: pre-tool-call\ntimeout: 5\nmatcher:\n  pattern: '('\n---\n"
_TWO = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}}'


class Shown:
    """The hooks of a project's only file, with `text` in its editor."""

    def __init__(self, project: Path, name: str, text: str) -> None:
        self.file = os.path.join(os.path.realpath(project), name)
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        with open(self.file, "w") as file:
            file.write(text)
        self.catalog = catalog.load(str(project))

    def hook(self, number: int = 0) -> Hook:
        return self.catalog.hooks[number]

    def form(self, text: str, number: int = 0) -> Form:
        return Document.of(self.hook(number), text).form(
            self.hook(number), catalog.edited(self.catalog, {self.file: text.encode()})
        )


@pytest.fixture
def guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Shown(tmp_path, ".agents/hooks/guard/HOOK.md", _HOOK_MD)


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shown:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Shown(tmp_path, ".claude/settings.json", _TWO)


def test_field_shows_the_problem_of_its_value(guard: Shown) -> None:
    troubles = guard.form(_HOOK_MD).troubles
    assert {"Pattern", "Timeout"} <= set(troubles) and "Name" not in troubles
    assert "must be 100 to 600000" in troubles["Timeout"].message


def test_missing_approval_is_not_a_problem_of_the_event_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    script = tmp_path / ".agents/hooks/guard/scripts/run.sh"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    text = "---\nname: guard\ndescription: Says no\ntrigger: pre-tool-call\n---\n"
    form = Shown(tmp_path, ".agents/hooks/guard/HOOK.md", text).form(text)
    assert "untrusted" in {one.code for one in form.problems}
    assert "Event" not in form.troubles


def test_the_form_is_that_of_the_text_and_not_of_the_file(guard: Shown) -> None:
    fields = guard.form(_HOOK_MD.replace("name: guard", "name: other")).fields
    assert fields[0].value == "other"


def test_misspelled_event_keeps_the_fields_of_the_intended_one(guard: Shown) -> None:
    text = _HOOK_MD.replace("matcher:\n  pattern: '('\n", "").replace("pre-tool-call", "pre-tool-cal")
    assert {"Tool", "Pattern"} <= {field.label for field in guard.form(text).fields}


def test_diagnostics_appear_while_typing(guard: Shown) -> None:
    codes = [one.code for one in guard.form(_HOOK_MD.replace("'('", "'('\nasnyc: true")).problems]
    assert codes == [*(one.code for one in guard.form(_HOOK_MD).problems), "unknown-key"]


def test_each_entry_of_a_file_has_its_own_form(two: Shown) -> None:
    assert [field.value for field in two.form(_TWO, 1).fields if field.label == "Command"] == ["b"]


def test_filling_a_field_changes_its_value_in_the_text(guard: Shown) -> None:
    [timeout] = [field for field in guard.form(_HOOK_MD).fields if field.label == "Timeout"]
    assert Document.of(guard.hook(), _HOOK_MD).fill(timeout, 9000).text == _HOOK_MD.replace("timeout: 5", "timeout: 9000")


def test_a_value_that_the_text_cannot_take_is_refused_with_a_sentence(guard: Shown) -> None:
    [name] = [field for field in guard.form(_HOOK_MD).fields if field.label == "Name"]
    with pytest.raises(ValueError, match="name takes str"):
        Document.of(guard.hook(), _HOOK_MD).fill(name, 5)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [("---\nname: [\n---\n", "fix the frontmatter first"), ("no frontmatter", "fix the frontmatter first")],
)
def test_a_text_that_cannot_be_read_has_no_form_and_says_why(guard: Shown, text: str, refusal: str) -> None:
    assert refusal in guard.form(text).refusal


def test_an_entry_that_was_taken_out_has_no_form(two: Shown) -> None:
    assert two.form('{"hooks": {}}', 1).refusal == "b is no longer in the text"


ODDLY = r"""{"hooks": {"Stop": [{"hooks": [{"type":"command", "command":"echo \/tmp \u00e9"}]}]}}"""


def typed(shown: Shown, saved: str, label: str, *values: object) -> str:
    """The text after setting a field to some values in turn."""
    text = saved
    for value in values:
        (field,) = (one for one in shown.form(text).fields if one.label == label)
        text = Document.of(shown.hook(), text).fill(field, value, saved).text
    return text


def test_value_set_back_to_the_saved_one_gets_its_spelling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shown = Shown(tmp_path, ".claude/settings.json", ODDLY)
    assert "\\u00e9" not in typed(shown, ODDLY, "Command", "echo /tmp éx")
    assert typed(shown, ODDLY, "Command", "echo /tmp éx", "echo /tmp éxy", "echo /tmp é") == ODDLY


GROUP = """{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "a", "timeout": 5 }
        ]
      }
    ]
  }
}
"""


def test_a_value_typed_again_after_clearing_it_keeps_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shown = Shown(tmp_path, ".claude/settings.json", GROUP)
    assert typed(shown, GROUP, "Matcher", None, "E", "Edit") == GROUP.replace("Bash", "Edit")
    assert typed(shown, GROUP, "Command", None, "a") == GROUP
    edited = GROUP.replace('"timeout": 5', '"timeout": 50')
    (timeout,) = (one for one in shown.form(GROUP).fields if one.label == "Timeout")
    text = Document.of(shown.hook(), typed(shown, GROUP, "Matcher", None)).fill(timeout, 50, GROUP).text
    (matcher,) = (one for one in shown.form(text).fields if one.label == "Matcher")
    assert Document.of(shown.hook(), text).fill(matcher, "Bash", GROUP).text == edited


def test_a_cleared_field_of_a_hook_md_gets_its_place_back(guard: Shown) -> None:
    assert typed(guard, _HOOK_MD, "About", None, "Says yes") == _HOOK_MD.replace("Says no", "Says yes")


def test_other_edits_stay_when_a_value_is_set_back(guard: Shown) -> None:
    saved = _HOOK_MD.replace("Says no", "'Says no'")
    (about,) = (one for one in guard.form(saved).fields if one.label == "About")
    text = Document.of(guard.hook(), saved).fill(about, "Says yes", saved).text + "More.\n"
    (about,) = (one for one in guard.form(text).fields if one.label == "About")
    assert Document.of(guard.hook(), text).fill(about, "Says no", saved).text.endswith("More.\n")


@pytest.mark.parametrize(("text", "why"), [('{"a": 1, "a": 2}', "duplicate key a"), ('{"a": [', "not valid JSON")])
def test_clearing_a_field_of_a_text_that_cannot_be_changed_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Document(text, "claude", "/p/.claude/settings.json").set(("a",), None)


def test_clearing_a_field_that_is_not_there_changes_nothing() -> None:
    for name, text in (("settings.json", "{}"), ("config.toml", "x = 1\n"), ("agent.yaml", "a: {b: 1}\n")):
        document = Document(text, "claude", name)
        assert document.set((*((0, "a") if name == "agent.yaml" else ()), "timeout"), None) == document
