"""Any text in a hook file, on stdin, from a hook or in a query is read or refused by its own error: nothing else is raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui import formats, hosts
from hooktui.core.model import Event, Hook
from hooktui.engine import protocols
from hooktui.engine.process import Ended
from hooktui.log.read import query

_WORDS = st.sampled_from(
    ["hooks", "PreToolUse", "pre-tool-call", "matcher", "command", "type", "timeout", "decision", "deny", "reason", "tool_name",
     "tool_input", "session_id", "event_type", "hook_event_name", "hookSpecificOutput", "permissionDecision", "name", "trigger",
     "version", "if", "spec", "since", "event", "project"]
)  # fmt: skip
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | _WORDS
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS | st.text(max_size=5), inner, max_size=5)
)
_OBJECTS = st.dictionaries(_WORDS | st.text(max_size=5), _VALUES, max_size=6)
_TEXTS = st.text() | _OBJECTS.map(json.dumps)
_FRONTMATTER = _TEXTS.map(lambda text: f"---\n{text}\n---\n")
_PIECES = st.sampled_from(
    [":", "-", '"', "*", " ", "since:", "event:", "decision:", "slower:", "effect:", "200ms", "2h", "deny", "\\"]
)


@pytest.mark.parametrize("name", hosts.names())
@given(text=_TEXTS | _FRONTMATTER)
def test_any_hook_file_is_read(name: str, text: str) -> None:
    formats.load(name).parse(text, f"/project/{name}", "project")


@pytest.mark.parametrize("name", hosts.names())
@given(payload=_OBJECTS)
def test_any_payload_is_read_or_refused(name: str, payload: dict[str, Any]) -> None:
    try:
        event = hosts.read(name, payload, None, "2026-01-01T00:00:00Z")
    except hosts.UnreadableEvent as error:
        assert str(error)
    else:
        assert isinstance(event.name, str)
        assert isinstance(event.session_id, str)


@pytest.mark.parametrize("name", hosts.names())
@given(stdout=st.binary(max_size=200) | _OBJECTS.map(lambda value: json.dumps(value).encode()), code=st.sampled_from([0, 1, 2]))
def test_any_output_of_a_hook_is_a_result(name: str, stdout: bytes, code: int) -> None:
    source = formats.detached_source(name)
    hook = Hook(
        id="x", name="x", event="pre-tool-call", event_as_written="pre-tool-call", format=name, scope="user", file="/x", line=1,
        source=source,
    )  # fmt: skip
    event = Event(
        name="pre-tool-call", as_written="PreToolUse", known=True, host=name, session_id="s", work_dir="/", timestamp="",
        tool_name="Bash", tool_input={},
    )  # fmt: skip
    result = protocols.load(name).read(hook, event, Ended(exit_code=code, stdout=stdout, stderr=stdout))
    assert result.state in ("ok", "failed", "invalid-output")
    if result.state != "ok":
        assert result.outcome.decision in ("none", "deny")  # some hosts deny when a hook fails


@given(st.lists(_PIECES | st.text(max_size=4)).map("".join))
def test_any_query_is_parsed_or_refused(text: str) -> None:
    try:
        query.parse(text)
    except query.QueryError as error:
        assert str(error)
