"""Read one entry of a JSON hook file as leniently as its host does (formats.md §3).

An invalid value is reported and ignored; the entry still loads. Only an entry of a type that its host does not know is
left out.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from hooktui.config import suggest
from hooktui.core import paths
from hooktui.core.model import Hook, JsonEntry, Obstacle
from hooktui.formats import hook_dependencies, hook_version
from hooktui.formats.json_hooks import json_command, json_events, json_shapes
from hooktui.formats.json_hooks.entry_fields import COMMAND_KEYS, NEEDED, EntryFields, kind_of, pairs, repeated
from hooktui.formats.json_hooks.json_command import EntryCommand
from hooktui.formats.node import HEADER
from hooktui.hosts.shared.entry_spec import LONGEST_MS
from hooktui.scripts import hooktui_commands

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hooktui.core.model import Fix, Scope, Skip
    from hooktui.formats.diagnostic_collector import DiagnosticCollector
    from hooktui.formats.json_hooks.json_events import Matcher
    from hooktui.formats.node import Node
    from hooktui.hosts import Host
    from hooktui.hosts.shared.entry_spec import TimeoutFault

# Of several obstacles, the first is reported (contract.md, "skip").
_RANK: tuple[Skip, ...] = ("host-skips-file", "invalid", "bad-matcher", "unsupported-type")
_OURS = "Calls hooktui (written by `hooktui connect`)"
_EVERY_TOOL = "*"  # the matcher that `connect` writes
_TIMEOUTS = ("timeout", "timeoutSec")
# Headers may contain secrets.
_NO_METADATA = frozenset((*COMMAND_KEYS, "type", "description", "cwd", "env", *_TIMEOUTS, "matcher", "async", "headers"))
_FAIL_MODES = ("continue", "block")
_MAY_FAIL_CLOSED = ("command", "http", "mcp_tool")
_NO_COMMAND = EntryCommand(None, (), {"linux": None, "osx": None, "windows": None})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Obstacles and problem codes that a hook inherits from its file, event and group."""

    obstacles: tuple[Obstacle, ...] = ()
    problems: tuple[str, ...] = ()

    def __add__(self, other: Surroundings) -> Surroundings:
        return Surroundings((*self.obstacles, *other.obstacles), (*self.problems, *other.problems))


class EntrySite(NamedTuple):
    """The position and context of an entry. `written` is its event in the file, `event` the canonical name or the host's own.

    `known`: the host fires the event. `path` leads to the entry from the file's root; `number` counts the event's entries
    from 1. `matcher` is that of the group around the entry, `source` what all entries of the file have in common. `is_flat`:
    there is no group, which the host needs.
    """

    spec: Host
    file: str
    scope: Scope
    project: str
    written: str
    node: Node
    matcher: Matcher
    path: tuple[str | int, ...]
    source: JsonEntry
    event: str = ""
    known: bool = True
    number: int = 1
    is_flat: bool = False
    around: Surroundings = Surroundings()

    @property
    def name(self) -> str:
        return f"{os.path.basename(self.file)}:{self.written}:{self.number}"

    @property
    def id(self) -> str:
        plugin = f"@{self.source.plugin}" if self.source.plugin else ""  # one file may contain the hooks of several plugins
        return f"{self.spec.name}:{self.scope}:{self.file}{plugin}:{self.written}:{self.number}"


