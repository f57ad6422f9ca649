"""The version of a hook, `CONTENT-PLACE`, and the text of the scripts it starts, as the log keeps them.

CONTENT is a hash of the hook's settings and of the files that it loads, so that equal hooks are equal on every machine. PLACE
tells them apart in the log.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import sha256

from hooktui.core import paths
from hooktui.core.model import Hook
from hooktui.formats import files
from hooktui.runner.redaction import capped

_READ_LIMIT = 1024 * files.KIB  # of a script; the version of a larger one also covers its size
_CONTENT, _PLACE = 32, 16  # hexadecimal digits


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


def with_scripts(hook: Hook, own: str) -> Hook:
    """Add the version, without a place, and the text of the covered scripts to an entry's hook. `own` is the entry's text."""
    settings = (hook.format, hook.event_as_written, hook.tool or "", _portable(own, hook))
    return with_content(hook, settings, [(name, read_or_nothing(os.path.join(hook.root, name))) for name in hook.covers])


def with_content(hook: Hook, settings: Iterable[str], scripts: Sequence[tuple[str, bytes]]) -> Hook:
    """Add the version, without a place, and scripts, each its name below the hook's root and what `read` gave."""
    covers = tuple(name for name, _ in scripts)
    names = "\0".join((*settings, "", *covers, "")).encode("utf-8", "surrogatepass")
    hashed = names + b"\0".join(covered for _, covered in scripts)
    return hook.replace(covers=covers, version=sha256(hashed).hexdigest()[:_CONTENT], scripts_text=text(scripts))


def placed(hook: Hook, *, is_unread: bool = False) -> Hook:
    """Add the place to a version without one. `is_unread`: not all scripts were read, so that the content is not known."""
    place = sha256("\0".join((hook.identity, hook.label, hook.file)).encode("utf-8", "surrogatepass")).hexdigest()[:_PLACE]
    return hook.replace(version=f"{hook.version}{'' if is_unread or hook.is_unread else '-'}{place}")


def _portable(own: str, hook: Hook) -> str:
    """An entry's text as it is called on every machine: its project as `.`, the home directory as `~`."""
    for directory, sign in ((hook.root, "." if hook.scope != "user" else "~"), (paths.home(), "~")):
        own = own.replace(f"{directory}/", f"{sign}/") if len(directory) > 1 else own
    return own


def _part(name: str, covered: bytes) -> Iterable[str]:
    script = content(covered)
    try:
        return (f"--- {name}", capped(script.decode())) if script else ()
    except UnicodeDecodeError:
        return ()


def read_or_nothing(path: str) -> bytes:
    """Read a script for a version, as nothing if it cannot be read."""
    try:
        return read(path)
    except files.UnreadableFileError:
        return b""
