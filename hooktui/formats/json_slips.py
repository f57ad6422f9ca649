"""What a slip in the spelling of JSON was plainly meant to be: what the fix of a text that cannot be read writes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hooktui.formats.yaml_faults import Mending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.formats.problems import Span

_OTHER_QUOTES = re.compile("['“”‘’`]([^'\"“”‘’`\\\\\r\n]*)['“”‘’`]")
_NUMBER = re.compile(r"\+?0*(\d*(?:\.\d+)?)\.?")
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


def word(text: str, span: Span, wanted: str) -> Mending | None:
    """Of a word that means nothing to JSON where a key, a colon, a value or a comma must come (`wanted`)."""
    written = text[slice(*span)]
    if meant := _SIGNS.get((wanted, written)) or _WORDS.get(written.lower()) or (wanted == "value" and _number(written)):
        return Mending(f"write {meant}", span, meant)
    bare = _BARE.get(wanted)
    found = bare and (_OTHER_QUOTES.match(text, span[0]) or bare.match(text, span[0]))
    if not found or written.lower() in _NO_TEXT:
        return None
    meant = json.dumps(found[1], ensure_ascii=False)
    return Mending(f"write {meant}", found.span(), meant)


def _number(written: str) -> str:
    """A number with a plus sign, zeros before it or a point at one of its ends, as JSON writes it; empty when it is none."""
    found = _NUMBER.fullmatch(written)
    digits = found[1] if found and any(map(str.isdigit, written)) else ""
    return f"0{digits}" if digits.startswith(".") else digits


def character(text: str, at: int) -> Mending | None:
    """Of a character that cannot stand inside a text."""
    meant = _CONTROLS.get(text[at])
    return None if meant is None else Mending(f"write {meant}", (at, at + 1), meant)


def surplus(text: str, at: int) -> Mending | None:
    """Of a closing bracket behind the end, with nothing but such behind it."""
    return Mending("delete it", (at, at + 1), "") if _CLOSING.fullmatch(text, at) else None


def unclosed(text: str, at: int, missing: str) -> Mending:
    """Of a text whose last sign stands at `at`, before some closing brackets."""
    return Mending(f"add {missing}", (at, at + 1), text[at] + missing)
