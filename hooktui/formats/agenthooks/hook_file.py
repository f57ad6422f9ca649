"""Read one HOOK.md: its fields, matcher and script as the values of a Hook, and what is wrong with them (formats.md §2)."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from hooktui.config import suggest
from hooktui.core import events
from hooktui.core.model import Fix, HookDirectory, Obstacle
from hooktui.formats import files, regexes, yaml_source
from hooktui.formats.agenthooks import entry_script, frontmatter
from hooktui.formats.diagnostic_collector import DiagnosticCollector, shortened

if TYPE_CHECKING:
    from hooktui.core.model import Diagnostic, Scope
    from hooktui.formats.agenthooks.frontmatter import Frontmatter
    from hooktui.formats.node import Node, ParseError, Span

FORMAT = "agenthooks"
HOOK_FILE = "HOOK.md"
OFF_FILE = "HOOK.md.off"  # the file's name while the hook is disabled: no host reads it
FILE_LIMIT = 256 * files.KIB

_BY_ADMINISTRATOR = "managed hooks belong to your administrator"

# A guessed name must not contain an unclosed bracket or quote.
_WHOLE_NAME = re.compile(r"\w[\w .-]*")
_LENGTHS = range(frontmatter.FIELDS["name"].low or 0, (frontmatter.FIELDS["name"].high or 0) + 1)
_MATCHER_KEYS = ("tool", "pattern")


class ParsedHookFile(NamedTuple):
    """A hook without its ID: its other Hook fields by name, its diagnostics, its script and interpreter."""

    values: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]
    content: bytes
    interpreter: str


def load(file: str, scope: Scope) -> ParsedHookFile:
    """Read the hook in a file, an absolute path. Content never raises."""
    try:
        text = files.read_text(file, FILE_LIMIT)
    except files.UnreadableFileError as refused:
        notes = DiagnosticCollector(file, refused.head)
        notes.error(refused.code, str(refused), (refused.at, min(refused.at + 1, len(refused.head))))
        return _unread(notes, str(refused), scope)
    return draft(text, file, scope)


def draft(text: str, file: str, scope: Scope) -> ParsedHookFile:
    """Read the hook of `text`, without a byte order mark, as if it were `file`."""
    notes = DiagnosticCollector(file, text)
    head, faults = frontmatter.read(text)
    for fault in faults:
        notes.fault(fault)
    if head is None:
        return _unread(notes, shortened(faults[-1].message), scope)
    if _is_of_openclaw(head):
        return _left_to_openclaw(head, notes, scope)
    return _read_head(head, faults, notes, scope)


def _is_of_openclaw(head: Frontmatter) -> bool:
    """Whether OpenClaw runs the hook: its HOOK.md names its events in `metadata` and has no trigger."""
    metadata = head.root.entry("metadata")
    value = metadata[1].value if metadata else None
    own = value.get("openclaw") if isinstance(value, dict) else None
    return isinstance(own, dict) and "events" in own and head.root.entry("trigger") is None


def _left_to_openclaw(head: Frontmatter, notes: DiagnosticCollector, scope: Scope) -> ParsedHookFile:
    """List a hook of OpenClaw as off; nothing is wrong with it."""
    notes.info("no-hook-file", "the hook is in OpenClaw's format: OpenClaw runs it, other agents do not", head.fence)
    description = head.root.entry("description")
    values = _common(notes, scope) | {
        "event": "",
        "event_as_written": "",
        "line": 1,
        "description": str(description[1].value) if description else "",
        "enabled": False,
        "why_disabled": "OpenClaw runs it",
        "command": None,
    }
    return ParsedHookFile(values, tuple(notes.collected), b"", "")


def _unread(notes: DiagnosticCollector, why: str, scope: Scope) -> ParsedHookFile:
    """List a hook with invalid YAML by guessing from its lines, so that its event can report that it does not run."""
    guessed = frontmatter.guess(notes.text)
    written, span = guessed.get("trigger", ("", (0, 0)))
    name = guessed.get("name", ("", (0, 0)))[0]
    values = _common(notes, scope) | {
        "event": events.canonical(_meant(written) or "") or "",
        "event_as_written": written,
        "line": notes.place(span[0])[0],
        "description": guessed.get("description", ("", (0, 0)))[0],
        "obstacle": Obstacle(skip="invalid", why=why),
    }
    if len(name) in _LENGTHS and _WHOLE_NAME.fullmatch(name):
        values["name"] = name
    return _with_entry(values, notes, span)


def _read_head(head: Frontmatter, faults: tuple[ParseError, ...], notes: DiagnosticCollector, scope: Scope) -> ParsedHookFile:
    frontmatter.report_unknown_keys(head.root, tuple(frontmatter.FIELDS), notes)
    values = _common(notes, scope)
    values["name"] = _name(head, values["name"], notes)
    values["description"] = frontmatter.read_field(head, "description", notes)
    values.update(_event(head, notes))
    wanted = _read_matcher(head, values["event"], notes)
    values.update(tool=wanted.tool, pattern=wanted.pattern)
    values["timeout_ms"] = _timeout(head, notes)
    values["is_async"] = frontmatter.read_field(head, "async", notes)
    values["priority"] = frontmatter.read_field(head, "priority", notes)
    values["metadata"] = frontmatter.read_field(head, "metadata", notes)
    if faults:
        values["obstacle"] = Obstacle(skip="invalid", why=shortened(faults[0].message))
    return _with_entry(values, notes, _trigger_span(head), wanted.obstacle)


def _common(notes: DiagnosticCollector, scope: Scope) -> dict[str, Any]:
    directory = os.path.dirname(notes.file)
    return {
        "name": os.path.basename(directory),
        "format": FORMAT,
        "scope": scope,
        "file": notes.file,
        "source": HookDirectory(read_only=_BY_ADMINISTRATOR if scope == "managed" else ""),
        "enabled": os.path.basename(notes.file) != OFF_FILE,
        "root": directory,
        "text": notes.text,
    }


def _name(head: Frontmatter, directory: str, notes: DiagnosticCollector) -> str:
    stand_in = directory if len(directory) in _LENGTHS else ""
    name = frontmatter.read_field(head, "name", notes, stand_in=stand_in)
    if name is None or len(name) not in _LENGTHS:
        return directory
    entry = head.root.entry("name")
    span = frontmatter.value_span(entry) if entry else head.fence
    if remark := frontmatter.name_problem(name):
        notes.warning("bad-name", remark, span, hint=frontmatter.NAME_RULE)
    if name != directory:
        hint = "some hosts require both to be equal"
        fix = _renamed(name, directory, span, notes)
        notes.warning("name-mismatch", f"the name {name} differs from its directory {directory}", span, hint=hint, fix=fix)
    return str(name)


def _renamed(name: str, directory: str, span: Span, notes: DiagnosticCollector) -> Fix | None:
    """A fix that writes the directory's name, if every host accepts it."""
    if frontmatter.name_problem(directory) or notes.text[slice(*span)].strip("'\"") != name:
        return None
    return notes.replacement(f"write {directory}", span, yaml_source.scalar(directory))


