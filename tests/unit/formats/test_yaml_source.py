"""formats.md §2, "frontmatter": supported YAML, its limits, and the position of every value."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.formats.node import Node
from hooktui.formats.yaml_composer import MAX_LEVELS, MAX_NODES, compose


def value(text: str) -> Any:
    composed = compose(text)
    assert composed.faults == ()
    (root,) = composed.roots
    return root.value


def fault(text: str) -> tuple[str, str, str]:
    """Code, message and faulty text of the first error."""
    first = compose(text).faults[0]
    return first.code, first.message, text[first.span[0] : first.span[1]]


def nodes(node: Node) -> list[Node]:
    below = [child for pair in node.entries for child in pair] + list(node.items)
    return [node, *(inner for child in below for inner in nodes(child))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", {"a": 1}),
        ("a: 1_000", {"a": 1000}),
        ("a: 0x1f", {"a": 31}),
        ("a: 1.5", {"a": 1.5}),
        ("a: yes", {"a": True}),
        ("a: 'yes'", {"a": "yes"}),
        ("a: ~", {"a": None}),
        ("a:", {"a": None}),
        ("a: [x, {y: z}]", {"a": ["x", {"y": "z"}]}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("a: !!str 5", {"a": "5"}),
        ("a: !!int '5'", {"a": 5}),
        ("on: push", {"on": "push"}),
        ("1: x\ntrue: y", {"1": "x", "true": "y"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("a: 2024-01-01", {"a": "2024-01-01"}),
        ("a: 2024-13-45", {"a": "2024-13-45"}),
        ("a: 0b_", {"a": "0b_"}),
        ("a: .inf", {"a": ".inf"}),
        ("a: <<", {"a": "<<"}),
        ("a: " + "9" * 5000, {"a": "9" * 5000}),
        ("a: !!binary aGk=", {"a": "aGk="}),
    ],
)
def test_values_can_be_represented_in_json(text: str, expected: Any) -> None:
    assert value(text) == expected


def test_every_node_knows_its_place_in_characters() -> None:
    text = "ä: \"𝒳\"\r\nb: 'x'\r\nc:\r\n  - one\r\n  - [two]\r\n\r\n# comment\r\nd: |\r\n  block\r\n\r\ne: {f: g}\r\n"
    (root,) = compose(text).roots
    marked = [text[node.start : node.end] for node in nodes(root)[1:]]
    assert marked == [
        "ä", '"𝒳"', "b", "'x'", "c", "- one\r\n  - [two]", "one", "[two]", "two",
        "d", "|\r\n  block", "e", "{f: g}", "f", "g",
    ]  # fmt: skip


def test_spans_refer_to_the_complete_text() -> None:
    text = "---\nname: x\n---\n"
    (root,) = compose(text, 4, 12).roots
    assert [text[node.start : node.end] for node in nodes(root)[1:]] == ["name", "x"]


def test_every_document_of_a_file_is_read() -> None:
    composed = compose("a: 1\n---\nb: 2\n---\n- 3\n")
    assert [root.value for root in composed.roots] == [{"a": 1}, {"b": 2}, [3]]


def test_documents_before_a_broken_one_are_kept() -> None:
    composed = compose("a: 1\n---\nb: [\n")
    assert composed.broken
    assert [root.value for root in composed.roots] == [{"a": 1}]


def test_duplicate_keys_are_faults_at_the_second_and_the_first_counts() -> None:
    composed = compose("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n")
    assert [(found.code, found.span) for found in composed.faults] == [("duplicate-key", (10, 11)), ("duplicate-key", (25, 26))]
    assert not composed.broken
    assert composed.roots[0].value == {"a": 1, "b": 2, "c": {"d": 1}}


@pytest.mark.parametrize(
    ("text", "words", "blamed"),
    [
        ("d: foo: bar  \n", "`: ` must be quoted", "foo: bar"),
        ('a: 1\nb: "open\nc: d\n', "quote is not closed", '"open'),
        ("a: 1\nb: [1, 2\n", "bracket is not closed", "[1, 2"),
        ("a: 'it's'\n", "does not continue", "s'"),
        ("a: [x\nb: c\n", "bracket is not closed", "[x"),
        ("a\nb: c\n", "expected `key: value`", "a"),
        ("a: 1\nb c  \n\nd: e\n", "expected `key: value`", "b c"),
        ("a: 1\n  b: 2\n", "a key is not allowed here", "b: 2"),
        ("a: - b\n", "`- ` must be quoted", "- b"),
        ("a: b\n\tc: d\n", "tab", "\tc: d"),
        ("a: @x\n", "cannot begin with this character", "@x"),
        ("a: *x\n", "undefined alias *x", "*x"),
        ("a: &x [*x]\n", "contains itself", "*x"),
        ("a: !foo b\n", "tag !foo", "!foo b"),
        ("a: !!python/object:os.system b\n", "tag", "!!python/object:os.system b"),
        ("a: !!set {x}\n", "tag", "!!set {"),
        ("? [a]\n: b\n", "key must be text", "[a]"),
        ("a: {b: 1}\n<<: {c: 2}\n", "merge", "<<"),
        ("a: x\x07y\n", "U+0007", "\x07"),
        ("a: \ud800\n", "U+D800", "\ud800"),
    ],
)
def test_errors_have_the_span_of_their_cause(text: str, words: str, blamed: str) -> None:
    code, message, where = fault(text)
    assert code == "bad-yaml"
    assert words in message
    assert where == blamed


@pytest.mark.parametrize(
    ("scalar", "better"),
    [
        (r'"\.py$"', r"'\.py$'"),
        (r'"\.(py|js|ts)$"', r"'\.(py|js|ts)$'"),
        (r'"it' + "'" + r's \d"', r"'it''s \d'"),
        (r'"\"\w\""', r"""'"\w"'"""),
        (r'"\xZZ"', r"'\xZZ'"),
    ],
)
def test_a_bad_escape_offers_single_quotes_for_that_scalar(scalar: str, better: str) -> None:
    text = f"a: 1\nmatcher:\n  pattern: {scalar}  # why\nb: 2\n"
    (found,) = compose(text).faults
    assert text[found.span[0] : found.span[1]] == scalar
    assert found.fix == ("quote it", found.span, better)
    fixed = text[: found.span[0]] + better + text[found.span[1] :]
    assert isinstance(value(fixed)["matcher"]["pattern"], str)


@pytest.mark.parametrize("scalar", ["foo: bar", "@x", "`it's`", "%x", "*.py", "*", "*x", "[a-z]+.py", "a: b: c#d"])
def test_a_value_that_only_lacks_quotes_offers_them(scalar: str) -> None:
    text = f"a: 1\nb:  {scalar}  # why\nc: 2\n"
    (found,) = compose(text).faults
    assert text[found.span[0] : found.span[1]] == scalar
    assert found.fix is not None
    assert value(text.replace(scalar, found.fix.text)) == {"a": 1, "b": scalar, "c": 2}


def test_50_levels_are_read_and_51_are_not() -> None:
    assert compose("[" * MAX_LEVELS + "]" * MAX_LEVELS).faults == ()
    assert "deeper" in fault("[" * (MAX_LEVELS + 1) + "]" * (MAX_LEVELS + 1))[1]


def test_levels_are_counted_through_aliases() -> None:
    deep = "[" * 30 + "]" * 30
    assert "deeper" in fault(f"a: &x {deep}\nb: {'[' * 30}*x{']' * 30}\n")[1]


def test_1000_nodes_are_read_and_1001_are_not() -> None:
    assert compose(f"[{'x, ' * (MAX_NODES - 1)}]").faults == ()
    assert "more than 1,000" in fault(f"[{'x, ' * MAX_NODES}]")[1]


def test_aliases_count_as_their_expanded_values() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "more than 1,000" in fault(bomb)[1]


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 20_000,
        "{a: " * 16_000,
        "- " * 30_000,
        "? " * 30_000,
        "a: " + "[" * 20_000 + "]" * 20_000,
        "!" * 60_000,
        "&a " * 20_000,
    ],
)
def test_hostile_texts_end_soon_and_without_recursion(hostile: str) -> None:
    begun = time.monotonic()
    assert compose(hostile).faults
    assert time.monotonic() - begun < 5  # a guard against hanging, not a measurement


@given(st.text())
def test_no_text_raises(text: str) -> None:
    compose(text)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%@`?, \n\r\t\\<~0.\u2028\x85"))
def test_no_yaml_like_text_raises_and_places_stay_inside(text: str) -> None:
    composed = compose(text)
    for root in composed.roots:
        assert all(0 <= node.start <= node.end <= len(text) for node in nodes(root))
    assert all(0 <= found.span[0] <= found.span[1] <= len(text) for found in composed.faults)
