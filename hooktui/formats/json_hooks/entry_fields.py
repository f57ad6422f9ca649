"""The keys of an entry in a JSON hook file, and their values checked against the types a host wants (formats.md §3)."""

from __future__ import annotations

import json
import shlex
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hooktui import hosts
from hooktui.config import suggest
from hooktui.formats import repairs
from hooktui.formats.diagnostic_collector import is_comment
from hooktui.formats.node import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.core.model import EntryPath, Fix
    from hooktui.formats.diagnostic_collector import DiagnosticCollector
    from hooktui.formats.node import Node, Span
    from hooktui.hosts import Host

OFF: Final = "off"  # next to the `hooks` of a group: entries that hooktui disabled
OFF_LIST: Final = "hooks_off"  # beside a list `hooks` of entries that name their events: those that hooktui disabled
COMMAND_KEYS: Final = ("command", "windows", "linux", "osx", "bash", "powershell")
# The types of an entry's keys, the same for every host.
TEXT: Final = "text"
NUMBER: Final = "a number"
COUNT: Final = "a whole number from 0"
FLAG: Final = "true or false"
TEXTS: Final = "a list of texts"
OBJECT: Final = "an object"
ANYTHING: Final = "anything"
KINDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(COMMAND_KEYS, TEXT),
    **dict.fromkeys(("type", "event", "exec", "shell", "cwd", "matcher", "if", "statusMessage"), TEXT),
    **dict.fromkeys(("url", "prompt", "model", "server", "tool"), TEXT),
    **dict.fromkeys(("onFailure", "rewakeMessage", "rewakeSummary", "commandWindows", "command_windows"), TEXT),
    "additionalContextLimit": COUNT,
    **dict.fromkeys(("cloud", "loop_limit"), ANYTHING),
    **dict.fromkeys(("timeout", "timeoutSec"), NUMBER),
    **dict.fromkeys(("async", "asyncRewake", "once", "continueOnBlock", "holdsTools", "failClosed"), FLAG),
    **dict.fromkeys(("args", "allowedEnvVars"), TEXTS),
    **dict.fromkeys(("env", "headers", "input"), OBJECT),
}
# Required keys by type, except for commands.
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "http": ("url",),
    "prompt": ("prompt",),
    "agent": ("prompt",),
    "mcp_tool": ("server", "tool"),
}
# The keys of a system's command, the strongest first.
SYSTEM_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "linux": ("linux", "bash"),
    "osx": ("osx", "bash"),
    "windows": ("windows", "powershell"),
}
TOOL_EVENTS: Final = (
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied", "PreSkillShellCommand"),
)
# Keys that describe an entry to people.
_LABELS = frozenset(("author", "comment", "comments", "description", "id", "label", "name", "note", "notes", "title", OFF))
# Words that look like conditions or options -> what the host does instead. Letters only, in lower case.
_CONSEQUENCES: Mapping[str, str] = {
    **dict.fromkeys(("active", "disable", "disabled", "enable", "enabled", "skip"), "the hook runs anyway"),
    **dict.fromkeys(("condition", "conditions", "event", "events", "trigger", "unless", "when"), "the hook runs every time"),
    **dict.fromkeys(("match", "matches", "matchers", "tool", "toolname", "toolnames", "tools"), "the hook runs for every tool"),
    **dict.fromkeys(
        ("exclude", "excludes", "filepattern", "filepatterns", "files", "glob", "globs", "include", "includes", "path",
         "paths", "pathpattern", "pattern", "patterns"),
        "the hook runs for every file",
    ),
    **dict.fromkeys(("block", "blocking", "blocks", "required"), "only the hook's answer or exit 2 blocks"),
    **dict.fromkeys(
        ("allowfailure", "continueonerror", "continueonfailure", "failonerror", "ignoreerror", "ignoreerrors", "onerror",
         "onfail", "onfailure"),
        "failures count as usual",
    ),
    **dict.fromkeys(("background", "runinbackground"), "the host waits for the hook"),
    **dict.fromkeys(("order", "priority"), "hooks run in the order of the file"),
    **dict.fromkeys(("debounce", "delay", "maxretries", "retries", "retry"), "the hook runs once, immediately"),
}  # fmt: skip
_MEANT: Mapping[str, str] = {**dict.fromkeys(("match", "matches", "matchers", "tool"), "matcher"), "runinbackground": "async"}
_COUNTED = 2**64
_TYPES: Mapping[str, tuple[type, ...]] = {
    TEXT: (str,),
    NUMBER: (int, float),
    COUNT: (int,),
    FLAG: (bool,),
    TEXTS: (list,),
    OBJECT: (dict,),
}


