"""Patterns of strangers: they mean what `re` says, and never take longer than they may."""

from __future__ import annotations

import contextlib
import re
import time
import warnings

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hooktui.patterns import BadPattern, Budget, TooSlow, search

BUDGET_S = 0.05
PIECES = st.lists(
    st.sampled_from(
        [*"abAB .^$|*+?()", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\b", r"\.", "{2}", "{1,3}", "(?=b)",
         "(?!b)", "(?<=a)", "(?<!a)", "(?:", "(?i:", r"(a)\1", "*?", "+?", "a|b"]
    ),
    max_size=7,
).map("".join)  # fmt: skip
TEXTS = st.text(alphabet="abAB .1\n", max_size=10)


def budget() -> Budget:
    return Budget(BUDGET_S)


@given(PIECES, TEXTS)
def test_it_finds_what_re_finds(pattern: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = re.search(pattern, text)
        except re.error:
            assume(False)
    found = search(pattern, text, Budget(60))
    assert found == (expected.span() if expected else None)


@given(st.lists(st.text(alphabet="abc d-/\"'é", min_size=0, max_size=4), min_size=1, max_size=4).map("|".join), TEXTS)
def test_plain_alternatives_need_no_engine_and_agree_with_one(pattern: str, text: str) -> None:
    expected = re.search(pattern, text)
    assert search(pattern, text, Budget(0)) == (expected.span() if expected else None)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 60 + "!"),
        ("^(a|aa)+$", "a" * 60 + "!"),
        ("(x+x+)+y", "x" * 60),
        ("(.*)*=(.*)*;", "a" * 5000),
        (r"^(\w+\s?)*$", "word " * 2000 + "!"),
        (".*.*.*.*.*=", "a" * 3000),
        ("a*" * 30 + "b", "a" * 60),
        ("a?" * 40 + "a" * 40, "a" * 40),
        (r"(a|b|ab)*c\1", "ab" * 2000),
        ("(?=(a+)+$)", "a" * 60 + "!"),
        ("(?:a|b|c|d|e|f|g|h)*x", "abcdefgh" * 100_000),
        (r"\s+$", " " * 200_000 + "x"),
    ],
    ids=lambda value: value[:12],
)
def test_what_backtracks_for_ever_is_stopped(pattern: str, text: str) -> None:
    started = time.monotonic()
    with contextlib.suppress(TooSlow):
        search(pattern, text, budget())
    assert time.monotonic() - started < 5  # for ever, were it not stopped; the machine may be busy


def test_a_budget_that_is_used_up_is_too_slow() -> None:
    with pytest.raises(TooSlow):
        search("^(a|aa)+$", "a" * 60 + "!", budget())
    with pytest.raises(TooSlow):
        search("(a+)+$", "aaa", Budget(0))


@pytest.mark.parametrize("pattern", ["(", "[a", "a**", "(?P<n", r"\8", "(?<=a+)b", "x{2,1}", "(?z)", "(" * 5000 + ")" * 5000])
def test_what_is_no_regex_is_said(pattern: str) -> None:
    with pytest.raises(BadPattern, match=r"\w"):
        search(pattern, "a", budget())


@pytest.mark.parametrize(
    "pattern", ["((a{1,300}){1,300}){1,300}b", "(" * 90 + "a" + "){0,99}" * 90, "|".join(["ab*c"] * 8000)], ids=range(3)
)
def test_a_monstrous_pattern_is_ended_too(pattern: str) -> None:
    started = time.monotonic()
    with contextlib.suppress(TooSlow, BadPattern):
        search(pattern, "a" * 100, budget())
    assert time.monotonic() - started < 20
