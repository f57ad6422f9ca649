"""Rules about event fields that a script reads but the event does not have."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.events import GATES, TURN_STARTS
from hooktui.core.model import JsonEntry
from hooktui.diagnostics.script_text import texts
from hooktui.formats.json_hooks import json_command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.diagnostics.script_text import ScriptText

_SNAKE_CASE = {
    "sessionId": "session_id",
    "hookEventName": "hook_event_name",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolInput": "tool_input",
}
_AGENTHOOKS = {
    **_SNAKE_CASE,
    **dict.fromkeys(("hookEventName", "hook_event_name"), "event_type"),
    **dict.fromkeys(("tool_response", "tool_result"), "tool_output"),
}
_CAMEL_CASE = {"session_id": "sessionId", "tool_name": "toolName", "tool_input": "toolArgs", "tool_response": "toolResult"}
# Names that may also be keys of something else, and count only where the event is read.
_LIKELY = {"event_type": "hook_event_name", "agent_name": "agent_type"}
# What a text for several hosts has too, if not the right name: of agents, their tool; of events, nothing tells.
_BESIDE = {"agent_name": "tool_name", "event_type": "(?!)"}
# Fields of Claude Code's tools under other names, where the matcher allows only tools that do not have them.
_TOOL_FIELD = r"tool_input\b[\"'\])}},.{{ ]*(?:get\([\"']|\[[\"']|\.)(?P<name>{0})\b"
_PATH_NAMES = ("path", "filePath", "filepath", "filename", "file")
_COMMAND_NAMES = ("cmd", "script", "commandLine")
_KEY_READ = r"(?:\bget\(\s*|\[)[\"']{0}[\"'](?!\]\s*=(?!=))"
_EVENT_READ = (
    r"\b(?:event|payload|data|stdin|input|(?:hook|input)_?(?:data|input|event)?)(?:\.get\(\s*|\[)[\"']{0}[\"'](?!\]\s*=(?!=))"
)
# In jq, perhaps with a text in place of null.
_JQ_FIELD = r"\bjq\b[^\n|]{{0,300}}?(?<![\w\])\"?])(?<!// )\.{0}\b(?!\s*//\s*(?:\.|empty|null))"
# Another read on one side of a read.
_OTHERWISE = re.compile(r"[\"']?(?:,[^()\n]*)?[\])]*\s*(?:\bor\b|\?\?|\|\|)(?!\s*(?:[\"'\d\[{]|None\b|null\b))")
_INSTEAD = re.compile(r"(?:\bor|\?\?|\|\|)\s*\(?\w+(?:\?\.|\.)?$")
_CONDITION = re.compile(r"\s*(?:\}\s*)?(?:el(?:se )?)?if\b[^\n]*?[\"'](\w+)[\"']")
# Events that have no tool.
_WITHOUT_TOOL = (*TURN_STARTS, *GATES, "post-session", "pre-subagent", "pre-context-compact", "post-context-compact")
# An object that is read as if it were JSON text, in jq, Python and JavaScript, and a test of its type.
_AS_TEXT = re.compile(
    r"\.toolArgs\s*\|\s*fromjson\b(?!\?)|\b(?:loads|JSON\.parse)\(\s*\w+(?:\[[\"']|\.get\(\s*[\"']|\??\.)toolArgs\b"
)
_TESTS_TYPE = re.compile(r"\btype\b|\bisinstance\(|\btypeof\b")
_OF_TOOLS = ("tool_input", "tool_name", "tool_response")


def undefined_field(script: ScriptText) -> Iterator[Diagnostic]:
    """A text reads a field by another host's name: it is null."""
    event = script.hook.event_as_written
    host = hosts.spec(script.hook.format)
    is_ours = host.name == hosts.DEFAULT
    names = {**_SNAKE_CASE, **_LIKELY, **({} if host.style == "camel" else {"tool_output": "tool_response"})}
    for wrong, right in (_AGENTHOOKS if is_ours else _CAMEL_CASE if host.is_camel_case(event) else names).items():
        # A text that also uses the right name is written for several hosts.
        is_both = re.search(rf"\b{_BESIDE.get(wrong, right)}\b", script.text)
        if is_both or wrong in host.own_fields or wrong not in script.text:
            continue
        if found := _read(script, wrong):
            message = f"{host.title} events have no field {wrong}: it is null"
            meant = found.group().replace(wrong, right) if script.text.count(wrong) == 1 else ""
            diagnostic = script.warn("undefined-field", message, found.span(), f"use {right}", meant)
            yield diagnostic if is_ours else diagnostic.replace(hosts=(script.hook.format,))


