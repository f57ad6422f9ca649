"""Regexes of agent programs that are written in Rust (its `regex` crate), as Python regexes that mean the same."""

from __future__ import annotations

from hooktui.core.patterns import BadPattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST = 250  # groups and classes inside one another, as in the crate
_HEX = {"x": 2, "u": 4, "U": 8}
_WORD_ENDS = {"{start}": r"\b(?=\w)", "{end}": r"\b(?<=\w)", "{start-half}": r"(?<!\w)", "{end-half}": r"(?!\w)"}
_ASSERTIONS = {"A": r"\A", "z": r"\Z", "b": r"\b", "B": r"\B", "<": _WORD_ENDS["{start}"], ">": _WORD_ENDS["{end}"]}
_CONTROLS = "afnrtv"
_SETS = "dDsSwW"
_FLAGS = "imsxuUR"
_OPERATORS = {"&&": "(?:(?={})(?:{}))", "--": "(?:(?!{1}){0})", "~~": "(?:(?!{1}){0}|(?!{0}){1})"}
_NAMED = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "upper": "A-Z",
    "space": " \\t-\\r",
    "word": "\\w",
    "xdigit": "0-9A-Fa-f",
}
# Of the many Unicode properties, those that characters of a name in ASCII have; any other contains none of them.
_PROPERTIES = {
    **dict.fromkeys(("l", "letter", "alphabetic", "alpha"), r"[^\W\d_]"),
    **dict.fromkeys(("lu", "uppercase", "uppercaseletter", "upper"), "[A-Z]"),
    **dict.fromkeys(("ll", "lowercase", "lowercaseletter", "lower"), "[a-z]"),
    **dict.fromkeys(("n", "nd", "number", "decimalnumber", "digit"), r"\d"),
    **dict.fromkeys(("z", "zs", "separator", "whitespace", "space"), r"\s"),
    **dict.fromkeys(("any",), r"[\s\S]"),
}


def python(pattern: str) -> str:
    """The Python regex for one of Rust. Raises BadPattern for what the crate rejects, such as look-around."""
    reader = _Reader(pattern)
    translated = reader.alternatives(0)
    if reader.at < len(pattern):
        raise BadPattern("unbalanced parenthesis")
    return translated


