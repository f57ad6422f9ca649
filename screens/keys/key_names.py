"""Key names, and which keys terminals actually send."""

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
# Sent by every terminal with ctrl: a control character that is not a key of its own (ctrl+i is tab).
_CONTROLLED = {*ascii_lowercase, "@", "backslash", "right_square_bracket", "circumflex_accent", "underscore"} - set("him")
# Keys whose escape sequence takes modifiers in every terminal.
_MODIFIED = {"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"} | {
    f"f{number}" for number in range(1, 25)
}


def normalize(key: str) -> str:
    """Textual's name for a key: `/` is `slash`, modifiers are sorted."""
    *modifiers, base = key.split("+") if len(key) > 1 else (key,)
    return "+".join((*sorted(modifiers), _character_to_key(base) if len(base) == 1 else base))


def error(key: str) -> str:
    """Why no terminal sends a key, however it is spelled; "" if some do."""
    *modifiers, base = normalize(key).split("+")
    if unknown := next(_unknown(modifiers, base), ""):
        near = closest(unknown, (*_MODIFIERS, *_NAMED))
        return f"unknown key: {key}{f'; did you mean {near}?' if near else ''}"
    if modifiers == ["shift"] and base in _TYPED:
        return f"no terminal sends {key}: use the character it types{f', {base.upper()}' if base.isalpha() else ''}"
    if "ctrl" in modifiers and base in _TYPED and base != base.lower():
        return f"no terminal sends {key}; did you mean {key.lower()}?"
    return ""


def is_rare(key: str) -> bool:
    """Whether only terminals with the Kitty keyboard protocol send a key."""
    *modifiers, base = normalize(key).split("+")
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
