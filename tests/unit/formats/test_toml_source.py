"""TOML is read to the values of tomllib, each at its place."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.formats import toml_source
from hooktui.formats.node import HEADER, find

TEXT = """\
# é: not a byte each
"top.key" = 'literal' # end
[[hooks.Stop]]
matcher = "a\\tb"
[[hooks.Stop.hooks]]
command = '''
several
lines'''
[hooks.state]
known.at = 1979-05-27
[[hooks.Stop]]
inline = [ {a = 1, b.c = [true]}, ]
"""


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (("top.key",), "'literal'"),
        (("hooks", "Stop", 0, "matcher"), '"a\\tb"'),
        (("hooks", "Stop", 0, "hooks", 0), "[[hooks.Stop.hooks]]\ncommand = '''\nseveral\nlines'''"),
        (("hooks", "Stop", 1), "[[hooks.Stop]]\ninline = [ {a = 1, b.c = [true]}, ]"),
        (("hooks", "Stop", 1, "inline", 0, "b", "c", 0), "true"),
        (("hooks", "state", "known", "at"), "1979-05-27"),
    ],
)
def test_a_value_is_at_its_place(path: tuple[str | int, ...], written: str) -> None:
    root = toml_source.read(TEXT).root
    assert root is not None
    node = find(root, path)
    assert node is not None
    assert TEXT[node.start : node.end] == written


def test_the_values_are_those_of_tomllib() -> None:
    parsed = toml_source.read(TEXT)
    assert parsed.root is not None
    assert parsed.root.value == {**tomllib.loads(TEXT), "hooks": parsed.root.value["hooks"]}
    assert parsed.root.value["hooks"]["state"] == {"known": {"at": "1979-05-27"}}
    assert parsed.root.members["hooks"].style == HEADER
    assert [TEXT[slice(*span)] for span in parsed.extras] == ["# é: not a byte each", "# end"]


@pytest.mark.parametrize(
    "table", ['{a = 1,\n b = "}"}', "{ # note }\n a = 1,\n b = '}',\n}", '{ a = 1, b = """}""", }', "{a=1,b='}' # c\n}"]
)
def test_an_inline_table_may_have_several_lines(table: str) -> None:
    text = f"list = [{table}, {{c = 'x'}}]\n[next]\n"
    root = toml_source.read(text).root
    assert root is not None
    assert root.value == {"list": [{"a": 1, "b": "}"}, {"c": "x"}], "next": {}}
    node = root.members["list"].items[0]
    assert text[node.start : node.end] == table


def test_a_key_remembers_every_header_that_repeats_it() -> None:
    root = toml_source.read(TEXT).root
    assert root is not None
    (stop, _), *_ = root.members["hooks"].entries
    assert [TEXT[slice(*span)] for span in (stop.span, *stop.repeated)] == ["Stop"] * 3


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("a = 1\nb = = 2", "invalid value", 10),
        ("a = 1\na = 2", "cannot overwrite a value", 10),
        ("a = [", "invalid value", 4),
        ("a = 99999999999999999999", "a number is too large", 4),
        (f"a = {'9' * 5000}", "a number is too large", 0),
        ("a = " + "[" * 101 + "]" * 101, "nested deeper than 100 levels", 104),
        ("a = " + "[" * 9000, "nested deeper than 100 levels", 0),
    ],
)
def test_what_is_not_toml_is_reported_at_its_place(text: str, message: str, offset: int) -> None:
    parsed = toml_source.read(text)
    assert parsed.root is None
    assert parsed.fault
    assert (parsed.fault.code, parsed.fault.message, parsed.fault.span[0]) == ("bad-toml", message, offset)


@pytest.mark.parametrize(
    "literal", ['"a\\u00e9\\U0001F600\\"b"', "'a\\b'", '"""\na\\\n   b\r\n"c"""', "'''a\n'b'''", '""', '"""\r\n"""']
)
def test_each_character_of_a_string_has_its_place(literal: str) -> None:
    text = f"k = {literal}\n"
    root = toml_source.read(text).root
    assert root is not None
    node = root.members["k"]
    for index, letter in enumerate(node.value):
        offset = toml_source.offset_inside(text, node, index)
        assert text[offset] in (letter, "\\", "\r")
    assert text[toml_source.offset_inside(text, node, len(node.value)) :].strip("\n") == node.style


@given(st.text(st.sampled_from("ab=[]{}.,\"'\\#\n\r\t 0-éT:"), max_size=60))
def test_any_text_is_read_or_refused_as_by_tomllib(text: str) -> None:
    parsed = toml_source.read(text)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert parsed.fault or "{" in text, "only inline tables may be as in TOML 1.1"
        assert parsed.fault is None or 0 <= parsed.fault.span[0] <= len(text)
    else:
        assert parsed.fault is None
