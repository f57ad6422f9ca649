"""Regexes of agent programs that are written in JavaScript, as Python regexes that mean the same."""

from __future__ import annotations

from hooktui.core.patterns import InvalidPatternError

_DIGITS = "0123456789"
_ESCAPES = frozenset("bBdDfnrsStvwW" + _DIGITS)  # after a backslash; any other letter means itself
_GROUPS = (":", "=", "!", "<=", "<!")
_OPENINGS = ("(?<=", "(?<!", "(?:", "(?=", "(?!")
_REPEATS = "*+?"


def python(pattern: str) -> str:
    """The Python regex for a JavaScript one without flags. Raises InvalidPatternError for what only Python accepts."""
    parts: list[str] = []
    at, before = 0, ""  # what stands before: a quantifier, with `?` a lazy one, or neither
    while at < len(pattern):
        sign, length = pattern[at], 1
        kind = "quantifier" if sign in _REPEATS else ""
        if sign == "\\":
            part, length = _escape(pattern, at)
        elif sign == "[":
            part, length = _class(pattern, at)
        elif sign == "(":
            part, length = _group(pattern, at)
        elif sign == "{" and (length := _counted(pattern, at)):
            kind, part = "quantifier", pattern[at : at + length]
        else:
            part, length = ("\\{" if sign == "{" else sign), 1
        if kind and before:
            if sign != "?" or before == "lazy":
                raise InvalidPatternError("nothing to repeat")  # where Python has possessive quantifiers
            kind = "lazy"
        before = kind
        parts.append(part)
        at += length
    return "".join(parts)


def _escape(pattern: str, at: int) -> tuple[str, int]:
    sign = pattern[at + 1 : at + 2]
    if sign == "k" and pattern[at + 2 : at + 3] == "<" and (end := pattern.find(">", at)) > 0:
        return f"(?P={pattern[at + 3 : end]})", end + 1 - at
    for letter, digits in (("x", 2), ("u", 4)):
        code = pattern[at + 2 : at + 2 + digits]
        if sign == letter and len(code) == digits and all(digit in "0123456789abcdefABCDEF" for digit in code):
            return pattern[at : at + 2 + digits], 2 + digits
    return (sign if sign.isalpha() and sign not in _ESCAPES else f"\\{sign}"), 2


def _class(pattern: str, at: int) -> tuple[str, int]:
    """A set of characters, and its length. Unlike in Python, `]` ends it even as the first character."""
    start = end = at + 1 + pattern.startswith("^", at + 1)
    if pattern.startswith("]", start):
        return (r"[\s\S]" if start > at + 1 else "(?!)"), start + 1 - at
    parts = [pattern[at:start]]
    while end < len(pattern) and pattern[end] != "]":
        part, length = _escape(pattern, end) if pattern[end] == "\\" else (pattern[end], 1)
        parts.append(r"\[" if part == "[" else part)
        end += length
    return "".join(parts) + pattern[end : end + 1], end + 1 - at


def _group(pattern: str, at: int) -> tuple[str, int]:
    """The beginning of a group, and its length. Raises InvalidPatternError for flags and the groups that only Python has."""
    if not pattern.startswith("?", at + 1):
        return "(", 1
    for kind in _GROUPS:
        if pattern.startswith(kind, at + 2):
            return f"(?{kind}", 2 + len(kind)
    if pattern.startswith("<", at + 2):
        return "(?P<", 3
    raise InvalidPatternError("invalid group")


def _counted(pattern: str, at: int) -> int:
    """The length of a quantifier such as `{2,3}`; 0 for a brace that means itself."""
    end = pattern.find("}", at)
    least, comma, most = pattern[at + 1 : end].partition(",")
    is_count = bool(least) and all(digit in _DIGITS for digit in least + most)
    return end + 1 - at if end > 0 and is_count and (comma or not most) else 0


def without_flag_i(pattern: str) -> str:
    """A Python regex that begins with the flag `i` in a form that JavaScript takes: each letter in both cases."""
    flag, rest = pattern[:4], pattern[4:]
    if flag != "(?i)":
        return pattern
    parts: list[str] = []
    at, in_class = 0, False
    while at < len(rest):
        sign, length = rest[at], 1
        if sign == "\\":
            part, length = rest[at : at + _escape(rest, at)[1]], _escape(rest, at)[1]
        elif not in_class and sign == "(":
            length = len(_opening(rest, at))
            part = rest[at : at + length]
        elif in_class and rest[at + 1 : at + 2] == "-" and sign.isalpha() and rest[at + 2 : at + 3].isalpha():
            part, length = rest[at : at + 3] + rest[at : at + 3].swapcase(), 3
        elif sign.isascii() and sign.isalpha():
            part = sign + sign.swapcase() if in_class else f"[{sign}{sign.swapcase()}]"
        else:
            part = sign
            in_class = sign == "[" or (in_class and sign != "]")
        parts.append(part)
        at += length
    return "".join(parts)


def _opening(pattern: str, at: int) -> str:
    end = pattern.find(">", at)
    if pattern.startswith(("(?P<", "(?P="), at) and end > 0:
        return pattern[at : end + 1]
    return next((opening for opening in _OPENINGS if pattern.startswith(opening, at)), "(")
