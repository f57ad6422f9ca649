"""Secrets that only their place in a JSON value reveals, and ordinary payloads. All secrets here are made up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.runner.redaction import CAP, MARK, may_hold_secrets, redact, redacted_value, stored_text

TOKEN = "ghp" + "_" + "A1b2" * 9
BEGIN, END = ("-----" + word + " RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))
NUMBER = 12345678901


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"passwords": {"prod": "x", "all": {"dev": "y"}}}, {"passwords": {"prod": MARK, "all": {"dev": MARK}}}),
        ({"credentials": [{"user": "u", "value": "x"}]}, {"credentials": [{"user": MARK, "value": MARK}]}),
        ({"tokens": {"left": 5, "on": True}}, {"tokens": {"left": 5, "on": True}}),
    ],
)
def test_values_below_a_secret_name_are_redacted(value: Any, shown: Any) -> None:
    assert redacted_value(value) == shown


@pytest.mark.parametrize("key", ["password", "db_passwd", "pin", "PIN", "passcode", "passwords", "adminPassword"])
def test_number_named_as_a_password_is_redacted(key: str) -> None:
    assert redacted_value({key: NUMBER, "n": NUMBER}) == {key: MARK, "n": NUMBER}
    assert redacted_value({key: [{"a": NUMBER}]}) == {key: [{"a": MARK}]}


@pytest.mark.parametrize(
    "key", ["Cookie", "Set-Cookie", "set_cookie", "cookies", "Authorization", "authorization", "Proxy-Authorization"]
)
def test_secret_headers_are_redacted(key: str) -> None:
    assert redacted_value({"headers": {key: "abc", "Accept": "a/b"}}) == {"headers": {key: MARK, "Accept": "a/b"}}


@pytest.mark.parametrize("named", ["name", "key", "Name", "header", "id"])
def test_name_value_pair_is_redacted_like_a_key(named: str) -> None:
    pairs = [{named: "api_key", "value": "x"}, {named: "pin", "Value": 1234}, {named: "PATH", "value": "/bin"}]
    assert redacted_value(pairs) == [
        {named: "api_key", "value": MARK}, {named: "pin", "Value": MARK}, {named: "PATH", "value": "/bin"},
    ]  # fmt: skip


def test_every_name_field_of_a_pair_counts() -> None:
    assert redacted_value({"id": "7", "name": "api_key", "value": "x"}) == {"id": "7", "name": "api_key", "value": MARK}


@pytest.mark.parametrize("sign", ["", "+", " ", "12→"])
def test_private_key_in_list_items_is_redacted_completely(sign: str) -> None:
    lines = [f"{sign}{line}" for line in ("a", BEGIN, "MIIEow", "", "IBAAKC", END, "b")]
    shown = redacted_value({"structuredPatch": [{"oldStart": 1, "lines": lines}]})["structuredPatch"][0]["lines"]
    assert "MIIEow" not in str(shown)
    assert "IBAAKC" not in str(shown)
    assert (shown[0], shown[-1]) == (f"{sign}a", f"{sign}b")
    numbered = [{"n": place, "text": line} for place, line in enumerate(lines)]
    assert "IBAAKC" not in str(redacted_value(numbered))


@pytest.mark.parametrize(
    "text",
    [
        '{"passwords": {"prod": "hunter2hunter2"}}',
        ' [{"name": "api_key", "value": "hunter2hunter2"}]\n',
        '{"a": "{\\"passwords\\": {\\"prod\\": \\"hunter2hunter2\\"}}"}',
        '{"headers": {"Cookie": "hunter2hunter2"}}',
        f'{{"a": "\\u0067{TOKEN[1:]}", "b": "hunter2"}}'.replace("hunter2", "x"),
        '{"a": "https:\\/\\/me:hunter2hunter2@host"}',
    ],
)
def test_json_text_is_redacted_as_json(text: str) -> None:
    for shown in (redact(text), stored_text(text + " " * CAP), redacted_value({"text": text})["text"]):
        assert "hunter2" not in shown
        assert TOKEN[1:] not in shown
        assert MARK in shown


def test_invalid_json_is_redacted_as_text() -> None:
    assert redact('{"password": "hunter2hunter2", }') == f'{{"password": "{MARK}", }}'
    assert redact("[the token is missing]") == "[the token is missing]"
    assert redact("{'Cookie': 'sid=abcdefgh'}") == f"{{'Cookie': '{MARK}'}}"


def test_json_without_named_secrets_keeps_its_layout() -> None:
    assert redact(f'{{\n  "a": "{TOKEN}"\n}}') == f'{{\n  "a": "{MARK}"\n}}'


@pytest.mark.parametrize("levels", [90, 200, 900])
def test_deeply_nested_secret_is_redacted(levels: int) -> None:
    value: Any = {"passwords": {"prod": "hunter2hunter2", "t": TOKEN}}
    for _ in range(levels):
        value = [{"a": value}] if levels < 100 else {"a": value}
    shown = json.dumps(redacted_value({"deep": value, "id": "x"}))
    assert "hunter2" not in shown
    assert TOKEN not in shown
    assert '"id": "x"' in shown


def test_deeply_nested_secret_in_json_text_is_redacted() -> None:
    text = '{"passwords": {"prod": "x"}}'
    value: Any = text
    for _ in range(101):
        value = [value]
    assert "prod" not in json.dumps(redacted_value(value))
    assert redact(text) == f'{{"passwords": {{"prod": "{MARK}"}}}}'


# Everyday payloads of hosts ---------------------------------------------------------------------------------------------------

CLAUDE_PRE = {
    "session_id": "3f1c1f36-0d5e-4b9a-9a51-7f6f4a1f0c11",
    "transcript_path": "/home/me/.claude/projects/-home-me-app/3f1c1f36.jsonl",
    "cwd": "/home/me/app",
    "permission_mode": "acceptEdits",
    "hook_event_name": "PreToolUse",
    "tool_name": "Edit",
    "tool_input": {
        "file_path": "/home/me/app/src/token.py",
        "old_string": "max_tokens=1",
        "new_string": "",
        "replace_all": False,
    },
    "tool_use_id": "toolu_01ABCdefGHIjklMNOpqr",
}
CLAUDE_POST = {
    **CLAUDE_PRE,
    "hook_event_name": "PostToolUse",
    "tool_response": {
        "filePath": "/home/me/app/secrets/README.md",
        "structuredPatch": [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" a", "-b", "+c"]}],
        "userModified": False,
        "totalTokens": 48211,
        "usage": {"input_tokens": 4096, "cache_read_input_tokens": 123456, "output_tokens": 12, "service_tier": "standard"},
    },
}
VSCODE = {
    "timestamp": "2026-01-21T12:00:00.000Z",
    "hook_event_name": "PreToolUse",
    "sessionId": "b1946ac92492d2347c6235b4d2611184",
    "tool_name": "editFiles",
    "tool_input": {
        "files": {"file:///home/me/app/token.ts": {"edits": [{"text": "let a = 1", "line": 2}]}},
        "max_tokens": 4096,
    },
    "model": {"maxInputTokens": 128000, "tokenizer_count": 3, "secret": False, "token": None, "password_length": 12},
}
COPILOT = {
    "sessionId": "s-1",
    "timestamp": 1704614600000,
    "cwd": "/home/me/app",
    "toolName": "bash",
    "toolArgs": '{"command":"git push -u origin main","description":"Push","token_count":7}',
    "toolResult": {"resultType": "success", "textResultForLlm": "Everything up-to-date"},
}
PLAIN = {
    "pin": 13,
    "pinned": 123456,
    "shipping": 123456,
    "password": 0,
    "password_changed_at": 1704614600,
    "env": [{"name": "PATH", "value": "/bin"}],
    "C:\\repo\\token.ts": "read",
    "BEGIN PRIVATE": ["-----BEGIN CERTIFICATE-----", "MIIB", "-----END CERTIFICATE-----", "x"],
    "cookie_policy": "strict",
}


@pytest.mark.parametrize("payload", [CLAUDE_PRE, CLAUDE_POST, VSCODE, COPILOT, PLAIN])
def test_ordinary_payloads_stay_unchanged(payload: dict[str, Any]) -> None:
    assert redacted_value(payload) == payload
    assert redact(json.dumps(payload)) == json.dumps(payload)


# Whether a value is searched at all -------------------------------------------------------------------------------------------

_KEYS = st.text(max_size=3) | st.sampled_from(
    ["token", "x-api_KEY" + "y" * 60, "Set-Cookie", "pin", "PASSWD", "passcodes", "name", "value", "cookies", "authorization"]
)
_TEXTS = st.text() | st.sampled_from(
    [TOKEN, BEGIN, "api_key", "pin", '{"p": "\\u0067' + TOKEN[1:] + '"}', '{"passwords": ["x"]}', '["https:\\/\\/a:bcdef@h"]']
)
_VALUES = st.recursive(
    _TEXTS | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(_KEYS, inner)
)


@given(_VALUES)
def test_redaction_changes_only_values_that_may_hold_secrets(value: Any) -> None:
    assert may_hold_secrets(json.dumps(value, ensure_ascii=False)) or redacted_value(value) == value


@given(_VALUES)
def test_redacting_a_value_is_idempotent(value: Any) -> None:
    once = redacted_value(value)
    assert redacted_value(once) == once