def _read(script: ScriptText, name: str) -> re.Match[str] | None:
    """The reads of an event field, except those with a fallback or in a branch for another host."""
    text = script.text
    if program := re.search(_JQ_FIELD.format(name), text):
        return re.compile(rf"\.{name}\b").search(text, program.start())
    pattern = _EVENT_READ if name in _LIKELY else _KEY_READ
    for match in re.finditer(pattern.format(name), text) if not script.is_shell else ():
        is_alternative = _OTHERWISE.match(text, match.end()) or _INSTEAD.search(text, 0, match.start())
        if not is_alternative and not _is_for_a_host(text, match.start()):
            return match
    return None


def _is_for_a_host(text: str, at: int) -> bool:
    """Whether a place is inside an `if` that names a host, by its indentation."""
    depth = None
    for line in reversed(text[:at].split("\n")):
        indent = len(line) - len(line.lstrip())
        if line.strip() and (depth is None or indent < depth):
            depth = indent
            condition = _CONDITION.match(line)
            if condition and condition[1].lower() in hosts.names():
                return True
    return False


def object_as_text(script: ScriptText) -> Iterator[Diagnostic]:
    """A text parses a tool's arguments, which its host sends as an object (run, Copilot CLI 1.0.102)."""
    host = hosts.spec(script.hook.format)
    is_sent = host.is_camel_case(script.hook.event_as_written) and "toolArgs" in script.text
    found = _AS_TEXT.search(script.text) if is_sent and not _TESTS_TYPE.search(script.text) else None
    if found:
        message = f"{host.title} sends toolArgs as an object: parsing it as text fails"
        hint = "parse it only if it is text, as in older versions"
        yield script.warn("undefined-field", message, found.span(), hint).replace(hosts=(host.name,))


def undefined_tool_field(script: ScriptText) -> Iterator[Diagnostic]:
    """A field of a tool's input that none of the matched tools has."""
    spec, matched = hosts.spec(script.hook.format), set((script.hook.tool or "").split("|"))
    files = {spec.tools.get(tool) for tool in ("read", "write", "edit")}
    for tools, names, right in (
        (files, _PATH_NAMES, spec.inputs.get("path")),
        ({spec.tools.get("shell")}, _COMMAND_NAMES, "command"),
    ):
        if right is None or not matched <= tools or re.search(rf"\b{right}\b", script.text):
            continue
        wrong = [name for name in names if name != right]
        if match := re.search(_TOOL_FIELD.format("|".join(wrong)), script.text):
            message = f"{script.hook.tool} has no field {match['name']} in {spec.title}: it is null"
            yield script.warn("undefined-field", message, match.span(), f"use {right}").replace(hosts=(script.hook.format,))


def fields_of_tools(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A tool-call field read on an event without a tool, by a script that no tool event runs."""
    entries = [hook for hook in catalog.hooks if isinstance(hook.source, JsonEntry) and hook.enabled and not hook.obstacle]
    elsewhere = {script.path for hook in entries if hook.event not in _WITHOUT_TOOL for script in json_command.scripts(hook)}
    for hook in (hook for hook in entries if hook.event in _WITHOUT_TOOL):
        for script in texts(hook, catalog.places):
            is_shared = script.notes.file in elsewhere or os.path.basename(script.notes.file) in script.text
            if is_shared or re.search(r"hook_?event_?name", script.text, re.IGNORECASE):
                continue
            found = next(filter(None, (_read(script, name) for name in _OF_TOOLS if name in script.text)), None)
            if found:
                name = next(name for name in _OF_TOOLS if name in found.group())
                message = f"{hosts.spec(hook.format).title} sends no {name} on {hook.event_as_written}: it is null"
                yield script.warn("undefined-field", message, found.span(), "use a tool event").replace(hosts=(hook.format,))
