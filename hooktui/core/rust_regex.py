"""Judge regexes of agent programs that are written in Rust (its `regex` crate), and read those that Python reads alike."""

from __future__ import annotations

from hooktui.core.patterns import InvalidPatternError, UnknownMeaningError

_DEEPEST = 250  # groups and classes inside one another, as in the crate
_HEX = {"x": 2, "u": 4, "U": 8}
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_SETS, _ASSERTIONS = "dDsSwW", "AbBz<>"
_WORD_ENDS = ("{start}", "{end}", "{start-half}", "{end-half}")
_FLAGS, _PYTHON_FLAGS = "imsxuUR", "ims"


def python(pattern: str) -> str:
    """The Python regex for one of Rust.

    Raises InvalidPatternError for what the crate rejects, such as look-around, and UnknownMeaningError for what Python lacks or
    reads otherwise.
    """
    reader = _Reader(pattern)
    reader.alternatives(0)
    if reader.at < len(pattern):
        raise InvalidPatternError("unbalanced parenthesis")
    if reader.foreign:
        raise UnknownMeaningError(f"hooktui does not support {reader.foreign} in Rust regexes")
    for start, end, text in reversed(reader.edits):
        pattern = pattern[:start] + text + pattern[end:]
    return pattern


class _Reader:
    """Reads a pattern from `at` on.

    `foreign` is the first part that Python has no regex for; `edits` replace what it only spells otherwise.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.foreign = ""
        self.edits: list[tuple[int, int, str]] = []
        self._names: set[str] = set()

    def _taken(self, text: str) -> bool:
        """Whether the pattern goes on with a text, which then is read."""
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def _next(self) -> str:
        self.at += 1
        return self.pattern[self.at - 1 : self.at]

    def _until(self, end: str) -> str:
        """The text before the next `end`, which is read, too."""
        stop = self.pattern.find(end, self.at)
        if stop < 0:
            raise InvalidPatternError(f"missing {end}")
        text, self.at = self.pattern[self.at : stop], stop + len(end)
        return text

    def _note(self, start: int, *, is_foreign: bool = True) -> None:
        if is_foreign and not self.foreign:
            self.foreign = self.pattern[start : self.at]

    def alternatives(self, depth: int) -> None:
        """Read everything up to the end of a group."""
        if depth > _DEEPEST:
            raise InvalidPatternError("nested too deeply")
        may_repeat = was_repeated = False
        while self.at < len(self.pattern) and self.pattern[self.at] != ")":
            start, sign = self.at, self._next()
            if sign in "*+?{":
                if not may_repeat:
                    raise InvalidPatternError("nothing to repeat")
                self._quantifier(sign)
                self._note(start, is_foreign=was_repeated or self.pattern[start - 1] in "^$")
                was_repeated = True
            else:
                may_repeat, was_repeated = self._atom(sign, depth), False

    def _quantifier(self, sign: str) -> None:
        if sign == "{":
            least, _, most = (part.strip() for part in self._until("}").partition(","))
            if not least.isdecimal() or not (most or "0").isdecimal():
                raise InvalidPatternError("a repetition needs a number")
            if most and int(most) < int(least):
                raise InvalidPatternError("min repeat greater than max repeat")
        self._taken("?")

    def _atom(self, sign: str, depth: int) -> bool:
        """Read what may be repeated, or not."""
        if sign == "\\":
            self._escape()
        elif sign == "[":
            self._class(depth)
        elif sign == "(":
            return self._group(depth)
        return sign != "|"

    def _group(self, depth: int) -> bool:
        """Read a group, or flags for the rest of one; whether it may be repeated."""
        start = self.at
        if self.pattern.startswith(("?=", "?!", "?<=", "?<!"), start):
            raise InvalidPatternError("look-around is not supported")
        if self._taken("?P<") or self._taken("?<"):
            self._name(self._until(">"))
            self.edits.append((start, self.at, "?:"))  # nothing refers to it
        elif self._taken("?") and self._flags(start) == ")":
            return False
        self.alternatives(depth + 1)
        if not self._taken(")"):
            raise InvalidPatternError("missing ), unterminated subpattern")
        return True

    def _name(self, name: str) -> None:
        if not name.translate({ord(sign): "_" for sign in ".[]"}).isidentifier() or name[0] in ".[]":
            raise InvalidPatternError("invalid name of a group")
        if name in self._names:
            raise InvalidPatternError(f"two groups are named {name}")
        self._names.add(name)

    def _flags(self, start: int) -> str:
        """Read flags such as `i-s`, and the sign that ends them, which is returned."""
        begin = self.at
        while (sign := self._next()) and sign in f"{_FLAGS}-":
            pass
        on, minus, off = self.pattern[begin : self.at - 1].partition("-")
        is_repeated = len({*on, *off}) < len(on + off)
        if sign not in (":", ")") or is_repeated or (minus and not off) or (sign == ")" and not on + off):
            raise InvalidPatternError("unrecognized flag")
        is_early = sign == ":" or (start == 1 and not off)  # Python has flags for the rest at the beginning only
        self._note(start - 1, is_foreign=not is_early or bool((on + off).strip(_PYTHON_FLAGS)))
        return sign

    def _escape(self, *, in_class: bool = False) -> str:
        """Read an escape after its backslash; the character that it stands for, "" for a set or an assertion."""
        start, sign = self.at - 1, self._next()
        if sign in _HEX:
            return self._character(_HEX[sign], start)
        if not sign:
            raise InvalidPatternError("bad escape (end of pattern)")
        if sign in _CONTROLS or (not sign.isalnum() and sign.isascii() and sign not in "<>"):
            return _CONTROLS.get(sign, sign)
        if sign in "pP":
            name = self._until("}") if self._taken("{") else self._next()
            if not any(map(str.isalnum, name)):
                raise InvalidPatternError("unknown property of characters")
            self._note(start)
        elif sign in _ASSERTIONS and not in_class:
            is_word_end = sign in "<>" or (sign == "b" and any(self._taken(end) for end in _WORD_ENDS))
            self._note(start, is_foreign=is_word_end or self.pattern[self.at : self.at + 1] in tuple("*+?{"))
            self.edits += [(start, self.at, r"\Z")] if sign == "z" else []
        elif sign not in _SETS:
            raise InvalidPatternError("backreferences are not supported" if sign.isdecimal() else f"bad escape \\{sign}")
        return ""

    def _character(self, digits: int, start: int) -> str:
        if self._taken("{"):
            code = self._until("}")
            self._note(start)
        else:
            code, self.at = self.pattern[self.at : self.at + digits].ljust(digits), self.at + digits
        try:
            return chr(int(code if code.isalnum() else "", 16))
        except (ValueError, OverflowError):
            raise InvalidPatternError("invalid hexadecimal code") from None

    def _class(self, depth: int) -> None:
        """Read a class after its `[`; it may contain others, and operators between them."""
        if depth > _DEEPEST:
            raise InvalidPatternError("nested too deeply")
        self._taken("^")
        is_first = True
        while is_first or not self._taken("]"):
            start, is_first = self.at, False
            if start >= len(self.pattern):
                raise InvalidPatternError("unterminated character set")
            if any(self._taken(operator) for operator in ("&&", "--", "~~")):
                self._note(start)
            elif self._taken("["):
                self._class(depth + 1)
                self._note(start)
            else:
                self._member()

    def _member(self) -> None:
        first = self._one()
        if self.pattern.startswith("-", self.at) and self.pattern[self.at + 1 : self.at + 2] not in ("", "]", "-"):
            self.at += 1
            last = self._one()
            if not first or not last:
                raise InvalidPatternError("a range must be between two characters")
            if first > last:
                raise InvalidPatternError("bad character range")

    def _one(self) -> str:
        sign = self._next()
        return self._escape(in_class=True) if sign == "\\" else sign
