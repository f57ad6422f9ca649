"""The version of an agent program, as far as the place or the package of its installation tells: nothing is started."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

from hooktui.core import fast_json
from hooktui.formats import files

if TYPE_CHECKING:
    from hooktui.hosts import Host

_VERSION = re.compile(r"\d+\.\d+\.\d+")
_ABOVE = 3  # directories above the program in which its package may have its manifest


def reads_no_mods(host: Host) -> str:
    """Why the program on PATH loads no mods, "" if it does or its version is unknown."""
    assert host.plugins is not None
    version = _version(host, host.plugins.package)
    is_older = bool(version) and tuple(map(int, version.split("."))) < host.plugins.modules_since
    return f"{host.title} {version} does not load mods" if is_older else ""


def _version(host: Host, package: str) -> str:
    started = next(filter(None, map(shutil.which, host.programs)), None)
    if started is None:
        return ""
    path = os.path.realpath(started)
    if _VERSION.fullmatch(os.path.basename(path)):
        return os.path.basename(path)
    for _ in range(_ABOVE):
        path = os.path.dirname(path)
        match _manifest(os.path.join(path, "package.json")):
            case {"name": str(name), "version": str(version)} if name == package and _VERSION.fullmatch(version):
                return version
    return ""


def _manifest(path: str) -> dict[str, object]:
    try:
        return fast_json.parse_object(files.read_text(path, 64 * files.KIB))
    except files.UnreadableFileError:
        return {}
