"""A shell command read into its simple commands and what stands between them, without running anything.

What cannot be read (an open quote, say) ends the reading: what stands before it was read all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.formats.problems import Span

# Between simple commands: what joins two; what begins and ends a part that has a directory and variables of its own; what
# begins and ends one that is not run in any case, whatever the shell calls these.
Mark = Literal[";", "&&", "||", "|", "(", ")", "if", "fi"]

# Possessive throughout, so that no text takes long.
_BRACED = r"\$\{(?:[^{}]|\{[^{}]*+\})*+\}"
_BLANK = re.compile(r"(?:[ \t\r]|\\\n)++|\#[^\n]*+")
_FUNCTION = re.compile(r"(?:function[ \t]++[\w.-]++(?:[ \t]*\([ \t]*\))?+|[\w.-]++[ \t]*\([ \t]*\))")
_ARITHMETIC = re.compile(r"\(\((?:[^()]|\([^()]*+\))*+\)\)")
_HERE = re.compile(r"[0-9]*<<-?[ \t]*(?!<)")
_REDIRECT = re.compile(r"[0-9]*(?:&>>?|>>|>&|<&|>\||<>|<<<|[<>](?!\())[ \t]*")
_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;&|()\n]")
_PLAIN = re.compile(
    rf"""(?:[^\s;&|<>()'"\\$`]|\\.|'[^']*+'|\$'(?:[^'\\]|\\.)*+'|\$(?:\w++|[?#@*!$-])|{_BRACED})++""", re.DOTALL
)
_QUOTED = re.compile(rf'(?:[^"\\`$]|\\.|\$(?:\w++|[?#@*!$-])|{_BRACED}|\$(?=[^\w({{]))++', re.DOTALL)
_OPAQUE = re.compile(r"\$\(\((?:[^()]|\([^()]*+\))*+\)\)|`(?:[^`\\]|\\.)*+`", re.DOTALL)
_NESTED = ("$(", "<(", ">(")
_BETWEEN_PATTERNS = re.compile(r"[\n(|]")

