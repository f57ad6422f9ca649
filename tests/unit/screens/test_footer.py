"""The keys that the footer shows if there is no room for all."""

from __future__ import annotations

import pytest

from hooktui.screens.widgets.footer import FooterKey, fitting

KEYS = ("a New", "t Try", "f Fix", "/ Filter", "? Help")


def shown(width: int, *, fixable: bool = True) -> list[str]:
    keys = [FooterKey(key[0], key[0], key[2:], key[2:].lower(), fixable or key != "f Fix") for key in KEYS]
    return [f"{key.display} {key.description}" for key in fitting(keys, width)]


@pytest.mark.parametrize(
    ("width", "kept"),
    [
        (50, list(KEYS)),
        (38, list(KEYS)),
        (37, ["a New", "t Try", "f Fix", "? Help"]),
        (20, ["a New", "? Help"]),
        (1, ["? Help"]),
    ],
)
def test_the_last_keys_give_way_to_the_help_which_is_always_there(width: int, kept: list[str]) -> None:
    assert shown(width) == kept


def test_what_cannot_be_pressed_now_goes_first() -> None:
    assert shown(37, fixable=False) == ["a New", "t Try", "/ Filter", "? Help"]