@cache
def known_to_any() -> frozenset[str]:
    """All keys that any host reads."""
    return frozenset(key for spec in hosts.json_specs() for key in spec.entry.keys)


def in_group(path: EntryPath) -> bool:
    """Whether a path is like `/hooks/EVENT/0/hooks/0`, not `/hooks/EVENT/0`."""
    return len(path) > 2 and path[-2] in ("hooks", OFF)


def is_tool(key: str, kind: str = "") -> bool:
    """Whether a key names the tool of an MCP server where no server is called, so that a matcher is meant."""
    return key == "tool" and kind != "mcp_tool"


def pairs(node: Node) -> dict[str, tuple[Node, Node]]:
    """Key and value of an object's members, by key; for a duplicate key the last, as in JSON.parse."""
    return {key.value: (key, value) for key, value in node.entries}


def repeated(node: Node) -> list[Node]:
    """The repetitions of duplicate keys."""
    seen: set[str] = set()
    return [key for key, _ in node.entries if key.value in seen or seen.add(key.value)]  # type: ignore[func-returns-value]


class EntryFields:
    """An entry's values by key. A value of the wrong type is reported once and ignored.

    `event` is the canonical name, or the host's own. `strict`: the host ignores the whole file if something is wrong here.
    `is_flat`: the host does not read the entry because it is outside a group; then what it lacks is not reported.
    `dropped` says why the host ignores the entry. `values` are those that it reads and that have the right type.
    """

    def __init__(self, node: Node, spec: Host, notes: DiagnosticCollector, event: str, *, strict: bool, is_flat: bool) -> None:
        self.node = node
        self.spec = spec
        self.notes = notes
        self.event = event
        self.strict = strict
        self.is_flat = is_flat
        self.dropped = ""
        self.pairs = pairs(node)
        read = set(spec.entry.keys) - {"matcher"}  # read_matcher reads it
        self.values: dict[str, Any] = {key: self._typed(key, value) for key, (_, value) in self.pairs.items() if key in read}

    def get(self, key: str) -> Any:
        """The value of a key that the host reads, None if it is missing or has the wrong type."""
        return self.values.get(key)

    def place(self, key: str) -> Span:
        """The span of a key's value, or of the entry's first character if there is none."""
        return self.pairs[key][1].span if key in self.pairs else (self.node.start, self.node.start + 1)

    def wrong(self, code: str, message: str, span: Span, *, hint: str = "", fix: Fix | None = None, key: str = "") -> None:
        """Report an error, of the value of a `key`; a strict host ignores the file for it, others the entry or the value."""
        spec = self.spec
        if self.strict:
            self.notes.breaks_file(spec, message, span, fix, hint=hint)
        elif key in spec.entry.entry_faults:
            message = f"{message}: {spec.title} {spec.entry.entry_faults[key]}"
            self.notes.on(spec.name, "error", code, message, span, hint=hint, fix=fix)
        elif spec.entry.drops_entries:
            message = f"{spec.title} ignores this entry: {message}"
            self.dropped = self.dropped or message
            self.notes.on(spec.name, "error", code, message, span, hint=hint, fix=fix)
        else:
            self.notes.error(code, message, span, hint=hint, fix=fix)

    def lack(self, key: str, message: str, *, hint: str = "", fix: Fix | None = None) -> None:
        """Report that a required key is missing: once per entry."""
        if not self.is_flat:
            self.wrong("missing-field", message, self.place(key), hint=hint, fix=fix)

    def instead(self, key: str, value: str | float | None) -> Fix | None:
        return None if value is None else self.notes.instead(self.pairs[key][1], json.dumps(value, ensure_ascii=False))

    def report_keys(self, kind: str) -> None:
        """Warn about keys that this host does not read in an entry of a type: those of another host, and words that a person
        may rely on."""
        unread = {name: key for name, (key, _) in self.pairs.items() if name not in self.spec.entry.keys or is_tool(name, kind)}
        if refused := [key for name, key in unread.items() if self.spec.entry.refuses(name, None)]:
            self._refuse(refused)
            return
        for name, key in unread.items():
            if (
                name in known_to_any() and not is_tool(name, kind) and not (self.is_flat and name == "matcher")
            ):  # the fix of a flat entry moves it
                self.notes.on(self.spec.name, "warning", "ignored-key", f"{self.spec.title} ignores {name} here", key.span)
        strange = [key for name, key in unread.items() if name not in known_to_any() or is_tool(name, kind)]
        missing = [known for known in self.spec.entry.keys if known not in self.pairs]
        report_unread(strange, missing, self.spec, self.notes)

    def _refuse(self, keys: Iterable[Node]) -> None:
        for key in keys:
            meant = suggest.closest(key.value, [known for known in self.spec.entry.keys if known not in self.pairs])
            hint = f"did you mean {meant}?" if meant else f"valid keys: {', '.join(self.spec.entry.keys)}"
            fix = self.notes.renaming(key, meant) if meant else None
            self.wrong("unknown-key", f"unknown key {key.value}", key.span, hint=hint, fix=fix)

    def _typed(self, key: str, node: Node) -> Any:
        if node.value is None and key in self.spec.entry.nullable:
            return None
        kind = KINDS[key]
        fits = kind == ANYTHING or type(node.value) in _TYPES[kind]
        if fits and kind == TEXTS:
            fits = all(isinstance(item, str) for item in node.value)
        if fits and kind == COUNT:
            fits = 0 <= node.value < _COUNTED
        if fits:
            return node.value
        fix = self.notes.instead(node, _intended(key, node.value, self.spec.entry.unit_ms)) or (
            _shell_command(node, self.notes) if key in COMMAND_KEYS else None
        )
        given = "" if kind == COUNT and type(node.value) in _TYPES[NUMBER] else f", not {kind_of(node.value)}"
        self.wrong("wrong-type", f"{key} must be {kind}{given}", node.span, fix=fix, key=key)
        return None


