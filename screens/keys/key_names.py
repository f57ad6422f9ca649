"""The names of keys, and what terminals send: a key that never comes, or only from few, is no use to a person."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

from textual.keys import Keys, _character_to_key

from hooktui.core.suggest import closest

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
_PRINTED = {_character_to_key(chr(number)) for number in range(32, 127)}
_NAMED = {key.value.rpartition("+")[2] for key in Keys}
_TYPED = _PRINTED - {"space"}
# What every terminal sends with ctrl: a control character that is no key of its own, as ctrl+i is tab.
_CONTROLLED = {*ascii_lowercase, "@", "backslash", "right_square_bracket", "circumflex_accent", "underscore"} - set("him")
# Keys whose sequence has a place for modifiers, in every terminal.
_MODIFIED = {"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"} | {
    f"f{number}" for number in range(1, 25)
}


def spelled(key: str) -> str:
    """A key as Textual calls it: `/` is `slash`, modifiers are in their order."""
    *modifiers, base = key.split("+") if len(key) > 1 else (key,)
    return "+".join((*sorted(modifiers), _character_to_key(base) if len(base) == 1 else base))


def wrong(key: str) -> str:
    """Why no terminal sends a key, which is spelled in any way; "" when some do."""
    *modifiers, base = spelled(key).split("+")
    if unknown := next(_unknown(modifiers, base), ""):
        near = closest(unknown, (*_MODIFIERS, *_NAMED))
        return f"{key} is no key{f': did you mean {near}?' if near else ''}"
    if modifiers == ["shift"] and base in _TYPED:
        return f"no terminal sends {key}: write the character that it types{f', {base.upper()}' if base.isalpha() else ''}"
    if "ctrl" in modifiers and base in _TYPED and base != base.lower():
        return f"no terminal sends {key}: did you mean {key.lower()}?"
    return ""


def is_rare(key: str) -> bool:
    """Whether only terminals with the Kitty keyboard protocol send a key: others send another one, or none."""
    *modifiers, base = spelled(key).split("+")
    match modifiers:
        case []:
            return False
        case ["alt"] if base in _TYPED:
            return False
        case ["ctrl"] | ["alt", "ctrl"] if base in _CONTROLLED:
            return False
        case ["shift"] if base == "tab":
            return False
    return base not in _MODIFIED or not {"alt", "ctrl", "shift"}.issuperset(modifiers)


def _unknown(modifiers: list[str], base: str) -> Iterator[str]:
    yield from (modifier for modifier in modifiers if modifier not in _MODIFIERS)
    if base not in _NAMED | _PRINTED:
        yield base
