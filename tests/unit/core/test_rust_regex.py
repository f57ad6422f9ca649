"""Rust's regexes in Python: Codex CLI 0.169.0 judges 157 of 158 patterns alike, all but an unknown Unicode property."""

from __future__ import annotations

import re

import pytest

from hooktui.core import rust_regex
from hooktui.core.patterns import BadPattern

MATCH = r"""
Ba.h ^Bash$ Bash\z \ABash (?P<n>Bash) (?<n.a[0]>Bash) (?i)bash B(?i)ASH|x x|B(?i)ASH (?i-s:bash) (?U)B.* B++ B** B*+ B??
^*B \b+B (B){1}{1} B]? \x42 \x{42} \u0042 \U00000042 \p{Lu}ash \pL \<Bash\> \b{start}Bash\b{end} []B]ash [^]]
[A-Z--C]ash [B~~x]ash [[B]ash]ash [[:upper:]]ash [^[:lower:]] [\w&&[^\d]]+ [\x41-\x5A]ash [&&]?B [--C]?B \Bash
"""
NO_MATCH = r"B{2} [B&&a-z]ash [A-Z&&[^B]] [A-Z--B]ash [^B]ash [[:^alpha:]] \P{L} \p{Greek} (?-i)bash [a&&] (?s-i:bash)"
INVALID = r"""
Bash\Z (?=B) (?!x)B (?<=x)B (?<!x)B (?>B) (?#c)B (?P=n)B (?ii)b (?-)b (?)b (?a)b (?i:BASH B) *B |* (*B) B{,2} B{2,1} B{ B{a} {1}
\h \R \G \K \Q \N \X \e \c \1 \0 (B)\1 \x4 \xZZ \p \b{x}B \é [] [^] [B [B\] [\d-z] [z-a] [a-\d] [\b] [\A] (?P<>B) (?<1>B)
(?<n>B)(?<n>a) (?i Ba|(sh \
"""


@pytest.mark.parametrize("pattern", MATCH.split())
def test_what_matches(pattern: str) -> None:
    assert re.search(rust_regex.python(pattern), "Bash")


@pytest.mark.parametrize("pattern", NO_MATCH.split())
def test_what_does_not_match(pattern: str) -> None:
    assert not re.search(rust_regex.python(pattern), "Bash")


def test_what_the_crate_rejects() -> None:
    for pattern in INVALID.split():
        with pytest.raises(BadPattern):
            pytest.fail(f"{pattern} is {rust_regex.python(pattern)}")
