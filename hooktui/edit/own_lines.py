"""The lines by which a script looks for a tool itself, as hooktui writes them: found again, and put into other hosts' words."""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.edit import matcher_translation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hooktui.edit.file_steps import File

# Words as `shlex.quote` and `repr` write them.
_SH = r"'(?:[^']|'\"'\"')*'|[\w@%+=:,./-]+"
_PY = r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\""
# What `editing.templates` and `looking` write: each a regex whose only group is the word for the tool, and how that is read
# and written.
_LINES: tuple[tuple[re.Pattern[str], Callable[[str], str], Callable[[str], str]], ...] = tuple(
    (re.compile(line), read, write)
    for read, write, lines in (
        (
            lambda word: shlex.split(word)[0],
            shlex.quote,
            (rf"\[ \"\$\(finds ({_SH}) tool_name\)\" = no \] && exit 0", rf"sys\.exit\(0 if found else 3\)' ({_SH}) "),
        ),
        (ast.literal_eval, repr, (rf"if not finds\(({_PY}), event\.get\(\"tool_name\"\)\):", rf"\n_look_first\(({_PY}), ")),
    )
    for line in lines
)


def tools(text: str) -> Iterator[str]:
    """The regexes for tools that a script looks for in such lines."""
    return (regex for line, read, _ in _LINES for found in line.finditer(text) if (regex := read(found[1])))


def without(text: str) -> str:
    """A script but for such lines."""
    for line, _, _ in _LINES:
        text = line.sub("", text)
    return text


def renamed(text: str, source: str, target: str) -> str:
    """A script that looks in such lines for the tools of one format's hosts, looking for those of another's."""
    for line, read, write in _LINES:

        def words(found: re.Match[str], read: Callable[[str], str] = read, write: Callable[[str], str] = write) -> str:
            start, end = (at - found.start() for at in found.span(1))
            regex = matcher_translation.translated(read(found[1]), source, target)
            return f"{found[0][:start]}{write(regex or '')}{found[0][end:]}"

        text = line.sub(words, text)
    return text


def all_renamed(files: Iterable[File], source: str, target: str) -> tuple[File, ...]:
    """Files with each script `renamed`; what is no text stays as it is."""
    return tuple(_file(one, source, target) for one in files)


def _file(file: File, source: str, target: str) -> File:
    try:
        return replace(file, content=renamed(file.content.decode(), source, target).encode())
    except UnicodeDecodeError:
        return file
