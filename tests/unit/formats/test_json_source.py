"""JSON with comments: every value and every error has its position, and no text hangs or crashes the reader."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.formats import json_source
from hooktui.formats.node import find

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_reads_the_same_values_as_json(value: object) -> None:
    read = json_source.read(json.dumps(value, ensure_ascii=False))
    assert read.root is not None
    assert json.dumps(read.root.value) == json.dumps(json.loads(json.dumps(value)))


@given(st.text(alphabet='{}[]",:/*\\ \n\r1e-.truefalsn\ufeff\ud800é😀u0'))
def test_never_raises_and_finds_faults_inside_the_text(text: str) -> None:
    read = json_source.read(text)
    assert (read.root is None) == (read.fault is not None)
    if read.fault:
        assert 0 <= read.fault.span[0] <= len(text)


def test_every_value_has_its_place() -> None:
    text = '{\r\n\t"é😀": [1, {"k": "v"}], // c\n "z": null,\n}'
    root = json_source.read(text).root
    assert root is not None
    found = find(root, ("é😀", 1, "k"))
    assert found is not None
    assert text[found.start : found.end] == '"v"'
    assert find(root, ("é😀", 7)) is None
    assert find(root, ("z", "deeper")) is None


def test_comments_and_trailing_commas_are_read_and_remembered() -> None:
    text = '/* a */ {"b": [1, 2,], // c\n}'
    read = json_source.read(text)
    assert read.root is not None
    assert read.root.value == {"b": [1, 2]}
    assert [text[start:end] for start, end in read.extras] == ["/* a */", ",", ",", "// c"]


def test_a_comment_marker_inside_a_string_is_text() -> None:
    read = json_source.read('{"url": "http://x/*y*/"}')
    assert read.root is not None
    assert read.root.value == {"url": "http://x/*y*/"}
    assert read.extras == ()


def test_the_last_of_a_repeated_key_counts_and_all_are_kept() -> None:
    root = json_source.read('{"a": 1, "a": 2}').root
    assert root is not None
    assert root.value == {"a": 2}
    assert [value.value for _, value in root.entries] == [1, 2]


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    root = json_source.read(r'"a\ud800b\ud83d\ude00"').root
    assert root is not None
    assert root.value == "a\ufffdb😀"


def test_a_number_that_no_float_holds_stays_text() -> None:
    root = json_source.read("[1e999, " + "9" * 5000 + "]").root
    assert root is not None
    assert all(isinstance(value, str) for value in root.value)


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ('{"a" 1}', 5, "colon"),
        ('{"a": 1 "b": 2}', 8, "comma"),
        ('{"a": }', 6, "value is missing"),
        ("{'a': 1}", 1, "'a'"),
        ('{"a": True}', 6, "True"),
        ('{"a": 01}', 6, "01"),
        ('{"a": "\\x"}', 7, "escape"),
        ('{"a": "b\n"}', 8, "line break"),
        ('{"a": 1', 6, "not closed"),
        ("{} {}", 3, "after the end"),
        ("[}", 1, "unmatched"),
        ("[1,,2]", 3, "value is missing"),
        ("", 0, "empty"),
        ("/* x", 0, "not valid JSON here"),
    ],
)
def test_a_fault_has_the_span_of_its_cause(text: str, at: int, words: str) -> None:
    fault = json_source.read(text).fault
    assert fault is not None
    assert fault.code == "bad-json"
    assert fault.span[0] == at
    assert words in fault.message


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        '{"a":' * 200_000,
        "[" * 101 + "]" * 101,
        "[0" + ",0" * 400_000,
        '"' + "\\" * 900_000,
        "/*" * 400_000,
    ],
)
def test_bombs_are_refused_at_once(text: str) -> None:
    begun = time.monotonic()
    assert json_source.read(text).fault is not None
    assert time.monotonic() - begun < 5


@given(st.text())
def test_an_offset_inside_a_text_is_that_of_its_character(value: str) -> None:
    text = f" {json.dumps(value)} "
    node = json_source.read(text).root
    assert node is not None
    for index in range(len(value)):
        start = json_source.offset_inside(text, node, index)
        rest = json.loads('"' + text[start : node.end])
        assert rest == json.loads(json.dumps(value[index:]))
