"""The version of a hook, and the text of the scripts it starts, as the log keeps them."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

from hooktui.formats import files
from hooktui.security.redaction import capped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.core.model import Hook

_READ_LIMIT = 1024 * files.KIB  # of a script; a larger one is told apart by its size too


def read(path: str) -> bytes:
    """A script as a version covers it: its content and, behind a NUL, its size. Raises Unreadable."""
    held, size = files.read_bytes(path, _READ_LIMIT)
    return held + b"\0%d" % size


def content(covered: bytes) -> bytes:
    """What a script that was `read` holds."""
    return covered.rpartition(b"\0")[0]


def text(scripts: Iterable[tuple[str, bytes]]) -> str:
    """The scripts of a hook (name and `read` content), each below its name, without compiled programs."""
    return "".join(f"\n{part}" for name, covered in scripts for part in _part(name, covered))


def version(identity: Iterable[str], scripts: Iterable[bytes]) -> str:
    """The SHA-256 of what identifies a hook and of its scripts."""
    return sha256("\0".join(identity).encode("utf-8", "surrogatepass") + b"\0".join(scripts)).hexdigest()


def with_scripts(hook: Hook, own: str) -> Hook:
    """The hook of an entry with its version and the text of the scripts that it covers; `own` identifies the entry."""
    if not hook.covers:
        return hook.replace(version=version((hook.id, hook.file, own), ()))
    scripts = [(name, _read_or_nothing(os.path.join(hook.root, name))) for name in hook.covers]
    names, contents = (*hook.covers, ""), [covered for _, covered in scripts]
    return hook.replace(
        version=version((hook.id, hook.file, own, *names), contents),
        scripts_text=text(scripts),
        scripts_digest=version(names, contents),
    )


def _part(name: str, covered: bytes) -> Iterable[str]:
    script = content(covered)
    try:
        return (f"--- {name}", capped(script.decode())) if script else ()
    except UnicodeDecodeError:
        return ()


def _read_or_nothing(path: str) -> bytes:
    try:
        return read(path)
    except files.Unreadable:
        return b""
