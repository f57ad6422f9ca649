"""Write a hook in another format: the entry, document or directory that comes closest to the original."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from hooktui import formats, hosts
from hooktui.connect import json_text
from hooktui.connect.command_wrapping import unwrapped
from hooktui.core import events, paths
from hooktui.core.model import AzureEntry, Hook, HookDirectory, HookSource, JsonEntry
from hooktui.edit import command_translation, matcher_translation
from hooktui.edit.command_translation import ScriptCopy, inline_script, script_copy
from hooktui.edit.copy_targets import Target
from hooktui.edit.document import Document
from hooktui.edit.file_entries import HOSTS, locate
from hooktui.edit.file_steps import ChangeRefusedError, FileTree, TreeFile, Write, read_tree, text, tree, write
from hooktui.formats import yaml_source
from hooktui.formats.agenthooks import frontmatter
from hooktui.formats.azure import azure_entry
from hooktui.formats.json_hooks import json_file, json_format
from hooktui.formats.node import find
from hooktui.formats.yaml_source import folded
from hooktui.hosts import Host
from hooktui.hosts.shared.entry_spec import EntrySpec

_OF_THE_DOCUMENT = ("name", "description", "enabled", "activationmode")
_TIMEOUT_MS = (frontmatter.FIELDS["timeout"].low or 0, frontmatter.FIELDS["timeout"].high or 0)
_DESCRIPTION_LIMIT = frontmatter.FIELDS["description"].high


def write_hook(hook: Hook, target: Target) -> tuple[Write | FileTree, ...]:
    """Plan the steps that write a hook at its target: its script first, the entry last.

    Raises ChangeRefusedError if the format has no such hooks.
    """
    if isinstance(hook.source, HookDirectory) and target.is_directory:
        return (tree(os.path.dirname(target.file), read_tree(hook.root)),)
    if hook.format != target.format and hook.type not in hosts.spec(target.format).entry.runs:
        raise ChangeRefusedError(f"{HOSTS[target.format]} has no hooks of type {hook.type}.")
    write_as = _WRITERS[type(formats.detached_source(target.format))]
    return write_as(hook, target, event_name(hook, target))


def event_name(hook: Hook, target: Target) -> str:
    """Return the event in a format's spelling. Raises ChangeRefusedError if its host does not fire it."""
    spec = hosts.spec(target.format)
    name = spec.spelling(hook.event) or hook.event
    if hook.format == target.format:
        name = hook.event_as_written
    elif spec.style == "camel":
        name = _shared_name(hook, target, name)
    if name not in spec.events:
        raise ChangeRefusedError(f"{spec.title} has no {hook.event or hook.event_as_written}.")
    return name


def _shared_name(hook: Hook, target: Target, own: str) -> str:
    """Return the spelling that Copilot shares with Claude Code, whose payload has `tool_input`, not `toolArgs`.

    VS Code reads only one of two spellings in a file, so a spelling that the file already has is kept.
    """
    shared = events.spelling(hook.event, "pascal")
    file = json_file.load(target.file, target.scope)
    existing = file.events if file else ()
    return shared if shared in hosts.spec(target.format).events and (own not in existing or shared in existing) else own


def _hook_md(hook: Hook, target: Target, event: str) -> tuple[FileTree]:
    name = os.path.basename(os.path.dirname(target.file))
    low, high = _TIMEOUT_MS
    lines: dict[str, str | int | bool] = {
        "name": name,
        "description": (hook.description or f"{hook.label} ({HOSTS[hook.format]})")[:_DESCRIPTION_LIMIT],
        "trigger": event,
        "timeout": min(max(hook.timeout_ms, low), high),
        **({"async": True} if hook.is_async else {}),
    }
    tool = _matcher(hook, target)
    front = "".join(f"{key}: {yaml_source.scalar(value)}\n" for key, value in lines.items())
    wanted = {"tool": tool, "pattern": hook.pattern} if (events.canonical(event) or event) in events.TOOL_EVENTS else {}
    given = "".join(f"  {key}: {yaml_source.scalar(value)}\n" for key, value in wanted.items() if value is not None)
    matcher = f"matcher:\n{given}" if given else ""
    body = f"---\n{front}{matcher}---\n\n# {name}\n\nConverted from {hook.label} ({HOSTS[hook.format]}).\n"
    script = command_translation.translated_script(hook, target)
    kind = "run.sh" if script.startswith(("#!/bin/sh", "#!/usr/bin/env bash", "#!/bin/bash")) else "run"
    files = (TreeFile("HOOK.md", body.encode()), TreeFile(os.path.join("scripts", kind), script.encode(), 0o755))
    return (tree(os.path.dirname(target.file), files),)