def read(site: EntrySite, notes: DiagnosticCollector) -> Hook | None:
    """Read the hook of an entry; None if its host skips it."""
    notes.hook = site.id
    strict = site.spec.entry.strict and site.known
    entry = EntryFields(site.node, site.spec, notes, site.event, strict=strict, is_flat=site.is_flat)
    kind = _kind(entry)
    if kind is None:
        return None
    entry.report_keys(kind)
    obstacles = [*site.around.obstacles, *_repeated(entry)]
    command = json_command.read(entry) if kind == "command" else _NO_COMMAND
    if command.obstacle:
        obstacles.append(Obstacle(skip="invalid", why=command.obstacle))
    obstacles += _lacking(kind, entry)
    matcher = _matcher(site, entry)
    if matcher.obstacle:
        obstacles.append(matcher.obstacle)
    _report_fail_mode(entry)
    json_events.report_never_fires(entry, kind, site.event, site.written, in_skill=bool(site.source.part))
    hook = _hook(site, entry, kind, command)
    if entry.dropped:
        obstacles.append(Obstacle(skip="invalid", why=entry.dropped))
    own = hook.unwrapped_text
    if hooktui_commands.runs(hook.command, site.spec.name):
        narrowed = None if matcher.tool == _EVERY_TOOL else matcher.tool
        return hook_version.with_scripts(hook.replace(description=_OURS, calls_hooktui=True, tool=narrowed), own)
    hook = hook.replace(
        tool=matcher.tool, pattern=matcher.pattern, obstacle=strongest(obstacles), problems=site.around.problems
    )
    return hook_version.with_scripts(hook_dependencies.covered(hook), own)


def strongest(obstacles: Iterable[Obstacle]) -> Obstacle | None:
    """The obstacle to report if there are several."""
    return min(obstacles, key=lambda obstacle: (obstacle.host_runs, _RANK.index(obstacle.skip)), default=None)


def _hook(site: EntrySite, entry: EntryFields, kind: str, command: EntryCommand) -> Hook:
    text = entry.notes.text[site.node.content_start : site.node.end]
    original = json_command.original_text(site.node, entry.notes.text, site.spec.name)
    values = site.node.value
    no_metadata = {*_NO_METADATA, "event"} if site.spec.entry.shape == "list" else _NO_METADATA
    return Hook(
        id=site.id,
        name=site.name,
        event=site.event,
        event_as_written=site.written,
        format=site.spec.name,
        scope=site.scope,
        file=site.file,
        line=entry.notes.place(site.node.start)[0],
        source=site.source.replace(
            path=site.path,
            condition=entry.get("if"),
            placeholder=site.spec.entry.placeholder if command.is_program else "",
            original=original or "",
            url=entry.get("url"),
            headers=entry.get("headers") or {},
            allowed_variables=tuple(entry.get("allowedEnvVars") or ()),
        ),
        description=values["description"] if isinstance(values.get("description"), str) else "",
        type=kind,
        argv=_with_plugin_root(command.argv, site) if command.is_program else command.argv,
        command=command.shown,
        commands=command.commands,
        prompt=entry.get("prompt"),
        model=entry.get("model"),
        cwd=_directory(entry.get("cwd"), site),
        env=_environment(entry),
        timeout_ms=_timeout_ms(entry, kind, site.written),
        is_async=bool(entry.get("async") or entry.get("asyncRewake")),
        fail_mode="block" if _fails_closed(entry) and kind in _MAY_FAIL_CLOSED else "allow",
        root=paths.home() if site.scope == "user" else site.project,
        text=text,
        metadata={key: value for key, value in values.items() if key not in no_metadata},
    )


def _with_plugin_root(argv: tuple[str, ...], site: EntrySite) -> tuple[str, ...]:
    """A program and its arguments with the plugin's directory in place of its variable, which no shell expands."""
    if not site.source.plugin_root or site.spec.plugins is None:
        return argv
    return tuple(word.replace(f"${{{site.spec.plugin_variable}}}", site.source.plugin_root) for word in argv)


