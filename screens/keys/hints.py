"""Keys in running text: a text names an action, `{take-back} brings it back`, and shows the key that the person has for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual._context import active_app
from textual.keys import format_key

from hooktui.screens.keys import keymap

if TYPE_CHECKING:
    from collections.abc import Mapping

_ACTION = re.compile(r"\{([a-z]+(?:-[a-z]+)*)\}")
_WORKING = re.compile(r".+\+.+|f\d+")  # while one types
_usual: dict[str, str] = {}


def hint(text: str, *, typing: bool = False) -> str:
    """A text of ours, the first key of each action in it in place of the action's name in braces.

    While the person is typing, letters are no keys: it is one that works there, else escape comes first.
    """
    spelled = _spelled_while_typing if typing else _spelled
    return _ACTION.sub(lambda found: spelled(_keys(found[1])), text)


def key_in(text: str) -> str:
    """The first key of the one action that a text of ours consists of, as Textual calls it; "" for any other text."""
    found = _ACTION.fullmatch(text)
    return _keys(found[1]).split(",")[0] if found else ""


def _keys(action: str) -> str:
    own: Mapping[str, str] = getattr(active_app.get(None), "own_keys", {})
    return own.get(action) or _usual_keys(action)


def _usual_keys(action: str) -> str:
    """The keys that an action has by itself; other screens are brought in only where nobody here has that action."""
    for known in (keymap.offered, keymap.actions):
        if action not in _usual:
            _usual.update({name: ",".join(found.keys) for name, found in known().items()})
    return _usual[action]


def _spelled_while_typing(keys: str) -> str:
    working = next(filter(_WORKING.fullmatch, keys.split(",")), None)
    return _spelled(working) if working else f"esc {_spelled(keys)}"


def _spelled(keys: str) -> str:
    """The first of some keys as people write it: `ctrl+s`, `?`, `space`."""
    *modifiers, base = keys.split(",")[0].split("+")
    return "+".join((*modifiers, format_key(base)))
