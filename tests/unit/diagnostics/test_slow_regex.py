"""Patterns that take exponential time on some text (formats.md §2, contract.md)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.diagnostics.slow_regex import is_slow

AT_ONCE = 0.0  # a past deadline: the structure decides


def slow(pattern: str) -> bool:
    return is_slow(pattern, time.thread_time() + 10)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"^(a|a)*$",
        r"(a|a)*b",
        r"(a|aa)+$",
        r"(\w+\s?)*$",
        r"(a*)*b",
        r"(x+x+)+y",
        r"(.*)*=",
        r"foo(a+)+$",
        r"(([^x])+)*x$",
        r"([\w.-]+)+@x",
        r"(a+|b+|c+)*d",
        r"(\s*;\s*)*x",
        r"(.*a){20}",
        r"(?=(a+)+$)a",
    ],
)
def test_an_ambiguous_repeat_is_slow(pattern: str) -> None:
    assert slow(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s*\s*=",
        r"\s*\s*\s*\s*\s*\s*=",
        r".*.*=",
        r"\w+\s*\w+=",
        r"[a-z]+[a-z0-9]+@",
        r"x*(.*.*)=",
        r"\s*\w*\s*=",
        r"\d+\.?\d*x",
        r"a?b*[bc]*d",
        "a*" * 30 + "b",
    ],
)
def test_repeats_in_a_row_that_share_a_text_are_slow(pattern: str) -> None:
    assert slow(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s+\S+\s+x",
        r".*foo.*bar",
        r"curl.*\|.*sh",
        r"^\s*(\w+)\s*=\s*(.*)$",
        r"x{2}y{3}",
        r"a{1,3}a{1,3}b",
    ],
)
def test_repeats_that_share_no_text_are_not_slow(pattern: str) -> None:
    assert not slow(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a|a)*",
        r"(a|ab)*c",
        r"(foo|foobar)+x",
        r"\.(py|js|ts)$",
        r"(\w+\s)*x",
        r"([^/]+/)*foo$",
        r"(foo|bar)+$",
        r"(\d{1,3}\.){3}\d+",
        r"(?:[^\"\\]|\\.)*\"",
        r"(\w*\.)+py$",
        r"(?:--?\w+\s+)*--force",
        r"git\s+(\S+\s+)*push",
        r"(?>a+)+b",
        r"(",
        r"rm\s+-rf",
    ],
)
def test_a_repeat_that_matches_in_one_way_is_not_slow(pattern: str) -> None:
    assert not slow(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        "((((((a*)*)*)*)*)*)*b",
        "(a*){30000}b",
        f"({'|'.join(['ab', 'ac'] * 5000)})*c",
        "(((a{1000}){1000}){1000})*",
        "(" * 90 + "a" + ")*" * 90,
        f"{'(a|b)*' * 80}c",
    ],
)
def test_expensive_patterns_are_judged_by_structure(pattern: str) -> None:
    begun = time.thread_time()
    slow(pattern)
    assert time.thread_time() - begun < 2  # a guard against hanging, not a measurement


def test_structure_decides_after_the_budget() -> None:
    assert is_slow(r"(a+)+$", AT_ONCE)
    assert is_slow(r"(\w+\s)*x", AT_ONCE)
    assert not is_slow(r"(a|b)*$", AT_ONCE)


@given(st.text(alphabet="ab()|*+?{}[]^\\wd.1,", max_size=20))
def test_no_pattern_raises(pattern: str) -> None:
    slow(pattern)