def _kind(entry: EntryFields) -> str | None:
    """The entry's type, None if the host skips the entry."""
    if "type" not in entry.spec.entry.keys or ("type" not in entry.pairs and not entry.spec.entry.needs_type):
        return "command"
    if "type" not in entry.pairs:
        hint = f"hooktui assumes command; valid types: {', '.join(entry.spec.entry.types)}"
        entry.lack("type", "type is missing", hint=hint, fix=_command_type(entry))
        if not entry.strict:
            entry.dropped = entry.dropped or f"{entry.spec.title} ignores this entry: type is missing"
        return "command"
    kind = entry.get("type")
    if kind is None or kind in entry.spec.entry.types:
        return str(kind) if kind is not None else None
    if entry.spec.entry.skips_type(kind):
        message = f"{entry.spec.title} skips this entry: it does not run hooks of type {kind}"
        entry.notes.on(entry.spec.name, "warning", "unsupported-type", message, entry.place("type"))
        return None
    meant = suggest.closest(kind, entry.spec.entry.types)
    hint = f"did you mean {meant}?" if meant else f"valid types: {', '.join(entry.spec.entry.types)}"
    fix = entry.instead("type", meant)
    problem, place = f"unknown type {kind[:40] or '(empty)'}", entry.place("type")
    if entry.strict:
        entry.notes.breaks_file(entry.spec, problem, place, fix, hint=hint)
    else:
        message = f"{entry.spec.title} skips this entry: {problem}"
        entry.notes.on(entry.spec.name, "warning", "unsupported-type", message, place, hint=hint, fix=fix)
    return None


def _command_type(entry: EntryFields) -> Fix | None:
    """A fix that adds the missing type before the first key, in the same layout."""
    commands = {"exec", *COMMAND_KEYS}
    if commands.isdisjoint(entry.pairs):
        return None
    notes, first = entry.notes, entry.node.entries[0][0]
    if entry.node.style == HEADER:
        line = 'type = "command"'
        return notes.replacement(f"add {line}", first.span, f"{line}\n{notes.text[first.start : first.end]}")
    if not notes.is_json:
        return None
    before = notes.text[entry.node.start + 1 : first.start]
    written = '"type": "command"'
    text = f"{written},{before if before.isspace() else ' '}{notes.text[first.start : first.end]}"
    return notes.replacement(f"add {written}", first.span, text)


def _repeated(entry: EntryFields) -> list[Obstacle]:
    """A duplicate key is ambiguous (formats.md, "A guard that can run, runs")."""
    nodes = [entry.node, *(entry.pairs[key][1] for key in ("env", "headers") if key in entry.pairs)]
    return [note_repeated(node, key, entry.notes, entry.spec) for node in nodes for key in repeated(node)]


def note_repeated(node: Node, key: Node, notes: DiagnosticCollector, spec: Host) -> Obstacle:
    """Report a duplicate key, and return the obstacle of the affected hooks."""
    message, fix = f"duplicate key {key.value}", json_shapes.once(node, key, notes)
    known = ("hooks", "matcher", *spec.events, *spec.entry.keys)
    has_closed_top = spec.entry.refuses_top_key("")  # then every key that it does not refuse is one that it reads
    is_read = key.value in known or (has_closed_top and not spec.entry.refuses_top_key(key.value))
    if "duplicate key" in spec.entry.file_faults and is_read:
        notes.breaks_file(spec, message, key.span, fix, hint="delete one of them")
    else:
        effect = f"{message}: hooktui does not run the hook, and {spec.title} reads the last"
        notes.error("duplicate-key", effect, key.span, hint="delete one of them", fix=fix)
    return Obstacle(skip="invalid", why=message, host_runs=True)  # where it loses the file, that is the obstacle


def _lacking(kind: str, entry: EntryFields) -> list[Obstacle]:
    """Report missing required keys, and types that hooktui cannot run."""
    lacking = [key for key in NEEDED.get(kind, ()) if not entry.get(key)]
    for key in lacking:
        if key not in entry.pairs:
            entry.lack(key, f"a hook of type {kind} needs the field {key}")
        elif entry.get(key) == "":
            entry.notes.error("missing-field", f"{key} is empty", entry.place(key))
    if lacking:
        return [Obstacle(skip="invalid", why=f"it has no {lacking[0]}")]
    if kind == "http" and not _is_web_address(entry.get("url")):
        entry.wrong("bad-value", "url must be an http or https address", entry.place("url"))
        return [Obstacle(skip="invalid", why="its url is not an http or https address")]
    if kind not in entry.spec.entry.runs:
        message = f"hooktui does not run hooks of type {kind}; {entry.spec.title} does"
        entry.notes.info("unsupported-type", message, entry.place("type"))
        return [Obstacle(skip="unsupported-type", why=message, host_runs=True)]
    return []


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _matcher(site: EntrySite, entry: EntryFields) -> Matcher:
    """The entry's own matcher if the host reads one there, else its group's."""
    if "matcher" not in entry.spec.entry.keys or "matcher" not in entry.pairs:
        return site.matcher
    node = entry.pairs["matcher"][1]
    return json_events.read_matcher(node, site.written, site.spec, entry.notes, strict=entry.strict)


