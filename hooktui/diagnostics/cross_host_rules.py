"""Rules about differences between hosts (formats.md §3, "What goes wrong between hosts").

What makes a host skip a file, an entry or an event is reported while the file is read. These rules look at values,
commands and scripts. A rule stays silent rather than report something wrong.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core import suggest
from hooktui.core.events import TOOL_EVENTS
from hooktui.core.model import AzureEntry, Fix, JsonEntry
from hooktui.core.paths import short
from hooktui.diagnostics import output_rules
from hooktui.diagnostics.script_rules import texts, undefined_variable, weak_exit
from hooktui.formats import host_tools
from hooktui.formats.json_hooks import json_command
from hooktui.formats.json_hooks.json_events import is_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.core.model import Diagnostic, Hook, HookSource
    from hooktui.diagnostics.rule_context import HostPlaces, Snapshot
    from hooktui.diagnostics.script_rules import ScriptText
    from hooktui.formats.node import Span
    from hooktui.formats.shell import Script

    _Rule = Callable[[Hook, HostPlaces], Iterator[Diagnostic]]
    _TextRule = Callable[[ScriptText], Iterator[Diagnostic]]

_MILLISECONDS_FROM = 1000  # a timeout in seconds of this length is probably in milliseconds
_MCP_SERVER = re.compile(r"mcp__(?:(?!__).)+")
_PERMISSION_RULE = re.compile(r"(\w+)\((?!\?).*\)")
_SNAKE_CASE = {"sessionId": "session_id", "hookEventName": "hook_event_name", "toolName": "tool_name", "toolArgs": "tool_input"}
_CAMEL_CASE = {"session_id": "sessionId", "tool_name": "toolName", "tool_input": "toolArgs", "tool_response": "toolResult"}
# A text that answers in JSON can block without exit 2.
_ANSWER = re.compile(r"permissionDecision|[\"']ok[\"']\s*:")
_JQ_FIELD = r"\bjq\b[^\n|]{{0,300}}?(?<![\w\])\"?])\.{0}\b(?!\s*//)"


def between_hosts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Apply the rules to each hook in a JSON or Azure file."""
    for hook in catalog.hooks:
        rules, text_rules = _RULES.get(type(hook.source), ((), ()))
        for rule in rules:
            yield from rule(hook, catalog.places)
        for script in texts(hook, catalog.places) if text_rules else ():
            for text_rule in text_rules:
                yield from text_rule(script)


def _ignored_matcher(hook: Hook, places: HostPlaces) -> Iterator[Diagnostic]:
    """A host reads the file and ignores its matchers."""
    if not hook.tool or hook.tool == "*" or hook.event not in TOOL_EVENTS or hook.type != "command":
        return
    for host in hosts.readers(hook.format):
        if not host.matcher.is_read:
            message = f"{host.title} ignores the matcher {hook.tool} and runs the hook for every tool"
            hint = "check the tool name in the command"
            node = places.node(hook, "matcher")
            yield places.at(hook, node, "warning", "host-ignores-matcher", message, hint=hint, hosts=(host.name,))


def _suspect_unit(hook: Hook, places: HostPlaces) -> Iterator[Diagnostic]:
    """A JSON timeout in seconds that is probably meant in milliseconds."""
    if hook.timeout_ms < _MILLISECONDS_FROM * 1000:
        return
    node = places.node(hook, *hosts.spec(hook.format).entry.timeout_keys)
    if node is None or not isinstance(node.value, int | float):
        return
    meant = f"{node.value / 1000:g}"
    message = f"timeout is in seconds: {node.value:g} is {node.value / 60:.0f} minutes"
    fix = places.replacement(hook, f"write {meant}", node, meant)
    yield places.at(hook, node, "warning", "unit-suspect", message, hint=f"{node.value:g} ms would be {meant}", fix=fix)


