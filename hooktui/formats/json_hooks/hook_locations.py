"""The places where a host looks for hooks when it is started in a directory: its files, directories and Markdown files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.core import fast_json, paths
from hooktui.core import project as projects
from hooktui.formats.asked_once import ask
from hooktui.formats.files import KIB, UnreadableFileError, names, read_text, real
from hooktui.hosts.shared.places import HookFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hooktui.core.model import Scope
    from hooktui.hosts import Host

_SKILL = "SKILL.md"
_LIMIT = 1024 * KIB  # of a manifest


class Location(NamedTuple):
    """An absolute path at which a host looks for hooks. `base` is the directory that relative commands start from.

    `off` says why the host does not read it here; the hooks are listed as not enabled. `is_mistaken`: people believe that the
    host reads it, and it never does.
    """

    path: str
    files: HookFiles
    base: str
    off: str = ""
    is_mistaken: bool = False

    @property
    def scope(self) -> Scope:
        return self.files.scope


def locations(spec: Host, directory: str) -> Iterator[Location]:
    """The locations for a host that is started in a directory, in the order of precedence, without duplicates."""
    directory = ask(paths.canonical, directory)
    root = ask(projects.root, directory)
    known: set[str] = set()
    for files in spec.files:
        for base, off in _bases(spec, files, directory, root):
            path = spec.in_home(files.path) if files.path.startswith(("~/", "/")) else os.path.join(base, files.path)
            if (target := real(path)) not in known:  # if the project is the home directory, its files are the user's
                known.add(target)
                yield Location(path=path, files=files, base=base, off=off or _replaced(spec, files, base))


def beside(spec: Host, directory: str, own: Iterable[Location]) -> Iterator[Location]:
    """The locations in a project that the host does not read there, beside its `own`: those of a plugin's own repository,
    where the usual file of several hosts counts once; and those where people believe that it reads hooks."""
    root = ask(projects.root, ask(paths.canonical, directory))
    for files in spec.plugin_files:
        for path in _plugin_files(root, files):
            if path != files.path or _plugin_host(root) == spec.name:
                off = f"{spec.title} runs it where the plugin is installed"
                yield Location(path=os.path.join(root, path), files=files, base=root, off=off)
    unread = [os.path.join(root, path) for path in spec.unread_files() if root != paths.home()]
    read = {real(location.path) for location in own} if unread else ()
    for path in (path for path in unread if real(path) not in read):
        files = HookFiles(scope="project", path=os.path.relpath(path, root), below="root")
        off = f"{spec.title} does not read this file"
        yield Location(path=path, files=files, base=root, off=off, is_mistaken=True)


def switches(spec: Host, directory: str) -> Iterator[Location]:
    """The files of other hosts that may switch off all hooks of the host."""
    root = ask(projects.root, ask(paths.canonical, directory))
    for files in (files for reads in spec.reads for files in reads.switch_files):
        yield Location(path=os.path.join(root, files.path), files=files, base=root)


def manifests(spec: Host) -> tuple[str, ...]:
    """The paths of the manifest in the repository of a plugin."""
    own = (files.manifest for files in spec.plugin_files)
    return (*own, spec.plugins.manifest) if spec.plugins else tuple(own)


def _plugin_host(root: str) -> str:
    """The first host whose plugin a directory is, "" if it is none."""
    found = (spec.name for spec in hosts.json_specs() for path in manifests(spec) if os.path.isfile(os.path.join(root, path)))
    return next(found, "")


def _plugin_files(root: str, files: HookFiles) -> Sequence[str]:
    """The hook files of a plugin's repository: those that its manifest names, else the usual one; none without a manifest.

    A path, or a list of paths, begins with `./`; an object brings hooks of its own, and other values nothing (Codex CLI, run).
    """
    try:
        named = fast_json.parse_object(read_text(os.path.join(root, files.manifest), _LIMIT)).get("hooks")
    except UnreadableFileError:
        return ()
    listed = named if isinstance(named, list) else [named]
    below = [path for path in listed if isinstance(path, str) and path.startswith("./") and ".." not in path.split("/")]
    if below or named == {} or any(isinstance(item, dict) and "hooks" in item for item in listed):
        return [os.path.normpath(path) for path in below]
    return (files.path,)


def _bases(spec: Host, files: HookFiles, directory: str, root: str) -> Iterator[tuple[str, str]]:
    """The directories that a relative path is looked up in, each with the reason why the host does not read it there."""
    if os.path.isabs(files.path) or files.path.startswith("~/"):
        yield paths.home() if files.scope == "user" else directory, ""
    elif files.below == "root":
        yield root, ""
    elif files.below == "main":
        yield projects.main_checkout(root) or root, ""
    elif files.below in ("upward", "above"):
        yield from ((base, "") for base in _upward(root, directory, files))
    else:
        if root != directory and files.scope == "project":
            yield root, f"{spec.title} does not read this file when it is started in {paths.near(directory, root)}"
        yield directory, ""


def _replaced(spec: Host, files: HookFiles, base: str) -> str:
    """Why the host reads another file instead of these, "" if it does not."""
    other = spec.read_unless(files)
    path = spec.in_home(other) if other.startswith("~/") else os.path.join(base, other)
    exists = other and os.path.lexists(path)
    return f"{spec.title} reads {paths.short(path)} instead, and no hooks in this file" if exists else ""


def _upward(root: str, directory: str, files: HookFiles) -> tuple[str, ...]:
    """The directories from the repository's root to a directory; outside a repository this, and those above it with hooks."""
    if os.path.lexists(os.path.join(root, ".git")):
        return projects.between(root, directory)
    above = projects.above(directory) if files.below == "above" else ()
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
