"""The compiled index: a project's hooks for `run`, so that the fast path parses no YAML or JSON.

It contains a stamp of every source file and directory, and is used only while all are unchanged: a stale or missing
index costs one full load, never a wrong answer (architecture.md, "The compiled index").

Hooks are grouped by event, with the compiled regexes of their matchers, so that an event loads only what it needs.

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
from hooktui.core import paths, patterns
from hooktui.core import project as projects
from hooktui.core.model import Hook, HookDirectory, Obstacle, decode_source, encode_source
from hooktui.core.paths import may_change, stamp
from hooktui.core.records import Record
from hooktui.core.settings import ModelEndpoint, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Numbered = tuple[int, dict[str, Any]]  # the position of a hook among all, and its fields

_RUN_FIELDS = ("text", "argv", "command", "commands", "env", "prompt", "source")  # texts that a run needs as they are


class Compiled(Record):
    """What a dispatch needs: hooks in firing order, and the user's settings.

    `trouble` describes a configuration error, for which the defaults apply.
    """

    hooks: tuple[Hook, ...]
    settings: Settings
    trouble: str | None = None


def load(directory: str, formats: Sequence[str], event: str | None = None) -> Compiled | None:
    """Load the index of a directory in a project, None if it is missing or stale. Empty `formats` means the configured ones.

    With the canonical name of an event, only the hooks that concern it: those that listen to it or may replace one that does.
    """
    try:
        with open(_path(directory, formats), "rb") as file:
            content = marshal.loads(file.read())
        if content["key"] != _key(directory, formats) or any(stamp(path) != known for path, known in content["stamps"]):
            return None
        if any(os.environ.get(name) != value for name, value in content["variables"]):
            return None
        return Compiled(
            hooks=tuple(_hook(plain) for _, plain in sorted(_stored_hooks(content, event), key=_position)),
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
    again within one timestamp, nor if a hook needs a secret to run.
    """
    hooks = _without_secrets(compiled.hooks)
    if hooks is None:
        return
    stamps = [(path, stamp(path)) for path in sorted({paths.config_file(), *watched})]
    if any(may_change(known, begun_ns) for _, known in stamps):
        return
    prompt = compiled.settings.prompt
    content = {
        "key": _key(directory, formats),
        "stamps": stamps,
        "variables": [(name, os.environ.get(name)) for name in variables],
        "groups": _groups(hooks),
        "rivals": _rivals(hooks),
        "settings": {**compiled.settings.as_dict(), "prompt": prompt.as_dict() if prompt else None},
        "trouble": compiled.trouble,
    }
    path = _path(directory, formats)
    try:
        paths.write_private(path, marshal.dumps(content))
    except OSError:
        return  # the next run loads in full again


def _path(directory: str, formats: Sequence[str]) -> str:
    """One file per directory and formats; its name does not reveal the directory. A key inside distinguishes equal hashes."""
    name = _imp.source_hash(0, "+".join((*formats, directory)).encode(errors="surrogatepass")).hex()
    return os.path.join(paths.cache_dir(), "index", f"{name}.{sys.implementation.cache_tag}")


def _without_secrets(hooks: Sequence[Hook]) -> tuple[Hook, ...] | None:
    """The hooks with redacted texts; None if one cannot run without a secret. The text of an entry is part of its digest."""
    import json

    from hooktui.security.redaction import redact, redacted_value

    clean = []
    for hook in hooks:
        text = redact(hook.text) if isinstance(hook.source, HookDirectory) else hook.text
        shown = hook.replace(text=text, description=redact(hook.description), scripts_text=redact(hook.scripts_text))
        run = json.loads(json.dumps([value for name, value in _plain(shown).items() if name in _RUN_FIELDS]))
        if redacted_value(run) != run:
            return None
        clean.append(shown)
    return tuple(clean)


def _key(directory: str, formats: Sequence[str]) -> tuple[str, ...]:
    """Everything except the stamped files that affects the index."""
    return (
        *(__version__, directory, projects.root(directory), *formats, paths.home(), paths.config_home()),
        *(str(_sre.MAGIC), str(_sre.CODESIZE)),  # of the compiled regexes
        *Hook._fields,
    )


def _groups(hooks: Sequence[Hook]) -> dict[str, bytes]:
    """The hooks of each event with their regexes, as marshalled pairs; "" has the broken hooks without a known event."""
    from hooktui.catalog import matcher_regexes

    groups: dict[str, tuple[list[Numbered], dict[str, Any]]] = {}
    for position, hook in enumerate(hooks):
        plain, regexes = groups.setdefault(hook.event, ([], {}))
        plain.append((position, _plain(hook)))
        regexes.update(matcher_regexes.compiled(hook))
    return {event: marshal.dumps(group) for event, group in groups.items()}


def _rivals(hooks: Sequence[Hook]) -> dict[str, list[str]]:
    """For each event, the other events whose hooks may replace one of its hooks."""
    event_of = {hook.id: hook.event for hook in hooks}
    others = {hook.event: {event_of[rival] for rival in hook.rivals} - {hook.event} for hook in hooks if hook.rivals}
    return {event: sorted(events) for event, events in others.items() if events}


def _stored_hooks(content: Mapping[str, Any], event: str | None) -> Iterator[Numbered]:
    """The hooks of the groups that concern an event, or of all; provides their compiled regexes."""
    groups = content["groups"]
    for name in groups if event is None else {event, "", *content["rivals"].get(event, ())} & groups.keys():
        hooks, regexes = marshal.loads(groups[name])
        patterns.provide(regexes)
        yield from hooks


def _position(numbered: Numbered) -> int:
    return numbered[0]


def _plain(hook: Hook) -> dict[str, Any]:
    """The fields of a hook that differ from their defaults, without metadata, which may contain dates."""
    plain = {**hook.as_dict(), "source": encode_source(hook.source), "metadata": {}}
    if hook.obstacle:
        plain["obstacle"] = hook.obstacle.as_dict()
    return {name: value for name, value in plain.items() if name not in Hook._defaults or value != Hook._defaults[name]}


def _settings(plain: dict[str, Any]) -> Settings:
    prompt = ModelEndpoint(**plain["prompt"]) if plain["prompt"] else None
    return Settings(**{**plain, "prompt": prompt})


def _hook(plain: dict[str, Any]) -> Hook:
    obstacle = Obstacle(**plain["obstacle"]) if "obstacle" in plain else None
    return Hook(**{**plain, "source": decode_source(plain["source"]), "obstacle": obstacle})
