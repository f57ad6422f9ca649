"""Wrap a host's own commands so that hooktui observes them, and restore them byte for byte."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.connect import json_text
from hooktui.formats.json_hooks import json_command, json_file, json_format
from hooktui.formats.node import find_unique
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator, Mapping, Sequence

    from hooktui.connect.connection_places import ConnectionSite, Scope
    from hooktui.core.model import Hook
    from hooktui.formats.node import Node
    from hooktui.formats.text_edit import Splice

_SHORTEST_MS = 1000  # of a timeout that leaves time for our start on a busy machine
_PLAIN = re.compile(r"[\w./-]+", re.ASCII)  # a path that no host quotes


def unwrapped(text: str, path: str, host: str) -> str:
    """Restore every observed command of a host in a file's text. Raises ValueError if the text cannot be read."""
    body = json_text.body(text)
    entries = _objects(json_text.root(text, path))
    splices = (splice for entry in entries for splice in json_command.unwrapping(entry, body, host))
    return json_text.spliced(text, splices)


def observed_commands(text: str, path: str, host: str) -> list[str]:
    """The observed commands of a host in a file's text, in order. Raises ValueError if the text cannot be read."""
    body = json_text.body(text)
    entries = _objects(json_text.root(text, path))
    return [body[start:end] for entry in entries for start, end, _ in json_command.unwrapping(entry, body, host)]


def _objects(node: Node) -> Iterator[Node]:
    """Every object in a value, including itself."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node.value, dict):
            yield node
        waiting += [*(value for _, value in node.entries), *node.items]


def with_observed(
    site: ConnectionSite, scope: Scope, project: str, texts: Mapping[str, str], observed: Collection[str] = ()
) -> dict[str, str]:
    """Wrap the host's own commands in the files of a scope; `texts` by path contain nothing of ours.

    `observed` are files whose commands are wrapped beside them. An administrator's own commands are left alone. Raises
    RefusedError if a file cannot be changed.
    """
    if site.has_plugin or scope == "managed":
        return {}
    alone = _unobserved_elsewhere(site, project, {*texts, *observed})
    wrapped: dict[str, str] = {}
    for path, text in texts.items():
        commands = [hook for hook in _commands(site, path, text, scope) if _is_unchanged(hook, scope, project)]
        hooks = [hook for hook in commands if (hook.event_as_written, hook.argv) not in alone]
        with json_text.refusing(path, "cannot be edited"):
            wrapped |= {path: _wrapped(text, path, hooks)} if hooks else {}
    return wrapped


def _is_unchanged(hook: Hook, scope: Scope, project: str) -> bool:
    """Whether a command does the same when it is observed.

    Our start may use up a short timeout. A host that writes a path into a command, quoted where that is needed, would write it
    into the quotes of ours.
    """
    if hook.timeout_ms < _SHORTEST_MS:
        return False
    spec = hosts.spec(hook.format)
    fills = spec.filled_in(hook.command or "", project) != (hook.command or "")
    return not fills or (scope != "user" and bool(_PLAIN.fullmatch(project)))


def _wrapped(text: str, path: str, hooks: Sequence[Hook]) -> str:
    """Wrap the commands of hooks. Raises ValueError for a hook below a duplicate key."""
    root, body = json_text.root(text, path), json_text.body(text)
    splices: list[Splice] = []
    for hook in hooks:
        if entry := find_unique(root, hook.entry_path):
            splices += _wrap(entry, body, hook.format)
    return json_text.spliced(text, splices)


def _wrap(entry: Node, body: str, host: str) -> Iterator[Splice]:
    if entry.value.get("shell") == "powershell":
        return
    if started := json_command.program_with_args(entry, host):
        program, arguments = started
        wrapper, *front = (json.dumps(word, ensure_ascii=False) for word in hooktui_commands.observing(host))
        inside = ", ".join((*front, body[program.start : program.end])) + ("," if arguments.items else "")
        yield (program.start, program.end, wrapper)
        yield (arguments.start + 1, arguments.start + 1, inside)
        return
    shell = hosts.spec(host).entry.interpreter[0]
    for key in json_command.SHELL_KEYS:
        if isinstance(entry.value.get(key), str) and entry.value[key].strip():
            node = entry.members[key]
            yield (node.start, node.end, hooktui_commands.wrapped_literal(_in_double_quotes(node, body), host, shell))


def _in_double_quotes(node: Node, body: str) -> str:
    from hooktui.formats import toml_edit  # Codex and Kimi have such files, few people do

    literal = body[node.start : node.end]
    return literal if node.style == '"' and "\\U" not in literal else toml_edit.literal(node.value)


def _commands(site: ConnectionSite, path: str, text: str, scope: Scope) -> tuple[Hook, ...]:
    """The command hooks in a file; none if the file belongs to another host."""
    if json_format.owner(json_file.parse(text, path, scope)) not in (None, site.spec):
        return ()
    parsed = formats.load(site.spec.name).parse(text, path, scope)
    return tuple(hook for hook in parsed.hooks if hook.type == "command" and hook.command)


def _unobserved_elsewhere(site: ConnectionSite, project: str, texts: Container[str]) -> set[tuple[str, tuple[str, ...]]]:
    """Events and handlers that the host's other files leave unobserved.

    A host that runs equal handlers once would run these and a wrapped one.
    """
    if not site.spec.scheduling.once_per:
        return set()
    elsewhere = (hook for hook in formats.load(site.spec.name).discover(project).hooks if hook.file not in texts)
    return {(hook.event_as_written, hook.argv) for hook in elsewhere if hook.unwrapped_text == hook.text}
