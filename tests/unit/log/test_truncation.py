"""A payload that is too long is cut to a length, stays JSON and keeps its short values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.runner.journal.entry import stored_json, truncated
from hooktui.runner.redaction import CAP, is_cut

pytestmark = pytest.mark.slow  # fits megabytes

SMALL = {"session_id": "s1", "tool_use_id": "toolu_1", "n": 1.5, "none": None}
MOST = 3 * CAP
SECRET = "ghp" + "_" + "A1b2" * 9


def tree(levels: int) -> Any:
    return "abc" if levels == 0 else [tree(levels - 1) for _ in range(4)]


def nested(value: Any, levels: int) -> Any:
    for level in range(levels):
        value = {"level": level, "inside": value}
    return value


# Each several times as long as what is kept, and made only when its test runs.
LONG: dict[str, Callable[[], Any]] = {
    "a long text": lambda: {"command": "x" * 500_000, "timeout": 5},
    "a few long texts": lambda: dict.fromkeys("abcdef", "line\n" * 100_000),
    "hundreds of texts": lambda: {f"k{number}": "x" * 2000 for number in range(500)},
    "a list of texts": lambda: ["x" * 2000] * 500,
    "an enormous list": lambda: list(range(100_000)),
    "lists in lists": lambda: [[1] * 1000] * 150,
    "a wide tree": lambda: tree(8),
    "a deep one": lambda: nested("x" * 500_000, 90),
    "a text of control characters": lambda: "\0" * 500_000,
    "long keys": lambda: {f"{number}{'x' * 5000}": 1 for number in range(200)},
    "an endless number": lambda: [10**4000] * 150,
}


@pytest.mark.parametrize("long", LONG)
def test_small_fields_around_a_long_value_stay_complete(long: str) -> None:
    value = LONG[long]()
    stored = stored_json({"first": SMALL, "tool_input": value, "last": SMALL}, ()) or ""
    assert len(stored) < MOST < len(json.dumps(value))
    assert is_cut(stored)
    kept = json.loads(stored)
    assert kept["first"] == kept["last"] == SMALL


def test_value_that_fits_is_unchanged() -> None:
    value = {**SMALL, "tool_input": {"lines": ["x" * 1000] * 200}}
    assert json.loads(stored_json(value, ()) or "") == value


def test_long_text_keeps_64_kib_of_each_end() -> None:
    text = "a" * 70_000 + "b" * 400_000 + "c" * 70_000
    kept = json.loads(stored_json({**SMALL, "tool_input": {"content": text}}, ()) or "")["tool_input"]["content"]
    assert kept.startswith("a" * 65_536 + "\n…")
    assert kept.endswith("…\n" + "c" * 65_536)


def test_long_values_share_the_remaining_length() -> None:
    shown = truncated({"a": "x" * 100, "b": "y" * 5000, "c": "z" * 5000}, 1000)
    assert shown["a"] == "x" * 100
    assert len(shown["b"]) == len(shown["c"]) > 350


def test_long_list_keeps_its_first_and_last_items() -> None:
    shown = truncated(list(range(10_000)), 1000)
    assert shown[:2] == [0, 1]
    assert shown[-2:] == [9998, 9999]
    assert f"… {10_000 - len(shown) + 1} items left out …" in shown


@pytest.mark.parametrize("shift", range(-60, 61, 30))
def test_cut_text_holds_no_part_of_a_secret(shift: int) -> None:
    texts = [SECRET.join("x" * (size + shift) for size in (16_000, 30_000, 65_500, 90_000, 40_000)) for _ in range(6)]
    spaced = [text.replace(SECRET, f" {SECRET} ") for text in texts]
    stored = stored_json({**SMALL, "texts": spaced, "more": [f" {SECRET} "] * 5_000}, ()) or ""
    assert is_cut(stored)
    assert "b2A1" not in stored


def test_private_key_without_its_beginning_is_removed() -> None:
    lines = ["x"] * 10_000 + ["-----BEGIN " + "PRIVATE KEY-----"] + ["MIIEow"] * 60_000 + ["-----END " + "PRIVATE KEY-----"]
    stored = stored_json({**SMALL, "lines": lines}, ())
    assert stored is not None
    assert "MIIEow" not in stored


_JSON = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(_JSON, st.integers(min_value=50, max_value=500))
def test_any_value_fits_or_is_cut(value: Any, length: int) -> None:
    text = json.dumps(truncated(value, length), ensure_ascii=False)
    assert json.loads(text) == value or len(text) < 6 * length
