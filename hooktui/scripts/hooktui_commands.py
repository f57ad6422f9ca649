"""hooktui's own command lines in the hook files of hosts: one that handles events, one around each observed command.

Both call the launcher (`connect/launcher.py`): `hook HOST [EVENT]` and `hook HOST -- COMMAND …`. An observed command runs
without the launcher if that is gone. Earlier versions did not test for it.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

from hooktui.core import paths


def is_launcher(program: str) -> bool:
    """Whether a program is a launcher, in any data directory."""
    return program.endswith("/hooktui/hook")


def words(host: str, event: str | None = None) -> tuple[str, ...]:
    """The command with which hooktui handles events; `event` is for hosts whose payloads do not name it."""
    return (paths.launcher(), host, *([event] if event else []))


def run(host: str, event: str | None = None, launcher: str = "") -> str:
    """The same as a shell command; another `launcher` than the user's may be named."""
    _, *rest = words(host, event)
    return shlex.join((launcher or paths.launcher(), *rest))


def runs(command: object, host: str) -> bool:
    """Whether a command makes hooktui handle events of a host, with any launcher or interpreter."""
    match _words(command):
        case [program, named, *rest] if is_launcher(program):
            return named == host and len(rest) <= 1 and not any(word.startswith("-") for word in rest)
        case [_, "-I", "-m", "hooktui", "run", "--host", named, *_]:
            return named == host
    return False


_SH = "/bin/sh"
_EITHER = '[ -x "$0" ] && exec "$0" "$@"; shift 2; exec "$@"'  # `$0` is the launcher, `$1` and `$2` are `HOST --`


def observing(host: str) -> tuple[str, ...]:
    """The words to put before a program and its arguments to observe it without a shell."""
    return (_SH, "-c", _EITHER, paths.launcher(), host, "--")


def _observing_in_shell(host: str) -> str:
    """What to put before a program and its arguments to observe it in a shell: `"$@"` are no words without the launcher."""
    path = shlex.quote(paths.launcher())
    return f'[ -x {path} ] && set {path} {host} --; exec "$@"'


def observed(words: Sequence[str], host: str) -> tuple[str, ...]:
    """The program and arguments inside a host's observed call; () for any other call."""
    match list(words):
        case [program, named, "--", *inside] | [_, "-c", _, program, named, "--", *inside] if is_launcher(program):
            return tuple(inside) if named == host else ()
    return ()


def observed_command(command: object, host: str) -> tuple[str, ...]:
    """Like `observed`, for a shell command."""
    match words := _words(command):
        case ["[", "-x", program, "]", "&&", "set", _, named, "--;", "exec", "$@", *inside] if is_launcher(program):
            return tuple(inside) if named == host else ()
    return observed(words, host)


def original(command: object, host: str) -> str | None:
    """The shell command inside an observed one; None for any other command."""
    match observed_command(command, host):
        case _, "-c", inside:
            return inside
    return None


def with_command(observing_command: str, inside: str) -> str:
    """An observed shell command with another command inside, which is its last word."""
    last = quoted_word(shlex.split(observing_command)[-1])
    return f"{observing_command.removesuffix(last)}{quoted_word(inside)}"


def quoted_word(word: str) -> str:
    """A word in single quotes, as it is written around an observed command."""
    quoted = word.replace("'", """'"'"'""")
    return f"'{quoted}'"


def index_in_observed(command: str, host: str, index: int) -> int:
    """Map an index in the original command to one in the observed command; other commands map to themselves."""
    inside = original(command, host)
    if inside is None:
        return index
    # `wrapped_literal` puts the original last, in single quotes, in which it spells a quote as '"'"'.
    return len(command) - len(inside) - 4 * inside.count("'") - 1 + index + 4 * inside[:index].count("'")


def wrapped_literal(literal: str, host: str, shell: str) -> str:
    """The JSON literal of an observed command for the literal of a shell command, whose spelling is kept inside."""
    prefix = json.dumps(f"{_observing_in_shell(host)} {shell} -c", ensure_ascii=False)[1:-1]
    return f"\"{prefix} '{_QUOTE.sub(_quoted, literal[1:-1])}'\""


def unwrapped_literal(literal: str, host: str) -> str | None:
    """The original literal in a result of `wrapped_literal`; None for any other literal."""
    match = _WRAPPED.fullmatch(literal)
    if match is None or host not in (match["host"], match["tested"]):
        return None
    return f'"{_QUOTED.sub(lambda quoted: quoted["quote"] or quoted[0], match["inside"])}"'


# One word of a command line, quoted by shlex.quote, inside a JSON literal.
_WORD = r"""(?:[^\s'"\\]|'[^']*'|\\"'\\")+"""
_HOST = r"(?P<host>[a-z]+)"
_TESTED = rf'\[ -x {_WORD} \] && set {_WORD} (?P<tested>[a-z]+) --; exec \\"\$@\\"'
_WRAPPED = re.compile(rf'"(?:{_TESTED}|{_WORD} {_HOST} --) {_WORD} -c \'(?P<inside>.*)\'"', re.DOTALL)
# A quote inside a shell's single quotes is '"'"'. JSON spells a quote literally or as an escape.
_QUOTE = re.compile(r"(?P<quote>'|\\u0027)|\\.", re.DOTALL)
_QUOTED = re.compile(r"""(?P<quote>'|\\u0027)\\"(?P=quote)\\"(?P=quote)|\\.""", re.DOTALL)


def _quoted(match: re.Match[str]) -> str:
    quote = match["quote"]
    return rf"{quote}\"{quote}\"{quote}" if quote else match[0]


def _words(command: object) -> list[str]:
    """The words of a command that may be hooktui's own, [] for any other: splitting a long one takes quadratic time."""
    return list(_split(command)) if isinstance(command, str) and "hooktui" in command else []


@lru_cache(maxsize=64)
def _split(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError:  # an unclosed quote
        return ()
