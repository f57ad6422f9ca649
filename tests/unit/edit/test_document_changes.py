"""Any changes of a hook file, in any order, touch nothing else, and can be taken back to the byte."""

from __future__ import annotations

import copy
import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.edit.document import Document
from hooktui.formats import json_source, yaml_source
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.agenthooks.hook_file_edit import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from hooktui.core.model import EntryPath

EVENTS = ("PreToolUse", "Stop", "PostToolUse")
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=12)
ENTRIES = st.fixed_dictionaries({"type": st.just("command"), "command": WORDS}, optional={"timeout": st.integers(1, 600)})
LISTS = st.dictionaries(st.sampled_from(EVENTS[:2]), st.lists(ENTRIES, min_size=1, max_size=3), min_size=1)
COMMENT = "kept as it is"


def json_text(hooks: dict[str, Any], draw: st.DrawFn) -> str:
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    text = json.dumps({"model": "x", "hooks": hooks, "more": [1, {"a": None}]}, indent=indent, ensure_ascii=False)
    return draw(st.sampled_from(["", f"// {COMMENT}\n"])) + text + "\n"


def toml_text(hooks: dict[str, Any], draw: st.DrawFn) -> str:
    lines = [f"# {COMMENT}", 'model = "x"  # really', ""]
    for event, entries in hooks.items():
        for entry in entries:
            lines.append(f"[[hooks.{event}]]")
            lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
            lines += [""] * draw(st.integers(0, 1))
    return "\n".join([*lines, "[other]", "x = 1", ""])


def yaml_text(hooks: dict[str, Any], draw: st.DrawFn) -> str:
    lines = [f"# {COMMENT}", "kind: ExtendedAgent", "spec:", "  hooks:"]
    for event, entries in hooks.items():
        lines.append(f"    {event}:")
        for entry in entries:
            pairs = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items()]
            lines += [f"    - {pairs[0]}", *(f"      {pair}" for pair in pairs[1:])]
    others = draw(st.sampled_from([[], ["---", "kind: Other  # too"]]))
    return "\n".join([*lines, *others, ""])


def json_value(text: str) -> Any:
    root = json_source.read(text).root
    assert root is not None
    return root.value


def yaml_value(text: str) -> Any:
    composed = yaml_source.compose(text)
    assert not composed.faults
    return [root.value for root in composed.roots]


# By file: how it is written and read, and where its events are.
SYNTAXES: dict[str, tuple[Callable[[dict[str, Any], st.DrawFn], str], Callable[[str], Any], EntryPath]] = {
    "settings.json": (json_text, json_value, ("hooks",)),
    "config.toml": (toml_text, tomllib.loads, ("hooks",)),
    "agent.yaml": (yaml_text, yaml_value, (0, "spec", "hooks")),
}


def at(value: Any, path: EntryPath) -> Any:
    for step in path:
        value = value[step]
    return value


def without_empty(value: Any) -> Any:
    """A tree without the events that have no hooks, for the headers of TOML cannot keep those."""
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: without_empty(inner) for key, inner in value.items() if inner not in ({}, [])}


def lines(document: Document) -> list[str]:
    """The lines, in TOML without empty ones, which belong to the headers below them."""
    return [line for line in document.text.split("\n") if line.strip() or not document.is_toml]


@st.composite
def files(draw: st.DrawFn, name: str) -> Document:
    text = SYNTAXES[name][0](draw(LISTS), draw)
    text = draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return Document(text, "claude", name)


def changed(document: Document, events: EntryPath, value: Any, data: st.DataObject) -> tuple[Document, Any]:
    """The document after some change, and the value that it must have then."""
    wanted = copy.deepcopy(value)
    hooks = at(wanted, events)
    change = data.draw(st.sampled_from(["set", "delete", "insert", "remove"] if hooks else ["insert"]))
    if change == "insert":
        event, entry = data.draw(st.sampled_from(EVENTS)), data.draw(ENTRIES)
        hooks.setdefault(event, []).append(entry)
        return document.insert((*events, event), entry), wanted
    event = data.draw(st.sampled_from(sorted(hooks)))
    number = data.draw(st.integers(0, len(hooks[event]) - 1))
    path = (*events, event, number)
    if change == "set":
        key, new = data.draw(st.one_of(st.tuples(st.just("command"), WORDS), st.tuples(st.just("timeout"), st.integers(1, 9))))
        hooks[event][number][key] = new
        return document.set((*path, key), new), wanted
    if change == "delete":
        hooks[event][number].pop("timeout", None)
        return document.set((*path, "timeout"), None), wanted
    del hooks[event][number]
    if not hooks[event]:
        del hooks[event]
    return document.remove_entry(path), wanted