def _event(head: Frontmatter, notes: DiagnosticCollector) -> dict[str, Any]:
    """The trigger as Hook fields. An unknown one is replaced by the closest known one, and the hook is invalid."""
    written = frontmatter.read_field(head, "trigger", notes)
    entry = head.root.entry("trigger")
    span = _trigger_span(head)
    line = notes.place(span[0])[0] if entry else 1
    if entry is None or written is None:
        why = "it has no trigger" if entry is None else "its trigger is not text"
        return {"event": "", "event_as_written": "", "line": line, "obstacle": Obstacle(skip="invalid", why=why)}
    values = {"event": events.canonical(written) or "", "event_as_written": written, "line": line}
    if written in events.TRIGGERS:
        return values
    meant = _meant(written)
    hint = f"did you mean {meant}?" if meant else f"valid triggers: {', '.join(events.TRIGGERS)}"
    fix = notes.replacement(f"write {meant}", span, meant) if meant else None
    fix = fix and fix.replace(is_guess=suggest.is_guess(written, meant or ""))
    notes.error("unknown-event", f"{written or '(empty)'} is not an AgentHooks event", span, hint=hint, fix=fix)
    obstacle = Obstacle(skip="invalid", why=f"unknown trigger {shortened(written, 60)}")
    return {**values, "event": events.canonical(meant) if meant else "", "obstacle": obstacle}


def _trigger_span(head: Frontmatter) -> Span:
    entry = head.root.entry("trigger")
    return frontmatter.value_span(entry) if entry else head.fence


