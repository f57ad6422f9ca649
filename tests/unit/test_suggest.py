"""Did you mean …?"""

from __future__ import annotations

import pytest

from hooktui import suggest


@pytest.mark.parametrize(
    ("written", "meant"),
    [("priorty", "priority"), ("Timeout", "timeout"), ("time_out", "timeout"), ("asinc", "async"), ("zzz", None), ("", None)],
)
def test_the_nearest_known_word_is_suggested(written: str, meant: str | None) -> None:
    assert suggest.closest(written, ("priority", "timeout", "async")) == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("PreToolUse", "pre-tool-call"),
        ("sessionStart", "pre-session"),
        ("pre_tool_call", "pre-tool-call"),
        ("before-tool", "before_tool"),
        ("pre tool call", "pre-tool-call"),
        ("pre-tool", "pre-tool-call"),
        ("StopFailure", None),
        ("x" * 100_000, None),
    ],
)
def test_another_formats_spelling_of_an_event_suggests_its_trigger(written: str, meant: str | None) -> None:
    assert suggest.trigger(written) == meant