def _unmatchable(hook: Hook, places: HostPlaces) -> Iterator[Diagnostic]:
    """A matcher with a name that no tool has, or a permission rule in place of a matcher."""
    host = hosts.spec(hook.format)
    fires = hook.event in TOOL_EVENTS and hook.event_as_written in host.events
    if not host.own_tools_only or not fires or not hook.tool:
        return
    tools = host_tools.own(host)
    if (rule := _PERMISSION_RULE.fullmatch(hook.tool)) and rule[1] in tools:
        message = f"{hook.tool} is a permission rule and matches nothing: matchers see only the tool's name"
        hint = f'write {rule[1]}, and add "if": {json.dumps(hook.tool)} to the entry'
        yield places.at(
            hook, places.node(hook, "matcher"), "warning", "matches-nothing", message, hint=hint, hosts=(host.name,)
        )
    if not is_names(hook.tool, hook.event_as_written, host):
        return
    for name in (part.strip() for part in re.split(r"[|,]", hook.tool)):
        if _MCP_SERVER.fullmatch(name):
            message, hint = f"{name} is not a tool name and matches nothing", f"write {name}__.* for all tools of this server"
            meant = f"{name}__.*" if name == hook.tool else None  # with .* a list of names would become a regex
        elif name not in tools and (tool := next((tool for tool in tools if tool.lower() == name.lower()), None)):
            message, hint = f"{name} matches nothing: names are case-sensitive", f"did you mean {tool}?"
            meant = re.sub(rf"(?<![^|, ]){name}(?![^|, ])", tool, hook.tool)
        else:
            continue
        node = places.node(hook, "matcher")
        fix = places.replacement(hook, f"write {meant}", node, json.dumps(meant)) if node and meant else None
        yield places.at(hook, node, "warning", "matches-nothing", message, hint=hint, hosts=(host.name,), fix=fix)


def _weak_exit(script: ScriptText) -> Iterator[Diagnostic]:
    """Exit codes other than 2 do not block, unless the host or failMode fails closed."""
    hook = script.hook
    fails_closed = hook.fail_mode == "block" or hosts.spec(hook.format).fails_closed(hook.event)
    if not fails_closed and not _ANSWER.search(script.text):
        yield from (diagnostic.replace(hosts=(hook.format,)) for diagnostic in weak_exit(script))


def _undefined_variable(script: ScriptText) -> Iterator[Diagnostic]:
    yield from (diagnostic.replace(hosts=(script.hook.format,)) for diagnostic in undefined_variable(script))


def _undefined_field(script: ScriptText) -> Iterator[Diagnostic]:
    """A jq program reads a field by another host's name: it is null."""
    hook = script.hook
    is_camel = hosts.spec(hook.format).speech.camel_payloads and hook.event_as_written[:1].islower()
    for wrong, right in (_CAMEL_CASE if is_camel else _SNAKE_CASE).items():
        # A text that also uses the right name is written for several hosts.
        program = None if re.search(rf"\b{right}\b", script.text) else re.search(_JQ_FIELD.format(wrong), script.text)
        match = re.compile(rf"\.{wrong}\b").search(script.text, program.start()) if program else None
        if match:
            message = f"{hosts.spec(hook.format).title} events have no field {wrong}: it is null"
            meant = f".{right}" if script.text.count(wrong) == 1 else ""
            diagnostic = script.warn("undefined-field", message, match, f"use {right}", meant)
            yield diagnostic.replace(hosts=(hook.format,))


_TEMPLATES = ("", ".sh", ".bash", ".py")  # suffixes of scripts that hooktui can create
_WHERE = {"always": "every time it runs", "sometimes": "when it calls the script"}
_HINT = "delete one of them"
_LIKENESS = 0.75  # of two script names


