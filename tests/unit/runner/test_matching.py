"""Whether a hook matches an event, and why not: the matcher rows of formats.md, format by format."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui import formats
from hooktui.core.model import Event, Hook
from hooktui.runner.matching import Verdict, match, string_values


def verdict(
    fmt: str = "agenthooks",
    *,
    tool: str | None = None,
    pattern: str | None = None,
    event: str = "pre-tool-call",
    written: str | None = None,
    name: str | None = "Shell",
    tool_input: Any = None,
    payload: dict[str, Any] | None = None,
    host: str = "",
) -> Verdict:
    hook = Hook(
        id="x", name="x", event=event, event_as_written=written or event, format=fmt, scope="user", file="", line=1,
        tool=tool, pattern=pattern, source=formats.detached_source(fmt),
    )  # fmt: skip
    fired = Event(
        name=event, as_written=written or event, known=True, host=host or fmt, session_id="", work_dir="", timestamp="",
        tool_name=name, tool_input=tool_input, payload=payload or {},
    )  # fmt: skip
    return match(hook, fired)


@pytest.mark.parametrize(
    ("tool", "name", "skip"),
    [
        (None, "Shell", None),
        (None, None, None),
        ("", None, None),
        ("hell", "Shell", None),
        ("shell", "Shell", "tool-mismatch"),
        ("^Sh", "Shell", None),
        ("^(?!Sh)", "Shell", "tool-mismatch"),
        ("Read|Shell", "Shell", None),
        ("Shell", None, "tool-mismatch"),
        ("(", "Shell", "bad-matcher"),
        ("(h+)+l+$x", "S" + "h" * 10, "tool-mismatch"),
        ("(h+)+l+$x", "S" + "h" * 100, "bad-matcher"),
    ],
)
def test_agenthooks_searches_the_tool(tool: str | None, name: str | None, skip: str | None) -> None:
    assert verdict(tool=tool, name=name).skip == skip


@pytest.mark.parametrize(
    ("pattern", "tool_input", "skip"),
    [
        ("rm", {"command": "rm x"}, None),
        ("rm", {"rm": "x"}, "pattern-mismatch"),
        ("rm", {"a": [{"b": ["x", "rm"]}]}, None),
        ("rm", "rm x", None),
        ("^5$", {"n": 5}, None),
        ("^-0.5$", {"n": -0.5}, None),
        ("^false$", {"n": False}, None),
        ("null|None|", {"n": None}, "pattern-mismatch"),
        ("", {}, "pattern-mismatch"),
        ("", None, "pattern-mismatch"),
        ("", {"a": ""}, None),
        ("a b", {"x": "a", "y": " b"}, "pattern-mismatch"),
        ("(", {"x": "a"}, "bad-matcher"),
    ],
)
def test_agenthooks_searches_every_value(pattern: str, tool_input: Any, skip: str | None) -> None:
    assert verdict(pattern=pattern, tool_input=tool_input).skip == skip


def test_both_must_match_and_the_tool_is_looked_at_first() -> None:
    assert verdict(tool="Shell", pattern="rm", tool_input={"c": "rm"}).why == "matched tool Shell and pattern rm"
    assert verdict(tool="Read", pattern="rm", tool_input={"c": "rm"}).skip == "tool-mismatch"
    assert verdict(tool="Shell", pattern="rm", tool_input={"c": "ls"}).skip == "pattern-mismatch"


def test_on_an_event_without_a_tool_the_matcher_is_ignored() -> None:
    assert verdict(tool="Shell", pattern="(", event="pre-agent-turn", name=None).skip is None


def test_the_reason_is_one_short_line() -> None:
    said = verdict(pattern=r"a[\s\S]*", tool_input={"c": "a" + "\n x" * 100}).why
    assert "\n" not in said
    assert len(said) < 100


def test_a_matcher_that_runs_away_is_stopped_over_all_values_together() -> None:
    values = {str(number): "a" * 40 + "!" for number in range(200)}
    assert verdict(pattern="^(a|aa)+$", tool_input=values).skip == "bad-matcher"


@pytest.mark.parametrize("pattern", ["needle", r"\bneedle$", "(ne|ed)+le"])
@pytest.mark.parametrize("padding", [["hay"] * 20_000, ["hay " * 2_000_000]], ids=["many", "long"])
def test_padding_is_no_way_around_a_guard(pattern: str, padding: list[str]) -> None:
    assert verdict(pattern=pattern, tool_input={"list": [*padding, "needle"]}).skip is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
def test_the_values_are_those_of_the_leaves_in_order(value: Any) -> None:
    def leaves(item: Any) -> list[str]:
        if isinstance(item, dict):
            return [leaf for one in item.values() for leaf in leaves(one)]
        if isinstance(item, list):
            return [leaf for one in item for leaf in leaves(one)]
        return [] if item is None else [item if isinstance(item, str) else json.dumps(item)]

    assert list(string_values(value)) == leaves(value)


@pytest.mark.parametrize("name", ["Bash", "bash"])
@pytest.mark.parametrize(
    ("tool", "skip"),
    [
        *((tool, None) for tool in ("*", "bash", "Bash", "Bas.", "Ba.*", "^Bash$", "Edit|Bash", "bash|view", "edit|Bas.")),
        *((tool, None) for tool in (" bash", "bash ", " Ba.*", "bash|", "ba.*|Bash")),
        *((tool, "tool-mismatch") for tool in ("BASH", "bas", "ba.*", "as.", "as", "^bash$", "Edit, Bash", "Edit,Bash")),
    ],
)
def test_copilot_knows_both_names_of_a_tool_in_lists_on_pascal_case_events(
    tool: str | None, skip: str | None, name: str
) -> None:
    assert verdict("copilot", tool=tool, name=name, written="PreToolUse").skip == skip


@pytest.mark.parametrize(
    ("name", "matching", "others"),
    [
        ("create", ("create", "Write"), ("edit", "Edit")),
        ("apply_patch", ("apply_patch", "Edit", "Edi."), ("edit", "create")),
        ("rg", ("rg", "Grep"), ("grep",)),
        ("task", ("task", "Agent", "Task", "^Agent$"), ("^Task$",)),
        ("list_bash", ("list_bash", "list_.*"), ("Bash", "bash")),
    ],
)
def test_copilot_gives_tools_the_names_of_claude_code(name: str, matching: tuple[str, ...], others: tuple[str, ...]) -> None:
    matched = [tool for tool in (*matching, *others) if not verdict("copilot", tool=tool, name=name, written="PreToolUse").skip]
    assert matched == list(matching)


def test_the_reason_has_the_name_that_was_compared() -> None:
    assert verdict("copilot", tool="Ba.*", name="bash", written="PreToolUse").why == "matched tool bash as Bash"
    assert verdict("copilot", tool="ba.*", name="bash", written="PreToolUse").why == "tool Bash does not match ba.*"


@pytest.mark.parametrize(("matcher", "skip"), [("do", None), ("^Bash$", "tool-mismatch"), ("*", "tool-mismatch"), ("", None)])
def test_kimi_compares_a_matcher_with_the_text_of_the_prompt(matcher: str, skip: str | None) -> None:
    found = verdict(
        "kimi", tool=matcher, event="pre-agent-turn", written="UserPromptSubmit", name=None, payload={"prompt": "do it"}
    )
    assert found.skip == skip


def test_blanks_count_in_a_regex_for_the_whole_name() -> None:
    assert verdict("copilot", tool=" bash", name="bash", written="preToolUse").skip == "tool-mismatch"


@pytest.mark.parametrize("tool", ["Task", "Edit|Task", "^Task$", "Tas.", "Agent", "Edit, Task"])
def test_task_means_the_tool_agent_in_claude(tool: str) -> None:
    said = verdict("claude", tool=tool, name="Agent", written="PreToolUse")
    assert (said.skip, [(hit.text, hit.where) for hit in said.hits]) == (None, [("Agent", "tool")])


@pytest.mark.parametrize(("tool", "name"), [("Tas", "Agent"), ("Agent", "Task"), ("Task", "Bash")])
def test_part_of_an_alias_means_no_tool(tool: str, name: str) -> None:
    assert verdict("claude", tool=tool, name=name, written="PreToolUse").skip == "tool-mismatch"


@pytest.mark.parametrize(("host", "skip"), [("claude", None), ("vscode", "tool-mismatch"), ("agenthooks", "tool-mismatch")])
def test_a_hook_directory_knows_the_aliases_of_the_host(host: str, skip: str | None) -> None:
    assert verdict("agenthooks", tool="^Task$", name="Agent", host=host).skip == skip


@pytest.mark.parametrize(
    ("fmt", "tool", "name", "written", "found"),
    [
        ("agenthooks", "hel", "Shell", None, "hel"),
        ("agenthooks", "", "Shell", None, ""),
        ("claude", "Edit|Bash", "Bash", "PreToolUse", "Bash"),
        ("claude", "as.", "Bash", "PreToolUse", "ash"),
        ("copilot", "ba.*", "bash", "preToolUse", "bash"),
        ("azure", "*", "Bash", "PreToolUse", "Bash"),
    ],
)
def test_the_verdict_tells_which_part_of_the_tool_matched(
    fmt: str, tool: str, name: str, written: str | None, found: str
) -> None:
    [hit] = verdict(fmt, tool=tool, name=name, written=written).hits
    assert (hit.where, hit.text, hit.text[hit.start : hit.end]) == ("tool", name, found)


def test_the_verdict_tells_which_part_of_which_value_matched() -> None:
    tool_input = {"description": "tidy up", "command": "cd /tmp; rm -rf /"}
    tool, value = verdict(tool="Shell", pattern="rm -rf", tool_input=tool_input).hits
    assert (tool.where, tool.text) == ("tool", "Shell")
    assert (value.where, value.text, value.start, value.end) == ("input", "cd /tmp; rm -rf /", 9, 15)


def test_where_nothing_had_to_match_nothing_is_marked() -> None:
    assert verdict().hits == ()
    assert verdict("vscode", tool="Bash", written="PreToolUse").hits == ()
    assert verdict("claude", tool="*", written="PreToolUse").hits == ()
