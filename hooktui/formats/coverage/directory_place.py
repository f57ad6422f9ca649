"""What in the files of a HOOK.md directory works only from its place in the project."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from hooktui.formats import files
from hooktui.formats.coverage import script_loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Hook

_TEXT_LIMIT: Final = 1024 * files.KIB  # of a file that is searched
# How scripts name their own file.
_OWN_FILE = re.compile(
    r"\$\{?0\b|BASH_SOURCE|__file__|__dirname|__filename|import\.meta|sys\.argv\[0\]|process\.argv\[1\]|PSScriptRoot|__DIR__"
)
_UP = re.compile(r"\.\.(?:/\.\.)*")
_PARENTS = re.compile(r"\.parents\[(\d{1,3})\]")
_PARENT = re.compile(r"(?:\.parent\b(?!s))+")
_NESTED = re.compile(r"dirname\W{1,9}(?:[\w.]{1,40}\W{1,9})??dirname")
_GO = re.compile(
    r"(?:^|&&|\|\||;)[ \t]{0,80}(?:cd|pushd) [^\n]{0,200}?(?:dirname|\$\{?0)|os\.chdir\(|process\.chdir\(", re.MULTILINE
)


def bound_of(hook: Hook, root: str) -> Iterator[str]:
    """What in the files of a HOOK.md directory, or its copy, works only from its place in the project."""
    for directory, _, names in os.walk(root):
        for name in sorted(names):
            path = os.path.join(directory, name)
            shown = os.path.relpath(path, root)
            text = _text(path)
            if script_loads.is_javascript(path, text) and not os.path.isdir(os.path.join(root, "node_modules")):
                yield from (reason for reason in script_loads.of_javascript(path, text, root).bound if "package" in reason)
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
