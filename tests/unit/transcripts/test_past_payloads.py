"""Payloads of a portion are redacted field by field, exactly as each would be on its own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.runner.journal import entry
from hooktui.runner.redaction import CAP, MARK
from hooktui.transcripts import import_portions
from tests.fuzz import strategies
from tests.unit.runner.test_redaction import PRIVATE_KEY, SECRETS

PIECES = (
    *SECRETS.values(), PRIVATE_KEY, "password", "--token", "api_key=", "curl -u me:", "s3cret-word", "://me:pw@host", "Bearer ",
    "\\u", "\\n", "\n", " ", '"', "mysql -p", "Authorization: ", "value", "name", "cat src/a.py", "x" * 300,
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=5).map("".join)
VALUES = st.recursive(
    strategies.SCALARS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | strategies.WORDS, inner, max_size=3),
)
NAMES = st.sampled_from(["tool_input", "tool_use_id", "cwd", "prompt", "error", "name", "value", "Value", "token", "auth"])


@given(payloads=st.lists(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4), max_size=6))
def test_fields_together_are_redacted_like_each_payload_on_its_own(payloads: list[dict[str, Any]]) -> None:
    repeated = payloads + payloads  # an event after a call repeats its input
    assert import_portions.payload_texts(repeated, ()) == [entry.stored_json(payload, ()) for payload in repeated]


@pytest.mark.parametrize("own", [(), ("x{3}",)])
def test_long_fields_are_cut_and_own_patterns_count(own: tuple[str, ...]) -> None:
    payloads: list[dict[str, Any]] = [
        {"prompt": "–" * 3 * CAP, "cwd": "xxx"},
        {"prompt": "ok", "tool_input": {f"part-{place}": "text " * CAP for place in range(3)}},
    ]
    texts = import_portions.payload_texts(payloads, own)
    assert texts == [entry.stored_json(payload, own) for payload in payloads]
    assert (MARK in texts[0]) == bool(own)
    assert max(map(len, texts)) < 3 * CAP


def test_the_state_of_a_reader_has_no_secrets() -> None:
    secret = SECRETS["GitHub token"]
    state = {
        "session": {"id": "s"},
        "open": [{"input": {"command": f"echo {secret}"}}, {"key": "b"}],
        "notes": {"prompt": secret},
    }
    text = import_portions.state_text(state, ())
    assert secret not in text
    assert text.startswith('{"session": {"id": "s"}')
    assert '"open": [{"input": {"command": "echo [redacted]"}}, {"key": "b"}]' in text
