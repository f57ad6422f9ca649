"""The compiled plan: a project's hooks for `run`, so that the fast path parses no YAML or JSON.

catalog/plan_writer.py writes it, with a stamp of every source file and directory. It is used only while all are unchanged: a
stale or missing plan costs one full load, never a wrong answer (architecture.md, "The compiled plan").

Hooks are grouped by event, with the compiled regexes of their matchers, so that an event loads only what it needs. A file
beside the index remembers which of them a tool rules out. The next event with such a tool does not load these, and of their
files it looks at HOOK.md only, which alone decides whether a hook matches.

No secret is stored: texts that only the log needs are redacted, as in the log, and hooks that need a secret to run, such as a
token in a command, have no index.
"""

from __future__ import annotations

import _imp
import _sre
import marshal
import os
import sys

from hooktui import __version__
from hooktui.core import fast_json, paths, patterns
from hooktui.core import project as projects
from hooktui.core.hook_sources import decode_source
from hooktui.core.model import Hook, Mismatches, Obstacle
from hooktui.core.paths import stamp
from hooktui.core.records import Record
from hooktui.core.settings import ModelEndpoint, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Called = tuple[str, str, str]  # the canonical name of an event, its host, and the name of its tool

    Numbered = tuple[int, bytes]  # the position of a hook among all; its fields and the stamps of its own files
    Stamped = tuple[str, tuple[int, ...] | None]

_MOST_CALLS = 64  # that an index remembers; then it begins anew


class Loaded(Record):
    """Where hooks were loaded from: the digest of the index, and the position of each hook in it."""

    digest: str
    positions: tuple[int, ...]


class Compiled(Record):
    """What a dispatch needs: hooks in firing order, and the user's settings.

    `trouble` describes a configuration error, for which the defaults apply. `mismatches` are left out of the hooks. `loaded` is
    None for hooks that are not from an index.
    """

    hooks: tuple[Hook, ...]
    settings: Settings
    trouble: str | None = None
    mismatches: Mismatches | None = None
    loaded: Loaded | None = None


def load(directory: str, formats: Sequence[str], event: str | None = None, called: Called | None = None) -> Compiled | None:
    """Load the index of a directory in a project, None if it is missing or stale. Empty `formats` means the configured ones.

    With the canonical name of an event, only the hooks that concern it: those that listen to it or may replace one that does.
    With what the event called, without those that are known not to match it.
    """
    try:
        with open(path_of(directory, formats), "rb") as file:
            content = marshal.loads(file.read())
        if content["key"] != key_of(directory, formats) or not _are_current(content["stamps"]):
            return None
        if any(os.environ.get(name) != value for name, value in content["variables"]):
            return None
        memory = _remembered(directory, formats, content["digest"]).get(_call_key(called)) if called else None
        hooks, positions = [], []
        for position, stored in sorted(_stored_hooks(content, event, set(memory[1]) if memory else None)):
            plain, own = marshal.loads(stored)
            if not _are_current(own):
                return None
            hooks.append(_hook(plain))
            positions.append(position)
        return Compiled(
            hooks=tuple(hooks),
            settings=_settings(content["settings"]),
            trouble=content["trouble"],
            mismatches=Mismatches(version=memory[0], places=memory[2]) if memory else None,
            loaded=Loaded(digest=content["digest"], positions=tuple(positions)),
        )
    except (OSError, EOFError, ValueError, TypeError, KeyError):
        return None


def _are_current(stamps: Iterable[Stamped]) -> bool:
    return all(stamp(path) == known for path, known in stamps)


def remember(
    directory: str, formats: Sequence[str], compiled: Compiled, called: Called, mismatches: Mismatches, others: Collection[str]
) -> None:
    """Remember what the tool of an event ruled out; `others` are the IDs of the event's other hooks. Failures are ignored."""
    loaded = compiled.loaded
    if loaded is None:
        return
    positions = tuple(place for place, hook in zip(loaded.positions, compiled.hooks, strict=True) if hook.id in others)
    known = _remembered(directory, formats, loaded.digest)
    known = known if len(known) < _MOST_CALLS else {}
    known[_call_key(called)] = (mismatches.version, positions, mismatches.places)
    try:
        paths.write_private(_memory_path(directory, formats), marshal.dumps((loaded.digest, known)))
    except OSError:
        return


def _remembered(directory: str, formats: Sequence[str], digest: str) -> dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]]:
    """The version of the list, the positions of the other hooks in the index, and their places in a dispatch, by call."""
    try:
        with open(_memory_path(directory, formats), "rb") as file:
            index, known = marshal.loads(file.read())
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return known if index == digest and isinstance(known, dict) else {}


def _memory_path(directory: str, formats: Sequence[str]) -> str:
    return path_of(directory, formats) + ".calls"


def _call_key(called: Called) -> str:
    """A hash, for what an agent calls may hold a secret, and two calls must not share a key."""
    from _blake2 import blake2b  # the C module behind hashlib, which would import OpenSSL

    return blake2b(fast_json.dumps(called).encode(), digest_size=16).hexdigest()


def path_of(directory: str, formats: Sequence[str]) -> str:
    """One file per directory and formats; its name does not reveal the directory. A key inside distinguishes equal hashes."""
    name = _imp.source_hash(0, "+".join((*formats, directory)).encode(errors="surrogatepass")).hex()
    return os.path.join(paths.cache_dir(), "index", f"{name}.{sys.implementation.cache_tag}")


def key_of(directory: str, formats: Sequence[str]) -> tuple[str, ...]:
    """Everything except the stamped files that affects the index."""
    return (
        *(__version__, directory, projects.root(directory), *formats, paths.home(), paths.config_home()),
        *(str(_sre.MAGIC), str(_sre.CODESIZE)),  # of the compiled regexes
        *Hook._fields,
    )


def _stored_hooks(content: Mapping[str, Any], event: str | None, wanted: Collection[int] | None) -> Iterator[Numbered]:
    """The hooks of the groups that concern an event, or of all; of the event's own group only those that are wanted.

    Provides their compiled regexes.
    """
    groups = content["groups"]
    for name in groups if event is None else {event, "", *content["rivals"].get(event, ())} & groups.keys():
        hooks, regexes = marshal.loads(groups[name])
        patterns.provide(regexes)
        yield from hooks if wanted is None or name != event else (hook for hook in hooks if hook[0] in wanted)


def _settings(plain: dict[str, Any]) -> Settings:
    prompt = ModelEndpoint(**plain["prompt"]) if plain["prompt"] else None
    return Settings(**{**plain, "prompt": prompt})


def _hook(plain: dict[str, Any]) -> Hook:
    obstacle = Obstacle(**plain["obstacle"]) if "obstacle" in plain else None
    return Hook(**{**plain, "source": decode_source(plain["source"]), "obstacle": obstacle})