class _Reader:
    """Reads a pattern from `at` on. No result has capturing groups, since nothing can refer to them."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.names: set[str] = set()

    def taken(self, text: str) -> bool:
        """Whether the pattern goes on with a text, which then is read."""
        found = self.pattern.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def until(self, end: str, problem: str) -> str:
        """The text before the next `end`, which is read, too."""
        stop = self.pattern.find(end, self.at)
        if stop < 0:
            raise BadPattern(problem)
        text, self.at = self.pattern[self.at : stop], stop + len(end)
        return text

    def alternatives(self, depth: int) -> str:
        """Everything up to the end of a group. Flags such as `(?i)` apply to the rest of the group."""
        if depth > _DEEPEST:
            raise BadPattern("nested too deeply")
        done, flags, last = "", "", ""  # what may be repeated is `last`
        while self.at < len(self.pattern) and self.pattern[self.at] != ")":
            sign = self.pattern[self.at]
            self.at += 1
            if sign == "|":
                done, last = f"{done}{last}{')' * flags.count('(')}|{flags}", ""
            elif sign in "*+?{":
                last = _repeated(last, self.quantifier(sign))
            elif sign == "(" and (opened := self.flags()):
                done, flags, last = f"{done}{last}{opened}", flags + opened, ""
            else:
                done, last = done + last, self.atom(sign, depth)
        return f"{done}{last}{')' * flags.count('(')}"

    def atom(self, sign: str, depth: int) -> str:
        if sign == "\\":
            return self.escape()
        if sign == "[":
            return self.character_class(depth)
        return self.group(depth) if sign == "(" else f"\\{sign}" if sign in "]}" else sign

    def quantifier(self, sign: str) -> str:
        if sign == "{":
            least, comma, most = (part.strip() for part in self.until("}", "a repetition is not closed").partition(","))
            if not least.isdecimal() or not (most or "0").isdecimal():
                raise BadPattern("a repetition needs a number")
            if most and int(most) < int(least):
                raise BadPattern("min repeat greater than max repeat")
            sign = f"{{{least}{comma}{most}}}"
        return sign + "?" * self.taken("?")

    def flags(self) -> str:
        """The beginning of a Python group for flags like `(?i)`, "" for any other group."""
        end = self.pattern.find(")", self.at)
        if not self.pattern.startswith("?", self.at) or ":" in self.pattern[self.at : end] or end < 0:
            return ""
        letters = self.pattern[self.at + 1 : end]
        if not letters.strip(_FLAGS + "-") and letters:
            self.at = end + 1
            return _flag_group(letters)
        return ""

    def group(self, depth: int) -> str:
        """A group after its `(`."""
        opened = "(?:"
        if self.taken("?"):
            if any(self.pattern.startswith(kind, self.at) for kind in ("=", "!", "<=", "<!")):
                raise BadPattern("look-around is not supported")
            if self.taken("P<") or self.taken("<"):
                self.name(self.until(">", "a group's name is not closed"))
            else:
                opened = _flag_group(self.until(":", "unrecognized flag")) if not self.taken(":") else opened
        inside = self.alternatives(depth + 1)
        if not self.taken(")"):
            raise BadPattern("missing ), unterminated subpattern")
        return f"{opened}{inside})"

    def name(self, name: str) -> None:
        if not name.replace(".", "_").replace("[", "_").replace("]", "_").isidentifier() or name[:1] in ".[]":
            raise BadPattern("invalid name of a group")
        if name in self.names:
            raise BadPattern(f"two groups are named {name}")
        self.names.add(name)

    def escape(self, *, in_class: bool = False) -> str:
        """An escape after its backslash."""
        sign = self.pattern[self.at : self.at + 1]
        self.at += 1
        if sign in _HEX:
            return _literal(self.character(_HEX[sign]))
        if sign in "pP" and sign:
            return self.property(negated=sign == "P")
        if sign and (sign in _CONTROLS or sign in _SETS):
            return f"\\{sign}"
        if sign in _ASSERTIONS and not in_class:
            ends = (text for name, text in _WORD_ENDS.items() if sign == "b" and self.taken(name))
            return next(ends, _ASSERTIONS[sign])
        if sign.isdecimal():
            raise BadPattern("backreferences are not supported")
        if not sign or sign.isalnum() or not sign.isascii() or sign in "<>":
            raise BadPattern(f"bad escape \\{sign}" if sign else "bad escape (end of pattern)")
        return _literal(sign)

    def character(self, digits: int) -> str:
        if self.taken("{"):
            code = self.until("}", "a hexadecimal code is not closed")
        else:
            code, self.at = self.pattern[self.at : self.at + digits].ljust(digits), self.at + digits
        try:
            return chr(int(code if code.isalnum() else "", 16))
        except (ValueError, OverflowError):
            raise BadPattern("invalid hexadecimal code") from None

    def property(self, *, negated: bool) -> str:
        if self.taken("{"):
            name = self.until("}", "a property is not closed")
        else:
            name, self.at = self.pattern[self.at : self.at + 1], self.at + 1
        key = name.rpartition("=")[2].lower().replace("_", "").replace(" ", "").replace("-", "")
        if not key.isalnum():
            raise BadPattern("unknown property of characters")
        found = _PROPERTIES.get(key, "(?!)")
        return f"(?:(?!{found})[\\s\\S])" if negated else found

    def character_class(self, depth: int) -> str:
        """A class after its `[`: classes may contain others, and operators between them."""
        if depth > _DEEPEST:
            raise BadPattern("nested too deeply")
        negated = self.taken("^")
        left, apply = "", None
        members: list[str] = []
        while self.taken("-"):
            members.append(r"\-")
        if not members and self.taken("]"):
            members.append(r"\]")
        while not self.taken("]"):
            if self.at >= len(self.pattern):
                raise BadPattern("unterminated character set")
            operator = next((sign for sign in _OPERATORS if self.taken(sign)), "")
            if operator:
                left, apply, members = _applied(apply, left, members), _OPERATORS[operator].format, []
            else:
                members.append(self.member(depth))
        whole = _applied(apply, left, members)
        return f"(?:(?!{whole})[\\s\\S])" if negated else whole

    def member(self, depth: int) -> str:
        """One member of a class: a character, escaped for a Python class, or a regex for several characters."""
        if self.taken("["):
            return self.ascii_class() or self.character_class(depth + 1)
        first = self.one()
        is_range = self.pattern.startswith("-", self.at) and self.pattern[self.at + 1 : self.at + 2] not in ("", "]", "-")
        if not is_range:
            return first
        self.at += 1
        last = self.one()
        if len(first.lstrip("\\")) > 1 or len(last.lstrip("\\")) > 1 or {first, last} & {f"\\{kind}" for kind in _SETS}:
            raise BadPattern("a range must be between two characters")
        if first.removeprefix("\\") > last.removeprefix("\\"):
            raise BadPattern("bad character range")
        return f"{first}-{last}"

    def one(self) -> str:
        sign = self.pattern[self.at : self.at + 1]
        self.at += 1
        return self.escape(in_class=True) if sign == "\\" else _literal(sign)

    def ascii_class(self) -> str:
        """A class like `[:alpha:]` after its first bracket; "" for any other."""
        end = self.pattern.find(":]", self.at)
        name = self.pattern[self.at + 1 : end].removeprefix("^") if self.pattern.startswith(":", self.at) and end > 0 else ""
        if name not in _NAMED:
            return ""
        negated = "^" * self.pattern.startswith("^", self.at + 1)
        self.at = end + 2
        return f"[{negated}{_NAMED[name]}]"


def _literal(character: str) -> str:
    return character if character.isalnum() or character == "_" or not character.isascii() else f"\\{character}"


def _flag_group(letters: str) -> str:
    """The beginning of a Python group with some flags. Raises BadPattern."""
    on, minus, off = letters.partition("-")
    known = on + off
    if not known or len(set(known)) < len(known) or known.strip(_FLAGS) or (minus and not off):
        raise BadPattern("unrecognized flag")
    on, off = ("".join(letter for letter in part if letter in "imsx") for part in (on, off))
    return f"(?{on}{'-' * bool(off)}{off}:"


def _repeated(atom: str, quantifier: str) -> str:
    """An atom with a quantifier; further ones repeat the whole, where Python has other quantifiers or an error."""
    if not atom:
        raise BadPattern("nothing to repeat")
    return f"(?:{atom}){quantifier}"


def _applied(apply: Callable[..., str] | None, left: str, members: list[str]) -> str:
    """The members of a class as one regex, and the operator before them applied."""
    sets = [member for member in members if member.startswith(("[", "("))]
    single = "".join(member for member in members if member not in sets)
    alternatives = [*([f"[{single}]"] if single else []), *sets]
    right = "(?!)" if not alternatives else alternatives[0] if len(alternatives) == 1 else f"(?:{'|'.join(alternatives)})"
    return apply(left, right) if apply else right
