"""Spell the keys in a text: `{delete}` becomes the key that the user has for that action."""

from __future__ import annotations

import re
from collections.abc import Mapping

from textual._context import active_app
from textual.keys import format_key

from hooktui.screens.keys import keymap

_ACTION = re.compile(r"\{([a-z]+(?:-[a-z]+)*)\}")
_WORKS_WHILE_TYPING = re.compile(r".+\+.+|f\d+")
_default_keys: dict[str, str] = {}


def hint(text: str, *, typing: bool = False) -> str:
    """Replace each action in braces by its first key.

    With `typing` the user is in a text field, where letters are text: the key is one that works there, else `esc` first.
    """
    spell = _spell_while_typing if typing else _spell
    return _ACTION.sub(lambda action: spell(_keys(action[1])), text)


def key_in(text: str) -> str:
    """The first key, by Textual's name, of the action that a text consists of; "" for any other text."""
    action = _ACTION.fullmatch(text)
    return _keys(action[1]).split(",")[0] if action else ""


def _keys(action: str) -> str:
    own: Mapping[str, str] = getattr(active_app.get(None), "own_keys", {})
    return own.get(action) or _default(action)


def _default(action: str) -> str:
    """An action's own keys; the other screens are imported only if nothing imported so far has the action."""
    for known in (keymap.offered, keymap.actions):
        if action not in _default_keys:
            _default_keys.update({name: ",".join(bindable.keys) for name, bindable in known().items()})
    return _default_keys[action]


def _spell_while_typing(keys: str) -> str:
    working = next(filter(_WORKS_WHILE_TYPING.fullmatch, keys.split(",")), None)
    return _spell(working) if working else f"esc {_spell(keys)}"


def _spell(keys: str) -> str:
    """The first of some keys as the footer shows it: `^s`, `?`, `space`."""
    *modifiers, base = keys.split(",")[0].split("+")
    return "".join("^" if modifier == "ctrl" else f"{modifier}+" for modifier in modifiers) + format_key(base)
