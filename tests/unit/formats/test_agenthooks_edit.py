"""Editing a HOOK.md changes the bytes of one value and no others (architecture.md, rule 5)."""

from __future__ import annotations

import difflib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.agenthooks.hook_file_edit import FIELDS, put, remove

TEXT = """---
# What this guards
name: guard  # as the directory
description: 'It''s a guard'
trigger: "pre-tool-call"
matcher:
  tool: Shell   # the shell only

  pattern: 'rm -rf'
timeout: 5000
async: no
---

Body: name: not this
"""


def edit(text: str, field: str, value: object) -> str:
    """Set a field like `matcher.tool`; None deletes it."""
    path = tuple(field.split("."))
    return remove(text, path) if value is None else put(text, path, value)


def read(text: str, field: str) -> Any:
    head, faults = frontmatter.read(text.removeprefix("\ufeff"))
    assert head is not None
    assert faults == ()
    value = head.root.value
    for key in field.split("."):
        value = (value or {}).get(key)
    return value


def touched(before: str, after: str) -> tuple[list[str], list[str]]:
    """The removed and the added lines, with their line ends."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    changes = list(difflib.ndiff(old, new, linejunk=None, charjunk=None))
    return [line[2:] for line in changes if line[0] == "-"], [line[2:] for line in changes if line[0] == "+"]


def entry_lines(text: str, field: str) -> str:
    """The lines of a field, or of the matcher that it belongs to."""
    body = text.removeprefix("\ufeff")
    head, _ = frontmatter.read(body)
    entry = head.root.entry(field.split(".")[0]) if head else None
    if entry is None:
        return ""
    end = max(entry[0].end, entry[1].end)
    return body[body.rindex("\n", 0, entry[0].start) + 1 : body.index("\n", end) + 1]


@pytest.mark.parametrize(
    ("field", "value", "old", "new"),
    [
        ("name", "block-rm", "name: guard  # as the directory", "name: block-rm  # as the directory"),
        ("description", "That's it", "description: 'It''s a guard'", "description: 'That''s it'"),
        ("description", "two\nlines", "description: 'It''s a guard'", "description: |-\n  two\n  lines"),
        ("trigger", "before_tool", 'trigger: "pre-tool-call"', 'trigger: "before_tool"'),
        ("matcher.tool", "Shell|Bash", "  tool: Shell   # the shell only", "  tool: Shell|Bash   # the shell only"),
        ("matcher.tool", "a: b", "  tool: Shell   # the shell only", "  tool: 'a: b'   # the shell only"),
        ("matcher.pattern", r"\.py$", "  pattern: 'rm -rf'", r"  pattern: '\.py$'"),
        ("timeout", 60_000, "timeout: 5000", "timeout: 60000"),
        ("async", True, "async: no", "async: true"),
    ],
)
def test_only_the_value_changes(field: str, value: object, old: str, new: str) -> None:
    edited = edit(TEXT, field, value)
    assert edited == TEXT.replace(old, new)
    assert read(edited, field) == value


@pytest.mark.parametrize(
    "value",
    ["yes", "12", "", " x ", "~", "- a", "a #b", "[x", "*.py", "&x", "!x", "it's", 'a"b', "2024-01-01", "\x07", "é\u2028"],
)
def test_text_is_quoted_if_necessary(value: str) -> None:
    assert read(edit(TEXT, "name", value), "name") == value


def test_a_missing_field_is_added_as_one_line_before_the_closing_fence() -> None:
    assert edit(TEXT, "priority", 999) == TEXT.replace("async: no\n", "async: no\npriority: 999\n")


def test_a_missing_matcher_is_added_with_its_key() -> None:
    plain = "---\r\nname: a\r\n---\r\n"
    assert edit(plain, "matcher.tool", "Shell") == "---\r\nname: a\r\nmatcher:\r\n  tool: Shell\r\n---\r\n"


def test_a_second_key_of_the_matcher_follows_the_first_in_its_column() -> None:
    text = "---\nmatcher:\n    tool: Shell # x\nname: a\n---\n"
    assert edit(text, "matcher.pattern", "rm") == text.replace("# x\n", "# x\n    pattern: rm\n")


def test_an_empty_matcher_is_filled() -> None:
    text = "---\nname: a\nmatcher:   # later\ntimeout: 5000\n---\n"
    assert edit(text, "matcher.tool", "Shell") == text.replace("   # later", "\n  tool: Shell   # later")


def test_an_empty_value_is_filled() -> None:
    assert edit("---\nname:  # later\n---\n", "name", "a") == "---\nname: a  # later\n---\n"


def test_flow_style_is_kept() -> None:
    text = "---\nname: a\nmatcher: {tool: Shell}  # x\n---\n"
    both = edit(text, "matcher.pattern", "a, b")
    assert both == text.replace("{tool: Shell}", "{tool: Shell, pattern: 'a, b'}")
    assert edit(both, "matcher.tool", None) == text.replace("{tool: Shell}", "{pattern: 'a, b'}")
    assert edit(both, "matcher.pattern", None) == text
    assert edit(text, "matcher.tool", None) == "---\nname: a\n---\n"
    assert edit("---\n{name: a}\n---\n", "priority", 5) == "---\n{name: a, priority: 5}\n---\n"
    assert edit("---\n{}\n---\n", "matcher.tool", "x") == '---\n{matcher: {"tool": "x"}}\n---\n'


def test_none_deletes_the_line() -> None:
    assert edit(TEXT, "timeout", None) == TEXT.replace("timeout: 5000\n", "")
    assert edit(TEXT, "matcher.tool", None) == TEXT.replace("  tool: Shell   # the shell only\n", "")


def test_deleting_the_last_key_of_a_matcher_deletes_the_matcher() -> None:
    text = "---\nname: a\nmatcher:\n  tool: Shell\n---\n"
    assert edit(text, "matcher.tool", None) == "---\nname: a\n---\n"


def test_deleting_a_missing_field_changes_nothing() -> None:
    assert edit(TEXT, "priority", None) == TEXT
    assert edit("---\nname: a\n---\n", "matcher.tool", None) == "---\nname: a\n---\n"


def test_byte_order_mark_and_line_ends_are_kept() -> None:
    text = "\ufeff" + TEXT.replace("\n", "\r\n")
    assert edit(text, "priority", 5) == text.replace("async: no\r\n", "async: no\r\npriority: 5\r\n")


def test_block_scalars_become_one_line() -> None:
    text = "---\nname: a\ndescription: >\n  one\n  two\n\ntimeout: 5000\n---\n"
    assert edit(text, "description", "three") == "---\nname: a\ndescription: three\n\ntimeout: 5000\n---\n"


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("---\nname: [\n---\n", "name", "a"),
        ("---\nname: a\nname: b\n---\n", "name", "c"),
        ("no frontmatter\n", "name", "a"),
        (TEXT, "metadata", {}),
        (TEXT, "nonsense", "a"),
        (TEXT, "timeout", "5000"),
        (TEXT, "timeout", True),
        (TEXT, "async", 1),
        (TEXT, "name", 5),
        (TEXT, "name", "\ud800"),
        ("---\nname: &n a\ndescription: *n\n---\n", "name", "b"),
        ("---\nmatcher: Shell\n---\n", "matcher.tool", "a"),
        ("---\n? name\n: a\n---\n", "name", None),
    ],
)
def test_unsafe_edits_are_refused(text: str, field: str, value: object) -> None:
    with pytest.raises(ValueError):
        edit(text, field, value)


WORDS = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = {str: WORDS, int: st.integers(-5, 10**7), bool: st.booleans()}
KINDS = {".".join(map(str, path)): kind for path, kind in FIELDS.items()}
EDITS = st.sampled_from(sorted(KINDS)).flatmap(lambda name: st.tuples(st.just(name), st.none() | VALUES[KINDS[name]]))


@st.composite
def documents(draw: st.DrawFn) -> str:
    """HOOK.md texts as people write them: any order, quotes, comments, block and flow style, line ends, byte order mark."""
    scalar = st.sampled_from(["plain", "'sin''gle'", '"dou\\"ble"', "12", "", "&anchor x", "|\n    block", "[a, b]"])
    comment = st.sampled_from(["", "  # why"])
    lines = []
    for key in draw(st.permutations(["name", "description", "trigger", "timeout", "extra"]))[: draw(st.integers(0, 5))]:
        value, note = draw(scalar).replace("block", f"block of {key}"), draw(comment)  # all lines differ
        lines.append(f"{key}: {value}{'' if '|' in value else note}")
    if draw(st.booleans()):
        tool, pattern = draw(scalar.filter(lambda text: "|" not in text)), draw(st.sampled_from(["", "x", "'y'"]))
        block = f"matcher:{draw(comment)}\n   tool: {tool}{draw(comment)}\n   pattern: {pattern}"
        lines.insert(
            draw(st.integers(0, len(lines))), draw(st.sampled_from([block, "matcher: {tool: a , pattern: 'b'}", "matcher:"]))
        )
    text = "---\n" + "".join(f"{line}\n" for line in lines) + draw(st.sampled_from(["", "# last\n", "\n"])) + "---\nBody\n"
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(documents(), EDITS)
def test_after_any_edit_the_field_reads_back_and_every_other_line_is_untouched(text: str, change: tuple[str, object]) -> None:
    field, value = change
    head, faults = frontmatter.read(text.removeprefix("\ufeff"))
    assume(head is not None and not faults)
    try:
        edited = edit(text, field, value)
    except ValueError:
        return
    assert read(edited, field) == value
    for other in (*KINDS, "extra"):
        if other != field:
            assert read(edited, other) == read(text, other)
    removed, added = touched(text, edited)
    assert "".join(removed) in entry_lines(text, field)
    assert all(line.strip().split(":")[0] in ("matcher", field.rsplit(".", 1)[-1]) for line in added)
    assert len(added) <= 2
    assert edited.count("\r\n") == edited.count("\n") or "\r\n" not in text
    assert edited.startswith("\ufeff") == text.startswith("\ufeff")


@given(documents(), st.sampled_from(["name", "timeout", "matcher.tool"]))
def test_ordinary_edits_are_not_refused(text: str, field: str) -> None:
    head, faults = frontmatter.read(text.removeprefix("\ufeff"))
    assume(head is not None and not faults and "&" not in text and "matcher: " not in text.replace("matcher: {", ""))
    value: object = 5000 if field == "timeout" else "new"
    assert read(edit(text, field, value), field) == value
