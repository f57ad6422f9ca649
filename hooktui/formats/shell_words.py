"""What the words of a simple shell command stand for: their values, the program, the script that it runs.

What cannot be told without running a shell is None, not guessed.
"""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

from hooktui.core import paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.formats.shell_commands import Word

_PIECE = re.compile(r"""\\(?P<escaped>.)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^\\'"]+)""", re.DOTALL)
_DOUBLE_ESCAPE = re.compile(r'\\(["\\$`])')
_ESCAPED = re.compile(r"\\.", re.DOTALL)
# A variable, which may have a default or a complaint for the case that it is not set: those that are known are.
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::?[-?][^{}]*)?\})")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
_GLOB = re.compile(r"[*?{$]|\[.+\]")
_QUOTED_QUOTE = "'\"'\"'"  # what shlex.quote makes of a single quote

_SUFFIXES = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".lua", ".ps1")
_INTERPRETER = re.compile(
    r"(?:ba|z|da|k|fi)?sh|source|\.|python[0-9.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|pwsh|powershell(?:\.exe)?|uv|npx"
)
_SHELL = re.compile(r"(?:ba|z|da|k)?sh")
_SHELL_TEXT = re.compile(r"-[a-z]*c")
# A package or an address, which its program fetches: no script of this machine.
_FETCHED = re.compile(r"@|[a-z]+:")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]")  # a path of another machine
# Programs that run another one: how many arguments of their own they have, and their options that take one.
_BEFORE: Mapping[str, tuple[int, tuple[str, ...]]] = {
    **dict.fromkeys(("exec", "nohup", "time", "setsid", "command", "builtin"), (0, ())),
    "env": (0, ("-u", "-C", "--unset", "--chdir")),
    "nice": (0, ("-n",)),
    "stdbuf": (0, ("-i", "-o", "-e")),
    "sudo": (0, ("-u", "-g")),
    "timeout": (1, ("-k", "-s")),
}
_ASKING = ("-v", "-V")  # of `command`: whether there is such a program
# Options after which the program's text, or a module, stands where a script would.
_INLINE = re.compile(r"-[a-z]*c|-[emp]|--eval|--print|-command|-encodedcommand", re.IGNORECASE)


def value(word: Word, variables: Mapping[str, str]) -> str | None:
    """The word as the shell would pass it on; None when it holds a variable that is not known, a command, or a pattern."""
    if not word.fixed:
        return None
    parts: list[str] = []
    for piece in _PIECE.finditer(word.text):
        plain, double = piece["plain"], piece["double"]
        expanded = plain if double is None else double
        if expanded is None:
            parts.append(piece["escaped"] or piece["single"] or "")
            continue
        if any((first or second) not in variables for first, second in _VARIABLE.findall(expanded)):
            return None
        left = _VARIABLE.sub("", expanded)
        if _GLOB.search(left) if double is None else "$" in _ESCAPED.sub("", left):
            return None
        expanded = expanded if double is None else _DOUBLE_ESCAPE.sub(r"\1", expanded)
        parts.append(_VARIABLE.sub(lambda name: variables[name[1] or name[2]], expanded))
    whole = "".join(parts)
    return paths.home() + whole[1:] if whole.startswith("~/") and word.text.startswith("~") else whole


def assignment(word: Word, variables: Mapping[str, str]) -> tuple[str, str | None] | None:
    """The variable that a word sets, and its value; None for another word."""
    found = _ASSIGNMENT.match(word.text)
    if found is None:
        return None
    return found[1], None if word.text[found.end() - 2] == "+" else value(_behind(word, found.end()), variables)


def resolved(written: str | None, base: str | None) -> str | None:
    """The absolute path of what is written; None when it cannot be told."""
    if written is None or "\0" in written or _WINDOWS.match(written):
        return None
    if os.path.isabs(written):
        return os.path.normpath(written)
    return None if base is None else os.path.normpath(os.path.join(base, written))


def from_program(words: Sequence[Word], variables: Mapping[str, str]) -> Sequence[Word]:
    """The words from the program on that does the work: without assignments and programs that only start it."""
    rest = list(words)
    while rest:
        name = value(rest[0], variables)
        own = _BEFORE.get(name or "")
        if own and not (name == "command" and rest[1:] and rest[1].text in _ASKING):
            rest = _behind_options(rest[1:], *own)
        elif _ASSIGNMENT.match(rest[0].text):
            rest.pop(0)
        else:
            break
    return rest


def script_word(words: Sequence[Word], variables: Mapping[str, str]) -> tuple[Word, bool] | None:
    """The word that names a script, of those from the program on, and whether it is itself the program."""
    program = value(words[0], variables) if words else None
    if program is None:
        return None
    direct = not _INTERPRETER.fullmatch(os.path.basename(program))
    word = words[0] if direct else _script_argument(words[1:], variables)
    written = None if word is None else value(word, variables)
    return (word, direct) if word and written is not None and _looks_like_script(written, direct=direct) else None


def shell_text(words: Sequence[Word], variables: Mapping[str, str]) -> Word | None:
    """The word that a shell is given to read as a command: `bash -c TEXT`."""
    program = value(words[0], variables) if words else None
    if program is None or not _SHELL.fullmatch(os.path.basename(program)):
        return None
    options = [at for at, word in enumerate(words[1:-1], 1) if _SHELL_TEXT.fullmatch(word.text)]
    return words[options[0] + 1] if options else None


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


def _behind(word: Word, characters: int) -> Word:
    return type(word)(word.text[characters:], (word.span[0] + characters, word.span[1]), word.fixed)


def _behind_options(words: list[Word], arguments: int, taking: Sequence[str]) -> list[Word]:
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option in taking and rest:
            rest.pop(0)
    return rest[arguments:]


def _script_argument(arguments: Sequence[Word], variables: Mapping[str, str]) -> Word | None:
    """What an interpreter runs: its first argument that is no option, if its program is not given inline."""
    for word in arguments:
        written = value(word, variables)
        if written is None or _INLINE.fullmatch(written):
            return None
        if not written.startswith("-") and written != "run":
            return word
    return None


def _looks_like_script(written: str, *, direct: bool) -> bool:
    if not direct and _FETCHED.match(written):
        return False
    return "/" in written or (not direct and written.endswith(_SUFFIXES))
