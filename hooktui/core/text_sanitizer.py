"""Make text from hooks, files and payloads safe to show: it is data, never an escape sequence."""

from __future__ import annotations

# Each character becomes exactly one other, so that column numbers stay valid.
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
_C1_AND_DIRECTION = (*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x2028, 0x2029)
_VISIBLE = _CONTROL_PICTURES | dict.fromkeys((*_C1_AND_DIRECTION, *range(0xD800, 0xE000)), 0xFFFD)


def visible(text: str) -> str:
    """The text with control and direction-changing characters replaced by symbols; line feeds and tabs stay."""
    return text.translate(_VISIBLE)


def one_line(text: str) -> str:
    """The text on one line, with symbols for control characters and line feeds, and spaces for tabs."""
    return visible(text).replace("\n", "⏎").replace("\t", " ")
