"""Lines at the top of a script that check what the hook's host does not: the tool's name and a pattern in its input."""

from __future__ import annotations

import ast
import io
import itertools
import os
import re
import shlex
import textwrap
from typing import TYPE_CHECKING, Literal, NamedTuple

from hooktui import hosts
from hooktui.core import events
from hooktui.edit import matcher_translation
from hooktui.edit.locate_entry import HOSTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hooktui.core.model import Hook

Language = Literal["sh", "py"]

_LANGUAGES: tuple[tuple[Language, re.Pattern[str]], ...] = (
    ("sh", re.compile(r"(?:ba|da|k|z)?sh")),
    ("py", re.compile(r"python[0-9.]*")),
)
_COMMENTS = re.compile(r"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*")
_WHY = "# {host} does not check this itself: skip events this hook does not match.\n"
# Matches as a HOOK.md does (formats.md §2): a regex in any text of a tool's input, at any depth.
_MATCHES = """\
values = [event.get("tool_input", event.get("toolArgs"))]
for value in values:
    values += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
texts = (value if isinstance(value, str) else json.dumps(value) for value in values if isinstance(value, (str, int, float)))
name = event.get("tool_name", event.get("toolName")) or ""
matches = re.search(tool, name) and (not pattern or any(re.search(pattern, text) for text in texts))
"""
# The hook runs if anything fails, even without python3. Its stdin is restored.
_SH = """\
event=$(cat)
printf '%s' "$event" | python3 -I -c '
import json, re, sys
event, (tool, pattern) = json.load(sys.stdin), sys.argv[1:]
{check}sys.exit(0 if matches else 3)' {tool} {pattern} || [ $? != 3 ] || exit 0
exec <<EVENT
$event
EVENT
unset event

"""
_PY = """\
def _skip_other_events(tool, pattern):
    import json, os, re, sys, tempfile

    with tempfile.TemporaryFile() as held:
        held.write(sys.stdin.buffer.read())
        held.seek(0)
        event = json.load(held)
{check}        if not matches:
            sys.exit(0)
        held.seek(0)
        os.dup2(held.fileno(), 0)
    sys.stdin = open(0, encoding="utf-8", closefd=False)


_skip_other_events({tool}, {pattern})

"""


class ShimFilter(NamedTuple):
    """Regexes, searched in a tool's name and in the values of its input; None to accept everything."""

    tool: str | None
    pattern: str | None


def shim_filter(hook: Hook, host: str) -> ShimFilter:
    """Return what a hook matches and another host does not check.

    A list of tools gets their names in every host, so that the script keeps working when its hook is converted again.
    """
    if hook.event not in events.TOOL_EVENTS or hook.format == host:
        return ShimFilter(None, None)
    tool = None
    if not hosts.spec(host).matcher.is_read:
        tool = matcher_translation.in_every_host(matcher_translation.searched_regex(hook), hook.format, host)
    return ShimFilter(tool, None if hosts.spec(host).matcher.rule == "search" else hook.pattern)


def language(text: str, interpreter: Sequence[str]) -> Language | None:
    """Tell a script's language from its first line or its interpreter; None if the shim does not know the language."""
    first = text.partition("\n")[0]
    words = [os.path.basename(word) for word in (first[2:].split() if first.startswith("#!") else interpreter)]
    return next((name for name, pattern in _LANGUAGES if any(map(pattern.fullmatch, words))), None)


def add_shim(text: str, language: Language, wanted: ShimFilter, host: str) -> str:
    """Return a script that exits early on events that `wanted` does not match; unchanged if it matches everything."""
    if not any(wanted):
        return text
    text = text.removeprefix("\ufeff")  # a byte order mark is one only at the start of a file
    tool, pattern = (regex or "" for regex in wanted)
    if language == "sh":
        lines, at = _SH.format(check=_MATCHES, tool=shlex.quote(tool), pattern=shlex.quote(pattern)), _after_shebang(text)
    else:
        check = textwrap.indent(_MATCHES, " " * 8)
        lines, at = _PY.format(check=check, tool=repr(tool), pattern=repr(pattern)), _after_futures(text)
    before = text[:at] if not at or text[:at].endswith("\n") else text[:at] + "\n"
    return before + _WHY.format(host=HOSTS[host]) + lines + text[at:]


def _after_comments(text: str) -> int:
    """Find the end of a Python script's first comments, one of which may declare its encoding."""
    comments = _COMMENTS.match(text)
    return max(comments.end() if comments else 0, _after_shebang(text))


def _after_shebang(text: str) -> int:
    return text.find("\n") + 1 or len(text) if text.startswith("#!") else 0


def _after_futures(text: str) -> int:
    """Find the first line after a Python script's docstring and its `from __future__` imports."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return _after_comments(text)
    last = 0
    for node in body:
        is_docstring = node is body[0] and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        last = node.end_lineno or 0
    if not last:
        return _after_comments(text)
    return sum(map(len, itertools.islice(io.StringIO(text, newline=""), last)))  # split as Python does
