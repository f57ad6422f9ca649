"""Secrets in XML elements, in lists of arguments and encoded, and text like them that stays. All secrets here are made up."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooktui.runner.redaction import MARK, may_hold_secrets, redact, redacted_value
from tests.unit.runner.test_secret_options import ORDINARY as ORDINARY_COMMANDS

SECRET = "hunter2Zq9"
PAIR = base64.b64encode(f"me:{SECRET}".encode()).decode()
SHORT_PAIR = base64.b64encode(b"me:x").decode()

# `{}` is the secret.
ENCLOSED = [
    "<password>{}</password>", "<db.password>{}</db.password>", '<ns:apiKey encrypted="no">{}</ns:apiKey>',
    "<client-secret>\n  {}\n</client-secret>", "<password><![CDATA[{}]]></password>",
    "<Passphrase>correct {} horse</Passphrase>",
    '["--password", "{}"]', "args = ['--api-key', '{}', '-v']", '["deploy",\n "--db-password",\n "{}"]',
    'run(["curl", "-s", "-u", "me:{}", "h"])', "spawn('curl', ['--user', 'me:{}'])", 'exec("sshpass", "-p", "{}", "ssh")',
    'run(["docker", "login", "-u", "me", "-p", "{}"])', "run(['mysql', '-p{}', 'shop'])", "curl -u me:{} host",
    "https://h/?q=password%3D{}&x=1", "password%253D{}", "%7B%22password%22%3A%20%22{}%22%2C%22a%22%3A1%7D",
    "api_key%3a{}%26x%3d1",
]  # fmt: skip
LISTS = [
    ["--password", "{}"], ["deploy", "--api-key", "{}", "-v"], ["curl", "-s", "-u", "me:{}", "https://h"],
    ["/usr/bin/curl", "--user", "me:{}"], ["sudo", "mysql", "-u", "root", "-p{}", "shop"],
    ["sshpass", "-p", "{}", "ssh", "-p", "22"],
    ["docker", "login", "-u", "me", "-p", "{}"], ["docker", "login", "-p", "correct {} horse", "registry.example"],
    ["psql", "postgres://me:{}@h/db"], ["curl", *["-H", "Accept: text/html; charset=utf-8"] * 20, "-u", "me:{}"],
]  # fmt: skip
ORDINARY = [
    "<TokenList>{tokens}</TokenList>", "<token>${TOKEN}</token>", "<Password>{value}</Password>", "<password></password>",
    '<label for="password">Password</label>', '<input name="password"> </form>', "<h1>Passwords</h1>",
    "if a < token > b: c </ d",
    '@click.option("--password", "password", help="of the user")', "parser.add_argument('--token', '-t')",
    '["--max-tokens", "5"]', '["--password", "--verbose"]', '["--password", "$PASSWORD"]', '["--token-file", "a.txt"]',
    '["curl", "-u", "$USER:$TOKEN"]', '["git", "push", "-u", "origin:main"]', '["docker", "run", "-p", "80:80"]',
    "max_tokens%3D200000&x=1", "a%3Db%26token", "password%3D%24PASSWORD", "https%3A%2F%2Fhost%2Fpassword",
    "auth: required", '"auth": "none"', 'auth = "oauth2"', '{"auth": "basic"}', "AUTH=disabled", '"auth": "me:x"',
    "basic internationalization of everything", "Basic auth", "basic arithmetic",
]  # fmt: skip


@pytest.mark.parametrize("text", ENCLOSED)
def test_only_the_enclosed_secret_is_redacted(text: str) -> None:
    shown = redact(text.format(SECRET))
    before, _, after = text.partition("{}")
    assert SECRET not in shown
    assert shown in (f"{before}{MARK}{after}", text.replace("correct {} horse", MARK))
    assert redact(shown) == shown


@pytest.mark.parametrize("text", ENCLOSED)
def test_an_enclosed_secret_is_redacted_in_a_payload(text: str) -> None:
    payload = {"tool_input": {"content": text.format(SECRET)}}
    for _ in range(2):
        assert may_hold_secrets(json.dumps(payload))
        assert SECRET not in json.dumps(redacted_value(payload))
        payload = {"tool_input": {"content": json.dumps(payload)}}


@pytest.mark.parametrize("arguments", LISTS, ids=" ".join)
def test_only_the_secret_of_an_argument_list_is_redacted(arguments: list[str]) -> None:
    given = [argument.replace("{}", SECRET) for argument in arguments]
    shown = redacted_value({"args": given})["args"]
    assert may_hold_secrets(json.dumps(given))
    assert SECRET not in json.dumps(shown)
    assert [one for one, other in zip(shown, given, strict=True) if one == other] == [
        argument for argument in arguments if "{}" not in argument
    ]
    assert SECRET not in redact(json.dumps(given))


@pytest.mark.parametrize("pair", [PAIR, PAIR.rstrip("="), SHORT_PAIR], ids=["long", "without padding", "short"])
@pytest.mark.parametrize(
    "text", ['{{"auths": {{"r.example": {{"auth": "{}"}}}}}}', 'auth = "{}"', "Basic {}", "basic  {};", "_auth={}"]
)
def test_user_and_password_in_base64_are_redacted(text: str, pair: str) -> None:
    assert redact(text.format(pair)) == text.format(MARK)
    assert redacted_value({"auth": pair, "Auth": "none"}) == {"auth": MARK, "Auth": "none"}
    assert may_hold_secrets(json.dumps({"auth": pair}))


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_like_an_enclosed_secret_is_unchanged(text: str) -> None:
    assert redact(text) == text
    assert redacted_value({"text": text}) == {"text": text}


@given(
    st.lists(st.sampled_from((*ORDINARY, *ORDINARY_COMMANDS))),
    st.sampled_from(ENCLOSED),
    st.lists(st.sampled_from((*ORDINARY, *ORDINARY_COMMANDS))),
)
def test_text_around_a_secret_is_kept(before: list[str], secret: str, after: list[str]) -> None:
    above, below = ("".join(f"{line}\n\n" for line in lines) for lines in (before, after))
    shown = redact(f"{above}{secret.format(SECRET)}\n\n{below}")
    assert SECRET not in shown
    assert shown.startswith(above)
    assert shown.endswith(below)


@given(st.recursive(st.none() | st.integers() | st.sampled_from(ORDINARY_COMMANDS), lambda inner: st.lists(inner, max_size=4)))
def test_lists_of_ordinary_commands_are_unchanged(value: Any) -> None:
    assert redacted_value(value) == value


def test_an_argument_that_was_redacted_before_is_unchanged() -> None:
    assert redacted_value(["7z", f'{{"a": "{MARK}"}}']) == ["7z", f'{{"a": "{MARK}"}}']


@given(st.text(alphabet='<>/password"-,:%3Dauth= \n[]'))
def test_redacting_any_punctuation_is_idempotent(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@pytest.mark.parametrize(
    "hostile",
    ["<password>" * 10_000, "<password a" * 10_000, "password%3D" * 10_000, '"--password",' * 10_000, 'auth":"' * 15_000,
     '"curl","-u",' * 5_000, "</password" * 10_000, "password" + "%22" * 30_000 + "%3D"],
)  # fmt: skip
def test_redaction_is_fast_on_any_enclosed_text(hostile: str) -> None:
    began = time.process_time()
    redact(hostile + "x</")
    assert time.process_time() - began < 5
