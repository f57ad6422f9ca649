"""Matchers (formats.md §5, rows ToolNameMatcher to CallableMatcher)."""

from __future__ import annotations

from typing import Any

import pytest

from hooktui.stack import (
    CallableHook,
    CallableMatcher,
    CompositeMatcher,
    EventTypeMatcher,
    HookContext,
    HookEvent,
    HookMatcher,
    HookStack,
    StepHookContext,
    ToolCall,
    ToolHookContext,
    ToolNameMatcher,
)

STEP = StepHookContext.before(0)


async def later(_context: object) -> bool:
    return True


def tool(name: str) -> HookContext[Any]:
    return ToolHookContext.before(ToolCall(name))


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("bash", "bash", True),
        ("bash", "Bash", False),
        ("bash", "bash2", False),
        ("*", "anything", True),
        ("*", "", True),
        ("read_*", "read_file", True),
        ("read_*", "read_", True),
        ("read_*", "do_read_file", False),
        ("*_file", "write_file", True),
        ("*_file", "write_files", False),
        ("a*c*e", "abcde", True),
        ("a.c*", "abcd", False),
        ("a.c*", "a.cd", True),
        ("[rw]*", "read", False),
        ("re?d*", "read", False),
        ("x*", "x\ny", True),
        ("/^(read|write)_.+$/", "read_x", True),
        ("/^(read|write)_.+$/", "read_", False),
        ("/ash/", "bash2", True),
        ("/ASH/", "bash", False),
        ("/ASH/i", "bash", True),
        ("/^b$/m", "a\nb", True),
        ("/a.b/", "a\nb", False),
        ("/a.b/s", "a\nb", True),
        ("/A.B/is", "a\nb", True),
        ("/", "/", True),
        ("/a/b/", "xa/by", True),
        ("/a*/", "b", True),
    ],
)
def test_tool_name_is_matched_exactly_by_wildcard_or_by_regex(pattern: str, name: str, matches: bool) -> None:
    assert ToolNameMatcher(pattern).matches(tool(name)) is matches


def test_context_without_a_tool_never_matches_a_tool_name() -> None:
    assert not ToolNameMatcher("*").matches(STEP)


@pytest.mark.parametrize(
    ("pattern", "message"), [("/[/", "not a valid regex"), ("/a/x", "unknown flag x"), ("/(?P<a/", "/(?P<a/")]
)
def test_bad_regex_is_a_value_error_at_once(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace("?", r"\?")):
        ToolNameMatcher(pattern)


def test_event_type_matcher_matches_its_events() -> None:
    matcher = EventTypeMatcher(HookEvent.BEFORE_STEP, HookEvent.AFTER_STEP)
    assert [matcher.matches(context) for context in (STEP, StepHookContext.after(0, None), tool("x"))] == [True, True, False]
    assert not EventTypeMatcher().matches(STEP)


def test_unknown_event_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="PreToolCall"):
        EventTypeMatcher("PreToolCall")  # type: ignore[arg-type]


def test_composites_nest() -> None:
    shell = CompositeMatcher.any_of(ToolNameMatcher("bash"), ToolNameMatcher("sh"))
    matcher = CompositeMatcher.all_of(shell, CallableMatcher(lambda context: context.get("safe", False)))
    assert matcher.matches(tool("sh").with_metadata("safe", True))
    assert not matcher.matches(tool("sh"))
    assert not matcher.matches(tool("zsh").with_metadata("safe", True))


def test_empty_all_of_is_true_and_an_empty_any_of_false() -> None:
    assert CompositeMatcher.all_of().matches(STEP)
    assert not CompositeMatcher.any_of().matches(STEP)


def test_callable_matcher_must_return_a_bool() -> None:
    def truthy(_context: object) -> Any:
        return 1

    with pytest.raises(TypeError, match=r"truthy \(.*test_matchers.py:\d+\) returned 1: a matcher returns True or False"):
        CallableMatcher(truthy).matches(STEP)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (later, r"later .* is async: matchers are not awaited"),
        (5, "5 is not a function"),
        (lambda: True, r"<lambda> .* must take \(context\), not \(\)"),
    ],
)
def test_invalid_callable_matcher_is_refused(function: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        CallableMatcher(function)


def test_coroutine_is_refused_as_matcher() -> None:
    with pytest.raises(TypeError, match=r"later\(…\) is a coroutine, which is never awaited"):
        CallableMatcher(later(STEP))  # type: ignore[arg-type]


def test_string_in_a_composite_is_a_tool_name() -> None:
    assert [CompositeMatcher.any_of("bash", "sh").matches(tool(name)) for name in ("sh", "zsh")] == [True, False]
    with pytest.raises(ValueError, match="not a valid regex"):
        CompositeMatcher.all_of("/[/")
    with pytest.raises(TypeError, match="not 5"):
        CompositeMatcher.all_of(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("matcher", [lambda inner: inner, CompositeMatcher.all_of])
async def test_any_matcher_must_return_a_bool(matcher: Any) -> None:
    class Truthy:
        def matches(self, _context: object) -> Any:
            return "no"

    with pytest.raises(TypeError, match=r"Truthy \(.*test_matchers.py:\d+\) returned 'no': a matcher returns True or False"):
        await HookStack().with_hook(CallableHook(lambda _: None, matcher(Truthy()))).process(STEP, lambda _: None)


def test_any_object_that_matches_is_a_matcher() -> None:
    class Evenings:
        def matches(self, context: HookContext[Any]) -> bool:
            return bool(context.get("evening"))

    assert isinstance(Evenings(), HookMatcher)
    assert CompositeMatcher.all_of(Evenings()).matches(STEP.with_metadata("evening", True))
