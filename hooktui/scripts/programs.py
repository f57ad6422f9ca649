"""The program of a simple command, behind assignments and wrappers, and what an interpreter runs."""

from __future__ import annotations

import os
import re
import shlex
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hooktui.scripts.syntax import Word

SUFFIXES: Mapping[str, str] = {  # of scripts, with their languages
    **dict.fromkeys((".sh", ".bash", ".zsh"), "shell"),
    **dict.fromkeys((".py", ".pyw"), "python"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"), "javascript"),
    **dict.fromkeys((".rb", ".pl", ".php", ".lua", ".nu", ".ps1"), "other"),
}
_RUNNERS = ("run", "tsx", "ts-node")  # behind `deno`, `npx` and the like
_SHELL = re.compile(r"(?:ba|z|da|k)?sh")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
# A package or an address, which its program fetches: no script of this machine.
FETCHED = re.compile(r"@|[a-z]{2,}:")
# Programs that run another one: the number of their own arguments, and their options that take one.
_WRAPPERS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    **dict.fromkeys(("exec", "nohup", "time", "coproc", "setsid", "command", "builtin"), (0, ("-a",))),
    "env": (0, ("-u", "-C", "--unset", "--chdir")),
    "nice": (0, ("-n",)),
    "ionice": (0, ("-c", "-n")),
    "stdbuf": (0, ("-i", "-o", "-e")),
    **dict.fromkeys(("sudo", "doas"), (0, ("-u", "-g"))),
    "timeout": (1, ("-k", "-s")),
}
_OF_SYSTEM = re.compile(r"/(?:usr/|usr/local/)?s?bin/")
_QUERIES = ("-v", "-V")  # `command -v NAME` runs nothing
_SPLIT = re.compile(r"(?:-[a-z]*S|--split-string=?)(.*)", re.DOTALL)  # of `env`: a text of words
_INFORMATION = ("--version", "--help", "-V", "--check", "--syntax-check")


class _Interpreter(NamedTuple):
    """An interpreter: its options before its program's text, file or module, those before what it loads first, and others
    with a value. A group in an expression is a value in the same word. `filters`: its first argument is a text."""

    names: str
    language: str
    text: str = "(?!)"
    file: str = "(?!)"
    module: str = "(?!)"
    loads: str = "(?!)"
    values: str = "(?!)"
    filters: bool = False


_NODE = _Interpreter(
    "node|deno|bun|tsx|ts-node|npx",
    "javascript",
    text="-pe?|-ep?|--eval|--print|eval",
    loads="-r|--require|--import|--loader|--experimental-loader|--import-map",
)
_POWERSHELL_VALUES = "(?i:-ep|-ex[a-z]*|-version|-w[a-z]*|-inputformat|-outputformat|-configurationname|-psconsolefile)"
_INTERPRETERS = (
    _Interpreter("(?:ba|z|da|k|fi)?sh|nu", "shell", "-[a-zA-Z]*c[a-zA-Z]*", loads="--rcfile|--init-file", values="[-+][oO]"),
    _Interpreter(r"source|\.", "shell"),
    _Interpreter(
        r"python[0-9.]*w?|pypy[0-9.]*|uv",
        "python",
        "-[bBdEiIOPqRsSuvx]*c(.*)",
        module="-[bBdEiIOPqRsSuvx]*m(.*)",
        values="-[WX]|-p|--with",
    ),
    _NODE,
    _Interpreter("perl", "other", "-[a-zA-Z0-9.]*[eE]", loads="-[Mm](.*)|-I(.*)"),
    _Interpreter("ruby", "other", "-[a-zA-Z0-9]*e", loads="-r(.*)|-I(.*)"),
    _Interpreter("php", "other", "-[rRBE]|--run", file="-[fF]|--file"),
    _Interpreter("lua[0-9.]*", "other", "-e", loads="-l"),
    _Interpreter(
        r"pwsh|powershell(?:\.exe)?",
        "other",
        "(?i:-c|-command|-ec?|-encodedcommand)",
        file="(?i:-f|-file)",
        values=_POWERSHELL_VALUES,
    ),
    _Interpreter("[gmn]?awk", "awk", file="-[fEi](.*)|--file|--exec|--include", values="-[vF]|--assign", filters=True),
    _Interpreter("g?sed", "sed", "-[nrEszui]*e|--expression", file="-[nrEszu]*f(.*)|--file", filters=True),
    _Interpreter("g?jq", "jq", file="-[a-zA-Z]*f|--from-file", values="--arg|--argjson|--slurpfile|--rawfile|-L", filters=True),
)


class Source(NamedTuple):
    """A part of the program that an interpreter runs: the word of a file, a text, a module or what it loads first, or stdin."""

    kind: Literal["file", "text", "module", "load", "stdin"]
    language: str
    word: Word | None = None


def from_program(words: Sequence[Word]) -> Sequence[Word]:
    """The words from the actual program on: without assignments and wrappers such as `env` and `timeout`."""
    rest = list(words)
    while rest:
        wrapper = _WRAPPERS.get(_OF_SYSTEM.sub("", rest[0].value or "", count=1))
        if wrapper and not (rest[0].value == "command" and rest[1:] and rest[1].text in _QUERIES):
            rest = without_options(rest[1:], *wrapper)
        elif _ASSIGNMENT.match(rest[0].text):
            rest.pop(0)
        else:
            break
    return rest


