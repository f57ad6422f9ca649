"""What a malformed value was probably meant to be: the text that a fix writes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hooktui.formats.node import TextFix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.formats.node import Span

_QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([A-Za-z]*)")
# Units of time in milliseconds.
_UNITS: Mapping[str, int] = {
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1000),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60_000),
}
_FLAGS: Mapping[str, bool] = {**dict.fromkeys(("true", "yes", "on"), True), **dict.fromkeys(("false", "no", "off"), False)}

SECOND = 1000  # milliseconds
_OTHER_QUOTES = re.compile("['“”‘’`]([^'\"“”‘’`\\\\\r\n]*)['“”‘’`]")
_LOOSE_NUMBER = re.compile(r"\+?0*(\d*(?:\.\d+)?)\.?")
_NO_TEXT = ("undefined", "nan", "infinity", "-infinity")
# Where a key or a value must come, a word, and what follows it when nothing but its quotes is missing.
_BARE: Mapping[str, re.Pattern[str]] = {
    "key": re.compile(r"([A-Za-z_$][\w$-]*)(?=\s*:)"),
    "value": re.compile(r"([\w$.+-]+)(?=\s*(?:[,}\]]|\Z))"),
}
_SIGNS: Mapping[tuple[str, str], str] = {("comma", ";"): ",", ("colon", "="): ":", ("colon", "=>"): ":"}
_WORDS: Mapping[str, str] = {"none": "null", "null": "null", "true": "true", "false": "false"}
_CLOSING = re.compile(r"[\s}\]]*")
_CONTROLS: Mapping[str, str] = {"\t": "\\t"}


def number(text: str, unit: int | None = None) -> str | None:
    """The number that a text holds; where a field counts time in a `unit` of milliseconds, also one with a unit behind it.

    None when there is no such number.
    """
    found = _QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    value = float(found[1])
    if found[2]:
        given = _UNITS.get(found[2].lower())
        if unit is None or given is None:
            return None
        value = value * given / unit
    return str(int(value)) if value.is_integer() else str(value)


def flag(text: str) -> bool | None:
    """The boolean that a text says; None when it says none."""
    return _FLAGS.get(text.strip().lower())


def json_word(text: str, span: Span, wanted: str) -> TextFix | None:
    """Of a word that means nothing to JSON where a key, a colon, a value or a comma must come (`wanted`)."""
    written = text[slice(*span)]
    if meant := _SIGNS.get((wanted, written)) or _WORDS.get(written.lower()) or (wanted == "value" and _json_number(written)):
        return TextFix(f"write {meant}", span, meant)
    bare = _BARE.get(wanted)
    found = bare and (_OTHER_QUOTES.match(text, span[0]) or bare.match(text, span[0]))
    if not found or written.lower() in _NO_TEXT:
        return None
    meant = json.dumps(found[1], ensure_ascii=False)
    return TextFix(f"write {meant}", found.span(), meant)


def _json_number(written: str) -> str:
    """A number with a plus sign, zeros before it or a point at one of its ends, as JSON writes it; empty when it is none."""
    found = _LOOSE_NUMBER.fullmatch(written)
    digits = found[1] if found and any(map(str.isdigit, written)) else ""
    return f"0{digits}" if digits.startswith(".") else digits


def json_character(text: str, at: int) -> TextFix | None:
    """Of a character that cannot stand inside a text."""
    meant = _CONTROLS.get(text[at])
    return None if meant is None else TextFix(f"write {meant}", (at, at + 1), meant)


def json_surplus(text: str, at: int) -> TextFix | None:
    """Of a closing bracket behind the end, with nothing but such behind it."""
    return TextFix("delete it", (at, at + 1), "") if _CLOSING.fullmatch(text, at) else None


def json_unclosed(text: str, at: int, missing: str) -> TextFix:
    """Of a text whose last sign stands at `at`, before some closing brackets."""
    return TextFix(f"add {missing}", (at, at + 1), text[at] + missing)
