"""The version of a hook, and the text of the scripts it starts, as the log keeps them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256

from hooktui.core.model import Hook
from hooktui.formats import files
from hooktui.runner.redaction import capped

_READ_LIMIT = 1024 * files.KIB  # of a script; the version of a larger one also covers its size


def read(path: str) -> bytes:
    """Read a script for a version: its content, a NUL and its size. Raises UnreadableFileError."""
    held, size = files.read_bytes(path, _READ_LIMIT)
    return held + b"\0%d" % size


def content(covered: bytes) -> bytes:
    """The content of a script returned by `read`."""
    return covered.rpartition(b"\0")[0]


def text(scripts: Iterable[tuple[str, bytes]]) -> str:
    """Join scripts (name, result of `read`), each below its name. Compiled programs are left out."""
    return "".join(f"\n{part}" for name, covered in scripts for part in _part(name, covered))


def version(identity: Iterable[str], scripts: Iterable[bytes]) -> str:
    """The SHA-256 of a hook's identity and its scripts."""
    return sha256("\0".join(identity).encode("utf-8", "surrogatepass") + b"\0".join(scripts)).hexdigest()


def with_scripts(hook: Hook, own: str) -> Hook:
    """Add the version and the text of the covered scripts to an entry's hook. `own` is the text of the entry."""
    if not hook.covers:
        return hook.replace(version=version((own,), ()))
    scripts = [(name, _read_or_nothing(os.path.join(hook.root, name))) for name in hook.covers]
    contents = [covered for _, covered in scripts]
    return hook.replace(version=version((own, *hook.covers, ""), contents), scripts_text=text(scripts))


def _part(name: str, covered: bytes) -> Iterable[str]:
    script = content(covered)
    try:
        return (f"--- {name}", capped(script.decode())) if script else ()
    except UnicodeDecodeError:
        return ()


def _read_or_nothing(path: str) -> bytes:
    try:
        return read(path)
    except files.UnreadableFileError:
        return b""
