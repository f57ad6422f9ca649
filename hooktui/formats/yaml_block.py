"""Values as YAML in block style: what is written below or behind a key or a dash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hooktui.formats import yaml_text

if TYPE_CHECKING:
    from collections.abc import Iterator

STEP = "  "


def candidates(value: object, indent: str, style: str = "", *, flow: bool = False) -> Iterator[str]:
    """Ways to write a value behind `key:` or `-`, the nicest first, lines ended with line feeds.

    `indent` is what its lines, if there are several, begin with; `style` is the quote to keep. Which of them reads back as the
    value is for the caller to find out. Raises ValueError for what YAML cannot hold.
    """
    if isinstance(value, str) and "\n" in value and not flow:
        yield _literal(value, indent)
    if isinstance(value, dict | list):
        if value and not flow:
            yield _collection(value, indent)
        yield " " + json.dumps(value, ensure_ascii=False)
    elif isinstance(value, str | int):
        yield " " + yaml_text.written(value, "" if style in ("|", ">", "*") else style, flow=flow)
    else:
        raise ValueError(f"{type(value).__name__} is nothing that is written here")


def _literal(value: str, indent: str) -> str:
    lines = value.removesuffix("\n").split("\n")
    return f" |{'' if value.endswith(chr(10)) else '-'}\n" + "\n".join(indent + line if line else "" for line in lines)


def _collection(value: dict[str, object] | list[object], indent: str) -> str:
    if isinstance(value, list):
        return "".join(f"\n{indent}-{_below_dash(item, indent + STEP)}" for item in value)
    return "".join(f"\n{indent}{yaml_text.written(key)}:{_first(inner, indent + STEP)}" for key, inner in value.items())


def _below_dash(value: object, indent: str) -> str:
    """A list's item: a mapping begins on the line of the dash."""
    text = _first(value, indent)
    return " " + text.removeprefix("\n" + indent) if isinstance(value, dict) and value else text


def _first(value: object, indent: str) -> str:
    return next(candidates(value, indent))


def item(value: object, indent: str) -> str:
    """What is written behind a new dash; `indent` is where the keys of a mapping stand."""
    return _below_dash(value, indent)
