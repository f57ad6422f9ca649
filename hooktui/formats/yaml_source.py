"""YAML as text: read it with positions (`compose`), and write values that read back (formats.md §2)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Fix
    from hooktui.formats.diagnostic_collector import DiagnosticCollector
    from hooktui.formats.node import Node
    from hooktui.formats.yaml_composer import Composed

# Printable for JSON but not for YAML, or a line break in YAML 1.1.
_TO_ESCAPE = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_STYLES = {"'": ("'", '"'), '"': ('"',)}
STYLES = ("", "'", '"')  # of scalars on one line
STEP = "  "


def compose(text: str, start: int = 0, end: int | None = None, *, most_values: int | None = None) -> Composed:
    """Parse the YAML in text[start:end]. Positions refer to `text`. Content never raises.

    `most_values` replaces the limit for a hook file.
    """
    from hooktui.formats import yaml_composer  # imports PyYAML, which projects without YAML never need

    return yaml_composer.compose(text, start, end, most_values or yaml_composer.MAX_NODES)


def scalar(value: str | int | bool, style: str = "", *, flow: bool = False) -> str:
    """Format `value` on one line, in the given quoting style if possible.

    `flow`: inside brackets. Raises ValueError if no style can represent the text (a lone surrogate).
    """
    if not isinstance(value, str):
        return json.dumps(value)
    for candidate_style in _STYLES.get(style, STYLES):
        candidate = _in_style(value, candidate_style)
        if _reads_back(candidate, value, flow=flow):
            return candidate
    raise ValueError("the text contains characters that YAML cannot represent")


def regex_fix(node: Node, notes: DiagnosticCollector) -> Fix | None:
    """A fix for an invalid regex on one line; None if its intention is unclear."""
    if node.style not in STYLES:
        return None
    return notes.regex_fix(node.value, node.span, lambda meant: scalar(meant, node.style or "'"))


def _in_style(value: str, style: str) -> str:
    if style == "'":
        return "'" + value.replace("'", "''") + "'"
    if style == '"':
        return _TO_ESCAPE.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(value, ensure_ascii=False))
    return value


def _reads_back(candidate: str, value: str, *, flow: bool) -> bool:
    if "\n" in candidate or "\r" in candidate:
        return False
    composed = compose(f"{{k: {candidate}}}" if flow else f"k: {candidate}\n")
    return not composed.faults and len(composed.roots) == 1 and composed.roots[0].value == {"k": value}


def candidates(value: object, indent: str, style: str = "", *, flow: bool = False) -> Iterator[str]:
    """Ways to write a value after `key:` or `-`, the most readable first, with line feeds.

    `indent` starts each further line; `style` is the quote to keep. The caller checks which one reads back as the
    value. Raises ValueError for a value that YAML cannot represent.
    """
    if isinstance(value, str) and "\n" in value and not flow:
        yield _literal(value, indent)
    if isinstance(value, dict | list):
        if value and not flow:
            yield _collection(value, indent)
        yield " " + json.dumps(value, ensure_ascii=False)
    elif isinstance(value, str | int):
        yield " " + scalar(value, "" if style in ("|", ">", "*") else style, flow=flow)
    elif value is None or isinstance(value, float):
        yield " " + json.dumps(value)
    else:
        raise ValueError(f"cannot write {type(value).__name__} as YAML")


def _literal(value: str, indent: str) -> str:
    lines = value.removesuffix("\n").split("\n")
    return f" |{'' if value.endswith(chr(10)) else '-'}\n" + "\n".join(indent + line if line else "" for line in lines)


def _collection(value: dict[str, object] | list[object], indent: str) -> str:
    if isinstance(value, list):
        return "".join(f"\n{indent}-{item(inner, indent + STEP)}" for inner in value)
    return "".join(f"\n{indent}{scalar(key)}:{next(candidates(inner, indent + STEP))}" for key, inner in value.items())


def item(value: object, indent: str) -> str:
    """Format the item after a dash. A mapping starts on the line of the dash; `indent` is the column of its keys."""
    text = next(candidates(value, indent))
    return " " + text.removeprefix("\n" + indent) if isinstance(value, dict) and value else text


def folded(key: str) -> str:
    """Normalize the spellings of a key."""
    return key.lower().replace("_", "").replace("-", "")