def assigned(words: Sequence[Word]) -> list[tuple[str, Word]]:
    """The variables that the words before a program set, with their values."""
    found = []
    for word in words[: len(words) - len(from_program(words))]:
        name, sign, text = word.text.partition("=")
        if sign and _ASSIGNMENT.match(word.text):
            value = None if word.value is None else word.value.partition("=")[2]
            found.append((name.rstrip("+"), word._replace(text=text, value=value)))
    return found


def sources(words: Sequence[Word]) -> list[Source]:
    """What an interpreter runs; empty for any other program, and if it only prints its version."""
    kind = _interpreter(os.path.basename(words[0].value or "")) if words else None
    if kind is None:
        return []
    found: list[Source] = []
    rest, takes_options = list(words[1:]), True
    while rest:
        word = rest.pop(0)
        option = _option(kind, word, rest) if takes_options else None
        if option == "none":
            return found
        takes_options = takes_options and word.value != "--"
        if isinstance(option, Source):
            found.append(option)
        if isinstance(option, Source) and option.kind in ("text", "module", "stdin") and not kind.filters:
            return found
        if option is None and not (kind.filters and found):
            found.append(Source("text" if kind.filters else "file", kind.language, word))
        if option is None and kind.language != "jq":
            return found
    is_complete = kind.filters or any(source.kind == "file" for source in found)
    return found if is_complete else [*found, Source("stdin", kind.language)]


def _option(kind: _Interpreter, word: Word, rest: list[Word]) -> Source | Literal["skip", "none"] | None:
    """What a word of an interpreter means as an option; takes its value from `rest`. None: it is an argument."""
    value = word.value
    if value is None:
        return None
    name, sign, joined = value.partition("=") if value.startswith("--") else (value, "", "")
    for role in ("text", "file", "module", "loads"):
        if match := re.fullmatch(getattr(kind, role), name):
            attached = joined if sign else next(filter(None, match.groups()), None)
            given = word._replace(text=attached, value=attached) if attached else rest.pop(0) if rest else None
            return Source("load" if role == "loads" else role, kind.language, given)  # type: ignore[arg-type]
    if re.fullmatch(kind.values, value):
        del rest[: 2 if kind.language == "jq" and value != "-L" else 1]
        return "skip"
    if value in _INFORMATION:
        return "none"
    if kind.language == "shell" and re.fullmatch("-[a-z]*s[a-z]*", value):
        return Source("stdin", "shell")
    if value == "-" and kind.language != "shell" and not kind.filters:
        return Source("stdin", kind.language)
    return "skip" if value[:1] in ("-", "+") or ((kind is _NODE or value == "run") and value in _RUNNERS) else None


def script_word(words: Sequence[Word]) -> tuple[Word, bool] | None:
    """The word that names a script, and whether this is itself the program; `words` begin with the program."""
    program = words[0].value if words else None
    if program is None:
        return None
    if not is_interpreter(program):
        return (words[0], True) if "/" in program else None
    file = next((source.word for source in sources(words) if source.kind == "file" and source.word), None)
    if file is None or file.value is None or FETCHED.match(file.value):
        return None
    return (file, False) if "/" in file.value or os.path.splitext(file.value)[1] in SUFFIXES else None


def shell_text(words: Sequence[Word]) -> Word | None:
    """The word that a shell reads as a command: `bash -c TEXT`, `eval TEXT`, `trap TEXT`; `words` begin with the program."""
    program = words[0].value if words else None
    if program in ("eval", "trap"):
        return _joined(words[1:] if program == "eval" else words[1:2])
    if program is None or not _SHELL.fullmatch(os.path.basename(program)):
        return None
    return next((source.word for source in sources(words) if source.kind == "text"), None)


def _joined(words: Sequence[Word]) -> Word | None:
    """Words as one text, whose value is unknown if one of theirs is."""
    if len(words) < 2:
        return words[0] if words else None
    values = [word.value for word in words]
    value = None if None in values else " ".join(filter(None, values))
    text, span = " ".join(word.text for word in words), (words[0].span[0], words[-1].span[1])
    return words[0]._replace(text=text, span=span, value=value)


def without_options(words: Sequence[Word], arguments: int, with_value: Sequence[str]) -> list[Word]:
    """The words behind the options and the first arguments of a program."""
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0)
        split = _SPLIT.fullmatch(option.value or "")
        if split and "-u" in with_value:
            text = option._replace(value=split[1]) if split[1] else rest.pop(0) if rest else option
            return [*_split(text), *rest]
        if option.text in with_value and rest:
            rest.pop(0)
    return rest[arguments:]


def _split(text: Word) -> list[Word]:
    try:
        values: list[str | None] = [*shlex.split(text.value)] if text.value is not None else [None]
    except ValueError:
        values = [None]
    return [text._replace(text=value or text.text, value=value) for value in values]


def is_interpreter(program: str) -> bool:
    """Whether a program, by name or path, runs scripts."""
    kind = _interpreter(os.path.basename(program))
    return kind is not None and not kind.filters


@lru_cache(maxsize=256)  # scripts name few programs, and often
def _interpreter(program: str) -> _Interpreter | None:
    return next((kind for kind in _INTERPRETERS if re.fullmatch(kind.names, program)), None)
