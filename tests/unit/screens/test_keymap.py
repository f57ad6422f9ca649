"""The user's own keys: their errors, and the keys that the other actions keep."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hooktui.screens.keys import keymap

DOCUMENT = Path(__file__).parents[3] / "docs/configuration.md"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"tryy": ("ctrl+g",)}, "unknown action: tryy; did you mean try?"),
        ({"zzzzzz": ("ctrl+g",)}, "unknown action: zzzzzz"),
        ({"try": ("contrl+g",)}, "unknown key: contrl+g; did you mean ctrl?"),
        ({"help": ("F1",)}, "unknown key: F1; did you mean f1?"),
        ({"try": ("shift+x",)}, "no terminal sends shift+x: use the character it types, X"),
        ({"try": ("shift+1",)}, "no terminal sends shift+1: use the character it types"),
        ({"try": ("ctrl+G",)}, "no terminal sends ctrl+G; did you mean ctrl+g?"),
        ({"try": ("f",)}, "f is already the key for fix"),
        ({"new": ("?",)}, "? is already the key for help"),
        ({"fold": ("d",)}, "d is already the key for delete"),
    ],
)
def test_an_invalid_key_is_reported_and_changes_nothing(wanted: dict[str, tuple[str, ...]], said: str) -> None:
    (name,) = wanted
    assert keymap.trouble(name, wanted) == said
    assert keymap.keymap(wanted) == {}


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        pytest.param({"tryy": ("x",), "filter": ("ctrl+f",)}, {"filter": "ctrl+f"}, id="one action is unknown"),
        pytest.param({"new": ("d",), "delete": ("a",)}, {"new": "d", "delete": "a"}, id="two actions change keys"),
        pytest.param({"try-past": ("shift+ctrl+up", "%")}, {"try-past": "ctrl+shift+up,percent_sign"}, id="any order"),
        pytest.param({"follow": ("f7",)}, {"follow": "f7", "switch": "space"}, id="a key that two actions share"),
        pytest.param({"down": ("f8", "down")}, {"down": "f8,down"}, id="several keys"),
    ],
)
def test_valid_keys_are_bound_and_the_other_actions_keep_theirs(
    wanted: dict[str, tuple[str, ...]], keys: dict[str, str]
) -> None:
    assert keymap.keymap(wanted) == keys


def test_a_key_can_mean_one_thing_here_and_another_there() -> None:
    assert keymap.trouble("follow", {"follow": ("d",)}) == ""  # Live has no delete


@pytest.mark.parametrize("key", ["x", "X", "?", "space", "f5", "shift+f5", "ctrl+g", "alt+x", "ctrl+shift+1", "super+x"])
def test_a_key_that_some_terminal_sends_is_valid(key: str) -> None:
    assert keymap.key_fault(key) == ""


_MOVES = {"down", "first", "fold", "last", "unfold", "up"}
_SWITCHES = {"follow", "switch"}  # the space bar toggles the item under the cursor


def test_a_key_names_the_same_verb_on_every_screen() -> None:
    verbs: dict[str, set[str]] = {}
    for name, action in keymap.actions().items():
        for key in action.keys:
            verbs.setdefault(key, set()).add("on/off" if name in _SWITCHES else name)
    ambiguous = {key: names for key, names in verbs.items() if len(names) > 1 and not names <= _MOVES}
    assert ambiguous == {
        "ctrl+z": {"suspend", "undo"},  # undoes unsaved edits, too, as the configuration says
        "4": {"diagnostics-screen", "fleet-screen"},  # the fourth screen: a fleet has no diagnostics
    }


def test_every_action_is_documented_with_its_keys() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", DOCUMENT.read_text(), re.MULTILINE)
    documented = {name: tuple(re.findall(r"`(\S+)`", keys)) for name, keys in rows}
    assert documented == {name: action.keys for name, action in keymap.actions().items()}