def _meant(written: str) -> str | None:
    return written if written in events.TRIGGERS else suggest.event(written, events.TRIGGERS)


def _timeout(head: Frontmatter, notes: DiagnosticCollector) -> int:
    used = frontmatter.read_field(head, "timeout", notes)
    entry = head.root.entry("timeout")
    if entry and type(entry[1].value) is int:
        frontmatter.report_unit(entry[1].value, entry, notes)
    return int(used)


def _with_entry(
    values: dict[str, Any], notes: DiagnosticCollector, span: Span, obstacle: Obstacle | None = None
) -> ParsedHookFile:
    """Add the script; report a missing one at `span`. `obstacle` applies if there is no stronger one."""
    started = entry_script.find(values["root"])
    values.update(argv=started.argv, command=started.path)
    if started.path is None:
        fix = _entry_fix(values["root"], values["event_as_written"])
        notes.error("missing-entry", f"nothing to run: {started.missing}", span, fix=fix)
        obstacle = Obstacle(skip="invalid", why=f"nothing to run: {started.missing}")
    values.setdefault("obstacle", obstacle)
    return ParsedHookFile(values, (*notes.collected, *started.diagnostics), started.content, started.interpreter)


def _entry_fix(root: str, trigger: str) -> Fix | None:
    """A fix that renames the hook's only script, or creates one for its event."""
    if called_otherwise := entry_script.misnamed(root):
        path, right = called_otherwise
        label = f"rename scripts/{os.path.basename(path)} to {os.path.basename(right)}"
        return Fix(label=label, kind="rename", path=path, new_path=right)
    known = trigger in events.TRIGGERS
    return Fix(label="create scripts/run.sh", kind="create", path=entry_script.candidates(root)[1]) if known else None


class ToolPatterns(NamedTuple):
    """The two effective patterns of a matcher."""

    tool: str | None = None
    pattern: str | None = None
    obstacle: Obstacle | None = None


def _read_matcher(head: Frontmatter, event: str, notes: DiagnosticCollector) -> ToolPatterns:
    """Read the matcher of a hook on `event` (empty if unknown). Reports errors."""
    entry = head.root.entry("matcher")
    if entry is None:
        return ToolPatterns()
    ignored = event in events.CANONICAL and event not in events.TOOL_EVENTS
    if ignored and entry[1].value != {}:
        message = f"{event} is not a tool event: the matcher is ignored"
        notes.warning("matcher-ignored", message, (entry[0].start, entry[1].end), hint="delete the matcher")
    if frontmatter.typed_value("matcher", entry, dict, notes) is None:
        return ToolPatterns(obstacle=None if ignored else Obstacle(skip="bad-matcher", why="the matcher is not a mapping"))
    frontmatter.report_unknown_keys(entry[1], _MATCHER_KEYS, notes)
    written, wrong = _patterns(entry[1], notes)
    if ignored:
        return ToolPatterns()
    obstacle = Obstacle(skip="bad-matcher", why=wrong[0]) if wrong else None
    return ToolPatterns(written.get("tool"), written.get("pattern"), obstacle)


def _patterns(node: Node, notes: DiagnosticCollector) -> tuple[dict[str, str], list[str]]:
    """The patterns of both keys, valid or not, and the reasons why some are unusable."""
    written: dict[str, str] = {}
    wrong: list[str] = []
    for key in _MATCHER_KEYS:
        entry = node.entry(key)
        if entry is None:
            continue
        pattern = frontmatter.typed_value(f"matcher.{key}", entry, str, notes)
        if pattern is None:
            wrong.append(f"matcher.{key} is not text")
            continue
        written[key] = pattern
        problem = _check_pattern(key, pattern, entry, notes)
        if problem:
            wrong.append(problem)
    return written, wrong


def _check_pattern(key: str, pattern: str, entry: tuple[Node, Node], notes: DiagnosticCollector) -> str | None:
    wrong = regexes.check(pattern)
    if wrong is None:
        return None
    where = "" if wrong.position is None else f" at character {wrong.position + 1}"
    problem = f"{key} is not a valid regex: {wrong.message}{where}"
    hint, fix = "patterns are Python regular expressions", yaml_source.regex_fix(entry[1], notes)
    notes.error("bad-regex", problem, frontmatter.value_span(entry), hint=hint, fix=fix)
    return problem
