"""Untrusted regexes agree with `re` and never exceed their time."""

from __future__ import annotations

import _sre
import contextlib
import marshal
import os
import re
import time
import warnings

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hooktui.catalog.plan_writer import regex_code
from hooktui.core.patterns import InvalidPatternError, RegexTimeoutError, in_child, search, share

BUDGET_S = 0.05
PIECES = st.lists(
    st.sampled_from(
        [*"abAB .^$|*+?()", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\b", r"\.", "{2}", "{1,3}", "(?=b)",
         "(?!b)", "(?<=a)", "(?<!a)", "(?:", "(?i:", r"(a)\1", "*?", "+?", "a|b"]
    ),
    max_size=7,
).map("".join)  # fmt: skip
TEXTS = st.text(alphabet="abAB .1\n", max_size=10)


def found_by_re(pattern: str, text: str) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = re.search(pattern, text)
    return found.group() if found else None


def found(pattern: str, *texts: str, seconds: float = 60) -> str | None:
    place = search(pattern, texts, seconds)
    return None if place is None else texts[place[0]][place[1] : place[2]]


@given(PIECES, TEXTS)
def test_search_agrees_with_re(pattern: str, text: str) -> None:
    try:
        expected = found_by_re(pattern, text)
    except re.error:
        assume(False)
    assert found(pattern, text) == expected


@given(PIECES, TEXTS)
def test_stored_code_agrees_with_re(pattern: str, text: str) -> None:
    try:
        expected = found_by_re(pattern, text)
    except re.error:
        assert regex_code(pattern) is None
        return
    stored = regex_code(pattern)
    assert stored
    match = _sre.compile(pattern, *marshal.loads(marshal.dumps(stored))).search(text)
    assert (match.group() if match else None) == expected


@given(st.lists(st.text(alphabet="abc d-/\"'é", min_size=0, max_size=4), min_size=1, max_size=4).map("|".join), TEXTS)
def test_plain_alternatives_agree_with_re_without_importing_it(pattern: str, text: str) -> None:
    assert found(pattern, text, seconds=0) == found_by_re(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(?:foo){e<=1}", "fo"),
        ("(?:foo){e<=1}", "foo{e<=1}"),
        ("(?:rm -rf){e}", "rm -r"),
        ("(ab)+{i<2}", "ab"),
        ("[[:alpha:]]+(x|xx)*", "a:]"),
        ("[[a-z]--[aeiou]]+(x|xx)*", "b"),
        (r"(\w+\s?)+$", "a\u0301"),
        (r"(rm\s+)+-rf", "rm\x1c-rf"),
        (r"(a|b)*+c", "ababc"),
        (r"(?>a|ab)+c", "abc"),
        (r"(?x)(a {2})+", "aa"),
        (r"(\N{LATIN SMALL LETTER A}|b)+c", "abc"),
        (r"(x{,}|y)+z", "xxyz"),
    ],
)
def test_risky_pattern_agrees_with_re(pattern: str, text: str) -> None:
    assert found(pattern, text) == found_by_re(pattern, text)


@pytest.mark.parametrize("pattern", ["(?V1)(a|b)+", r"\L<words>(a|b)+", r"(\p{L}|x)+", "(?|(a)|(b))+", "(a|(?R))+", "(?e)(a)+"])
def test_syntax_of_other_engines_is_a_bad_pattern(pattern: str) -> None:
    with pytest.raises(InvalidPatternError):
        search(pattern, ("a",), BUDGET_S)


@pytest.mark.parametrize("pattern", ["b", "b+", "(b|bb)+"])
def test_first_matching_text_wins(pattern: str) -> None:
    place = search(pattern, ("a", "cb", "bb"), BUDGET_S)
    assert place is not None
    assert tuple(place) == (1, 1, 2)
    assert search(pattern, (), BUDGET_S) is None


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
def test_endless_backtracking_is_stopped(pattern: str, text: str) -> None:
    started = time.monotonic()
    with contextlib.suppress(RegexTimeoutError):
        search(pattern, (text,), BUDGET_S)
    assert time.monotonic() - started < 5  # it would take forever; the machine may be busy


def test_exceeding_the_time_raises_too_slow() -> None:
    with pytest.raises(RegexTimeoutError):
        search("^(a|aa)+$", ("a" * 60 + "!",), BUDGET_S)


def test_texts_share_one_time_limit() -> None:
    with pytest.raises(RegexTimeoutError):
        search(r"(\w+\s?)+x", ["a" * 23 + "!"] * 1000, BUDGET_S)


def test_deprecated_syntax_prints_no_warning() -> None:
    assert found("[[a]+(b|bb)+", "[b") == "[b"


@pytest.mark.parametrize("pattern", ["(", "[a", "a**", "(?P<n", r"\8", "(?<=a+)b", "x{2,1}", "(?z)", "(" * 5000 + ")" * 5000])
def test_invalid_regex_raises_bad_pattern(pattern: str) -> None:
    with pytest.raises(InvalidPatternError, match=r"\w"):
        search(pattern, ("a",), BUDGET_S)


@pytest.mark.parametrize(
    "pattern", ["((a{1,300}){1,300}){1,300}b", "(" * 90 + "a" + "){0,99}" * 90, "|".join(["ab*c"] * 8000)], ids=range(3)
)
def test_huge_pattern_is_stopped(pattern: str) -> None:
    started = time.monotonic()
    with contextlib.suppress(RegexTimeoutError, InvalidPatternError):
        search(pattern, ("a" * 100,), BUDGET_S)
    assert time.monotonic() - started < 20


def test_one_child_searches_until_a_search_is_too_slow() -> None:
    texts = ["aaa", "ab", "a" * 60 + "!", "aa"]
    answers = in_child(lambda: (search("^(a|aa)+$", (text,), BUDGET_S) for text in texts), BUDGET_S)
    assert [next(answers), next(answers)] == [[0, 0, 3], None]
    with pytest.raises(RegexTimeoutError):
        next(answers)


def test_abandoned_child_is_killed() -> None:
    answers = in_child(lambda: iter(os.getpid, 0), BUDGET_S)  # its own number forever
    child = next(answers)
    answers.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_shared_time_ends_with_its_limit() -> None:
    share(0)
    try:
        with pytest.raises(RegexTimeoutError):
            search("(ne|ed)+le", ["hay" * 1000], BUDGET_S)
    finally:
        share(float("inf"))
    assert found("(ne|ed)+le", "a needle") == "needle"
