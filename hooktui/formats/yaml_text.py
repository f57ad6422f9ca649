"""A value as YAML text: plain where that reads back as the same value, quoted where it must be."""

from __future__ import annotations

import json
import re

from hooktui.formats import yaml_source

# Printable for JSON but not for YAML, or a line break in YAML 1.1.
_TO_ESCAPE = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_STYLES = {"'": ("'", '"'), '"': ('"',)}
STYLES = ("", "'", '"')  # of what stands on one line


def written(value: str | int | bool, style: str = "", *, flow: bool = False) -> str:
    """One line of YAML that reads back as `value`, in the wanted quoting style where that can hold it.

    `flow`: it will stand inside brackets. Raises ValueError when no style can hold the text (a lone surrogate).
    """
    if not isinstance(value, str):
        return json.dumps(value)
    for candidate_style in _STYLES.get(style, STYLES):
        candidate = _in_style(value, candidate_style)
        if _reads_back(candidate, value, flow=flow):
            return candidate
    raise ValueError("the text has characters that YAML cannot hold")


def _in_style(value: str, style: str) -> str:
    if style == "'":
        return "'" + value.replace("'", "''") + "'"
    if style == '"':
        return _TO_ESCAPE.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(value, ensure_ascii=False))
    return value


def _reads_back(candidate: str, value: str, *, flow: bool) -> bool:
    if "\n" in candidate or "\r" in candidate:
        return False
    composed = yaml_source.compose(f"{{k: {candidate}}}" if flow else f"k: {candidate}\n")
    return not composed.faults and len(composed.roots) == 1 and composed.roots[0].value == {"k": value}
