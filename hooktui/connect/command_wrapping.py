"""A host's own commands wrapped so that they are observed, and unwrapped again to the very bytes they were."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.connect import json_text
from hooktui.core import own_commands
from hooktui.formats.json_hooks import json_command
from hooktui.formats.node import find_unique

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hooktui.connect.json_text import Splice
    from hooktui.core.model import Hook
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
