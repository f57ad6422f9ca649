"""The terminal emulator in which the bench runs pagers."""

from __future__ import annotations

import pytest

from tests.bench.vt52 import Screen


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        (b"one\r\ntwo", ["one", "two"]),
        (b'seven\x1bY "ub', ["seub"]),
        (b"abcdef\rxy\x1bK", ["xy "]),
        (b"1\r\n2\r\n3\r\n4", ["2", "3", "4"]),
        (b"a\x1bHb\x1bIc", [" c", "b"]),
        (b"old\x1bH\x1bJnew", ["new "]),
        (b"\x1b[?1000lplain\x1bG text", ["plain text"]),
        (b"wid" + "é│".encode() + b"th", ["widé│th"]),
    ],
)
def test_sent_text_is_on_the_screen(sent: bytes, shown: list[str]) -> None:
    whole, pieces = Screen(3, 10), Screen(3, 10)
    whole.feed(sent)
    for byte in sent:
        pieces.feed(bytes([byte]))
    assert [text in whole for text in shown] == [text in pieces for text in shown] == [True] * len(shown)


def test_what_was_overwritten_or_has_left_is_not_on_it() -> None:
    screen = Screen(3, 10)
    screen.feed(b"1one\r\n2two\r\n3three\r\n4four")
    assert "1one" not in screen
    screen.feed(b"\x1bH\x1bJ")
    assert not any(text in screen for text in ("2two", "3three", "4four"))