_MARKS: Mapping[str, Mark] = {"&&": "&&", "||": "||", "|": "|", "|&": "|"}  # anything else goes on in any case
_KEYWORDS: Mapping[str, tuple[Mark, ...]] = {
    **dict.fromkeys(("if", "while", "until"), ("if",)),
    **dict.fromkeys(("fi", "done"), ("fi",)),
    **dict.fromkeys(("then", "elif", "else", "do", "!", "time", "coproc"), ()),
}
_LOOPS = ("for", "select", "case")  # what stands behind these is no command
_DEPTH = 20  # parts inside of parts


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written; `fixed`: no other command makes a part of it."""

    text: str
    span: Span
    fixed: bool = True


@dataclass(frozen=True, slots=True)
class Simple:
    """A program and its arguments, assignments in front included, and the files that its output goes to."""

    words: tuple[Word, ...]
    outputs: tuple[Word, ...] = ()


def read(command: str) -> list[Simple | Mark]:
    """What a command consists of, in its order; what a substitution runs stands before what it is a part of."""
    reader = _Reader(command)
    try:
        reader.read("")
    except _Unread:
        reader.drop_cut_off()
    reader.flush()
    return reader.parts


class _Unread(Exception):
    """The text cannot be read any further."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.parts: list[Simple | Mark] = []
        self._text = text
        self._at = 0
        self._words: list[Word] = []
        self._outputs: list[Word] = []
        self._groups: list[str] = []  # those in braces and cases that are open
        self._depth = 0
        self._delimiters: list[str] = []  # of here-documents that begin on the next line
        self._defines = False  # whether a function's name stands in front

    def read(self, closing: str) -> None:
        """Read commands up to a parenthesis that closes them, or to the end."""
        while self._at < len(self._text):
            if closing and self._text.startswith(closing, self._at):
                self._at += 1
                self.flush()
                return
            self._read_next()
        if closing:
            raise _Unread

    def flush(self) -> None:
        """The words so far are a command."""
        if self._words or self._outputs:
            self.parts.append(Simple(tuple(self._words), tuple(self._outputs)))
        self._words, self._outputs = [], []

    def drop_cut_off(self) -> None:
        """A word that could not be read to its end may begin with what was read: it is no word."""
        if self._words and self._words[-1].span[1] == self._at:
            self._words.pop()

    def _read_next(self) -> None:
        begins = not self._words
        if self._passes(_BLANK) or (begins and self._passes(_ARITHMETIC)):
            return
        if begins and self._passes(_FUNCTION):
            self._defines = True
        elif self._passes(_HERE):
            self._delimiters.append(re.sub(r"[\\'\"]", "", self._word().text))
        elif redirect := self._passes(_REDIRECT):
            self._outputs += [word for word in [self._word()] if ">" in redirect]
        elif not self._text.startswith(_NESTED, self._at) and (operator := self._passes(_OPERATOR)):
            self._operate(operator)
        else:
            self._take(self._word())

    def _passes(self, pattern: re.Pattern[str]) -> str:
        """What a pattern matches here, behind which reading goes on; empty when it does not."""
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found.group() if found else ""

    def _operate(self, operator: str) -> None:
        self.flush()
        if operator == ")":
            raise _Unread
        if operator == "(":
            self._open("if")
            self._nested()
            self._close()
            return
        self.parts.append(_MARKS.get(operator, ";"))
        if operator == "\n":
            self._skip_here_documents()
        elif operator.startswith((";;", ";&")) and "case" in self._groups:
            self._skip_patterns()

    def _open(self, mark: Mark) -> None:
        """A group begins: a function's body is run only where the function is called."""
        self._groups.append(mark if self._defines else "")
        self.parts += [mark] if self._defines else []
        self._defines = False

    def _close(self) -> None:
        self.parts += ["fi"] if self._groups and self._groups.pop() else []

    def _nested(self) -> None:
        """The commands up to a closing parenthesis, in surroundings of their own."""
        self._depth += 1
        if self._depth > _DEPTH:
            raise _Unread
        outer, words, outputs = self._groups, self._words, self._outputs
        self._groups, self._words, self._outputs = [], [], []
        self.parts.append("(")
        self.read(")")
        self.parts.append(")")
        self._groups, self._words, self._outputs = outer, words, outputs
        self._depth -= 1

    def _take(self, word: Word) -> None:
        if self._words:
            self._words.append(word)
            if word.text == "in" and self._words[0].text == "case":
                self.flush()
                self._skip_patterns()
            return
        match word.text:
            case "{":
                self._open("if")
            case "}" | "esac":
                self._close()
            case "[[":
                self._condition(word)
            case text if text in _KEYWORDS:
                self.parts += _KEYWORDS[text]
            case text:
                self._words.append(word)
                self.parts += ["if"] if text in _LOOPS else []
                self._groups += ["case"] if text == "case" else []

    def _condition(self, begin: Word) -> None:
        """`[[ … ]]`, in which operators are no operators."""
        words = [begin]
        while words[-1].text != "]]":
            if self._at >= len(self._text):
                raise _Unread
            if self._text[self._at] in "<>()&|;\n":
                self._at += 1
            elif not self._passes(_BLANK):
                words.append(self._word())
        self.parts.append(Simple(tuple(words)))

    def _skip_patterns(self) -> None:
        """The patterns of a case up to their parenthesis: none of them is run."""
        while not self._text.startswith(")", self._at):
            if not self._passes(_BLANK) and not self._passes(_BETWEEN_PATTERNS) and self._word().text == "esac":
                self._close()
                return
        self._at += 1

    def _skip_here_documents(self) -> None:
        for delimiter in self._delimiters:
            if not self._passes(re.compile(rf"(?s:.*?)^\t*{re.escape(delimiter)}$", re.MULTILINE)):
                raise _Unread
        self._delimiters.clear()

    def _word(self) -> Word:
        """The word that begins here. Raises _Unread when there is none."""
        start, fixed = self._at, True
        while True:
            if self._passes(_PLAIN):
                continue
            if self._text.startswith('"', self._at):
                fixed = self._quoted() and fixed
            elif self._substitutes():
                fixed = False
            elif self._text.startswith("$", self._at) and not self._text.startswith("${", self._at):
                self._at += 1
            else:
                break
        if self._at == start:
            raise _Unread
        return Word(self._text[start : self._at], (start, self._at), fixed)

    def _quoted(self) -> bool:
        """Text in double quotes; whether no command makes a part of it."""
        self._at += 1
        fixed = True
        while not self._text.startswith('"', self._at):
            if not self._passes(_QUOTED):
                fixed = False
                if not self._substitutes(in_quotes=True):
                    raise _Unread
        self._at += 1
        return fixed

    def _substitutes(self, *, in_quotes: bool = False) -> bool:
        """Whether a command stands here whose output is put in its place, or a calculation."""
        if self._passes(_OPAQUE):
            return True
        if not self._text.startswith(_NESTED[: 1 if in_quotes else None], self._at):
            return False
        self._at += 2
        self._nested()
        return True
