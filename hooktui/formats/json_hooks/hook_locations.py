"""The places where a host looks for hooks when it is started in a directory: its files, directories and Markdown files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.core.records import Record
from hooktui.formats.files import names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Scope
    from hooktui.hosts import HostSpec
    from hooktui.hosts.shared.places import HookFiles

_SKILL = "SKILL.md"


class Location(Record):
    """An absolute path at which a host looks for hooks. `base` is the directory that relative commands start from.

    `off` says why the host does not read it here; the hooks are listed as not enabled.
    """

    path: str
    files: HookFiles
    base: str
    off: str = ""

    @property
    def scope(self) -> Scope:
        return self.files.scope


def locations(spec: HostSpec, directory: str) -> Iterator[Location]:
    """The locations for a host that is started in a directory, in the order of precedence, without duplicates."""
    directory = paths.canonical(directory)
    known: set[str] = set()
    for files in spec.files:
        for base, off in _bases(spec, files, directory):
            path = spec.in_home(files.path) if files.path.startswith("~/") else os.path.join(base, files.path)
            if os.path.realpath(path) not in known:  # if the project is the home directory, its files are the user's
                known.add(os.path.realpath(path))
                yield Location(path=path, files=files, base=base, off=off or _replaced(spec, files, base))


def _bases(spec: HostSpec, files: HookFiles, directory: str) -> Iterator[tuple[str, str]]:
    """The directories that a relative path is looked up in, each with the reason why the host does not read it there."""
    root = projects.root(directory)
    if os.path.isabs(files.path) or files.path.startswith("~/"):
        yield paths.home() if files.scope == "user" else directory, ""
    elif files.below == "root":
        yield root, ""
    elif files.below == "main":
        yield projects.main_checkout(root) or root, ""
    elif files.below == "upward":
        yield from ((base, "") for base in _upward(root, directory, files))
    else:
        if root != directory and files.scope == "project":
            yield root, f"{spec.title} does not read this file when it is started in {paths.near(directory, root)}"
        yield directory, ""


def _replaced(spec: HostSpec, files: HookFiles, base: str) -> str:
    """Why the host reads another file instead of these, "" if it does not."""
    path = spec.in_home(files.unless) if files.unless.startswith("~/") else os.path.join(base, files.unless)
    exists = files.unless and os.path.lexists(path)
    return f"{spec.title} reads {paths.short(path)} instead, and no hooks in this file" if exists else ""


def _upward(root: str, directory: str, files: HookFiles) -> tuple[str, ...]:
    """The directories from the repository's root to a directory; outside a repository this, and those above it with hooks."""
    if os.path.lexists(os.path.join(root, ".git")):
        return projects.between(root, directory)
    above = projects.above(directory) if files.beyond else ()
    # Others are not watched for new hooks: in a directory such as `/tmp` something changes all the time.
    return (*(base for base in above if os.path.isdir(os.path.join(base, files.path))), directory)


def plugin_paths(pattern: str) -> list[str]:
    """The files of installed plugins that a path with `*` in place of a plugin's name means, by name."""
    above, _, below = pattern.partition("*")
    return [path for name in _paths(above) if os.path.lexists(path := name + below)]


def json_paths(directory: str) -> list[str]:
    """The JSON files of a directory, by name."""
    return [path for path in _paths(directory) if path.endswith(".json") and not os.path.basename(path).startswith(".")]


def skills(directory: str) -> list[str]:
    """The files of the skills in a directory, by name."""
    return [path for name in _paths(directory) if os.path.isfile(path := os.path.join(name, _SKILL))]


def markdown_paths(directory: str) -> tuple[list[str], list[str]]:
    """The Markdown files in a directory and below it, by name, and the directories."""
    files: list[str] = []
    directories = [directory]
    for below, inside, file_names in os.walk(directory):
        inside.sort()
        directories += [os.path.join(below, name) for name in inside]
        files += [os.path.join(below, name) for name in sorted(file_names) if name.endswith(".md")]
    return files, directories


def _paths(directory: str) -> list[str]:
    try:
        return [os.path.join(directory, name) for name in sorted(names(directory))]
    except OSError:
        return []
