"""What a hook's host does not look for before it runs the hook, looked for by the hook's script itself, in its first lines."""

from __future__ import annotations

import ast
import io
import itertools
import os
import re
import shlex
import textwrap
from typing import TYPE_CHECKING, Literal, NamedTuple

from hooktui.core import events
from hooktui.edit import matcher_translation
from hooktui.edit.locate_entry import HOSTS
from hooktui.formats.json_hooks import dialects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Hook

Language = Literal["sh", "py"]

_LANGUAGES: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("sh", re.compile(r"(?:ba|da|k|z)?sh")),
    ("py", re.compile(r"python[0-9.]*")),
)
_COMMENTS = re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*")
_WHY = "# {host} does not look for this itself: what is not found here is none of this hook's business.\n"
# Finds what a HOOK.md finds (formats.md §2): a regex in any text of a tool's input, at any depth.
_FINDS = """\
values = [event.get("tool_input", event.get("toolArgs"))]
for value in values:
    values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
texts = (value if isinstance(value, str) else json.dumps(value) for value in values if isinstance(value, (str, int, float)))
found = re.search(tool, event.get("tool_name") or "") and (not pattern or any(re.search(pattern, text) for text in texts))
"""
# Whatever goes wrong, also where there is no python3, the guard runs. What it reads is there once more.
_SH = """\
event=$(cat)
printf '%s' "$event" | python3 -I -c '
import json, re, sys
event, (tool, pattern) = json.load(sys.stdin), sys.argv[1:]
{finds}sys.exit(0 if found else 3)' {tool} {pattern} || [ $? != 3 ] || exit 0
exec <<EVENT
$event
EVENT
unset event

"""
_PY = """\
def _look_first(tool, pattern):
    import json, os, re, sys, tempfile

    with tempfile.TemporaryFile() as held:
        held.write(sys.stdin.buffer.read())
        held.seek(0)
        event = json.load(held)
{finds}        if not found:
            sys.exit(0)
        held.seek(0)
        os.dup2(held.fileno(), 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)


_look_first({tool}, {pattern})

"""


class Sought(NamedTuple):
    """Regexes, searched in a tool's name and in the values of its input; None where there is nothing to look for."""

    tool: str | None
    pattern: str | None


def sought(hook: Hook, host: str) -> Sought:
    """What a hook listens to and another host does not look for, in that host's names of tools."""
    if hook.event not in events.TOOL_EVENTS or hook.format == host:
        return Sought(None, None)
    dialect = dialects.DIALECTS.get(host)
    tool = matcher_translation.translated(matcher_translation.searched(hook), hook.format, host)
    return Sought(tool if dialect and not dialect.reads_matcher else None, None if host == "agenthooks" else hook.pattern)


def language(text: str, interpreter: Sequence[str]) -> Language | None:
    """What a script is written in, by its first line or else by what runs it; None where no lines can be put before it."""
    first = text.partition("\n")[0]
    words = [os.path.basename(word) for word in (first[2:].split() if first.startswith("#!") else interpreter)]
    return next((name for name, pattern in _LANGUAGES if any(map(pattern.fullmatch, words))), None)


def begun(text: str, written_in: Language, sought: Sought, host: str) -> str:
    """A script that looks first; one that has nothing to look for as it is. `host` is what a person calls its host."""
    if not any(sought):
        return text
    text = text.removeprefix("\ufeff")  # in the middle of a script it would be no mark any more
    tool, pattern = (regex or "" for regex in sought)
    if written_in == "sh":
        lines, at = _SH.format(finds=_FINDS, tool=shlex.quote(tool), pattern=shlex.quote(pattern)), _behind_shebang(text)
    else:
        finds = textwrap.indent(_FINDS, " " * 8)
        lines, at = _PY.format(finds=finds, tool=repr(tool), pattern=repr(pattern)), _behind_futures(text)
    before = text[:at] if not at or text[:at].endswith("\n") else text[:at] + "\n"
    return before + _WHY.format(host=HOSTS[host]) + lines + text[at:]


def _behind_comments(text: str) -> int:
    """Where a Python script's first comments end, one of which may tell its encoding."""
    found = _COMMENTS.match(text)
    return max(found.end() if found else 0, _behind_shebang(text))


def _behind_shebang(text: str) -> int:
    return text.find("\n") + 1 or len(text) if text.startswith("#!") else 0


def _behind_futures(text: str) -> int:
    """Where the first line can stand in a Python script: its docstring and what it imports from the future come before."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return _behind_comments(text)
    last = 0
    for node in body:
        is_docstring = node is body[0] and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        last = node.end_lineno or 0
    if not last:
        return _behind_comments(text)
    return sum(map(len, itertools.islice(io.StringIO(text, newline=""), last)))  # whose lines are those of Python
