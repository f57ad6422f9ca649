"""Which of a host's own commands are wrapped by `connect --observe`, and what the log calls each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hooktui import formats
from hooktui.connect import command_wrapping, json_text
from hooktui.core import own_commands, paths
from hooktui.core.own_commands import Observed
from hooktui.formats.json_hooks import json_format, json_hooks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.connect.connection_places import ConnectionSite, Scope
    from hooktui.core.model import Hook

    Handler = tuple[str, tuple[str, ...]]  # event and arguments


def observed(place: ConnectionSite, scope: Scope, project: str, texts: Mapping[str, str]) -> dict[str, str]:
    """The files of a scope with the host's own commands wrapped; `texts` by path hold nothing of ours.

    Raises ValueError, naming the file, when one cannot be changed.
    """
    hooks = {path: _hooks(place, path, text, scope) for path, text in texts.items()}
    names = _names(place, [hook for found in hooks.values() for hook in found], scope, project)
    return {path: _wrapped(path, text, hooks[path], names) for path, text in texts.items() if hooks[path]}


def _wrapped(path: str, text: str, hooks: tuple[Hook, ...], names: Mapping[str, Observed]) -> str:
    try:
        return command_wrapping.wrapped(text, hooks, names)
    except ValueError as error:
        raise ValueError(f"{paths.short(path)} cannot be changed: {error}") from error


def _hooks(place: ConnectionSite, path: str, text: str, scope: Scope) -> tuple[Hook, ...]:
    """The commands in a file, if it is one of this host's."""
    module: Any = formats.load(place.host)
    if json_format.owner(json_hooks.parse(text, path, scope)) not in (None, place.spec):
        return ()
    parsed = module.parse(text, path, scope)
    return tuple(hook for hook in parsed.hooks if hook.type == "command" and hook.command)


def _names(place: ConnectionSite, hooks: list[Hook], scope: Scope, project: str) -> dict[str, Observed]:
    """What each hook is called, by id. Where a host runs equal handlers once, they must stay equal, wherever they stand."""
    if not place.spec.speech.manner.once_per_handler:
        return {hook.id: Observed(place.host, hook.name, hook.file, hook.is_async) for hook in hooks}
    elsewhere = dict(_elsewhere(place.host, scope, project))
    first: dict[Handler, Observed] = {}
    for hook in hooks:
        first.setdefault(_handler(hook), Observed(place.host, hook.name, hook.file, hook.is_async))
    names = {hook.id: elsewhere.get(_handler(hook), first[_handler(hook)]) for hook in hooks}
    return {hook_id: name for hook_id, name in names.items() if name}


def _elsewhere(host: str, scope: Scope, project: str) -> Iterator[tuple[Handler, Observed | None]]:
    """The handlers in the host's files of other scopes, and how they are observed: None when they are not."""
    for hook in formats.load(host).discover(project).hooks:
        if (hook.scope == "user") != (scope == "user"):
            entry = json_text.root(hook.text).value
            arguments = entry.get("args")
            words = [entry.get("command"), *(arguments if isinstance(arguments, list) else ())]
            seen = own_commands.observed(words, host) or own_commands.observed_command(entry.get("command"), host)
            yield _handler(hook), seen[0] if seen else None


def _handler(hook: Hook) -> Handler:
    return hook.event_as_written, hook.argv