def missing_scripts(hook: Hook, places: HostPlaces) -> Iterator[Diagnostic]:
    """A command names a script that does not exist or is not executable."""
    for command, scripts in json_command.by_command(hook):
        for script in scripts:
            wrong = _wrong(script) if script.called != "perhaps" else None
            if wrong is None:
                continue
            fails = f"the hook fails {_WHERE[script.called]}"
            node, inside = places.command(hook, command, script.span)
            if wrong == "missing":
                message = f"{short(script.path)} does not exist: {fails}"
                meant = _namesake(script.path)
                right = _other_name(command, script, inside, meant) if inside and meant else None
                fix = right and places.correction(hook, node, *right)
                if not fix and hook.event and not hook.obstacle and os.path.splitext(script.path)[1] in _TEMPLATES:
                    fix = Fix(label=f"create {short(script.path)}", kind="create", path=script.path)
                hint = f"did you mean {meant}?" if meant else "create it or fix the path"
                yield places.at(hook, node, "error", "missing-script", message, hint=hint, inside=inside, fix=fix)
            else:
                message = f"{short(script.path)} is not executable: {fails}"
                fix = Fix(label="make it executable", kind="chmod", path=script.path)
                hint = f"chmod +x {short(script.path)}"
                yield places.at(hook, node, "warning", "not-executable", message, hint=hint, inside=inside, fix=fix)


def duplicate_handlers(catalog: Snapshot) -> Iterator[Diagnostic]:
    """One command in two files, which VS Code runs twice, and one handler twice in a file."""
    first_of: dict[tuple[str, str], Hook] = {}
    seen: set[tuple[str, str, str | None, str]] = set()
    for hook in catalog.hooks:
        if hosts.json_spec(hook.format) is None or not hook.command or not hook.event or not hook.enabled:
            continue
        first = first_of.setdefault((hook.event, hook.command), hook)
        handler = (hook.file, hook.event, hook.tool, hook.command)
        if handler in seen:
            node, _ = catalog.places.command(hook, hook.command)
            message = f"duplicate of {first.name} in the same file"
            yield catalog.places.at(hook, node, "warning", "duplicate-hook", message, hint=_HINT)
        elif first.file != hook.file:
            node, _ = catalog.places.command(hook, hook.command)
            for reader in hosts.readers(first.format):
                if reader not in hosts.readers(hook.format) or not reader.runs_repeated_handlers:
                    continue
                message = f"this command is also in {short(first.file)}: {reader.title} runs it twice"
                yield catalog.places.at(hook, node, "warning", "duplicate-command", message, hint=_HINT, hosts=(reader.name,))
        seen.add(handler)


def _namesake(path: str) -> str | None:
    """The file in the same directory whose name is closest to a missing script's: with the same suffix, if there is one, and
    a name that needs no quotes in a command."""
    directory, name = os.path.split(path)
    try:
        beside = [file.name for file in os.scandir(directory) if file.is_file() and shlex.quote(file.name) == file.name]
    except OSError:
        return None
    kind = os.path.splitext(name)[1]
    return suggest.closest(name, [file for file in beside if not kind or os.path.splitext(file)[1] == kind], _LIKENESS)


def _other_name(command: str, script: Script, inside: Span, name: str) -> tuple[Span, str, str] | None:
    """The span of a script's name in a value, that name, and the new one; None if it is spelled differently."""
    old = os.path.basename(script.path)
    _, matched, behind = command[slice(*script.span)].rpartition(old)
    end = inside[1] - len(behind)  # a quotation mark
    return ((end - len(old), end), old, name) if matched else None


def _wrong(script: Script) -> str | None:
    if not os.path.exists(script.path):
        return "missing"
    executable = not script.direct or os.access(script.path, os.X_OK) or not os.path.isfile(script.path)
    return None if executable else "not executable"


# By source: rules about a hook, and rules about each text that it runs.
_RULES: Mapping[type[HookSource], tuple[tuple[_Rule, ...], tuple[_TextRule, ...]]] = {
    JsonEntry: (
        (_ignored_matcher, _suspect_unit, _unmatchable, missing_scripts),
        (output_rules.rejected, output_rules.missed, _weak_exit, _undefined_variable, _undefined_field),
    ),
    AzureEntry: ((missing_scripts,), (_weak_exit, _undefined_variable)),
}
