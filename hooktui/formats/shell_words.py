"""The scripts that a shell command names, found without running a shell: what cannot be told is left out, not guessed."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui import paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.formats.notes import Span

# Plain characters, escapes, quotes and variables. Anything else (substitutions, here-documents) ends the reading.
# Possessive throughout, so that no text takes long.
_WORD = r"""(?:[^\s;&|<>()'"\\$`]|\\.|'[^']*+'|"(?:[^"\\`$]|\\.|\$\w++|\$\{\w++\})*+"|\$\w++|\$\{\w++\})++"""
_TOKEN = re.compile(
    rf"(?P<skip>[ \t\r]+|\\\n|\#[^\n]*|(?:[0-9]*(?:>>|>&|<&|>\||>|<(?!<))|&>>?)[ \t]*(?:{_WORD})?)"
    rf"|(?P<word>{_WORD})|(?P<end>[;&|()\n]+)",
    re.DOTALL,
)
_PIECE = re.compile(r"""\\(?P<escaped>.)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^\\'"]+)""", re.DOTALL)
_DOUBLE_ESCAPE = re.compile(r'\\(["\\$`])')
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_GLOB = re.compile(r"[*?\[{]")
_QUOTED_QUOTE = "'\"'\"'"  # what shlex.quote makes of a single quote

_SUFFIXES = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".lua", ".ps1")
_INTERPRETER = re.compile(
    r"(?:ba|z|da|k|fi)?sh|source|\.|python[0-9.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|pwsh|powershell(?:\.exe)?|uv|npx"
)
# A package or an address, which its program fetches: no script of this machine.
_FETCHED = re.compile(r"@|[a-z]+:")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]")  # a path of another machine
_BEFORE = frozenset({"exec", "env", "nohup", "time", "nice", "sudo"})
# Commands after which the rest runs as if they had not been there.
_PREPARING = frozenset({"cd", "export", "set", "umask", ":"})
# Options after which the program's text, or a module, stands where a script would.
_INLINE = re.compile(r"-[a-z]*c|-[emp]|--eval|--print|-command|-encodedcommand", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Script:
    """A script that a command names, by absolute path, whether it exists or not.

    `direct`: it is itself the program, so it must be executable. `certain`: nothing before it decides whether it is run.
    """

    path: str
    span: Span
    direct: bool
    certain: bool


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    span: Span


def in_command(command: str, base: str | None, variables: Mapping[str, str]) -> list[Script]:
    """The scripts in a shell command; `base` is where relative paths begin, None when that is not known."""
    found: list[Script] = []
    certain = True
    for words in _simple_commands(command):
        program = _value(words[0], variables)
        if program == "cd":
            target = _value(words[1], variables) if len(words) == 2 else None
            base = _resolved(target, base)
        found += _in_words(words, base, variables, certain=certain)
        certain = certain and program in _PREPARING
    return found


def in_arguments(arguments: Sequence[str], base: str | None, placeholders: Mapping[str, str]) -> list[Script]:
    """The scripts in a program and its arguments, started without a shell; their spans are those in `shlex.join`.

    `placeholders` are texts that the host puts others in place of.
    """
    words: list[_Word] = []
    at = 0
    for argument in arguments:
        end = at + len(shlex.quote(argument))
        for placeholder, value in placeholders.items():
            argument = argument.replace(placeholder, value)
        words.append(_Word(shlex.quote(argument), (at, end)))
        at = end + 1
    return _in_words(words, base, {}, certain=True)


def place_in_argument(arguments: Sequence[str], index: int) -> tuple[int, int]:
    """Which argument holds a character of `shlex.join`, and which of its own characters that is."""
    at = 0
    for number, argument in enumerate(arguments):
        quoted = shlex.quote(argument)
        if index <= at + len(quoted):
            return number, _unquoted_index(argument, quoted, index - at)
        at += len(quoted) + 1
    return len(arguments) - 1, len(arguments[-1])


def _unquoted_index(argument: str, quoted: str, index: int) -> int:
    if quoted == argument:
        return index
    before = quoted[1:index]
    return min(len(before) - before.count(_QUOTED_QUOTE) * (len(_QUOTED_QUOTE) - 1), len(argument))


def _simple_commands(command: str) -> Iterator[list[_Word]]:
    words: list[_Word] = []
    at = 0
    while (token := _TOKEN.match(command, at)) is not None:
        at = token.end()
        if token.lastgroup == "word":
            words.append(_Word(token.group(), token.span()))
        elif token.lastgroup == "end" and words:
            yield words
            words = []
    # A word that could not be read to its end may begin with what was read: it is no word.
    if words and at < len(command) and words[-1].span[1] == at:
        words.pop()
    if words:
        yield words


def _in_words(words: list[_Word], base: str | None, variables: Mapping[str, str], *, certain: bool) -> list[Script]:
    rest = list(words)
    while rest and (_ASSIGNMENT.match(rest[0].text) or _value(rest[0], variables) in _BEFORE):
        rest.pop(0)
    program = _value(rest[0], variables) if rest else None
    if program is None:
        return []
    direct = not _INTERPRETER.fullmatch(os.path.basename(program))
    word = rest[0] if direct else _script_argument(rest[1:], variables)
    written = None if word is None else _value(word, variables)
    if word is None or written is None or not _looks_like_script(written, direct=direct):
        return []
    path = _resolved(written, base)
    return [] if path is None else [Script(path, word.span, direct, certain)]


def _script_argument(arguments: list[_Word], variables: Mapping[str, str]) -> _Word | None:
    """What an interpreter runs: its first argument that is no option, if its program is not given inline."""
    for word in arguments:
        written = _value(word, variables)
        if written is None or _INLINE.fullmatch(written):
            return None
        if not written.startswith("-") and written != "run":
            return word
    return None


def _looks_like_script(written: str, *, direct: bool) -> bool:
    if not direct and _FETCHED.match(written):
        return False
    return "/" in written or (not direct and written.endswith(_SUFFIXES))


def _value(word: _Word, variables: Mapping[str, str]) -> str | None:
    """The word as the shell would pass it on; None when it holds a variable that is not known, or a pattern."""
    parts: list[str] = []
    for piece in _PIECE.finditer(word.text):
        plain, double = piece["plain"], piece["double"]
        if plain is not None and _GLOB.search(_VARIABLE.sub("", plain)):
            return None
        for name in _VARIABLE.findall(plain or double or ""):
            if (name[0] or name[1]) not in variables:
                return None
        if double is not None:
            plain = _DOUBLE_ESCAPE.sub(r"\1", double)
        if plain is None:
            parts.append(piece["escaped"] or piece["single"] or "")
        else:
            parts.append(_VARIABLE.sub(lambda name: variables[name[1] or name[2]], plain))
    value = "".join(parts)
    return paths.home() + value[1:] if value.startswith("~/") and word.text.startswith("~") else value


def _resolved(written: str | None, base: str | None) -> str | None:
    if written is None or "\0" in written or _WINDOWS.match(written):
        return None
    if os.path.isabs(written):
        return os.path.normpath(written)
    return None if base is None else os.path.normpath(os.path.join(base, written))
