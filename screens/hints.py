"""Keys in running text: a text names an action, `{take-back} brings it back`, and shows the key that the person has for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual._context import active_app
from textual.keys import format_key

from hooktui.screens import keymap

if TYPE_CHECKING:
    from collections.abc import Mapping

_ACTION = re.compile(r"\{([a-z]+(?:-[a-z]+)*)\}")
_usual: dict[str, str] = {}


def hint(text: str) -> str:
    """A text of ours, the first key of each action in it in place of the action's name in braces."""
    own: Mapping[str, str] = getattr(active_app.get(None), "own_keys", {})
    return _ACTION.sub(lambda found: _spelled(own.get(found[1]) or _usual_key(found[1])), text)


def _usual_key(action: str) -> str:
    """The key that an action has by itself; other screens are brought in only where nobody here has that action."""
    for known in (keymap.offered, keymap.actions):
        if action not in _usual:
            _usual.update({name: found.keys[0] for name, found in known().items()})
    return _usual[action]


def _spelled(keys: str) -> str:
    """The first of some keys as people write it: `ctrl+s`, `?`, `space`."""
    *modifiers, base = keys.split(",")[0].split("+")
    return "+".join((*modifiers, format_key(base)))
