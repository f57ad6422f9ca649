"""hooktui's own command lines in the hook files of hosts: `run` for events, `exec` around observed commands."""

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
    """The host, name and file of an observed hook, and whether its host does not wait for it."""

    host: str
    name: str
    file: str
    is_async: bool = False


def run(host: str, event: str | None = None) -> str:
    """The shell command with which hooktui handles events; `event` is for hosts whose payloads do not name it."""
    return shlex.join((sys.executable, *_MODULE, "run", "--host", host, *([event] if event else [])))


def runs(command: object, host: str) -> bool:
    """Whether a command is `hooktui run` for a host, with any interpreter."""
    words = _words(command)
    return words[1:7] == [*_MODULE, "run", "--host", host]


def arguments(observed: Observed) -> tuple[str, ...]:
    """The words that observe the program and arguments after them."""
    about = ("--host", observed.host, "--name", observed.name, "--file", observed.file)
    return (sys.executable, *_MODULE, "exec", *about, *(["--async"] if observed.is_async else []), "--")


def observed(words: Sequence[str], host: str) -> tuple[Observed, tuple[str, ...]] | None:
    """The hook that a host's observed call names, and the program and arguments inside; None for any other call."""
    match list(words):
        case [_, "-I", "-m", "hooktui", "exec", "--host", named, "--name", name, "--file", file, *rest] if named == host:
            is_async = rest[:1] == ["--async"]
            separator, *inside = (rest[1:] if is_async else rest) or [""]
            return (Observed(host, name, file, is_async), tuple(inside)) if separator == "--" and inside else None
    return None


def observed_command(command: object, host: str) -> tuple[Observed, tuple[str, ...]] | None:
    """Like `observed`, for a shell command."""
    return observed(_words(command), host)


def original(command: object, host: str) -> str | None:
    """The shell command inside an observed one; None for any other command."""
    match observed_command(command, host):
        case _, (_, "-c", inside):
            return inside
    return None


def index_in_observed(command: str, host: str, index: int) -> int:
    """Map an index in the original command to one in the observed command; other commands map to themselves."""
    inside = original(command, host)
    if inside is None:
        return index
    # `wrapped_literal` puts the original last, in single quotes, in which it spells a quote as '"'"'.
    return len(command) - len(inside) - 4 * inside.count("'") - 1 + index + 4 * inside[:index].count("'")


def wrapped_literal(literal: str, observed: Observed, shell: str) -> str:
    """The JSON literal of an observed command for the literal of a shell command, whose spelling is kept inside."""
    prefix = json.dumps(shlex.join((*arguments(observed), shell, "-c")), ensure_ascii=False)[1:-1]
    return f"\"{prefix} '{_QUOTE.sub(_quoted, literal[1:-1])}'\""


def unwrapped_literal(literal: str, host: str) -> str | None:
    """The original literal in a result of `wrapped_literal`; None for any other literal."""
    match = _WRAPPED.fullmatch(literal)
    if match is None or match["host"] != host:
        return None
    return f'"{_QUOTED.sub(lambda quoted: quoted["quote"] or quoted[0], match["inside"])}"'


# One word of a command line, quoted by shlex.quote, inside a JSON literal.
_WORD = r"""(?:[^\s'"\\]|'[^']*'|\\"'\\")+"""
_ABOUT = rf"--host (?P<host>[a-z]+) --name {_WORD} --file {_WORD}(?: --async)?"
_WRAPPED = re.compile(rf'"{_WORD} -I -m hooktui exec {_ABOUT} -- {_WORD} -c \'(?P<inside>.*)\'"', re.DOTALL)
# A quote inside a shell's single quotes is '"'"'. JSON spells a quote literally or as an escape.
_QUOTE = re.compile(r"(?P<quote>'|\\u0027)|\\.", re.DOTALL)
_QUOTED = re.compile(r"""(?P<quote>'|\\u0027)\\"(?P=quote)\\"(?P=quote)|\\.""", re.DOTALL)


def _quoted(match: re.Match[str]) -> str:
    quote = match["quote"]
    return rf"{quote}\"{quote}\"{quote}" if quote else match[0]


def _words(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:  # an unclosed quote
        return []