def _fails_closed(entry: EntryFields) -> bool:
    key, value = entry.spec.entry.fails_closed_by or ("", None)
    given = entry.get(key) if key else None
    return type(given) is type(value) and given is not None and given == value


def _report_fail_mode(entry: EntryFields) -> None:
    """Report an `onFailure` or a `loop_limit` that the host does not know."""
    limit = entry.get("loop_limit")
    if limit is not None and (type(limit) is not int or limit < 1):
        entry.wrong("bad-value", "loop_limit must be a whole number from 1, or null", entry.place("loop_limit"))
    given = entry.get("onFailure")
    if given is not None and given not in _FAIL_MODES:
        fix = entry.instead("onFailure", suggest.closest(given, _FAIL_MODES))
        entry.wrong("bad-value", f"onFailure must be {' or '.join(_FAIL_MODES)}", entry.place("onFailure"), fix=fix)


def _directory(written: str | None, site: EntrySite) -> str | None:
    """`cwd` as an absolute path: relative paths start at the project."""
    if not written or "\0" in written:
        return None
    return os.path.normpath(os.path.join(site.project, site.spec.entry.directory(written)))


def _environment(entry: EntryFields) -> dict[str, str]:
    """The valid environment variables. Invalid ones are reported and left out."""
    variables: dict[str, str] = {}
    for name, (key, value) in pairs(entry.pairs["env"][1]).items() if entry.get("env") is not None else ():
        if not isinstance(value.value, str):
            number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
            fix = entry.notes.instead(value, f'"{entry.notes.text[value.start : value.end]}"' if number else None)
            entry.wrong("wrong-type", f"env.{name} must be text, not {kind_of(value.value)}", value.span, fix=fix)
        elif not name or "=" in name or "\0" in name + value.value:
            entry.wrong("bad-value", "not a valid environment variable", key.span)
        else:
            variables[name] = value.value
    return variables


def _timeout_ms(entry: EntryFields, kind: str, event: str) -> int:
    """The effective timeout in milliseconds. Reports numbers that the host does not take as they are."""
    spec = entry.spec.entry
    timeout: float = spec.default_timeout(kind, event)
    for key in reversed(spec.timeout_keys):
        given = entry.get(key)
        if given is None:
            continue
        if fault := spec.timeout_fault(given, timeout):
            _report_timeout(entry, key, given, fault)
        timeout = spec.timeout_taken(given, timeout)
    timeout = spec.timeout_ms(timeout)
    return max(round(timeout), 1) if timeout < LONGEST_MS else LONGEST_MS  # also for what is no number: TOML has `nan`


def _report_timeout(entry: EntryFields, key: str, given: float, fault: TimeoutFault) -> None:
    host, fix, place = entry.spec, entry.instead(key, fault.instead), entry.place(key)
    if not fault.problem:
        message = f"{host.title} takes a {key} of {given:g} for {fault.instead}"
        entry.notes.on(host.name, "warning", fault.code, message, place, fix=fix)
    elif fault.effect:
        message = f"{key} {fault.problem}: {host.title} {fault.effect}"
        entry.notes.on(host.name, "error", fault.code, message, place, fix=fix)
    elif given > 0 or entry.strict or host.entry.drops_entries or key in host.entry.entry_faults:
        entry.wrong(fault.code, f"{key} {fault.problem}", place, fix=fix, key=key)
    else:  # what the host does with it is unknown
        entry.notes.info(fault.code, f"{key} {fault.problem}", place, hint="hooktui uses the default")
