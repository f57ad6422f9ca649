"""The C half of `json` agrees with all of it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hooktui.core import fast_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_dumps_agrees_with_json(value: Any) -> None:
    assert fast_json.dumps(value) == json.dumps(value)
    assert fast_json.dumps(value, ascii_only=False) == json.dumps(value, ensure_ascii=False)


@given(VALUES)
def test_loads_agrees_with_json(value: Any) -> None:
    text = json.dumps(value, indent=1)
    assert fast_json.loads(text) == value
    assert fast_json.loads(f" \n{text}\t".encode()) == value


def finite(text: str) -> float:
    """The float, or the largest float for a number too large: JSON has no infinity."""
    return max(-sys.float_info.max, min(float(text), sys.float_info.max))


@given(st.text(alphabet='{}[]",:0123456789.-+eEtruefalsn\\ \n"'))
@example("1E309")
def test_loads_rejects_what_json_rejects(text: str) -> None:
    try:
        expected = json.loads(text, parse_float=finite)
    except ValueError:
        with pytest.raises(ValueError, match=r"\w"):
            fast_json.loads(text)
    else:
        assert fast_json.loads(text) == expected


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_nan_and_infinity_are_rejected(word: str) -> None:
    with pytest.raises(ValueError, match=f"^{word} is no JSON value$"):
        fast_json.loads(f'{{"a": [{word}]}}')


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1e999", sys.float_info.max),
        ("-1e999", -sys.float_info.max),
        ("9" * 5000, sys.float_info.max),
        ("-" + "9" * 5000, -sys.float_info.max),
        ("9" * 4000, 10**4000 - 1),
    ],
    ids=range(5),
)
def test_too_large_number_becomes_the_largest_float(written: str, read: float) -> None:
    assert fast_json.loads(f"[{written}]") == [read]
    assert "Infinity" not in fast_json.dumps(fast_json.loads(f"[{written}]"))


def test_a_byte_order_mark_is_skipped() -> None:
    assert fast_json.loads(b"\xef\xbb\xbf{}") == {}


def test_last_duplicate_key_wins() -> None:
    assert fast_json.loads('{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize("text", [b"\xff", b'"\xed\xa0\x80"', "", "{} {}", '{"a": 1,}', "'a'", "[1 2]"])
def test_invalid_text_raises_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        fast_json.loads(text)


def test_deep_nesting_raises_recursion_error() -> None:
    with pytest.raises(RecursionError):
        fast_json.loads("[" * 100_000)


def test_unsupported_value_raises_type_error() -> None:
    with pytest.raises(TypeError, match="set is not a JSON value"):
        fast_json.dumps({"a": {1}})


def test_tuples_are_lists() -> None:
    assert fast_json.dumps({"a": (1, "x")}) == '{"a": [1, "x"]}'
