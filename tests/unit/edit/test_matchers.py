"""A matcher translated to another format matches the same tools."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hooktui import formats
from hooktui.core.model import Event, Hook
from hooktui.edit import matcher_translation
from hooktui.runner import matching

EVENTS = {"agenthooks": "pre-tool-call", "claude": "PreToolUse", "copilot": "preToolUse", "azure": "PreToolUse"}
NAMES = ("Bash", "PowerBash", "Bash2", "bash", "Edit", "MultiEdit", "mcp__files__read", "mcp__files", "a-b", "")
REGEXES: tuple[str | None, ...] = (
    None,
    "Bash",
    "^Bash$",
    "^(Bash|Edit)$",
    "^(?:Bash|Edit)$",
    "Bash|Edit",
    "^Ba",
    "sh$",
    "mcp__.*",
    "^(?!Edit).*$",
)
REGEXES += ("[Bb]ash", "^(a)|(b)$", "(?:Bash)", "^Bash|Edit$", "^mcp__(?:files|db)__.*$", r"^a\-b$")
IN_ANY_CASE = ("(?i)BASH", r"(?i)^(?:[a-c]ASH|mcp\x5f.*|[^\]x]*(?=y))$", "(?i)(bash|edit)$")


def matches(format_name: str, matcher: str | None, name: str) -> bool:
    hook = Hook(
        id="h", name="h", event="pre-tool-call", event_as_written=EVENTS[format_name], format=format_name, scope="project",
        file="/f", line=1, tool=matcher, source=formats.detached_source(format_name),
    )  # fmt: skip
    event = Event(
        name="pre-tool-call", as_written=EVENTS[format_name], known=True, host=format_name, session_id="s", work_dir="/",
        timestamp="", tool_name=name, tool_input={},
    )  # fmt: skip
    return matching.match(hook, event).skip is None


def searched(format_name: str, matcher: str | None) -> str | None:
    return matcher_translation.searched_regex(
        Hook(
            id="h", name="h", event="pre-tool-call", event_as_written=EVENTS[format_name], format=format_name, scope="project",
            file="/f", line=1, tool=matcher, source=formats.detached_source(format_name),
        )
    )  # fmt: skip


@pytest.mark.parametrize("format_name", EVENTS)
@pytest.mark.parametrize("regex", REGEXES)
def test_a_searched_regex_matches_the_same_in_every_format(regex: str | None, format_name: str) -> None:
    written = matcher_translation.matcher_for(regex, format_name)
    for name in NAMES:
        assert matches(format_name, written, name) == matches("agenthooks", regex, name), (written, name)
    assert searched(format_name, written) == matcher_translation.canonical(regex)


@pytest.mark.parametrize("format_name", EVENTS)
@pytest.mark.parametrize("regex", IN_ANY_CASE)
def test_a_regex_for_any_case_stays_one_where_there_are_no_flags(regex: str, format_name: str) -> None:
    written = matcher_translation.matcher_for(regex, format_name)
    for name in (*NAMES, "BASH", "mCp__x", "XxY"):
        assert matches(format_name, written, name) == matches("agenthooks", regex, name), (written, name)


@given(st.sampled_from(list(EVENTS)), st.sampled_from(list(EVENTS)), st.sampled_from(("*", *REGEXES)), st.sampled_from(NAMES))
def test_translated_matcher_matches_the_same_tools(source: str, target: str, matcher: str | None, name: str) -> None:
    assume(matcher != "*" or source in ("claude", "azure"))  # for the others it is not a regex
    written = matcher_translation.matcher_for(searched(source, matcher), target)
    assert matches(target, written, name) == matches(source, matcher, name), written


def test_tools_are_called_by_the_names_of_the_other_host() -> None:
    assert matcher_translation.translated("^(?:Shell|WriteFile)$", "agenthooks", "claude") == "^(?:Bash|Write)$"
    assert matcher_translation.translated("Shell|Bash", "agenthooks", "claude") == "^(?:Bash)$"
    assert matcher_translation.translated("Bash, Edit", "claude", "copilot") == "^(?:bash|edit)$"
    assert matcher_translation.translated("^mcp__.*$", "claude", "copilot") == "^mcp__.*$"
    assert matcher_translation.translated("^(?:Other)$", "claude", "agenthooks") == "^(?:Other)$"


@pytest.mark.parametrize(
    ("regex", "source", "target", "expected"),
    [
        ("(?i)shell", "agenthooks", "claude", "^(?:Bash)$"),
        ("Shell.*", "agenthooks", "vscode", "^(?:run_in_terminal)$"),
        (".*File$", "agenthooks", "copilot", "^(?:view|create|edit)$"),
        ("File", "agenthooks", "claude", "^(?:Read|Write|Edit)$"),
        ("Shell|File", "agenthooks", "azure", "^(?:Bash)$"),
        ("(?i)write", "agenthooks", "claude", "^(?:Write)$"),  # not TodoWrite
        ("^(?!ReadFile)", "agenthooks", "claude", "^(?!(?:Read)$)"),
        ("^(?!Bash)", "agenthooks", "claude", ".*"),
        ("Shell|mcp__.*", "agenthooks", "claude", "Shell|mcp__.*|^(?:Bash)$"),
        ("^(?:Shell|mcp__.*)$", "agenthooks", "claude", "^(?:Shell|mcp__.*|Bash)$"),
        (".*Edit", "claude", "agenthooks", "^(?:StrReplaceFile)$"),
    ],
)
def test_a_regex_that_finds_other_tools_there_becomes_the_names_of_those_that_do_the_same(
    regex: str, source: str, target: str, expected: str
) -> None:
    assert matcher_translation.translated(regex, source, target) == expected


@pytest.mark.parametrize("regex", ["(?i)^(shell|bash)$", ".*", "", "^[A-Z]\\w+__", "(", None])
def test_a_regex_that_finds_the_same_or_nothing_known_stays(regex: str | None) -> None:
    assert matcher_translation.translated(regex, "agenthooks", "claude") == regex


@pytest.mark.parametrize(
    ("regex", "source", "target", "lost"),
    [
        (".*File$", "agenthooks", "azure", True),
        ("ReadFile", "agenthooks", "azure", True),
        ("^(?:Glob)$", "claude", "vscode", True),
        (".*File$", "agenthooks", "claude", False),
        ("ReadFile|mcp__.*", "agenthooks", "azure", False),
        ("Mine", "agenthooks", "azure", False),
        ("(", "agenthooks", "azure", False),
        (None, "agenthooks", "azure", False),
    ],
)
def test_a_matcher_is_lost_where_no_tool_that_does_the_same_is_known(
    regex: str | None, source: str, target: str, lost: bool
) -> None:
    assert matcher_translation.is_lost(regex, source, target) == lost
