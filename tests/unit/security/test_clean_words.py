"""Texts are checked in bulk: their words decide which may contain a secret."""

from __future__ import annotations

import json

import pytest

from hooktui.security import clean_words
from tests.unit.security.test_redaction import PRIVATE_KEY, SECRETS
from tests.unit.security.test_secret_options import GIVEN, GIVEN_LONG, LONG, SECRET

ORDINARY = [
    '"cwd": "/home/me/app"',
    '"command": "pytest -q a.py"',
    '"prompt": "déjà \\" \\n ls"',
    '"id": "toolu_01Ab"',
]
COMMANDS = [*(command.format(SECRET) for command in GIVEN), *(command.format(LONG) for command in GIVEN_LONG)]


@pytest.mark.parametrize("around", ["{}", "é\n{}", '{{"a": "x\\n{}"}}'])
def test_each_text_with_a_secret_is_a_suspect(around: str) -> None:
    secrets = [json.dumps({"text": around.format(text)}) for text in (*SECRETS.values(), PRIVATE_KEY, *COMMANDS)]
    for _ in range(2):  # the second time, all words are known
        assert list(clean_words.suspects([*secrets, *ORDINARY])) == list(range(len(secrets)))


def test_characters_between_words_are_signs_too() -> None:
    texts = ['"https://me:pw1234@host/"', '"abc1Q~0123"', '"p\\u0061ssword=x"', '"https://host/"', '"me@host"']
    assert list(clean_words.suspects(texts)) == [0, 1, 2]
