"""What a malformed value was probably meant to be: the text that a fix writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from hooktui.formats.node import Span, TextFix

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
# An unquoted key or value, and what must follow it.
_BARE: Mapping[str, re.Pattern[str]] = {
    "key": re.compile(r"([A-Za-z_$][\w$-]*)(?=\s*:)"),
    "value": re.compile(r"([\w$.+-]+)(?=\s*(?:[,}\]]|\Z))"),
}
_SIGNS: Mapping[tuple[str, str], str] = {("comma", ";"): ",", ("colon", "="): ":", ("colon", "=>"): ":"}
_WORDS: Mapping[str, str] = {"none": "null", "null": "null", "true": "true", "false": "false"}
_CLOSING = re.compile(r"[\s}\]]*")
_CONTROLS: Mapping[str, str] = {"\t": "\\t"}


def number(text: str, unit: int | None = None) -> str | None:
    """The number in a text. For a time, `unit` is the field's unit in milliseconds and the text may have a unit.

    None if there is none.
    """
    match = _QUANTITY.fullmatch(text.strip())
    if match is None:
        return None
    value = float(match[1])
    if match[2]:
        given = _UNITS.get(match[2].lower())
        if unit is None or given is None:
            return None
        value = value * given / unit
    return str(int(value)) if value.is_integer() else str(value)


def flag(text: str) -> bool | None:
    """The boolean that a text means; None if it means neither."""
    return _FLAGS.get(text.strip().lower())


def json_word(text: str, span: Span, wanted: str) -> TextFix | None:
    """The fix of an invalid word where JSON expects a key, a colon, a value or a comma (`wanted`)."""
    written = text[slice(*span)]
    if meant := _SIGNS.get((wanted, written)) or _WORDS.get(written.lower()) or (wanted == "value" and _json_number(written)):
        return TextFix(f"write {meant}", span, meant)
    bare = _BARE.get(wanted)
    match = bare and (_OTHER_QUOTES.match(text, span[0]) or bare.match(text, span[0]))
    if not match or written.lower() in _NO_TEXT:
        return None
    meant = json.dumps(match[1], ensure_ascii=False)
    return TextFix(f"write {meant}", match.span(), meant)


def _json_number(written: str) -> str:
    """A number with a plus sign, leading zeros or a bare point as JSON; empty if it is not a number."""
    match = _LOOSE_NUMBER.fullmatch(written)
    digits = match[1] if match and any(map(str.isdigit, written)) else ""
    return f"0{digits}" if digits.startswith(".") else digits


def json_character(text: str, at: int) -> TextFix | None:
    """The fix of a character that is not allowed in a string."""
    meant = _CONTROLS.get(text[at])
    return None if meant is None else TextFix(f"write {meant}", (at, at + 1), meant)


def json_surplus(text: str, at: int) -> TextFix | None:
    """The fix of an extra closing bracket at the end."""
    return TextFix("delete it", (at, at + 1), "") if _CLOSING.fullmatch(text, at) else None


def json_unclosed(text: str, at: int, missing: str) -> TextFix:
    """The fix of missing closing brackets after the last character, at `at`."""
    return TextFix(f"add {missing}", (at, at + 1), text[at] + missing)
