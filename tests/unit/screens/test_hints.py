"""Texts refer to keys by their actions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hooktui.screens.keys import keymap
from hooktui.screens.keys.hints import hint

SOURCES = [path for top in ("screens", "hooktui/formats") for path in Path(top).rglob("*.py")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{take-back} brings it back.", "u brings it back."),
        ("{save} saves, {help} helps", "^s saves, ? helps"),
        ("Go to {filter}", "Go to /"),
        ('an object: {"NAME": "value"}', 'an object: {"NAME": "value"}'),
    ],
)
def test_an_action_in_braces_is_its_key(text: str, shown: str) -> None:
    assert hint(text) == shown


def test_while_typing_it_is_a_key_that_works_in_text() -> None:
    assert hint("{try} tries it, {take-back} undo", typing=True) == "^t tries it, esc u undo"


def test_no_text_names_a_key_that_a_person_can_change() -> None:
    keys = {re.escape(key) for action in keymap.actions().values() for key in action.keys if key.startswith("ctrl+")}
    named = re.compile(rf'"[^"\n]*\b({"|".join(keys)}) [a-z]+ [^"\n]*"')
    found = [f"{path}: {match[0]}" for path in SOURCES for match in named.finditer(path.read_text())]
    assert [one for one in found if "Binding(" not in one] == []
