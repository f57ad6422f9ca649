"""The comments of a script by its language, blanked so that rules do not take them for what the script does."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hooktui.scripts.programs import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping

_INTERPRETERS = {
    "shell": re.compile(r"#!.*sh\b"),
    "python": re.compile(r"#!.*\b(?:python|pypy|uv\b)"),
    "javascript": re.compile(r"#!.*\b(?:node|deno|bun|tsx|ts-node)\b"),
}
_LINE = r"^[ \t]*#[^\n]*"
_QUOTED = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_TRIPLE = r"\"\"\"|'''"
# The comments in a language, as the group `comment`, beside the texts in which their signs mean nothing.
_COMMENTS: Mapping[str, re.Pattern[str]] = {
    # At the start of a line, also within a text such as a program of another language, and behind whole words of a line.
    "shell": re.compile(
        rf"(?P<comment>{_LINE})|^(?:[^\"'#\\\n]|\\.|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|(?<![\s;])#)*?[\s;](?P<behind>#[^\n]*)",
        re.MULTILINE,
    ),
    # A text in triple quotes that is a statement of its own is documentation.
    "python": re.compile(
        rf"(?P<comment>#[^\n]*|(?:\A|(?<![(,=+\[{{\\%])\n)[ \t]*[rRuU]?(?P<quotes>{_TRIPLE})"
        rf"(?s:(?!(?P=quotes)).)*(?P=quotes)(?=[ \t]*(?:\n|\Z)))"
        rf"|(?P<text>{_TRIPLE})(?s:.*?)(?:(?P=text)|\Z)|{_QUOTED}"
    ),
    "javascript": re.compile(rf"(?P<comment>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))|{_QUOTED}|`(?:\\.|[^`\\])*`|\\."),
    "other": re.compile(rf"(?P<comment>{_LINE}|<#(?s:.*?)(?:#>|\Z))", re.MULTILINE),
}
_NOT_NEWLINE = re.compile(r"[^\n]")


def language(path: str, text: str) -> str:
    """The language of a script, by its `#!` line or its suffix."""
    if text.startswith("#!"):
        line = text.partition("\n")[0]
        return next((name for name, pattern in _INTERPRETERS.items() if pattern.match(line)), "other")
    return SUFFIXES.get(os.path.splitext(path)[1], "shell")


def without_comments(text: str, of_language: str) -> str:
    """Blank the comments of a text; its length and its lines stay the same."""
    pattern = _COMMENTS[of_language]
    spans = (
        match.span(name) for match in pattern.finditer(text) for name in ("comment", "behind") if name in pattern.groupindex
    )
    parts, end = [], 0
    for start, behind in spans:
        if behind > max(start, 0):
            parts += [text[end:start], _NOT_NEWLINE.sub(" ", text[start:behind])]
            end = behind
    return "".join((*parts, text[end:]))
