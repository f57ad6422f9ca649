"""The files that a script sources, imports or starts from where it stands, told by the names in its text."""

from __future__ import annotations

import glob
import os
import re
from typing import TYPE_CHECKING, Final

from hooktui.core import paths
from hooktui.formats import files

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIMIT: Final = 64 * files.KIB  # of a file that is read
_MOST: Final = 16  # files
_UP: Final = 5  # directories: from a HOOK.md's script to the project's root
_VARIABLE: Final = re.compile(r"\$\{?\w+[^}/\s\"']*\}?/|__dirname/")
_NAMED: Final = re.compile(r"(?<![\w@.-])(?:\.\.?/|[\w@-]{1,99}/){0,9}[\w@.-]{1,99}\.(?:sh|bash|zsh|py|[cm]?js|ts|rb|p[lm])\b")
_IMPORTED: Final = re.compile(r"^[ \t]*(?:from|import)[ \t]+\.*(\w+)", re.MULTILINE)  # in Python
_REQUIRED: Final = re.compile(r"""(?:\brequire\(|\bfrom|\bimport)\s*["'](\.{1,2}/[^"']+)["']""")  # in JavaScript


def texts(script: str) -> Iterator[str]:
    """The text of a script, and of all that it takes in from beside it; of what is no text, nothing."""
    seen, left = {os.path.realpath(script)}, [script]
    while left and len(seen) <= _MOST:
        path = left.pop()
        text = _text(path)
        yield text
        fresh = [one for one in named(path, text) if os.path.realpath(one) not in seen]
        seen.update(map(os.path.realpath, fresh))
        left += fresh


def named(script: str, text: str) -> Iterator[str]:
    """The files that a script's text names, as far as they are there: by absolute path, in no order that means anything."""
    directory = os.path.dirname(script)
    for name in dict.fromkeys(_NAMED.findall(_VARIABLE.sub("./", text))):
        yield from _first(os.path.join(place, name) for place in _places(directory))
    for module in dict.fromkeys(_IMPORTED.findall(text)):
        yield from _first(path for place in _places(directory, 2) for path in _modules(place, module))
    for module in dict.fromkeys(_REQUIRED.findall(text)):
        path = os.path.join(directory, module)
        yield from _first(f"{path}{end}" for end in ("", ".js", ".cjs", ".mjs", ".ts", "/index.js"))


def _places(directory: str, most: int = _UP) -> Iterator[str]:
    """A directory and those around it, to where a variable may have led: up to a repository's root, and below the home."""
    for _ in range(most):
        if directory in ("/", paths.home()):
            return
        yield directory
        if os.path.exists(os.path.join(directory, ".git")):
            return
        directory = os.path.dirname(directory)


def _modules(place: str, module: str) -> Iterator[str]:
    """Where a module of Python may be: here, or in a directory that a script puts on its path."""
    for pattern in (f"{module}.py", os.path.join(module, "__init__.py"), os.path.join("*", f"{module}.py")):
        yield from sorted(glob.glob(os.path.join(glob.escape(place), pattern)))


def _first(paths: Iterator[str]) -> Iterator[str]:
    found = next((os.path.normpath(path) for path in paths if os.path.isfile(path)), None)
    yield from [found] if found else []


def _text(path: str) -> str:
    try:
        return files.read_text(path, _LIMIT)
    except files.Unreadable:
        return ""
