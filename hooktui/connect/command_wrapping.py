"""A host's own commands wrapped so that they are observed, and unwrapped again to the very bytes they were."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hooktui import formats, hosts
from hooktui.connect import json_text
from hooktui.core import own_commands, paths
from hooktui.core.own_commands import Observed
from hooktui.formats.json_hooks import json_command, json_format, json_hooks
from hooktui.formats.node import find_unique

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.connect.connection_places import ConnectionSite, Scope
    from hooktui.core.model import Hook

    Handler = tuple[str, tuple[str, ...]]  # event and arguments
    from collections.abc import Sequence

    from hooktui.connect.json_text import Splice
    from hooktui.formats.node import Node


def wrapped(text: str, hooks: Sequence[Hook], names: Mapping[str, own_commands.Observed]) -> str:
    """The text with the commands of some of its hooks observed; `names` by hook id. Other hooks stay as they are.

    Raises ValueError for a hook below a key that is given twice.
    """
    root, body = json_text.root(text), json_text.body(text)
    splices: list[Splice] = []
    for hook in hooks:
        entry = find_unique(root, hook.entry_path) if hook.id in names and hook.type == "command" else None
        if entry:
            splices += _wrap(entry, body, names[hook.id])
    return json_text.spliced(text, splices)


def unwrapped(text: str, host: str) -> str:
    """The text with every command of a host that is observed as it was before. Raises ValueError for an unreadable text."""
    root, body = json_text.root(text), json_text.body(text)
    splices = (splice for entry in _objects(root) for splice in json_command.unwrapping(entry, body, host))
    return json_text.spliced(text, splices)


def found(text: str, host: str) -> list[str]:
    """The observed commands of a host, in order. Raises ValueError for a text that cannot be read."""
    body = json_text.body(text)
    entries = _objects(json_text.root(text))
    return [body[start:end] for entry in entries for start, end, _ in json_command.unwrapping(entry, body, host)]


def _wrap(entry: Node, body: str, observed: own_commands.Observed) -> Iterator[Splice]:
    if entry.value.get("shell") == "powershell":
        return
    if started := json_command.program_with_args(entry, observed.host):
        program, arguments = started
        python, *front = (json.dumps(word, ensure_ascii=False) for word in own_commands.arguments(observed))
        inside = ", ".join((*front, body[program.start : program.end])) + ("," if arguments.items else "")
        yield (program.start, program.end, python)
        yield (arguments.start + 1, arguments.start + 1, inside)
        return
    shell = hosts.spec(observed.host).entry.interpreter[0]
    fields = {key.value: value for key, value in entry.entries}
    for key in json_command.SHELL_KEYS:
        if isinstance(entry.value.get(key), str) and entry.value[key].strip():
            node = fields[key]
            yield (node.start, node.end, own_commands.wrapped_literal(body[node.start : node.end], observed, shell))


def _objects(node: Node) -> Iterator[Node]:
    """Every object inside a value, itself included."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.style == "{":
            yield one
        waiting += [*(value for _, value in one.entries), *one.items]


def with_observed(place: ConnectionSite, scope: Scope, project: str, texts: Mapping[str, str]) -> dict[str, str]:
    """The files of a scope with the host's own commands wrapped; `texts` by path hold nothing of ours.

    Raises ValueError, naming the file, when one cannot be changed.
    """
    hooks = {path: _hooks(place, path, text, scope) for path, text in texts.items()}
    names = _names(place, [hook for found in hooks.values() for hook in found], scope, project)
    return {path: _wrapped(path, text, hooks[path], names) for path, text in texts.items() if hooks[path]}


def _wrapped(path: str, text: str, hooks: tuple[Hook, ...], names: Mapping[str, Observed]) -> str:
    try:
        return wrapped(text, hooks, names)
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
