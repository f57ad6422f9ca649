from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hooktui import formats
from hooktui.editing import filling

if TYPE_CHECKING:
    from hooktui.model import Hook

_HOOK_MD = "---\nname: guard\ndescription: Says no\ntrigger: pre-tool-call\ntimeout: 5\nmatcher:\n  pattern: '('\n---\n"
_TWO = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}]}}'


def hook(text: str = _HOOK_MD, name: str = "agenthooks", number: int = 0) -> Hook:
    file = "/p/.agents/hooks/guard/HOOK.md" if name == "agenthooks" else "/p/.claude/settings.json"
    return formats.load(name).parse(text, file, "project").hooks[number]


def test_a_field_says_what_is_wrong_with_its_value() -> None:
    troubles = filling.form(hook(), _HOOK_MD).troubles
    assert {"Pattern", "Timeout"} <= set(troubles) and "Name" not in troubles
    assert "must be 100 to 600000" in troubles["Timeout"]


def test_the_form_is_that_of_the_text_and_not_of_the_file() -> None:
    fields = filling.form(hook(), _HOOK_MD.replace("name: guard", "name: other")).fields
    assert fields[0].value == "other"


def test_each_entry_of_a_file_has_its_own_form() -> None:
    [commands] = [[field.value for field in filling.form(hook(_TWO, "claude", 1), _TWO).fields if field.label == "Command"]]
    assert commands == ["b"]


def test_filling_a_field_changes_its_value_in_the_text() -> None:
    guard = hook()
    [timeout] = [field for field in filling.form(guard, _HOOK_MD).fields if field.label == "Timeout"]
    assert filling.fill(guard, _HOOK_MD, timeout, 9000) == _HOOK_MD.replace("timeout: 5", "timeout: 9000")


def test_a_value_that_the_text_cannot_take_is_refused_with_a_sentence() -> None:
    guard = hook()
    [name] = [field for field in filling.form(guard, _HOOK_MD).fields if field.label == "Name"]
    with pytest.raises(ValueError, match="name takes str"):
        filling.fill(guard, _HOOK_MD, name, 5)


@pytest.mark.parametrize(
    ("text", "refusal"),
    [("---\nname: [\n---\n", "mended first"), ("no frontmatter", "mended first")],
)
def test_a_text_that_cannot_be_read_has_no_form_and_says_why(text: str, refusal: str) -> None:
    assert refusal in filling.form(hook(), text).refusal


def test_an_entry_that_was_taken_out_has_no_form() -> None:
    last = hook(_TWO, "claude", 1)
    assert filling.form(last, '{"hooks": {}}').refusal == "settings.json:Stop:2 is not in the text any more"
