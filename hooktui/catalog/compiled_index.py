"""The compiled index: a project's hooks for `run`, so that the fast path parses no YAML or JSON.

It contains a stamp of every source file and directory, and is used only while all are unchanged: a stale or missing
index costs one full load, never a wrong answer (architecture.md, "The compiled index").
"""

from __future__ import annotations

import marshal
import os
import sys

from hooktui import __version__
from hooktui.core import paths
from hooktui.core import project as projects
from hooktui.core.model import Hook, Obstacle, decode_source, encode_source
from hooktui.core.paths import may_change, stamp
from hooktui.core.records import Record
from hooktui.core.settings import ModelEndpoint, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_NAME_LENGTH = 120


class Compiled(Record):
    """What a dispatch needs: hooks of all events in firing order, and the user's settings.

    `trouble` describes a configuration error, for which the defaults apply.
    """

    hooks: tuple[Hook, ...]
    settings: Settings
    trouble: str | None = None


def load(directory: str, formats: Sequence[str]) -> Compiled | None:
    """Load the index of a directory in a project, None if it is missing or stale. Empty `formats` means the configured ones."""
    try:
        with open(_path(directory, formats), "rb") as file:
            content = marshal.loads(file.read())
        if content["key"] != _key(directory, formats) or any(stamp(path) != known for path, known in content["stamps"]):
            return None
        if any(os.environ.get(name) != value for name, value in content["variables"]):
            return None
        return Compiled(
            hooks=tuple(map(_hook, content["hooks"])),
            settings=_settings(content["settings"]),
            trouble=content["trouble"],
        )
    except (OSError, EOFError, ValueError, TypeError, KeyError):
        return None


def store(
    directory: str,
    formats: Sequence[str],
    compiled: Compiled,
    watched: Iterable[str],
    begun_ns: int,
    variables: Iterable[str] = (),
) -> None:
    """Write the index. Failures to write are ignored. `variables` of the environment say where hosts keep their files.

    Nothing is written if a source changed after `begun_ns` (nanoseconds since 1970) or so shortly before that it may change
    again within one timestamp.
    """
    stamps = [(path, stamp(path)) for path in sorted({paths.config_file(), *watched})]
    if any(may_change(known, begun_ns) for _, known in stamps):
        return
    prompt = compiled.settings.prompt
    content = {
        "key": _key(directory, formats),
        "stamps": stamps,
        "variables": [(name, os.environ.get(name)) for name in variables],
        "hooks": [_plain(hook) for hook in compiled.hooks],
        "settings": {**compiled.settings.as_dict(), "prompt": prompt.as_dict() if prompt else None},
        "trouble": compiled.trouble,
    }
    path = _path(directory, formats)
    try:
        paths.write_private(path, marshal.dumps(content))
    except OSError:
        return  # the next run loads in full again


def _path(directory: str, formats: Sequence[str]) -> str:
    """One file per directory and formats. A key inside distinguishes files of the same name."""
    name = "+".join((*formats, directory)).replace(os.sep, "%")[-_NAME_LENGTH:]
    return os.path.join(paths.cache_dir(), "index", f"{name}.{sys.implementation.cache_tag}")


def _key(directory: str, formats: Sequence[str]) -> tuple[str, ...]:
    """Everything except the stamped files that affects the index."""
    return (__version__, directory, projects.root(directory), *formats, paths.home(), paths.config_home(), *Hook._fields)


def _plain(hook: Hook) -> dict[str, Any]:
    """A hook that marshal can write, without metadata, which may contain dates."""
    obstacle = hook.obstacle.as_dict() if hook.obstacle else None
    return {**hook.as_dict(), "source": encode_source(hook.source), "obstacle": obstacle, "metadata": {}}


def _settings(plain: dict[str, Any]) -> Settings:
    prompt = ModelEndpoint(**plain["prompt"]) if plain["prompt"] else None
    return Settings(**{**plain, "prompt": prompt})


def _hook(plain: dict[str, Any]) -> Hook:
    obstacle = Obstacle(**plain["obstacle"]) if plain["obstacle"] else None
    return Hook(**{**plain, "source": decode_source(plain["source"]), "obstacle": obstacle})
