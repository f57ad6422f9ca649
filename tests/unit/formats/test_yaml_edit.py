"""Editing an Azure YAML file changes one value and nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hooktui.formats import yaml_source
from hooktui.formats.yaml_edit import put, remove

SAMPLE = """\
# an agent 😀
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata: {name: my_agent}  # flow
spec:
  hooks:
    Stop:
      - type: prompt   # asks
        prompt: |
          Is it done?

          $ARGUMENTS
        timeout: 30 # seconds
      - {type: command, command: 'exit 0', timeout: 5}
    PostToolUse:
    # before the first
    - type: command
      matcher: "Bash|Exec"
      fail_mode: block
      script: |-
        #!/bin/bash
        exit 0
---
kind: GlobalHook
metadata:
  name: second
spec:
  eventType: Stop
  hook:
    prompt: short
"""
SAMPLES = [mark + SAMPLE.replace("\n", end) for mark in ("", "\ufeff") for end in ("\n", "\r\n")]
Path = tuple[str | int, ...]
HOOKS: Path = (0, "spec", "hooks")
TEXTS: list[Path] = [
    (*HOOKS, "Stop", 0, "prompt"),
    (*HOOKS, "Stop", 1, "command"),
    (*HOOKS, "PostToolUse", 0, "matcher"),
    (*HOOKS, "PostToolUse", 0, "script"),
    (0, "metadata", "name"),
    (1, "spec", "hook", "prompt"),
    (1, "spec", "description"),
    (*HOOKS, "Stop", 0, "model"),
    (*HOOKS, "Stop", 1, "model"),
    (*HOOKS, "PostToolUse", 0, "description"),
]
NUMBERS: list[Path] = [(*HOOKS, "Stop", at, "timeout") for at in (0, 1)] + [(*HOOKS, "PostToolUse", 0, "timeout")]


def values(text: str) -> list[Any]:
    composed = yaml_source.compose(text.removeprefix("\ufeff"))
    assert not composed.faults
    return [copy.deepcopy(root.value) for root in composed.roots]


def with_value(text: str, path: Path, value: object) -> list[Any]:
    documents: Any = values(text)
    inner = documents
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return list(documents)


def assert_comments_kept(text: str, after: str) -> None:
    """Assert that all comments and line ends are unchanged."""
    for piece in ("# an agent 😀", "# flow", "# asks", "# seconds", "# before the first"):
        assert piece in after
    assert ("\r\n" in text) == ("\r\n" in after)
    assert after.replace("\r\n", "").count("\r") == 0
    if "\r\n" in text:
        assert after.replace("\r\n", "").count("\n") == 0


@given(
    st.sampled_from(SAMPLES),
    st.sampled_from(TEXTS),
    st.text(st.characters(codec="utf-8", min_codepoint=32) | st.just("\n")),
)
@example(SAMPLES[0], TEXTS[0], "one\ntwo\n")
@example(SAMPLES[1], TEXTS[3], "  indented\nfirst\n\n")
@example(SAMPLES[1], TEXTS[1], "two\nlines in flow")
def test_only_that_text_changes(text: str, path: Path, value: str) -> None:
    after = put(text, path, value)
    assert values(after) == with_value(text, path, value)
    assert_comments_kept(text, after)


@given(st.sampled_from(SAMPLES), st.sampled_from(NUMBERS), st.integers(0, 10**6) | st.booleans())
def test_only_that_number_changes(text: str, path: Path, value: int) -> None:
    after = put(text, path, value)
    assert values(after) == with_value(text, path, value)
    assert_comments_kept(text, after)


@given(st.sampled_from(SAMPLES), st.sampled_from(TEXTS[:6] + NUMBERS[:2]))
def test_writing_the_present_value_changes_no_byte(text: str, path: Path) -> None:
    value: Any = values(text)
    for step in path:
        value = value[step]
    assert put(text, path, value) == text


@pytest.mark.parametrize("text", SAMPLES)
def test_a_new_hook_is_written_below_the_last(text: str) -> None:
    hook = {"type": "command", "matcher": "*", "script": "#!/bin/bash\nexit 2\n"}
    after = put(text, (*HOOKS, "PostToolUse", 1), hook)
    assert values(after)[0]["spec"]["hooks"]["PostToolUse"][1] == hook
    assert "\n    - type: command\r\n".replace("\r\n", "\r\n" if "\r\n" in text else "\n") in after
    assert remove(after, (*HOOKS, "PostToolUse", 1)) == text


@pytest.mark.parametrize("text", SAMPLES)
def test_a_hook_of_a_new_event_brings_its_list(text: str) -> None:
    after = put(text, (*HOOKS, "PreToolUse", 0), {"type": "prompt", "prompt": "p"})
    assert values(after)[0]["spec"]["hooks"]["PreToolUse"] == [{"type": "prompt", "prompt": "p"}]
    assert remove(after, (*HOOKS, "PreToolUse")) == text


def test_a_key_is_found_in_any_spelling_and_keeps_its_own() -> None:
    after = put(SAMPLE, (0, "spec", "hooks", "PostToolUse", 0, "failMode"), "allow")
    assert "fail_mode: allow" in after


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        ((0, "spec", "hooks", "Stop", 0, "timeout"), "        timeout: 30 # seconds\n"),
        ((0, "spec", "hooks", "Stop", 0, "type"), "type: prompt   # asks\n        "),
        ((0, "spec", "hooks", "Stop", 1, "timeout"), ", timeout: 5"),
        ((0, "spec", "hooks", "Stop", 1), "      - {type: command, command: 'exit 0', timeout: 5}\n"),
        ((1, "kind"), "kind: GlobalHook\n"),
    ],
)
def test_a_value_is_deleted(path: Path, gone: str) -> None:
    assert remove(SAMPLE, path) == SAMPLE.replace(gone, "")


def test_the_only_hook_of_an_event_leaves_an_empty_list() -> None:
    text = "spec:\n  hooks:\n    Stop:\n      - prompt: p\n"
    assert remove(text, (0, "spec", "hooks", "Stop", 0)) == "spec:\n  hooks:\n    Stop: []\n"
    assert (
        put("spec:\n  hooks:\n    Stop: []\n", (0, "spec", "hooks", "Stop", 0), {"a": "b"})
        == 'spec:\n  hooks:\n    Stop: [{"a": "b"}]\n'
    )


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("a: [", (0, "a"), 1),
        ("a: 1\na: 2\n", (0, "a"), 3),
        ("a: 1\n", (1, "a"), 1),
        ("a: 1\n", (0, "a", "b"), 1),
        ("a: [1]\n", (0, "a", 5), 1),
        ("a: 1\n", (0, "a"), object()),
        ("a: 1\n", (0, "a"), "\ud800"),
        ("a: &x 1\nb: *x\n", (0, "a"), 2),
    ],
)
def test_unsafe_edits_are_refused(text: str, path: Path, value: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        put(text, path, value)
