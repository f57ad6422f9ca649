"""The versions of the hosts' programs, and those that a project's examples last ran with: another version may read answers
otherwise."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

from hooktui import hosts
from hooktui.core import fast_json, paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_TIMEOUT_S: Final = 10.0
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+(?:-[\w.]+)?")
_PROGRAMS, _PROJECTS = "programs", "projects"


def installed(names: Iterable[str]) -> dict[str, str]:
    """The versions of hosts whose program is on PATH. A program is asked once, and again when its file has changed."""
    record = _read()
    known = record.get(_PROGRAMS)
    programs: dict[str, Any] = dict(known) if isinstance(known, dict) else {}
    versions: dict[str, str] = {}
    for name in names:
        path = next(filter(None, map(shutil.which, hosts.spec(name).programs)), None)
        version = _version(os.path.realpath(path), programs) if path else ""
        if version:
            versions[name] = version
    if programs != known and versions:
        _write({**record, _PROGRAMS: programs})
    return versions


def keep(project: str, versions: Mapping[str, str]) -> None:
    """Remember the versions with which a project's examples ran."""
    record = _read()
    projects = record.get(_PROJECTS)
    known = dict(projects) if isinstance(projects, dict) else {}
    if known.get(project) != versions:
        _write({**record, _PROJECTS: {**known, project: dict(versions)}})


def newer(project: str) -> Iterator[tuple[str, str]]:
    """The hosts, by title, that have another version now than when the project's examples last ran, with that version."""
    tested = _read().get(_PROJECTS)
    last = tested.get(project) if isinstance(tested, dict) else None
    if not isinstance(last, dict):
        return
    for name, version in installed(last).items():
        if version != last[name]:
            yield hosts.spec(name).title, version


def _version(path: str, programs: dict[str, Any]) -> str:
    """The version of a program, "" if it does not say one."""
    known, stamp = programs.get(path), list(paths.stamp(path) or ())
    if isinstance(known, dict) and known.get("stamp") == stamp:
        return str(known.get("version", ""))
    try:
        done = subprocess.run(
            (path, "--version"), capture_output=True, text=True, timeout=_TIMEOUT_S, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(done.stdout)
    version = found.group() if found and done.returncode == 0 else ""
    programs[path] = {"stamp": stamp, "version": version}
    return version


def _path() -> str:
    return os.path.join(paths.state_dir(), "tested-hosts.json")


def _read() -> dict[str, Any]:
    return fast_json.read_object(_path())


def _write(record: Mapping[str, Any]) -> None:
    try:
        paths.write_private(_path(), json.dumps(record).encode())
    except OSError:
        return  # the next run asks again
