"""One hook of an Azure SRE Agent: its options by the configuration reference of seed 004 (formats.md §4)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from hooktui.config import suggest
from hooktui.core.model import Fix, Obstacle
from hooktui.formats import regexes, repairs, yaml_source
from hooktui.formats.diagnostic_collector import DiagnosticCollector
from hooktui.formats.json_hooks.entry_fields import kind_of
from hooktui.formats.node import Node, Span
from hooktui.formats.yaml_source import folded

STOP = "Stop"
TOOL_EVENTS = ("PreToolUse", "PostToolUse")
EVENTS = (STOP, *TOOL_EVENTS)
SCRIPT_LIMIT = 65_536  # bytes
SHEBANGS = ("#!/bin/bash", "#!/usr/bin/env python3")
_INTERPRETER = re.compile(r"#! */(?:usr/(?:local/)?)?bin/(?:env +)?(sh|bash|python|python3)")
_SHEBANG_OF = {"sh": SHEBANGS[0], "bash": SHEBANGS[0], "python": SHEBANGS[1], "python3": SHEBANGS[1]}
DEFAULT_TIMEOUT_S = 30
DEFAULT_MODEL = "ReasoningFast"
LONG_TIMEOUT_S = 300
REJECTIONS = (1, 3, 25)  # least, default, most
KEYS = ("type", "prompt", "command", "script", "matcher", "timeout", "failMode", "model", "maxRejections")
_TYPES = ("prompt", "command")
_FAIL_MODES = ("allow", "block")
_ALSO_READ = ("name", "description", "enabled", "activationMode")
_LONGEST_MS = 2**31 - 1
_ON_DEMAND = re.compile(r"on[-_ ]?demand", re.IGNORECASE)
FORMAT = "azure"
HOST = "Azure SRE Agent"


@dataclass(slots=True)
class AzureAction:
    """What a hook does, as fields of a Hook. `obstacles` come from its own keys."""

    type: str = "prompt"
    argv: tuple[str, ...] = ()
    command: str | None = None
    prompt: str | None = None
    model: str | None = None
    script: str | None = None
    obstacles: list[Obstacle] = field(default_factory=list)


def action(entry: AzureFields) -> AzureAction:
    """Read what a hook runs or asks, and report what is missing."""
    entry.report_misspelled_keys((*KEYS, *_ALSO_READ))
    kind = (entry.text("type") or "prompt").lower()
    result = AzureAction(kind)
    if kind == "command":
        _command(entry, result)
    elif kind == "prompt":
        _prompt(entry, result)
    else:
        problem, meant = f"{HOST} does not support hooks of type {kind[:40]}", suggest.closest(kind, _TYPES)
        hint, fix = f"did you mean {meant}?" if meant else f"valid types: {', '.join(_TYPES)}", entry.instead("type", meant)
        entry.notes.on(FORMAT, "warning", "unsupported-type", problem, entry.place("type"), hint=hint, fix=fix)
        result.obstacles.append(Obstacle(skip="unsupported-type", why=problem))
    return result


def matcher(entry: AzureFields, event: str) -> tuple[str | None, Obstacle | None]:
    """The pattern for the whole tool name. None matches nothing on a tool event."""
    node = entry.node_of("matcher")
    if event not in TOOL_EVENTS:
        if node is not None:
            entry.notes.warning("matcher-ignored", f"{event} has no tool: the matcher is ignored", entry.place("matcher"))
        return (node.value if node and isinstance(node.value, str) else None), None
    if node is None:
        message = f"a hook on {event} needs a matcher: without one it matches no tool"
        entry.notes.error("missing-field", message, entry.place("matcher"))
        return None, None
    if node.value in (None, ""):
        hint = '"*" matches every tool'
        entry.notes.warning("matches-nothing", "an empty matcher matches no tool", entry.place("matcher"), hint=hint)
        return node.value, None
    if not isinstance(node.value, str):
        problem = f"matcher must be text, not {kind_of(node.value)}"
        entry.notes.error("wrong-type", problem, entry.place("matcher"))
        return None, Obstacle(skip="bad-matcher", why=problem)
    wrong = None if node.value == "*" else regexes.check(node.value)
    if wrong is None:
        return node.value, None
    problem = f"the matcher is not a valid regex: {wrong.message}"
    entry.notes.error("bad-regex", problem, entry.place("matcher"), fix=yaml_source.regex_fix(node, entry.notes))
    return node.value, Obstacle(skip="bad-matcher", why=problem)


def timeout_ms(entry: AzureFields) -> int:
    """The effective timeout in milliseconds."""
    seconds = entry.number("timeout")
    if seconds is not None and seconds <= 0:
        hint = f"hooktui uses {DEFAULT_TIMEOUT_S}"
        fix = entry.instead("timeout", DEFAULT_TIMEOUT_S)
        entry.notes.error("out-of-range", "timeout must be more than 0 seconds", entry.place("timeout"), hint=hint, fix=fix)
        seconds = None
    elif seconds is not None and seconds > LONG_TIMEOUT_S:
        message = f"timeout is {seconds:g} seconds: {HOST} allows at most {LONG_TIMEOUT_S}"
        entry.notes.warning("out-of-range", message, entry.place("timeout"))
    return min(max(round((seconds or DEFAULT_TIMEOUT_S) * 1000), 1), _LONGEST_MS)


def fail_mode(entry: AzureFields) -> Literal["allow", "block"]:
    """Whether a failure of the hook allows or blocks."""
    written = entry.text("failMode")
    if written is not None and written.lower() not in _FAIL_MODES:
        message = f"failMode must be {' or '.join(_FAIL_MODES)}, not {written[:40]}"
        fix = entry.instead("failMode", suggest.closest(written, _FAIL_MODES))
        entry.notes.error("bad-value", message, entry.place("failMode"), hint="hooktui uses allow", fix=fix)
    return "block" if written is not None and written.lower() == "block" else "allow"


def max_rejections(entry: AzureFields, event: str, kind: str) -> int | None:
    """How often a prompt hook on Stop may reject. None for other hooks."""
    least, default, most = REJECTIONS
    given = entry.number("maxRejections")
    if event != STOP or kind != "prompt":
        key = entry.key_of("maxRejections")
        if key is not None:
            message = "maxRejections applies only to prompt hooks on Stop"
            entry.notes.on(FORMAT, "warning", "ignored-key", message, key.span)
        return None
    if given is None:
        return default
    used = min(max(int(given), least), most)
    if used != given:
        message = f"maxRejections must be a whole number from {least} to {most}"
        fix = entry.instead("maxRejections", used)
        entry.notes.error("out-of-range", message, entry.place("maxRejections"), hint=f"hooktui uses {used}", fix=fix)
    return used


def is_on(*places: AzureFields | None) -> bool:
    """Whether no mapping sets `enabled: false` or `activationMode: onDemand`."""
    for fields in places:
        if fields is None:
            continue
        enabled, mode = fields.node_of("enabled"), fields.node_of("activationMode")
        if enabled is not None and enabled.value is False:
            return False
        if mode is not None and isinstance(mode.value, str) and _ON_DEMAND.fullmatch(mode.value.strip()):
            return False
    return True


def _prompt(entry: AzureFields, result: AzureAction) -> None:
    prompt = entry.text("prompt")
    result.prompt, result.model = prompt or "", entry.text("model") or DEFAULT_MODEL
    if not prompt or not prompt.strip():
        given = [key for key in ("command", "script") if key in entry]
        fix = _command_type(entry) if given and "type" not in entry else None
        hint = "set type: command" if fix else ""
        entry.notes.error("missing-field", "a prompt hook needs a prompt", entry.place("prompt"), hint=hint, fix=fix)
        result.obstacles.append(Obstacle(skip="invalid", why="it has no prompt"))


def _command_type(entry: AzureFields) -> Fix:
    notes, first = entry.notes, entry.node.entries[0][0]
    _line, column = notes.place(first.start)
    between = ", " if entry.node.style == "{" else f"\n{' ' * (column - 1)}"
    return notes.replacement("add type: command", first.span, f"type: command{between}{notes.text[slice(*first.span)]}")


def _command(entry: AzureFields, result: AzureAction) -> None:
    command, script = entry.text("command"), entry.text("script")
    if command and script:
        later = max(("command", "script"), key=lambda key: entry.place(key)[0])
        message = "command and script are mutually exclusive"
        entry.notes.error("conflicting-keys", message, entry.place(later), hint="hooktui runs the command")
    if command:
        result.command, result.argv = command, ("bash", "-c", command)
    elif script:
        result.command = result.script = script
    else:
        entry.notes.error("missing-field", "a command hook needs a command or a script", _first_given(entry))
        result.obstacles.append(Obstacle(skip="invalid", why="it has neither command nor script"))
    if "\0" in (result.command or ""):
        entry.notes.error("bad-command", "a command cannot contain a NUL character", _first_given(entry))
        result.obstacles.append(Obstacle(skip="invalid", why="its command contains a NUL character"))
    if script:
        _check_script(script, entry)


def _first_given(entry: AzureFields) -> tuple[int, int]:
    return entry.place(next((key for key in ("command", "script") if key in entry), "command"))


def _check_script(script: str, entry: AzureFields) -> None:
    size = len(script.encode("utf-8", "surrogatepass"))
    if size > SCRIPT_LIMIT:
        message = f"the script has {size:,} bytes, {HOST} allows at most {SCRIPT_LIMIT:,}"
        entry.notes.error("too-large", message, entry.place("script"))
    if script.split("\n", 1)[0].rstrip() not in SHEBANGS:
        message = f"the script must start with {' or '.join(SHEBANGS)}"
        fix = _other_shebang(script, entry)
        entry.notes.on(FORMAT, "warning", "unsupported-shebang", message, entry.place("script"), fix=fix)


def _other_shebang(script: str, entry: AzureFields) -> Fix | None:
    """Azure's shebang for the same interpreter, if the script is a literal block."""
    written, node = script.split("\n", 1)[0].rstrip(), entry.node_of("script")
    name = _INTERPRETER.fullmatch(written)
    if name is None or node is None or node.style != "|":
        return None
    wanted, start = _SHEBANG_OF[name[1]], entry.notes.text.find(written, node.start)
    return entry.notes.replacement(f"start it with {wanted}", (start, start + len(written)), wanted)