@pytest.mark.parametrize("name", SYNTAXES)
@given(data=st.data())
def test_any_changes_leave_all_else_and_what_parses(name: str, data: st.DataObject) -> None:
    _, read, events = SYNTAXES[name]
    first = document = data.draw(files(name))
    before = first.text
    for _ in range(data.draw(st.integers(1, 5))):
        value = read(document.text.removeprefix("\ufeff"))
        if not isinstance(value, list) and not isinstance(value.get("hooks"), dict):
            break  # the last entry took the table along
        try:
            document, wanted = changed(document, events, value, data)
        except ValueError as error:
            assert "edit the source" in str(error)  # it would touch other text
            continue
        assert without_empty(read(document.text.removeprefix("\ufeff"))) == without_empty(wanted)
        assert document.text.startswith("\ufeff") == before.startswith("\ufeff")
        assert ("\r\n" in document.text) == ("\r\n" in before) or "\r\n" not in before
        assert (COMMENT in document.text) == (COMMENT in before)
        assert first.text == before


@pytest.mark.parametrize("name", SYNTAXES)
@given(data=st.data())
def test_an_entry_of_a_known_event_that_is_added_and_removed_leaves_no_trace(name: str, data: st.DataObject) -> None:
    _, read, events = SYNTAXES[name]
    document = data.draw(files(name))
    hooks = at(read(document.text.removeprefix("\ufeff")), events)
    event = data.draw(st.sampled_from(sorted(hooks)))
    added = document.insert((*events, event), data.draw(ENTRIES))
    without = added.remove_entry((*events, event, len(hooks[event])))
    assert lines(without) == lines(document)


@pytest.mark.parametrize("name", SYNTAXES)
@given(data=st.data())
def test_a_value_that_is_changed_differs_only_there(name: str, data: st.DataObject) -> None:
    _, read, events = SYNTAXES[name]
    document = data.draw(files(name))
    hooks = at(read(document.text.removeprefix("\ufeff")), events)
    event = data.draw(st.sampled_from(sorted(hooks)))
    path = (*events, event, data.draw(st.integers(0, len(hooks[event]) - 1)), "command")
    span, edited = document.node(path).span, document.set(path, data.draw(WORDS))
    body, after = (each.text.removeprefix("\ufeff") for each in (document, edited))
    assert after.startswith(body[: span[0]])
    assert after.endswith(body[span[1] :])


FRONT = f"""---
# {COMMENT}
name: guard
description: 'Says no'  # why
trigger: pre-tool-call
matcher:
  tool: Shell
---
Body
"""
VALUES = {str: WORDS, int: st.integers(-5, 10**6), bool: st.booleans()}


@given(data=st.data(), line_end=st.sampled_from(["\n", "\r\n"]), mark=st.sampled_from(["", "\ufeff"]))
def test_any_changes_of_a_hook_md_change_only_those_fields(data: st.DataObject, line_end: str, mark: str) -> None:
    document = Document(mark + FRONT.replace("\n", line_end), "agenthooks", "/p/guard/HOOK.md")
    for path in data.draw(st.lists(st.sampled_from(sorted(FIELDS, key=str)), min_size=1, max_size=4)):
        head, _ = frontmatter.read(document.text.removeprefix(mark))
        assert head is not None
        wanted, value = copy.deepcopy(head.root.value), data.draw(st.none() | VALUES[FIELDS[path]])
        document = document.set(path, value)
        *above, last = path
        holder = wanted.setdefault(above[0], {}) if above else wanted
        holder.pop(last, None)
        holder |= {} if value is None else {last: value}
        read, faults = frontmatter.read(document.text.removeprefix(mark))
        assert read is not None and not faults
        assert without_empty(read.root.value) == without_empty(wanted)
        assert document.text.endswith(f"---{line_end}Body{line_end}") and COMMENT in document.text