def _json(hook: Hook, target: Target, event: str) -> tuple[Write | FileTree, ...]:
    if hook.format == target.format:
        return (add_entry(target, event, hook.tool, _copied(hook, target)),)
    script = script_copy(hook, target)
    entry = add_entry(target, event, _matcher(hook, target, event), _entry(hook, target, event, script))
    return (*(script.steps if script else ()), entry)


def add_entry(target: Target, event: str, matcher: str | None, entry: Mapping[str, Any]) -> Write:
    """Plan the step that appends an entry to an event's list in a JSON file, which is created if missing.

    Raises ValueError if the file cannot be read, ChangeRefusedError and OSError as `write` does.
    """
    spec, old = hosts.spec(target.format), text(target.file) or ""
    if other := json_format.eclipsed(spec, target.file, event):
        where = paths.short(other)
        raise ChangeRefusedError(f"{spec.title} would no longer read the {event} hooks in {where}: put the new one there, too.")
    matching = _matching(spec, event, matcher)
    entry, place = _allowed(entry, spec.entry), (*spec.events_in(target.file), event)
    if spec.entry.shape == "groups":
        value: dict[str, Any] = {**matching, "hooks": [entry]}
    elif spec.entry.shape == "list":
        value, place = {"event": event, **matching, **entry}, spec.events_in(target.file)
    else:
        value = {**entry, **matching}
    before = old if old.strip() else spec.entry.blank
    return write(target.file, Document(before, target.format, target.file).insert(place, value).text)


def _matching(spec: Host, event: str, matcher: str | None) -> dict[str, str]:
    """The matcher to write; `*` in place of none where another host that reads the file would drop it otherwise."""
    reads = [reads for host in hosts.readers(spec.name) for reads in host.reads if reads.host == spec.name]
    if matcher is None and any(reading.loses(event, None) for reading in reads):
        return {"matcher": "*"}
    return {} if matcher is None else {"matcher": matcher}


def _allowed(entry: Mapping[str, Any], spec: EntrySpec) -> dict[str, Any]:
    """An entry without what makes a strict host reject its file: other keys, a fraction of a second, a long timeout."""
    values = {key: value for key, value in entry.items() if not spec.refuses(key, value)}
    key = spec.timeout_keys[0]
    if spec.whole_seconds and isinstance(values.get(key), (int, float)):
        values[key] = spec.allowed_timeout(math.ceil(values[key]))
    return values


def _copied(hook: Hook, target: Target) -> dict[str, Any]:
    """Return an entry as written, without what `hooktui connect --observe` wrapped around it.

    The command of a plugin's hook sets the plugin's directory itself.
    """
    located = locate(hook)
    node = find(json_text.root(unwrapped(located.document.text, hook.file, hook.format), hook.file), located.path)
    value: dict[str, Any] = node.value if node else {}
    if command_translation.needs_plugin(hook):
        value = {key: inner for key, inner in value.items() if key != "args"}
        value["command"] = command_translation.translated_command(hook, target)
    return value


def _entry(hook: Hook, target: Target, event: str, script: ScriptCopy | None) -> dict[str, Any]:
    spec = hosts.spec(target.format)
    entry: dict[str, Any] = {"type": hook.type, **_request(hook)}
    if hook.type == "command":
        entry["command"] = script.command if script else command_translation.translated_command(hook, target)
        if spec.entry.per_system and not script:
            entry.update((system, command) for system, command in hook.commands.items() if command)
    if "cwd" in spec.entry.keys and hook.cwd and not script:
        inside = hook.cwd.startswith(target.project + os.sep)
        entry["cwd"] = os.path.relpath(hook.cwd, target.project) if inside else hook.cwd
    if "env" in spec.entry.keys and hook.env and not script:
        entry["env"] = dict(hook.env)
    if "async" in spec.entry.keys and hook.is_async:
        entry["async"] = True
    if spec.obeys_fail_mode(event):
        entry.update(_failing(hook, spec))
    if hook.description:
        entry["description"] = hook.description
    return {**entry, spec.entry.timeout_keys[0]: _timeout(hook, spec.entry.unit_ms)}


