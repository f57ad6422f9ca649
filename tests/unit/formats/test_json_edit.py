"""Changing one value of a JSON file changes that value and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hooktui.formats import json_source
from hooktui.formats.json_hooks.json_edit import put, remove
from hooktui.formats.node import find

SAMPLE = """\
// hooks of 😀
{
\t"version": 1, /* one */
\t"hooks": {
\t\t"PreToolUse": [
\t\t\t{ "type": "command", "command": "echo \\u00e9", "timeout": 5 }, // first
\t\t\t{
\t\t\t\t"type": "command",
\t\t\t\t"command": "second", // why
\t\t\t},
\t\t],
\t\t"Stop": []
\t}
}
"""
ENDINGS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
SAMPLES = [mark + SAMPLE.replace("\n", end) for mark in ("", "\ufeff") for end in ENDINGS.values()]

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PATHS = [
    ("version",),
    ("hooks", "PreToolUse", 0, "command"),
    ("hooks", "PreToolUse", 0, "timeout"),
    ("hooks", "PreToolUse", 1, "command"),
    ("hooks", "PreToolUse", 1),
    ("hooks", "Stop"),
]
NEW_PATHS = [
    ("disableAllHooks",),
    ("hooks", "PreToolUse", 0, "env"),
    ("hooks", "PreToolUse", 1, "env", "A"),
    ("hooks", "PreToolUse", 2),
    ("hooks", "Stop", 0),
    ("hooks", "SessionStart", 0, "hooks", 0),
]


def value_of(text: str) -> object:
    root = json_source.read(text.removeprefix("\ufeff")).root
    assert root is not None
    return root.value


def value_at(text: str, path: tuple[str | int, ...]) -> object:
    value = value_of(text)
    for step in path:
        value = value[step]  # type: ignore[index]
    return value


def outside(text: str, path: tuple[str | int, ...]) -> tuple[str, str]:
    body = text.removeprefix("\ufeff")
    root = json_source.read(body).root
    assert root is not None
    node = find(root, path)
    assert node is not None
    return text[: len(text) - len(body)] + body[: node.start], body[node.end :]


@given(st.sampled_from(SAMPLES), st.sampled_from(PATHS), VALUES)
def test_only_that_value_differs(text: str, path: tuple[str | int, ...], value: object) -> None:
    after = put(text, path, value)
    assert value_at(after, path) == value
    assert outside(after, path) == outside(text, path)


@given(st.sampled_from(SAMPLES), st.sampled_from(PATHS))
def test_writing_the_present_value_changes_no_byte(text: str, path: tuple[str | int, ...]) -> None:
    assert put(text, path, value_at(text, path)) == text


@given(st.sampled_from(SAMPLES), st.sampled_from(NEW_PATHS), VALUES)
def test_an_inserted_entry_is_there_and_all_else_stays(text: str, path: tuple[str | int, ...], value: object) -> None:
    after = put(text, path, value)
    assert value_at(after, path) == value
    lost = [line for line in text.splitlines() if "//" in line and line not in after]
    assert not lost or lost == ['\t\t\t\t"command": "second", // why'] or path[:3] == ("hooks", "PreToolUse", 0)
    end = next(end for end in ("\r\n", "\r", "\n") if end in text)
    assert after.replace(end, "").count("\n") == 0 and after.replace(end, "").count("\r") == 0


@given(st.sampled_from(SAMPLES), st.sampled_from([path for path in NEW_PATHS if path[:2] != ("hooks", "SessionStart")]), VALUES)
def test_removing_an_inserted_value_restores_the_file(text: str, path: tuple[str | int, ...], value: object) -> None:
    created = path if path != ("hooks", "PreToolUse", 1, "env", "A") else path[:-1]
    assert remove(put(text, path, value), created) == text


@given(VALUES, st.sampled_from([None, 1, 2, 4, "\t"]), st.data())
def test_any_entry_of_any_file_can_be_removed(value: object, indent: int | str | None, data: st.DataObject) -> None:
    assume(isinstance(value, dict | list) and value)
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    step = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))  # type: ignore[arg-type]
    wanted = json.loads(json.dumps(value))
    del wanted[step]
    assert value_of(remove(text, (step,))) == wanted


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("{}", ("a",), 1, '{\n  "a": 1\n}'),
        ("{\n}\n", ("a",), 1, '{\n  "a": 1\n}\n'),
        ('{"a": {}}', ("a", "b"), [1], '{"a": {"b": [1]}}'),
        ('{"a": [1]}', ("a", 1), 2, '{"a": [1, 2]}'),
        ('{"a": [1,]}', ("a", 1), 2, '{"a": [1, 2,]}'),
        ('{\n    "a": [ // none\n    ]\n}', ("a", 0), 1, '{\n    "a": [ // none\n        1\n    ]\n}'),
        ('{\n  "a": 1 // one\n}', ("b",), 2, '{\n  "a": 1, // one\n  "b": 2\n}'),
        ('{"a":[1]}', ("b",), {"c": [2, 3]}, '{"a":[1],"b":{"c":[2,3]}}'),
        ('{\n  "a":1\n}', ("b",), {"c": 2}, '{\n  "a":1,\n  "b":{\n    "c":2\n  }\n}'),
        ('{\n  "a": 1}', ("b",), {"c": [2]}, '{\n  "a": 1, "b": {"c": [2]}}'),
        ('{\n\t"a": 1\n}', ("b",), {"c": [2]}, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [\n\t\t\t2\n\t\t]\n\t}\n}'),
    ],
)
def test_inserting_follows_the_files_own_form(before: str, path: tuple[str | int, ...], value: object, after: str) -> None:
    assert put(before, path, value) == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ('{\n  "a": 1,\n  "b": 2\n}', ("a",), '{\n  "b": 2\n}'),
        ('{\n  "a": 1,\n  "b": 2\n}', ("b",), '{\n  "a": 1\n}'),
        ('{\n  // about a\n  "a": 1, // one\n  "b": 2\n}', ("a",), '{\n  // about a\n  "b": 2\n}'),
        ('{\n  "a": 1, // one\n  "b": 2 // two\n}', ("b",), '{\n  "a": 1 // one\n}'),
        ('{ "a": 1\n, "b": 2\n, "c": 3 }', ("b",), '{ "a": 1\n, "c": 3 }'),
        ("[1, 2, 3]", (1,), "[1, 3]"),
        ("[1, 2,]", (1,), "[1,]"),
        ("[ 1 ]", (0,), "[]"),
        ('{"a": 1 /* one */}', ("a",), "{ /* one */}"),
    ],
)
def test_removing_deletes_the_comma_and_keeps_comments(before: str, path: tuple[str | int, ...], after: str) -> None:
    assert remove(before, path) == after


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("{", ("a",), 1),
        ('{"a": 1, "a": 2}', ("a",), 3),
        ('{"a": 1}', ("a", "b"), 1),
        ("[1]", (3,), 1),
        ("[1]", ("x",), 1),
        ("{}", ("a",), float("nan")),
        ("{}", ("a",), object()),
        ("{}", ("a",), "\ud800"),
    ],
)
def test_unsafe_edits_are_refused(text: str, path: tuple[str | int, ...], value: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        put(text, path, value)


@pytest.mark.parametrize(("text", "path"), [("{}", ("a",)), ("{}", ()), ('{"a": 1, "a": 2}', ("a",))])
def test_missing_values_cannot_be_removed(text: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        remove(text, path)
