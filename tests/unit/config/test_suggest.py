"""Suggestions for mistyped words."""

from __future__ import annotations

import pytest

from hooktui import hosts
from hooktui.config import suggest
from hooktui.core import events


@pytest.mark.parametrize(
    ("written", "meant"),
    [("priorty", "priority"), ("Timeout", "timeout"), ("time_out", "timeout"), ("asinc", "async"), ("zzz", None), ("", None)],
)
def test_closest_known_word_is_suggested(written: str, meant: str | None) -> None:
    assert suggest.closest(written, ("priority", "timeout", "async")) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("PreToolUse", "pre-tool-call"),
        ("sessionStart", "pre-session"),
        ("pre_tool_call", "pre-tool-call"),
        ("pretooluse", "pre-tool-call"),
        ("PRE_TOOL_USE", "pre-tool-call"),
        ("agent_stop", "pre-agent-turn-stop"),
        ("user_prompt_submit", "pre-agent-turn"),
        ("PostCompact", "post-context-compact"),
        ("StopFailure", None),
    ],
)
def test_any_spelling_of_an_event_suggests_it(written: str, meant: str | None) -> None:
    found = suggest.event(written, events.TRIGGERS)
    assert (found and events.canonical(found)) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("before-tool", "before_tool"),
        ("pre tool call", "pre-tool-call"),
        ("sesion_start", "session_start"),
        ("befor_stop", "before_stop"),
        ("afer_tool", "after_tool"),
        ("subagnt_stop", "subagent_stop"),
        ("pre-tol-call", "pre-tool-call"),
        ("xyzzy", None),
        ("x" * 100_000, None),
    ],
)
def test_typo_suggests_the_closest_event(written: str, meant: str | None) -> None:
    assert suggest.event(written, events.TRIGGERS) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("post_compact", "post-context-compact"),
        ("session_stop", "post-session"),
        ("session_finished", "post-session"),
        ("session_begin", "pre-session"),
        ("stop", "pre-agent-turn-stop"),
        ("on_stop", "pre-agent-turn-stop"),
        ("session.idle", "pre-agent-turn-stop"),
        ("before_subagent", "pre-subagent"),
        ("beforeShellExecution", "pre-tool-call"),
        ("afterFileEdit", "post-tool-call"),
        ("beforeSubmitPrompt", "pre-agent-turn"),
        ("PreCompress", "pre-context-compact"),
        ("pre_run_command", "pre-tool-call"),
        ("post_mcp_tool_use", "post-tool-call"),
        ("tool.execute.after", "post-tool-call"),
        ("on_tool_error", "post-tool-call-failure"),
        ("turn_end", "post-agent-turn"),
        ("startup", None),
        ("BeforeModel", None),
    ],
)
def test_foreign_event_name_suggests_the_event_of_the_same_subject_and_moment(written: str, meant: str | None) -> None:
    found = suggest.event(written, events.TRIGGERS)
    assert (found and events.canonical(found)) == meant


@pytest.mark.parametrize("known", [events.TRIGGERS, ("PreToolUse", "PostToolUse", "Stop"), hosts.spec("claude").events])
@pytest.mark.parametrize(("moment", "opposite"), [("pre", "post"), ("post", "pre"), ("before", "post"), ("after", "pre")])
def test_no_event_of_the_opposite_moment_is_ever_suggested(known: tuple[str, ...], moment: str, opposite: str) -> None:
    for subject in ("session", "tool", "sesion", "agent", "compact", "subagent", "turn", "step", "tol"):
        for written in (f"{moment}_{subject}", f"{moment}-{subject}-use", f"{moment}{subject.title()}"):
            found = suggest.event(written, known)
            assert not (found and (events.canonical(found) or "").startswith(opposite)), (written, found)


@pytest.mark.parametrize(
    ("written", "meant", "is_guess"),
    [
        ("PreTolUse", "PreToolUse", False),
        ("beforeTool", "PreToolUse", False),
        ("PreFileRead", "PreToolUse", True),  # perhaps an event of a later version
        ("copilot:tool.pre", "preToolUse", False),
        ("PreToolUseOff", "PreToolUse", True),
    ],
)
def test_only_a_slip_or_another_spelling_is_fixed_unasked(written: str, meant: str, *, is_guess: bool) -> None:
    assert suggest.is_guess(written, meant) is is_guess
