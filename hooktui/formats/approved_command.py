"""The command that runs an approved hook from its private copy, and what in its files needs the place in the project."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hooktui.core.model import HookDirectory
from hooktui.formats import files
from hooktui.formats.agenthooks import entry_script

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Hook

_TEXT_LIMIT: Final = 1024 * files.KIB  # of a file that is searched
# How scripts name their own file.
_OWN_FILE = re.compile(
    r"\$\{?0\b|BASH_SOURCE|__file__|__dirname|__filename|import\.meta|sys\.argv\[0\]|process\.argv\[1\]|PSScriptRoot|__DIR__"
)
_UP = re.compile(r"\.\.(?:/\.\.)*")
_PARENTS = re.compile(r"\.parents\[(\d+)\]")
_PARENT = re.compile(r"(?:\.parent\b(?!s))+")
_NESTED = re.compile(r"dirname\W+(?:[\w.]+\W+)??dirname")
_GO = re.compile(r"(?:^|&&|\|\||;)\s*(?:cd|pushd)\s+[^\n]*(?:dirname|\$\{?0)|os\.chdir\(|process\.chdir\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ApprovedCommand:
    """How an approved hook runs. `in_place`: from the project, as its files need their place there.

    `gaps` say what the approval does not cover.
    """

    argv: tuple[str, ...]
    gaps: tuple[str, ...] = ()
    in_place: bool = False


def has_files(hook: Hook) -> bool:
    """Whether a hook starts files that its approval covers."""
    return isinstance(hook.source, HookDirectory) and hook.type == "command"


def read(hook: Hook, copy: str) -> ApprovedCommand:
    """The command of an approved hook with a private copy of its files."""
    gaps = tuple(_bound(hook, copy))
    if gaps:
        return ApprovedCommand(hook.argv, gaps, in_place=True)
    return ApprovedCommand(entry_script.find(copy).argv)


def _bound(hook: Hook, copy: str) -> Iterator[str]:
    """What in the files of a HOOK.md directory would not work from a copy."""
    for directory, _, names in os.walk(copy):
        for name in sorted(names):
            path = os.path.join(directory, name)
            shown = os.path.relpath(path, copy)
            text = _text(path)
            if not _OWN_FILE.search(text):
                continue
            if os.path.islink(os.path.join(hook.root, shown)):
                yield f"{shown} is a link and looks for its own path"
            elif _GO.search(text):
                yield f"{shown} changes to its own directory"
            elif _climbs(text) > shown.count(os.sep):
                yield f"{shown} looks for files above the hook's directory"


def _climbs(text: str) -> int:
    """How many directories a script goes up from its own, at most."""
    return max((_climbs_in(line) for line in text.splitlines()), default=0)


def _climbs_in(line: str) -> int:
    levels = sum(match[0].count("..") for match in _UP.finditer(line) if "/" in line)
    levels += sum(int(match[1]) for match in _PARENTS.finditer(line))
    levels += sum(match[0].count(".parent") - 1 for match in _PARENT.finditer(line))
    return levels + len(_NESTED.findall(line))


def _text(path: str) -> str:
    try:
        return files.read_text(path, _TEXT_LIMIT)
    except files.Unreadable:
        return ""
