"""Commands that `hooktui connect --observe` has wrapped, and the very characters they were before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import own_commands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hooktui.formats.yaml_source import Node

    Splice = tuple[int, int, str]

# What a POSIX shell runs; commands for Windows stay as they are.
SHELL_KEYS = ("command", "linux", "osx", "bash")


def started(entry: Node, host: str) -> tuple[Node, Node] | None:
    """The program that an entry starts without a shell, and its arguments."""
    fields = _values(entry)
    program, arguments = fields.get(hosts.spec(host).entry.program_key), fields.get("args")
    if program is None or arguments is None or arguments.style != "[":
        return None
    texts = all(isinstance(node.value, str) for node in (program, *arguments.items))
    return (program, arguments) if texts else None


def words(entry: Node, host: str) -> tuple[Node, ...]:
    """The program that an entry starts without a shell, and its arguments, if it has any; none where it has a shell command."""
    if alone := started(entry, host):
        return (alone[0], *alone[1].items)
    key = hosts.spec(host).entry.program_key
    program = _values(entry).get(key) if key != "command" else None
    return (program,) if program else ()


def unwrapping(entry: Node, text: str, host: str) -> Iterator[Splice]:
    """What to put in place of which spans of `text`, where an entry's commands are observed."""
    fields = _values(entry)
    if alone := started(entry, host):
        yield from _unwrap_arguments(*alone, text, host)
    for key in SHELL_KEYS:
        original = own_commands.original(entry.value.get(key), host)
        if original is not None:
            node = fields[key]
            literal = own_commands.unwrapped_literal(text[node.start : node.end], host)
            # Another program may have written the literal anew, in another spelling.
            yield (node.start, node.end, literal or json.dumps(original, ensure_ascii=False))


def original(entry: Node, text: str, host: str) -> str | None:
    """An entry's own text as it was before it was observed; None when it is not."""
    splices = sorted(unwrapping(entry, text, host), reverse=True)
    for start, end, new in splices:
        text = text[:start] + new + text[end:]
    grown = sum(len(new) - (end - start) for start, end, new in splices)
    return text[entry.start : entry.end + grown] if splices else None


def _unwrap_arguments(program: Node, arguments: Node, text: str, host: str) -> Iterator[Splice]:
    items = arguments.items
    seen = own_commands.observed([program.value, *(item.value for item in items)], host)
    if seen is None:
        return
    own = items[len(items) - len(seen[1])]
    rest = text[own.end : arguments.end]
    comma = len(rest) - len(rest.lstrip()) + 1 if rest.lstrip().startswith(",") else 0
    yield (program.start, program.end, text[own.start : own.end])
    yield (arguments.start + 1, own.end + comma, "")


def _values(entry: Node) -> Mapping[str, Node]:
    return {key.value: value for key, value in entry.entries}
