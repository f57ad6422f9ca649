"""Wrap a host's own commands so that hooktui observes them, and restore them byte for byte."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hooktui import formats, hosts
from hooktui.connect import json_text
from hooktui.core import own_commands
from hooktui.core.own_commands import Observed
from hooktui.formats.json_hooks import json_command, json_format, json_hooks
from hooktui.formats.node import find_unique

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.connect.connection_places import ConnectionSite, Scope
    from hooktui.core.model import Hook
    from hooktui.formats.node import Node
    from hooktui.formats.text_edit import Splice

    Handler = tuple[str, tuple[str, ...]]  # event and arguments


def unwrapped(text: str, host: str) -> str:
    """Restore every observed command of a host. Raises ValueError if the text cannot be read."""
    body = json_text.body(text)
    splices = (splice for entry in _objects(json_text.root(text)) for splice in json_command.unwrapping(entry, body, host))
    return json_text.spliced(text, splices)


def observed_commands(text: str, host: str) -> list[str]:
    """The observed commands of a host, in order. Raises ValueError if the text cannot be read."""
    body = json_text.body(text)
    entries = _objects(json_text.root(text))
    return [body[start:end] for entry in entries for start, end, _ in json_command.unwrapping(entry, body, host)]


def _objects(node: Node) -> Iterator[Node]:
    """Every object in a value, including itself."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.style == "{":
            yield node
        waiting += [*(value for _, value in node.entries), *node.items]


def with_observed(site: ConnectionSite, scope: Scope, project: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Wrap the host's own commands in the files of a scope; `texts` by path contain nothing of ours.

    Raises RefusedError if a file cannot be changed.
    """
    hooks = {path: _commands(site, path, text, scope) for path, text in texts.items()}
    names = _names(site, [hook for own in hooks.values() for hook in own], scope, project)
    wrapped: dict[str, str] = {}
    for path, own in hooks.items():
        with json_text.refusing(path, "cannot be edited"):
            wrapped |= {path: _wrapped(texts[path], own, names)} if own else {}
    return wrapped


def _wrapped(text: str, hooks: Sequence[Hook], names: Mapping[str, Observed]) -> str:
    """Wrap the commands of the hooks in `names`, by ID. Raises ValueError for a hook below a duplicate key."""
    root, body = json_text.root(text), json_text.body(text)
    splices: list[Splice] = []
    for hook in hooks:
        entry = find_unique(root, hook.entry_path) if hook.id in names else None
        if entry:
            splices += _wrap(entry, body, names[hook.id])
    return json_text.spliced(text, splices)


def _wrap(entry: Node, body: str, observed: Observed) -> Iterator[Splice]:
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
    for key in json_command.SHELL_KEYS:
        if isinstance(entry.value.get(key), str) and entry.value[key].strip():
            node = entry.members[key]
            yield (node.start, node.end, own_commands.wrapped_literal(body[node.start : node.end], observed, shell))


def _commands(site: ConnectionSite, path: str, text: str, scope: Scope) -> tuple[Hook, ...]:
    """The command hooks in a file; none if the file belongs to another host."""
    if json_format.owner(json_hooks.parse(text, path, scope)) not in (None, site.spec):
        return ()
    parsed = formats.load(site.spec.name).parse(text, path, scope)
    return tuple(hook for hook in parsed.hooks if hook.type == "command" and hook.command)


def _names(site: ConnectionSite, hooks: list[Hook], scope: Scope, project: str) -> dict[str, Observed]:
    """The observed name of each hook, by ID. If the host runs equal handlers once, equal handlers get equal names."""
    host = site.spec.name
    own = {hook.id: Observed(host, hook.name, hook.file, hook.is_async) for hook in hooks}
    if not site.spec.speech.manner.once_per_handler:
        return own
    elsewhere = dict(_elsewhere(host, scope, project))
    first: dict[Handler, Observed] = {}
    for hook in hooks:
        first.setdefault(_handler(hook), own[hook.id])
    names = {hook.id: elsewhere.get(_handler(hook), first[_handler(hook)]) for hook in hooks}
    return {hook_id: name for hook_id, name in names.items() if name}


def _elsewhere(host: str, scope: Scope, project: str) -> Iterator[tuple[Handler, Observed | None]]:
    """The handlers in the host's files of other scopes with their observed names, None if they are not observed."""
    for hook in formats.load(host).discover(project).hooks:
        if (hook.scope == "user") != (scope == "user"):
            entry: dict[str, Any] = json_text.root(hook.text).value
            arguments = entry.get("args")
            words = [entry.get("command"), *(arguments if isinstance(arguments, list) else ())]
            seen = own_commands.observed(words, host) or own_commands.observed_command(entry.get("command"), host)
            yield _handler(hook), seen[0] if seen else None


def _handler(hook: Hook) -> Handler:
    return hook.event_as_written, hook.argv
