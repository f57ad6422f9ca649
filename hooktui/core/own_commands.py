"""hooktui's own command lines as they stand in a host's hook files: `run` for its events, `exec` around its own commands."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MODULE = ("-I", "-m", "hooktui")


@dataclass(frozen=True, slots=True)
class Observed:
    """Whose hook an observed command is, what the log is to call it, and whether its host waits for it."""

    host: str
    name: str
    file: str
    is_async: bool = False


def run(host: str, event: str | None = None) -> str:
    """The shell command that has hooktui handle an event; `event` where the host's payloads do not name it."""
    return shlex.join((sys.executable, *_MODULE, "run", "--host", host, *([event] if event else [])))


def runs(command: object, host: str) -> bool:
    """Whether a command is our `run` for a host, with whichever interpreter."""
    words = _words(command)
    return words[1:7] == [*_MODULE, "run", "--host", host]


def arguments(observed: Observed) -> tuple[str, ...]:
    """What stands in front of a program and its arguments to have it observed; the interpreter first."""
    about = ("--host", observed.host, "--name", observed.name, "--file", observed.file)
    return (sys.executable, *_MODULE, "exec", *about, *(["--async"] if observed.is_async else []), "--")


def observed(words: Sequence[str], host: str) -> tuple[Observed, tuple[str, ...]] | None:
    """What an observed call of a host says of itself, and the program and arguments in it; None when it is no such call."""
    match list(words):
        case [_, "-I", "-m", "hooktui", "exec", "--host", said, "--name", name, "--file", file, *rest] if said == host:
            is_async = rest[:1] == ["--async"]
            separator, *inside = rest[is_async:] or [""]
            return (Observed(host, name, file, is_async), tuple(inside)) if separator == "--" and inside else None
    return None


def observed_command(command: object, host: str) -> tuple[Observed, tuple[str, ...]] | None:
    """The same of a shell command."""
    return observed(_words(command), host)


def original(command: object, host: str) -> str | None:
    """The shell command inside an observed one; None when it is no such call."""
    match observed_command(command, host):
        case _, (_, "-c", inside):
            return inside
    return None


def place_inside(command: str, host: str, index: int) -> int:
    """Where a character of the command inside an observed one stands in the whole; in any other it stands where it is."""
    inside = original(command, host)
    if inside is None:
        return index
    begin = len(command) - len(_in_quotes(inside)) + 1
    return begin + len(_in_quotes(inside[:index])) - 2


def _in_quotes(text: str) -> str:
    """A text between a shell's single quotes, as `wrapped_literal` writes it."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def wrapped_literal(literal: str, observed: Observed, shell: str) -> str:
    """A JSON literal of a shell command as that of its observed call. The original's own spelling stays inside."""
    prefix = json.dumps(shlex.join((*arguments(observed), shell, "-c")), ensure_ascii=False)[1:-1]
    return f"\"{prefix} '{_QUOTE.sub(_quoted, literal[1:-1])}'\""


def unwrapped_literal(literal: str, host: str) -> str | None:
    """The JSON literal that `wrapped_literal` was given; None for anything else."""
    found = _WRAPPED.fullmatch(literal)
    if found is None or found["host"] != host:
        return None
    return f'"{_QUOTED.sub(_unquoted, found["inside"])}"'


# One word of a command line as shlex.quote writes it, inside a JSON literal.
_WORD = r"""(?:[^\s'"\\]|'[^']*'|\\"'\\")+"""
_ABOUT = rf"--host (?P<host>[a-z]+) --name {_WORD} --file {_WORD}(?: --async)?"
_WRAPPED = re.compile(rf'"{_WORD} -I -m hooktui exec {_ABOUT} -- {_WORD} -c \'(?P<inside>.*)\'"', re.DOTALL)
# A quote inside a shell's single quotes is '"'"'. JSON writes a quote as it is, or as its code.
_QUOTE = re.compile(r"(?P<quote>'|\\u0027)|\\.", re.DOTALL)
_QUOTED = re.compile(r"""(?P<quote>'|\\u0027)\\"(?P=quote)\\"(?P=quote)|\\.""", re.DOTALL)


def _quoted(found: re.Match[str]) -> str:
    quote = found["quote"]
    return rf"{quote}\"{quote}\"{quote}" if quote else found[0]


def _unquoted(found: re.Match[str]) -> str:
    return found["quote"] or found[0]


def _words(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:  # a quote that is not closed
        return []
