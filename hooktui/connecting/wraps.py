"""A host's own commands wrapped so that they are observed, and unwrapped again to the very bytes they were."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hooktui import calls
from hooktui.connecting import json_text
from hooktui.formats import dialects, json_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.connecting.json_text import Splice
    from hooktui.formats.yaml_source import Node
    from hooktui.model import Hook

# What a POSIX shell runs; commands for Windows stay as they are.
_SHELL_KEYS = ("command", "linux", "osx", "bash")
# What names a program that is started with `args`, without a shell.
_PROGRAM_KEYS = {"claude": "command", "copilot": "exec"}


def wrapped(text: str, hooks: Sequence[Hook], names: Mapping[str, calls.Observed]) -> str:
    """The text with the commands of some of its hooks observed; `names` by hook id. Other hooks stay as they are."""
    root, body = json_text.root(text), json_text.body(text)
    splices: list[Splice] = []
    for hook in hooks:
        entry = json_source.find(root, hook.extra["path"])
        if entry and hook.id in names and hook.type == "command":
            splices += _wrap(entry, body, names[hook.id])
    return json_text.spliced(text, splices)


def unwrapped(text: str, host: str) -> str:
    """The text with every command of a host that is observed as it was before. Raises ValueError for an unreadable text."""
    root, body = json_text.root(text), json_text.body(text)
    return json_text.spliced(text, [splice for entry in _objects(root) for splice in _unwrap(entry, body, host)])


def found(text: str, host: str) -> list[str]:
    """The observed commands of a host, in order. Raises ValueError for a text that cannot be read."""
    body = json_text.body(text)
    entries = _objects(json_text.root(text))
    return [body[start:end] for entry in entries for start, end, _ in _unwrap(entry, body, host)]


def _wrap(entry: Node, body: str, observed: calls.Observed) -> Iterator[Splice]:
    if entry.value.get("shell") == "powershell":
        return
    fields = {key.value: value for key, value in entry.entries}
    if started := _started(fields, observed.host):
        program, arguments = started
        python, *front = (json.dumps(word, ensure_ascii=False) for word in calls.arguments(observed))
        inside = ", ".join((*front, body[program.start : program.end])) + ("," if arguments.items else "")
        yield (program.start, program.end, python)
        yield (arguments.start + 1, arguments.start + 1, inside)
        return
    shell = dialects.DIALECTS[observed.host].argv[0]
    for key in _SHELL_KEYS:
        if isinstance(entry.value.get(key), str) and entry.value[key].strip():
            node = fields[key]
            yield (node.start, node.end, calls.wrapped_literal(body[node.start : node.end], observed, shell))


def _unwrap(entry: Node, body: str, host: str) -> Iterator[Splice]:
    fields = {key.value: value for key, value in entry.entries}
    if started := _started(fields, host):
        yield from _unwrap_arguments(*started, body, host)
    for key in _SHELL_KEYS:
        original = calls.original(entry.value.get(key), host)
        if original is not None:
            node = fields[key]
            literal = calls.unwrapped_literal(body[node.start : node.end], host)
            # Another program may have written the literal anew, in another spelling.
            yield (node.start, node.end, literal or json.dumps(original, ensure_ascii=False))


def _started(fields: Mapping[str, Node], host: str) -> tuple[Node, Node] | None:
    """The program that an entry starts without a shell, and its arguments."""
    program, arguments = fields.get(_PROGRAM_KEYS.get(host, "")), fields.get("args")
    if program is None or arguments is None or arguments.style != "[":
        return None
    texts = all(isinstance(node.value, str) for node in (program, *arguments.items))
    return (program, arguments) if texts else None


def _unwrap_arguments(program: Node, arguments: Node, body: str, host: str) -> Iterator[Splice]:
    items = arguments.items
    seen = calls.observed([program.value, *(item.value for item in items)], host)
    if seen is None:
        return
    own = items[len(items) - len(seen[1])]
    rest = body[own.end : arguments.end]
    comma = len(rest) - len(rest.lstrip()) + 1 if rest.lstrip().startswith(",") else 0
    yield (program.start, program.end, body[own.start : own.end])
    yield (arguments.start + 1, own.end + comma, "")


def _objects(node: Node) -> Iterator[Node]:
    """Every object inside a value, itself included."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.style == "{":
            yield one
        waiting += [*(value for _, value in one.entries), *one.items]