class AzureFields:
    """The values of a mapping by the documented spelling of their keys. Of two spellings the first counts.

    Values of a wrong type are reported and read as None.
    """

    def __init__(self, node: Node, notes: DiagnosticCollector) -> None:
        self.node = node
        self.notes = notes
        self._entries = {folded(key.value): (key, value) for key, value in reversed(node.entries)}

    def __contains__(self, key: str) -> bool:
        return folded(key) in self._entries

    def node_of(self, key: str) -> Node | None:
        entry = self._entries.get(folded(key))
        return entry[1] if entry else None

    def key_of(self, key: str) -> Node | None:
        entry = self._entries.get(folded(key))
        return entry[0] if entry else None

    def place(self, key: str) -> Span:
        """The span of a key's value; of the key if the value is empty; of the mapping's first character if there is no key."""
        key_node, value = self._entries.get(folded(key), (None, None))
        if key_node is None or value is None:
            return self.node.start, self.node.start + 1
        return value.span if value.end > value.start else key_node.span

    def text(self, key: str) -> str | None:
        value: str | None = self._typed(key, (str,), "text")
        return value

    def number(self, key: str) -> float | None:
        value: float | None = self._typed(key, (int, float), "a number")
        return value

    def mapping(self, key: str) -> AzureFields | None:
        node = self.node_of(key)
        return AzureFields(node, self.notes) if node and self._typed(key, (dict,), "a mapping") is not None else None

    def instead(self, key: str, value: str | int | None) -> Fix | None:
        node = self.node_of(key)
        return None if node is None or value is None else self.notes.instead(node, yaml_source.scalar(value))

    def report_misspelled_keys(self, known: tuple[str, ...]) -> None:
        read = {folded(key) for key in known}
        unread = (key for key, _ in self.node.entries if folded(key.value) not in read)
        self.notes.misspelled_keys(unread, (name for name in known if name not in self), HOST)

    def _typed(self, key: str, types: tuple[type, ...], wanted: str) -> Any:
        node = self.node_of(key)
        if node is None or node.value is None or type(node.value) in types:
            return node.value if node else None
        number = repairs.number(node.value, repairs.SECOND) if float in types and isinstance(node.value, str) else None
        fix = self.notes.instead(node, number)
        self.notes.error("wrong-type", f"{key} must be {wanted}, not {kind_of(node.value)}", self.place(key), fix=fix)
        return None