def report_unread(keys: Iterable[Node], missing: Iterable[str], spec: Host, notes: DiagnosticCollector) -> None:
    """Warn about keys that no host reads: words that look like conditions, misspelled ones, and any other but notes."""
    missing = tuple(missing)
    strange = []
    for key in keys:
        consequence = _CONSEQUENCES.get(_letters(key.value))
        if consequence is None:
            strange += [key] if key.value not in _LABELS and not is_comment(key.value) else []
            continue
        meant = _MEANT.get(_letters(key.value))
        fix = notes.renaming(key, meant) if meant and meant in missing else None
        hint = f"did you mean {meant}?" if fix else ""
        message = f"{spec.title} does not read {key.value}: {consequence}"
        notes.on(spec.name, "warning", "unread-key", message, key.span, hint=hint, fix=fix)
    misspelled = notes.misspelled_keys(strange, missing, spec.title)
    for key in (key for key in strange if key.value not in misspelled):
        notes.warning("unknown-key", f"{key.value} is not a key that {spec.title} reads", key.span)


def _letters(key: str) -> str:
    return key.replace("_", "").replace("-", "").lower()


def kind_of(value: Any) -> str:
    """Name the type of a JSON value for a message."""
    if value is None:
        return "null"
    if isinstance(value, Written):
        return value.kind
    return next((kind for kind, types in _TYPES.items() if type(value) in types and kind not in (TEXTS, COUNT)), "a list")


def _intended(key: str, value: Any, unit_ms: int) -> str | None:
    """The JSON of a number or boolean written as text, possibly a time with a unit. `unit_ms` is the host's unit of times."""
    if not isinstance(value, str):
        return None
    if KINDS[key] == NUMBER:
        return repairs.number(value, unit_ms)
    flag = repairs.flag(value) if KINDS[key] == FLAG else None
    return None if flag is None else json.dumps(flag)


def _shell_command(node: Node, notes: DiagnosticCollector) -> Fix | None:
    words = node.value
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
        return None
    return notes.instead(node, json.dumps(words[0] if len(words) == 1 else shlex.join(words), ensure_ascii=False))
