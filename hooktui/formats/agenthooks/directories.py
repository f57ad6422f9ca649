"""The directories below a hook root: one a hook, links followed once (formats.md §2, "depth, links" and "file")."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field

from hooktui.core.model import Diagnostic, Fix
from hooktui.formats import files
from hooktui.formats.problems import Notes

HOOK_FILE = "HOOK.md"
OFF_FILE = "HOOK.md.off"  # what a HOOK.md is called while its hook is switched off: no host reads it


@dataclass(slots=True)
class Scan:
    """What stands below `root`: directories by name, the HOOK.md of each that has one, and what is wrong.

    A hook that is switched off has an OFF_FILE instead.

    `passed_over` may become a directory, or another one, without a change of the root: links and what is no directory.
    """

    root: str
    directories: list[str] = field(default_factory=list)
    hooks: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def watched(self) -> tuple[str, ...]:
        """Every path whose change would change this."""
        return (self.root, *self.directories, *self.passed_over)

    def error(self, code: str, message: str, path: str, fix: Fix | None = None) -> None:
        """Note that a path as a whole is wrong."""
        notes = Notes(path, "")
        notes.error(code, message, fix=fix)
        self.diagnostics.extend(notes.found)


def scan(root: str) -> Scan:
    """Look one level below `root`, which need not exist. Opens no file."""
    found = Scan(root)
    try:
        names, identity = os.listdir(root), _identity(os.stat(root))
    except FileNotFoundError as error:
        if os.path.islink(root):
            _refuse(found, root, error)
        return found
    except OSError as error:
        _refuse(found, root, error)
        return found
    found.directories = _once(root, names, {identity}, found)
    for directory in found.directories:
        _look_into(directory, found)
    return found


def _once(root: str, names: list[str], seen: set[tuple[int, int]], found: Scan) -> list[str]:
    """The directories by name, each real one once: one that stands here goes before a link to it."""
    kept: list[str] = []
    for path in sorted((os.path.join(root, name) for name in names if not name.startswith(".")), key=_links_last):
        status = _status(path, found)
        if status is None or not stat.S_ISDIR(status.st_mode) or _identity(status) in seen:
            found.passed_over.append(path)
            _report_oddity(path, root, status, found)
            continue
        seen.add(_identity(status))
        kept.append(path)
    return sorted(kept)


def _report_oddity(path: str, root: str, status: os.stat_result | None, found: Scan) -> None:
    """A file beside the hooks is no matter, nor a second link to one; what looks like a hook and cannot be one is."""
    if status is None or stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        if os.path.realpath(path) == os.path.realpath(root):
            found.error("broken-link", "leads back to the directory that it stands in: not followed", path)
    else:
        found.error("unreadable-file", "is neither a directory nor a file: no hook is read from it", path)


def _look_into(directory: str, found: Scan) -> None:
    try:
        names = files.names(directory)
    except OSError as error:
        _refuse(found, directory, error)
        return
    for name in (HOOK_FILE, OFF_FILE):
        if name in names:
            found.hooks.append(os.path.join(directory, name))
            return
    for name in sorted(names):
        if name.lower() == HOOK_FILE.lower():
            path, right = os.path.join(directory, name), os.path.join(directory, HOOK_FILE)
            fix = Fix(label=f"rename it to {HOOK_FILE}", kind="rename", path=path, new_path=right)
            found.error("misnamed-file", f"{name} is not loaded: the file must be called {HOOK_FILE}", path, fix)
            return


def _status(path: str, found: Scan) -> os.stat_result | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(path).decode("utf-8", "backslashreplace")
        found.error("unreadable-file", "the name is not UTF-8: not loaded", shown)
        return None
    try:
        return os.stat(path)
    except OSError as error:
        _refuse(found, path, error)
        return None


def _refuse(found: Scan, path: str, error: OSError) -> None:
    refused = files.unreadable(path, error)
    found.error(refused.code, str(refused), path)


def _links_last(path: str) -> tuple[bool, str]:
    return os.path.islink(path), path


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
