"""A change of a TOML file changes one value and no other byte."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.formats import toml_edit

LIST = """\
# mine
model = "x" # kept

[[hooks]]
event = "PreToolUse"   # the first
command = 'a'

# the second
[[hooks]]
  event = "Stop"
  command = "b"

[other]
x = 1
"""
GROUPS = """\
[[hooks.PreToolUse]]
matcher = "Bash"

[[hooks.PreToolUse.hooks]]
command = "a"

# two
[[hooks.PreToolUse.hooks]]
command = "b"

[[hooks.Stop]]

[[hooks.Stop.hooks]]
command = "s"
[features]
"""
INLINE = 'hooks.Stop = [{hooks=[{command="a"}, {command="b"}]}] # c\n'


def lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that only one of two texts has."""
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_a_value_is_replaced_where_it_stands() -> None:
    after = toml_edit.put(LIST, ("hooks", 0, "command"), 'q "é"')
    assert lines(LIST, after) == (["command = 'a'"], ['command = "q \\"é\\""'])
    assert toml_edit.put(LIST, ("hooks", 0, "command"), "a") == LIST, "another spelling of the same value stays"


def test_a_new_value_is_a_line_below_the_last_of_its_table() -> None:
    after = toml_edit.put(LIST, ("hooks", 1, "timeout"), 5)
    assert after == LIST.replace('  command = "b"\n', '  command = "b"\n  timeout = 5\n')
    assert toml_edit.remove(after, ("hooks", 1, "timeout")) == LIST


@pytest.mark.parametrize(
    "text", [LIST, "", "a = 1", "[a]\r\n", "\ufeff[[hooks]]\nevent = 'x'\n", "hooks = []\n", "hooks = [{event='x'}]"]
)
def test_an_appended_entry_is_removed_again(text: str) -> None:
    after = toml_edit.put(text, ("hooks", "-"), {"event": "Stop", "command": "c"})
    value = tomllib.loads(after.removeprefix("\ufeff"))
    assert value["hooks"][-1] == {"event": "Stop", "command": "c"}
    again = toml_edit.remove(after, ("hooks", len(value["hooks"]) - 1))
    assert again.rstrip() == text.rstrip()


def test_a_group_gets_headers_of_its_own() -> None:
    group = {"matcher": "X", "hooks": [{"command": "c"}]}
    after = toml_edit.put(GROUPS, ("hooks", "PreToolUse", "-"), group)
    new = '\n[[hooks.PreToolUse]]\nmatcher = "X"\n\n[[hooks.PreToolUse.hooks]]\ncommand = "c"\n'
    assert after == GROUPS.replace('command = "b"\n', f'command = "b"\n{new}')
    first = toml_edit.put(GROUPS, ("hooks", "PostToolUse", "-"), group)
    assert tomllib.loads(first)["hooks"]["PostToolUse"] == [group]
    assert first.startswith(GROUPS.removesuffix("[features]\n"))


def test_an_entry_with_all_of_its_headers_is_removed() -> None:
    after = toml_edit.remove(GROUPS, ("hooks", "PreToolUse", 0))
    assert after == GROUPS[GROUPS.index("[[hooks.Stop]]") :]


def test_renaming_a_list_keeps_every_other_byte() -> None:
    off = toml_edit.rename_list(LIST, ("hooks", 0), "hooks_off")
    assert lines(LIST, off) == ([], ["[[hooks_off]]"])
    assert toml_edit.rename_list(off, ("hooks_off", 0), "hooks") == LIST
    inner = toml_edit.rename_list(GROUPS, ("hooks", "PreToolUse", 0, "hooks", 1), "off")
    assert tomllib.loads(inner)["hooks"]["PreToolUse"][0]["off"] == [{"command": "b"}]


def test_a_moved_group_takes_its_lines_along() -> None:
    after = toml_edit.move(GROUPS, ("hooks", "PreToolUse", 0), ("hooks", "Stop"))
    groups = tomllib.loads(after)["hooks"]
    assert [entry["command"] for group in groups["Stop"] for entry in group["hooks"]] == ["s", "a", "b"]
    assert "PreToolUse" not in groups
    assert "# two\n[[hooks.Stop.hooks]]" in after


def test_an_entry_that_leaves_its_group_gets_one_with_the_matcher() -> None:
    after = toml_edit.move(GROUPS, ("hooks", "PreToolUse", 0, "hooks", 0), ("hooks", "Stop"), {"matcher": "Bash"})
    assert tomllib.loads(after)["hooks"]["Stop"][-1] == {"matcher": "Bash", "hooks": [{"command": "a"}]}


def test_lists_on_one_line_stay_on_one_line() -> None:
    after = toml_edit.put(INLINE, ("hooks", "Stop", "-"), {"hooks": [{"command": "c"}]})
    assert after == INLINE.replace("}]}]", '}]}, { hooks = [{ command = "c" }] }]')
    assert toml_edit.remove(after, ("hooks", "Stop", 1)) == INLINE
    assert toml_edit.remove(INLINE, ("hooks", "Stop", 0, "hooks", 1, "command")) == INLINE.replace('command="b"', "")
    moved = toml_edit.move(INLINE, ("hooks", "Stop", 0, "hooks", 0), ("hooks", "Start"), {})
    assert tomllib.loads(moved)["hooks"] == {
        "Stop": [{"hooks": [{"command": "b"}]}],
        "Start": [{"hooks": [{"command": "a"}]}],
    }


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("hooks", 9), 1, "no index 9"),
        (("model", "x"), 1, "no object or list"),
        (("hooks", 0), {"event": "x"}, "edit the source"),
        (("hooks", 0, "x"), float("nan"), "cannot write"),
    ],
)
def test_what_cannot_be_changed_alone_is_refused(path: tuple[str | int, ...], value: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        toml_edit.put(LIST, path, value)


VALUES = st.one_of(st.text(), st.integers(-(2**40), 2**40), st.booleans(), st.lists(st.text(), max_size=3))


@given(st.sampled_from([("hooks", 0), ("hooks", 1), ("other",), ()]), st.text(min_size=1), VALUES)
def test_any_value_is_written_and_read_back(table: tuple[str | int, ...], key: str, value: Any) -> None:
    try:
        after = toml_edit.put(LIST, (*table, key), value)
    except ValueError:
        assert any("\ud800" <= letter <= "\udfff" for letter in str(value) + key) or key in ("hooks", "other")
        return
    found: Any = tomllib.loads(after)
    for step in (*table, key):
        found = found[step]
    assert found == value
