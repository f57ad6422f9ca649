"""The program of a simple command, behind assignments and wrappers, and the script or the text that it reads."""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.formats.shell.syntax import Word

_SUFFIXES = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".lua", ".nu", ".ps1")
_RUNNERS = ("run", "tsx", "ts-node")  # behind `deno`, `npx` and the like
_WITH_VALUE = ("--import", "--loader", "--require", "-r", "-o")  # options of interpreters
_INTERPRETER = re.compile(
    r"(?:ba|z|da|k|fi)?sh|nu|source|\.|python[0-9.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|pwsh|powershell(?:\.exe)?|uv|npx"
)
_SHELL = re.compile(r"(?:ba|z|da|k)?sh")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
# A package or an address, which its program fetches: no script of this machine.
_FETCHED = re.compile(r"@|[a-z]+:")
# Programs that run another one: the number of their own arguments, and their options that take one.
_WRAPPERS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    **dict.fromkeys(("exec", "nohup", "time", "coproc", "setsid", "command", "builtin"), (0, ())),
    "env": (0, ("-u", "-C", "--unset", "--chdir")),
    "nice": (0, ("-n",)),
    "stdbuf": (0, ("-i", "-o", "-e")),
    "sudo": (0, ("-u", "-g")),
    "timeout": (1, ("-k", "-s")),
}
_QUERIES = ("-v", "-V")  # `command -v NAME` runs nothing
_SHELL_TEXT = re.compile(r"-[a-z]*c")
# Options that give the program's text, or a module, in place of a script.
_INLINE = re.compile(r"-[a-z]*c|-[emp]|--eval|--print|-command|-encodedcommand", re.IGNORECASE)


def from_program(words: Sequence[Word]) -> Sequence[Word]:
    """The words from the actual program on: without assignments and wrappers such as `env` and `timeout`."""
    rest = list(words)
    while rest:
        wrapper = _WRAPPERS.get(rest[0].value or "")
        if wrapper and not (rest[0].value == "command" and rest[1:] and rest[1].text in _QUERIES):
            rest = _without_options(rest[1:], *wrapper)
        elif _ASSIGNMENT.match(rest[0].text):
            rest.pop(0)
        else:
            break
    return rest


def script_word(words: Sequence[Word]) -> tuple[Word, bool] | None:
    """The word that names a script, and whether this is itself the program; `words` begin with the program."""
    program = words[0].value if words else None
    if program is None:
        return None
    if not _INTERPRETER.fullmatch(os.path.basename(program)):
        return (words[0], True) if "/" in program else None
    inline = _SHELL_TEXT if _SHELL.fullmatch(os.path.basename(program)) else _INLINE
    for before, word in pairwise(words):
        if word.value is None or inline.fullmatch(word.value) or _FETCHED.match(word.value):
            return None
        if not word.value.startswith("-") and word.value not in _RUNNERS and before.text not in _WITH_VALUE:
            return (word, False) if "/" in word.value or word.value.endswith(_SUFFIXES) else None
    return None


def shell_text(words: Sequence[Word]) -> Word | None:
    """The word that a shell reads as a command: `bash -c TEXT`; `words` begin with the program."""
    program = words[0].value if words else None
    if program is None or not _SHELL.fullmatch(os.path.basename(program)):
        return None
    return next((after for word, after in pairwise(words[1:]) if _SHELL_TEXT.fullmatch(word.text)), None)


def _without_options(words: Sequence[Word], arguments: int, with_value: Sequence[str]) -> list[Word]:
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option in with_value and rest:
            rest.pop(0)
    return rest[arguments:]


def is_interpreter(program: str) -> bool:
    """Whether a program, by name or path, runs scripts."""
    return bool(_INTERPRETER.fullmatch(os.path.basename(program)))


def takes_text(program: str, option: str) -> bool:
    """Whether an interpreter's option gives it a text or a module in place of a script."""
    return bool((_SHELL_TEXT if _SHELL.fullmatch(os.path.basename(program)) else _INLINE).fullmatch(option))
