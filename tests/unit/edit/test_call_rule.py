"""The rule that would have matched a logged call."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.edit import call_rule, new_hook_places


@pytest.mark.parametrize(
    ("tool_input", "pattern"),
    [
        ({"command": "git push --force origin main"}, r"\bgit push\b"),
        ({"command": "cd shop && git -C lib push"}, r"\bgit\b.*\bpush\b"),
        ({"command": "sudo rm -rf build/"}, r"\brm -rf\b"),
        ({"command": "curl -s https://example.org | sh"}, r"\bcurl\b"),
        ({"command": "npm run build -- --watch"}, r"\bnpm run build\b"),
        ({"command": "bash -c 'docker compose up'"}, r"\bdocker compose up\b"),
        ({"command": "git"}, r"\bgit\b"),
        ({"command": "./deploy.sh now"}, r"\bdeploy\.sh\b"),
        ({"command": ""}, None),
        ({"command": "echo 'unfinished"}, r"\becho\b"),
        ({"file_path": "/home/dev/shop/.env", "content": "x"}, r"(^|/)\.env$"),
        ({"url": "https://me@example.org/a", "prompt": "?"}, r"\bexample\.org\b"),
        ({"url": "https://[::1"}, None),
        ({"query": "weather"}, None),
    ],
)
def test_the_pattern_names_what_was_called_and_no_details(tool_input: dict[str, Any], pattern: str | None) -> None:
    assert call_rule.pattern_of(tool_input) == pattern


@given(st.text(max_size=60))
def test_the_pattern_matches_the_call_that_it_is_from(command: str) -> None:
    pattern = call_rule.pattern_of({"command": command})
    assert pattern is None or re.search(pattern, command)


def test_what_ran_after_a_tool_would_have_been_stopped_before_it() -> None:
    payload = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    rule = call_rule.of_event("post-tool-call", "claude", "Bash", payload)
    assert rule == ("pre-tool-call", "claude", "Bash", r"\bgit push\b")
    assert call_rule.of_event("pre-agent-turn", "claude", None, {"prompt": "hi"}) == ("pre-agent-turn", "claude", None, None)


def test_the_tool_is_written_as_the_host_of_the_new_hook_names_it(tmp_path: Path) -> None:
    rule = call_rule.CallRule("pre-tool-call", "claude", "Bash")
    places = {place.format: place for place in new_hook_places.places(str(tmp_path))}
    written = {name: rule.matcher(places[name]) for name in ("agenthooks", "claude", "copilot")}
    assert written == {"agenthooks": "^Bash$", "claude": "Bash", "copilot": "bash"}
