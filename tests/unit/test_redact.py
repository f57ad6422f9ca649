"""Secrets out, everything else untouched. The secrets here are made, so that no scanner stumbles over this file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.redact import MARK, redact

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
    "JWT": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",
}
PRIVATE_KEY = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE" + " KEY-----"


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("around", ["{}", "run --with {} now", '{{"a": "{}"}}', "x={}\n"])
def test_a_known_secret_is_marked(secret: str, around: str) -> None:
    shown = redact(around.format(secret))
    assert secret not in shown
    assert shown == around.format(MARK)


def test_a_private_key_goes_whole_even_when_it_is_cut_off() -> None:
    assert redact(f"a\n{PRIVATE_KEY}\nb") == f"a\n{MARK}\nb"
    assert redact(PRIVATE_KEY[:50]) == MARK
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
        ("--token:abcdefgh --verbose", f"--token:{MARK} --verbose"),
        ("client-secret: 'abcdefgh'", f"client-secret: '{MARK}'"),
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
        "secret=x",
        "flask_login, highlight, ghost_writer",
    ],
)
def test_text_without_secrets_is_untouched(text: str) -> None:
    assert redact(text) == text


def test_the_users_own_patterns_count_too() -> None:
    assert redact("badge 12-34 of 56-78", [r"\d\d-\d\d"]) == f"badge {MARK} of {MARK}"
    assert redact("id=abc", [r"(?P<keep>id=)\w+"]) == f"id={MARK}"


@given(st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(st.text(), st.sampled_from(list(SECRETS.values())), st.text())
def test_a_secret_between_words_never_stays(before: str, secret: str, after: str) -> None:
    assert secret not in redact(f"{before} {secret} {after}")
