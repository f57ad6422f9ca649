"""What the administrator of a machine fixes for everyone on it, in files that nobody else can change (docs/managed.md)."""

from __future__ import annotations

import os
import re
import stat
from typing import Any, NamedTuple

from hooktui.core import paths

MANAGED_BY = 0  # user ID of the administrator
# The keys of the user's configuration that the managed file may fix; all of [fleet] besides.
FIXABLE = {
    "log": ("redact",),
    "run": ("on_error", "on_hook_failure", "gate_limit"),
    "trust": ("require_covered", "allow_override"),
}
_VERSION = re.compile(r"[0-9a-f]{32}")


class RequiredHook(NamedTuple):
    """A hook that must be on the machine, by its name or label in any scope; an empty version means any."""

    name: str
    version: str = ""


def read_required(value: Any) -> tuple[RequiredHook, ...]:
    """Read `[[required]]`. Raises TypeError and ValueError."""
    hooks = tuple(RequiredHook(**entry) for entry in value)
    if not all(isinstance(hook.name, str) and hook.name and isinstance(hook.version, str) for hook in hooks):
        raise TypeError
    if not all(_VERSION.fullmatch(hook.version) for hook in hooks if hook.version):
        raise ValueError
    return hooks


def changeable(path: str) -> str:
    """How others than the administrator can change a file, itself or by a directory above it; "" if they cannot."""
    path = os.path.realpath(path)
    while True:
        try:
            status = os.stat(path)
        except OSError as error:
            return f"{paths.short(path)} cannot be read: {error.strerror}"
        if status.st_uid not in (MANAGED_BY, 0):
            return f"{paths.short(path)} does not belong to root"
        is_shared = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX  # only its owner replaces a file in it
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not is_shared:
            return f"others than root can write {paths.short(path)}"
        if path == os.path.dirname(path):
            return ""
        path = os.path.dirname(path)