def _failing(hook: Hook, spec: Host) -> dict[str, Any]:
    """The key with which an entry's failures deny, if the hook's do because its own entry says so."""
    closed = spec.entry.fails_closed_by
    return {closed[0]: closed[1]} if closed and hook.fail_mode == "block" else {}


def _request(hook: Hook) -> dict[str, Any]:
    """The prompt or the HTTP request of a hook that starts no process."""
    values: dict[str, Any] = {"prompt": hook.prompt}
    if isinstance(hook.source, JsonEntry):
        values |= {"url": hook.source.url, "headers": dict(hook.source.headers) or None}
        values["allowedEnvVars"] = list(hook.source.allowed_variables) or None
    return {key: value for key, value in values.items() if value is not None}


def _azure(hook: Hook, target: Target, event: str) -> tuple[Write | FileTree, ...]:
    name = os.path.splitext(os.path.basename(target.file))[0]
    if hook.format == target.format:
        return (add_document(target, name, event, _azure_entry(hook), hook.description),)
    matcher = _matcher(hook, target) if event in azure_entry.TOOL_EVENTS else None
    made, action = _azure_action(hook, target)
    entry = {
        "type": hook.type,
        **action,
        **({} if matcher is None else {"matcher": matcher}),
        **_failing(hook, hosts.spec(target.format)),
        "timeout": min(math.ceil(hook.timeout_ms / 1000), azure_entry.LONG_TIMEOUT_S),
    }
    return (*made, add_document(target, name, event, entry, hook.description))


def _azure_entry(hook: Hook) -> dict[str, Any]:
    """Return an agent's hook for a global document, which has the omitted fields itself."""
    located = locate(hook)
    entry = located.document.node(located.path).value
    return {key: value for key, value in entry.items() if folded(key) not in _OF_THE_DOCUMENT}


def _azure_action(hook: Hook, target: Target) -> tuple[tuple[Write | FileTree, ...], Mapping[str, object]]:
    """Return the steps that create the hook's script, and the fields that run it."""
    if hook.type == "prompt":
        return (), {"prompt": hook.prompt}
    if isinstance(hook.source, HookDirectory) and (text := inline_script(hook, target)):
        return (), {"script": text}
    if script := script_copy(hook, target):
        return script.steps, {"command": script.command}
    return (), {"command": command_translation.translated_command(hook, target)}


def add_document(target: Target, name: str, event: str, entry: Mapping[str, Any], description: str = "") -> Write:
    """Plan the step that adds a global hook to a YAML file, in a document of its own. Raises as `write` does."""
    described = {"description": description} if description else {}
    spec = {"eventType": event, "activationMode": "always", **described, "hook": dict(entry)}
    document = {"api_version": "azuresre.ai/v2", "kind": "GlobalHook", "metadata": {"name": name}, "spec": spec}
    return write(target.file, Document(text(target.file) or "", target.format, target.file).insert((), document).text)


def _matcher(hook: Hook, target: Target, event: str = "") -> str | None:
    """Return the matcher for the target; None on events without tools, where each host matches something else."""
    if hook.format == target.format:
        return hook.tool
    if hook.event not in events.TOOL_EVENTS or matcher_translation.shim_filter(hook, target.format).tool:
        return None
    regex = matcher_translation.translated(matcher_translation.searched_regex(hook), hook.format, target.format)
    return matcher_translation.matcher_for(regex, target.format, event)


def _timeout(hook: Hook, unit_ms: int) -> int | float:
    timeout = hook.timeout_ms / unit_ms
    return int(timeout) if timeout == int(timeout) else timeout


_WRITERS: Mapping[type[HookSource], Callable[[Hook, Target, str], tuple[Write | FileTree, ...]]] = {
    HookDirectory: _hook_md,
    JsonEntry: _json,
    AzureEntry: _azure,
}
