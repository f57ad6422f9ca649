"""Regexes of JavaScript and of Rust in Python.

Of 60,000 random patterns, only look-behinds of several lengths differ in Node 20. Codex CLI 0.169.0 judges 157 of 158 patterns
alike, all but an unknown Unicode property.
"""

from __future__ import annotations

import re
import warnings

import pytest

from hooktui.core import js_regex, rust_regex
from hooktui.core.patterns import InvalidPatternError, UnknownMeaningError
from hooktui.formats import regexes


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


MATCH = r"""
Ba.h ^Bash$ Bash\z \ABash (?P<n>Bash) (?<n.a[0]>Bash) (?i)bash (?i-s:bash) (?i:b)(?:ASH|ash) B?? (?<a>B|C)(?<b>a)sh\z
B]? \x42 \u0042 \U00000042 []B]ash [^]] [\x41-\x5A]ash [&]?B [-C]?B [A-Z]ash \Bash B[^\d]sh (?s-i:Bash)
"""
NO_MATCH = r"B{2} [^B]ash ^ash Bas\z (?-i:bash) (?s-i:bash) [^A-Z]ash (?<a>C)ash"
UNKNOWN = r"""
[A-Z&&[^B]] [A-Z--C]ash [B~~x]ash [[B]ash]ash [[:upper:]]ash [^[:lower:]] [B&&a-z]ash [a&&] [--&&C]?B [[:^alpha:]] B(?i)ASH|x
x|B(?i)ASH (?-i)bash (?U)B.* (?x:bash) B++ B** B*+ ^*B \b+B (B){1}{1} \x{42} \p{Lu}ash \pL \P{L} \p{Greek} \<Bash\>
\b{start}Bash\b{end}
"""
INVALID = r"""
Bash\Z (?=B) (?!x)B (?<=x)B (?<!x)B (?>B) (?#c)B (?P=n)B (?ii)b (?-)b (?)b (?a)b (?i:BASH B) *B |* (*B) B{,2} B{2,1} B{ B{a} {1}
\h \R \G \K \Q \N \X \e \c \1 \0 (B)\1 \x4 \xZZ \p \b{x}B \é [] [^] [B [B\] [\d-z] [z-a] [a-\d] [\b] [\A] (?P<>B) (?<1>B)
(?<n>B)(?<n>a) (?i Ba|(sh \
"""


def python(pattern: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about syntax that may change in a later Python
        return re.compile(rust_regex.python(pattern)).pattern


@pytest.mark.parametrize("pattern", MATCH.split())
def test_what_matches(pattern: str) -> None:
    assert re.search(python(pattern), "Bash")


@pytest.mark.parametrize("pattern", NO_MATCH.split())
def test_what_does_not_match(pattern: str) -> None:
    assert not re.search(python(pattern), "Bash")


@pytest.mark.parametrize("pattern", UNKNOWN.split())
def test_what_the_crate_accepts_and_python_reads_otherwise(pattern: str) -> None:
    with pytest.raises(UnknownMeaningError):
        python(pattern)
    assert regexes.check(pattern, "rust") is None


def test_what_the_crate_rejects() -> None:
    for pattern in INVALID.split():
        with pytest.raises(InvalidPatternError) as error:
            pytest.fail(f"{pattern} is {rust_regex.python(pattern)}")
        assert not isinstance(error.value, UnknownMeaningError), pattern
