"""Private copies of approved hooks, written from the very bytes that were hashed: they run in place of the project's files.

A copy keeps the layout of what the approval covers, so that scripts find their neighbors. It is named by the digest and never
changes.
"""

from __future__ import annotations

import errno
import os
import re
import time

from hooktui.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import IO

    Begin = Callable[[str, str], Callable[[bytes], object]]  # with the name and kind of a file; returns what takes its bytes

_TAKEN = (errno.ENOTEMPTY, errno.EEXIST)
_SCANNED = 1024 * 1024  # bytes of a file that is searched for secrets

_DRAFT_S = 3600.0


# How scripts name their own file, and how they look outside its directory or go there.
_OWN_FILE = re.compile(
    r"\$\{?0\b|BASH_SOURCE|__file__|__dirname|__filename|import\.meta|sys\.argv\[0\]|process\.argv\[1\]|PSScriptRoot|__DIR__"
)
_UP = re.compile(r"\.\.(?=/|[\"'])|\.parent\b(?!s)|dirname\W{1,9}(?:[\w.]{1,40}\W{1,9})??dirname")
_GO = re.compile(
    r"(?:^|&&|\|\||;)[ \t]{0,80}(?:cd|pushd) [^\n]{0,200}?(?:dirname|\$\{?0)|os\.chdir\(|process\.chdir\(|\.parents\[",
    re.MULTILINE,
)
_PACKAGE = re.compile(r"""(?:\brequire\(|\bimport\(|\bfrom|\bimport)\s*["'`](?!\.|node:|bun:)[@\w]""")  # in node_modules above
_JAVASCRIPT = (".js", ".mjs", ".cjs", ".ts", ".mts")


class NotCopiedError(Exception):
    """The hook runs in place: a file of it holds a secret, of which hooktui makes no copies, or needs its place."""


def directory() -> str:
    """The directory of all copies, and of the snapshots to review."""
    return os.path.join(paths.state_dir(), "approved")


def make(digest: str, fill: Callable[[Begin], str]) -> str:
    """Make the copy with a digest, unless there is one; its path, "" if the content has another digest by now.

    `fill` copies and hashes the files: it begins each and returns the digest of all. Copies below the system's temporary
    directory if the state cannot be written. Raises OSError, and NotCopiedError.
    """
    name = digest.removeprefix("sha256:")
    for parent in (directory, _temporary):
        target = os.path.join(parent(), name)
        if os.path.isdir(target):
            return target
        try:
            return target if _write(digest, target, fill) else ""
        except OSError as fault:
            error = fault
    raise error


def remove_unused(digests: Collection[str]) -> None:
    """Remove the copies of content that is no longer approved."""
    known = {digest.removeprefix("sha256:") for digest in digests}
    try:
        names = os.listdir(directory())
    except OSError:
        return
    for name in names:
        path = os.path.join(directory(), name)
        # Another process may still write a recent draft
        if name not in known and os.path.isdir(path) and not ("." in name and time.time() - os.stat(path).st_mtime < _DRAFT_S):
            _remove(path)


def _temporary() -> str:
    return os.path.join(paths.temporary_dir(), "approved")


def _write(digest: str, target: str, fill: Callable[[Begin], str]) -> bool:
    """Write a copy through a draft and a rename; whether the content had this digest."""
    draft = f"{target}.{os.getpid()}"
    _remove(draft)
    paths.make_directories(draft)
    try:
        copy = _Copy(draft)
        if fill(copy.begin) != digest:
            return False
        copy.finish()
        try:
            os.rename(draft, target)
        except OSError as error:
            if error.errno not in _TAKEN:  # another process has made it
                raise
        return True
    finally:
        _remove(draft)


class _Copy:
    """A tree that is written while it is hashed. Directories and files that only their owner reads, and nobody writes."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._modes: dict[str, int] = {}  # of each file, by path
        self._links: dict[str, bytearray] = {}  # to directories, by path
        self._file: IO[bytes] | None = None

    def begin(self, name: str, kind: str) -> Callable[[bytes], object]:
        """Begin a file; returns the function that takes its content."""
        self._close()
        path = os.path.join(self._root, name)
        if kind == "link":
            return self._links.setdefault(path, bytearray()).extend
        if kind not in ("plain", "executable"):
            return bool  # nothing is copied of a pipe or an unreadable file
        paths.make_directories(os.path.dirname(path))
        self._modes[path] = 0o500 if kind == "executable" else 0o400
        self._file = open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")  # noqa: SIM115
        return self._file.write

    def finish(self) -> None:
        """Complete the tree. Raises NotCopiedError."""
        self._close()
        for path, target in self._links.items():
            self._link(path, os.fsdecode(bytes(target)))
        for path, mode in self._modes.items():
            _require_movable(path, os.path.relpath(path, self._root))
            os.chmod(path, mode)
        for directory, _, _ in os.walk(self._root, topdown=False):
            os.chmod(directory, 0o500)

    def _link(self, path: str, target: str) -> None:
        """Make a link to a directory of the tree, unless the files below it were copied as if it were a directory."""
        inside = os.path.join(os.path.realpath(os.path.join(os.path.dirname(path), target)), "")
        if not os.path.lexists(path) and inside.startswith(os.path.join(os.path.realpath(self._root), "")):
            paths.make_directories(os.path.dirname(path))
            os.symlink(target, path)

    def _close(self) -> None:
        if self._file:
            self._file.close()
            self._file = None


def _require_movable(path: str, name: str) -> None:
    """Raise NotCopiedError for a file with a secret, or one that works only in its place."""
    from hooktui.runner.redaction import redact

    if os.path.getsize(path) > _SCANNED:
        return
    with open(path, "rb") as file:
        text = file.read().decode(errors="replace")
    is_module = name.endswith(_JAVASCRIPT) and _PACKAGE.search(text)
    goes = _OWN_FILE.search(text) and (
        _GO.search(text) or any(_levels(line) > name.count(os.sep) for line in text.splitlines())
    )
    if is_module or goes or redact(text) != text:
        raise NotCopiedError


def _levels(line: str) -> int:
    """How many directories a line goes up from the script's own, at most; the first parent is the script's directory."""
    return len(_UP.findall(line)) - (".parent" in line)


def _remove(tree: str) -> None:
    for directory, _, _ in os.walk(tree):
        os.chmod(directory, 0o700)
    for directory, below, names in os.walk(tree, topdown=False):
        for name in names:
            os.unlink(os.path.join(directory, name))
        for name in below:
            path = os.path.join(directory, name)
            (os.unlink if os.path.islink(path) else os.rmdir)(path)
    if os.path.isdir(tree):
        os.rmdir(tree)
