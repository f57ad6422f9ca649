"""formats.md §2, the rows about the matcher: valid values, and the exact place of each error."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.core import events
from hooktui.formats import regexes
from tests.unit.formats.agenthooks_world import World, changed, head, parsed, skip_of, unmarked, wrong


def test_matcher_tool_and_pattern() -> None:
    hook, diagnostics = parsed(changed(matcher="{tool: '^Bash$', pattern: '(?<!x)rm'}"))
    assert (hook.tool, hook.pattern, diagnostics) == ("^Bash$", "(?<!x)rm", ())


@pytest.mark.parametrize(
    "matcher",
    ["«Shell»", "«[tool, pattern]»", "{tool: «[a]»}", "{pattern: «5»}", "{tool: «true»}", "{tool: Shell, «pattern»: }"],
)
def test_a_matcher_whose_meaning_is_in_doubt_keeps_the_hook_from_running(matcher: str, world: World) -> None:
    text, _ = unmarked(changed(matcher=matcher))
    wrong(changed(matcher=matcher), "error", "wrong-type")
    world.hook(text=text)
    assert skip_of(world.only()) == "bad-matcher"


def test_unknown_key_inside_the_matcher() -> None:
    _, found = wrong(changed(matcher="{«tools»: Shell}"), "warning", "unknown-key")
    assert found.hint == "did you mean tool?"


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("«(abc»", "at character 1"),
        ("'«[a'»", "at character 1"),
        ("a**", "at character 3"),
        ("'(?<=a+)b'", "look-behind"),
        ("'a{99999999999999999999}'", "too large"),
        ("'*'", "nothing to repeat"),
    ],
)
def test_an_invalid_regex_disables_only_its_own_hook(pattern: str, words: str, world: World) -> None:
    written = pattern.replace("«", "").replace("»", "")
    _, found = wrong(changed(matcher=f"{{pattern: «{written}»}}"), "error", "bad-regex")
    assert words in found.message
    world.hook(text=changed(matcher=f"{{pattern: {written}}}"))
    world.hook("other")
    bad, other = world.found().hooks
    assert skip_of(bad) == "bad-matcher"
    assert other.obstacle is None


def test_a_pattern_nested_without_end_is_a_bad_regex() -> None:
    hook, diagnostics = parsed(changed(matcher=f"{{pattern: '{'(' * 5000}{')' * 5000}'}}"))
    assert [found.code for found in diagnostics] == ["bad-regex"]
    assert hook.obstacle is not None


@pytest.mark.parametrize("trigger", [name for name in events.TRIGGERS if events.canonical(name) not in events.TOOL_EVENTS])
def test_matcher_on_a_non_tool_event_is_ignored_with_a_warning(trigger: str, world: World) -> None:
    text = head(f"name: guard\ndescription: d\ntrigger: {trigger}\n«matcher:\n  tool: Shell»\n")
    hook, _ = wrong(text, "warning", "matcher-ignored")
    assert (hook.tool, hook.pattern) == (None, None)


def test_an_ignored_matcher_does_not_prevent_a_hook_from_running(world: World) -> None:
    world.hook(text=changed(trigger="pre-session", matcher="{tool: '('}"))
    assert world.codes() == [("warning", "matcher-ignored"), ("error", "bad-regex")]
    assert world.only().obstacle is None


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("'git push (--force|-f'", "'git push (--force|-f)'"),
        ("'[a-z'", "'[a-z]'"),
        ("a)b", r"'a\)b'"),
        ('"*.py"', r'"\\*.py"'),
        ("'x\\'", r"'x\\'"),
        ("(((", "'((()))'"),
    ],
)
def test_the_fix_of_a_regex_keeps_its_quotes(pattern: str, meant: str) -> None:
    [fix] = [one.fix for one in parsed(changed(matcher=f"{{pattern: {pattern}}}"))[1] if one.code == "bad-regex" and one.fix]
    assert fix.text == meant


def test_a_regex_with_unclear_intention_has_no_fix() -> None:
    assert [one.fix for one in parsed(changed(matcher="{pattern: '(?P<>a)'}"))[1] if one.code == "bad-regex"] == [None]


@given(st.text(alphabet="ab|^$.*+?{}[]()\\bdwZ1- \né", max_size=8))
def test_a_pattern_is_called_wrong_only_if_python_cannot_compile_it(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error:
        assert regexes.check(pattern)
    else:
        assert regexes.check(pattern) is None
