"""Redaction removes secrets and changes nothing else. All secrets here are made up, for the sake of scanners."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hooktui
from hooktui.runner.redaction import CAP, MARK, may_hold_secrets, redact, redacted_value, stored_text

PATH = f"import sys; sys.path.insert(0, {str(Path(hooktui.__file__).parents[1])!r}); "

LETTERS = "Ab3dEf6hIj9lMnOpQrStUvWxYz012345678901"
SECRETS = {
    "AWS key": "AKIA" + "QWERTYUIOP123456",
    "AWS temporary key": "ASIA" + "QWERTYUIOP123456",
    "GitHub token": "ghp" + "_" + LETTERS,
    "GitHub server token": "ghs" + "_" + LETTERS,
    "GitHub fine-grained token": "github" + "_pat_" + LETTERS,
    "GitLab token": "glpat" + "-" + LETTERS[:20],
    "npm token": "npm" + "_" + LETTERS,
    "Hugging Face token": "hf" + "_" + LETTERS,
    "Slack token": "xoxb" + "-" + "123456789012-abcdefghij",
    "OpenAI key": "sk" + "-proj-" + LETTERS,
    "Anthropic key": "sk" + "-ant-api03-" + LETTERS,
    "Stripe key": "sk" + "_live_" + LETTERS[:24],
    "Google key": "AIza" + LETTERS[:35],
    "GitLab runner token": "glrt" + "-" + LETTERS[:20],
    "Docker token": "dckr" + "_pat_" + LETTERS,
    "Slack app token": "xapp" + "-1-" + LETTERS,
    "Google client secret": "GOCSPX" + "-" + LETTERS[:28],
    "Vault token": "hvs" + "." + LETTERS,
    "Shopify token": "shpat" + "_" + LETTERS,
    "age key": "AGE-SECRET" + "-KEY-1" + LETTERS.upper() + LETTERS.upper(),
    "bot token": "1234567890" + ":AA" + LETTERS[:33],
    "JWT": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
}
PRIVATE_KEY = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE" + " KEY-----"


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("around", ["{}", "run --with {} now", '{{"a": "{}"}}', "x={}\n", '{{"a": "x\\n{}"}}', "é {} –"])
def test_a_known_secret_is_marked(secret: str, around: str) -> None:
    shown = redact(around.format(secret))
    assert secret not in shown
    assert shown == around.format(MARK)


def test_truncated_private_key_is_redacted_completely() -> None:
    assert redact(f"a\n{PRIVATE_KEY}\nb") == f"a\n{MARK}\nb"
    assert redact(PRIVATE_KEY[:50]) == MARK
    block = PRIVATE_KEY.replace(" KEY-", " KEY BLOCK-").replace("RSA", "PGP")
    assert redact(f"a\n{block}\nb") == f"a\n{MARK}\nb"
    assert "MIIEow" not in redact(json.dumps({"key": PRIVATE_KEY}))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer " + LETTERS, f"Authorization: Bearer {MARK}"),
        ("authorization: basic " + "dXNlcjpwYXNzd29yZA" + "==", f"authorization: basic {MARK}"),
        ("https://me:" + "s3cret" + "@host/x", f"https://me:{MARK}@host/x"),
        ("password = hunter2hunter2", f"password = {MARK}"),
        ("DB_PASSWORD=hunter2hunter2", f"DB_PASSWORD={MARK}"),
        ('{"api_key": "abcdefgh"}', f'{{"api_key": "{MARK}"}}'),
        ('{\\"access_token\\": \\"abcdefgh\\"}', f'{{\\"access_token\\": \\"{MARK}\\"}}'),
        ("API_TOKEN=1234567890", f"API_TOKEN={MARK}"),
        ("--token:abcdefgh --verbose", f"--token:{MARK} --verbose"),
        ("client-secret: 'abcdefgh'", f"client-secret: '{MARK}'"),
        ('{"password": "a \\"b\\", c;d"}', f'{{"password": "{MARK}"}}'),
        ('{\\"password\\": \\"a, b;c\\"}', f'{{\\"password\\": \\"{MARK}\\"}}'),
        ("the token is gone, password: hunter2hunter2", f"the token is gone, password: {MARK}"),
        ("login --password hunter2hunter2 -v", f"login --password {MARK} -v"),
        ("deploy --api-token 'hunter2hunter2'", f"deploy --api-token '{MARK}'"),
        ("curl -s -u me:" + "s3cret" + " https://host", f"curl -s -u me:{MARK} https://host"),
        ("Authorization: token abcdefghijkl", f"Authorization: token {MARK}"),
        ("Set-Cookie: sid=abcdefgh; HttpOnly", f"Set-Cookie: {MARK}"),
        ("redis://:" + "s3cret" + "@host/0", f"redis://:{MARK}@host/0"),
        ("https://a.blob.net/x?sv=1&sig=" + "aB%2Bc" * 8, f"https://a.blob.net/x?sv=1&sig={MARK}"),
        ("https://hooks.slack.com/services/T0/B0/" + LETTERS, f"https://hooks.slack.com/services/{MARK}"),
    ],
)
def test_a_named_secret_keeps_its_name(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ls -la /home/me",
        "the token is missing",
        "password: ",
        "a basic idea, bearer of news",
        "https://host:8080/path",
        "git@host:owner/repo.git",
        "sk-short",
        "eyJhbGciOi is where it begins",
        "max_tokens: 100",
        "max_tokens: 200000, token_count=123456.",
        "secret=x",
        "flask_login, highlight, ghost_writer",
        "disk-usage-report-2024-final",
        "git push -u origin main",
        "grep --color token src",
    ],
)
def test_text_without_secrets_is_untouched(text: str) -> None:
    assert redact(text) == text


def test_user_patterns_apply() -> None:
    assert redact("badge 12-34 of 56-78", [r"\d\d-\d\d"]) == f"badge {MARK} of {MARK}"
    assert redact("id=abc", [r"(?P<keep>id=)\w+"]) == f"id={MARK}"


def test_json_value_loses_values_with_secret_keys() -> None:
    value = {
        "command": f"curl -H 'X-Key: {SECRETS['OpenAI key']}'",
        "env": {
            "DB_PASSWORD": 'a"b\\c',
            "apiKey": "x",
            "PATH": "/bin",
            "max_tokens": 100,
            "token": None,
            "secrets": ["y", "z"],
        },
        SECRETS["npm token"]: [1, True],
    }
    assert redacted_value(value) == {
        "command": f"curl -H 'X-Key: {MARK}'",
        "env": {"DB_PASSWORD": MARK, "apiKey": MARK, "PATH": "/bin", "max_tokens": 100, "token": None, "secrets": [MARK, MARK]},
        MARK: [1, True],
    }


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("token"), inner)))
def test_value_with_secrets_may_hold_secrets(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert may_hold_secrets(text) or redacted_value(value) == value


@pytest.mark.parametrize("text", ["the token is missing", '{"url": "https://host/a", "task_id": "task-9", "key": "highlight"}'])
def test_ordinary_text_needs_no_regex(text: str) -> None:
    code = "import sys; from hooktui.runner.redaction import redact; redact(sys.argv[1]); sys.exit('re' in sys.modules)"
    assert subprocess.run([sys.executable, "-I", "-S", "-c", PATH + code, text], check=False).returncode == 0


@pytest.mark.parametrize(
    "hostile", ["-eyJ" * 50_000, "://a:" * 50_000, "password=" * 20_000, "-----BEGIN PRIVATE KEY" * 10_000]
)
def test_redaction_is_fast_on_any_text(hostile: str) -> None:
    began = time.process_time()
    redact(hostile + ".")
    assert time.process_time() - began < 5


@given(st.text())
def test_redacting_a_text_is_idempotent(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.text(), st.sampled_from(list(SECRETS.values())), st.text())
def test_secret_between_words_is_redacted(before: str, secret: str, after: str) -> None:
    assert secret not in redact(f"{before} {secret} {after}")


@pytest.mark.parametrize("shift", [-60, -30, -1, 0, 1, 40])
@pytest.mark.parametrize("others", [0, 2000], ids=["alone", "among many"])
def test_secret_at_the_cut_of_a_long_text_is_redacted(shift: int, others: int) -> None:
    secret = "ghp" + "_" + "A1b2" * 9
    many = f"{secret} " * others
    for text in (
        many + "x" * (65_536 - len(many) % 65_536 + shift) + f" {secret} " + "y" * 200_000,
        "y" * 200_000 + f" {secret} " + "x" * (65_536 + shift),
        f"{secret} " * 20_000,
    ):
        stored = stored_text(text)
        assert len(stored) < CAP + 100
        assert "characters left out" in stored
        assert "b2A1" not in stored
