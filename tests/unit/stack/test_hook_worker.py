"""The answer of the worker that runs the hooks on disk."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hooktui.stack import hook_worker

ANSWER: dict[str, Any] = {
    "runs": [],
    "decision": "deny",
    "reason": "no",
    "modified_input": None,
    "additional_context": [],
    "system_messages": [],
    "warnings": [],
}


def test_whole_answer_is_read() -> None:
    assert hook_worker.parse_response(json.dumps(ANSWER).encode()).decision == "deny"


@pytest.mark.parametrize("field", ["decision", "reason", "modified_input"])
def test_answer_without_its_decision_is_an_error(field: str) -> None:
    answer = {name: value for name, value in ANSWER.items() if name != field}
    with pytest.raises(TypeError, match=field):
        hook_worker.parse_response(json.dumps(answer).encode())
