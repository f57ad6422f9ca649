"""The rules. To add one: write a function in this module or a sibling, and list it in ON_EACH or ON_ALL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.events import TOOL_EVENTS
from hooktui.core.model import Fix, HookDirectory
from hooktui.core.paths import near, short
from hooktui.diagnostics import relevant_hosts, script_text
from hooktui.diagnostics.causes import WRITABLE_BY
from hooktui.diagnostics.codes import CODES
from hooktui.diagnostics.cross_host_rules import between_hosts
from hooktui.diagnostics.dropped_files import dropped_files
from hooktui.diagnostics.exit_rules import weak_exit
from hooktui.diagnostics.field_rules import fields_of_tools, undefined_field
from hooktui.diagnostics.mod_rules import mods_that_fail_open, overruling_mods
from hooktui.diagnostics.name_rules import missing_program
from hooktui.diagnostics.rule_context import at_field, field_fix
from hooktui.diagnostics.variable_rules import undefined_variable
from hooktui.formats import hook_dependencies, host_tools, permissions
from hooktui.formats.json_hooks import json_command
from hooktui.runner import trust

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from hooktui.core.model import Diagnostic, EntryPath, Hook, Severity, Trust
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.diagnostics.script_text import ScriptText
    from hooktui.formats.permissions import Exposure
    from hooktui.hosts import Host
    from hooktui.hosts.base import HostTrust

    Rule = Callable[[Snapshot], Iterator[Diagnostic]]


def untrusted(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A project hook that was not approved, or changed since."""
    for hook in (hook for hook in catalog.hooks if hook.enabled and not hook.obstacle):
        code, problem, hint = _UNAPPROVED.get(catalog.trust.get(hook.id, "untrusted"), ("", "", ""))
        if code:
            refusal = trust.refusal(hook)
            hint = f"it cannot be approved: {refusal}" if refusal else hint
            message = f"{hook.label} {problem}: hooktui does not run it"
            yield _at_trigger(catalog, hook, CODES[code].severity, code, message, hint)


def _at_trigger(catalog: Snapshot, hook: Hook, severity: Severity, code: str, message: str, hint: str) -> Diagnostic:
    """A diagnostic at the trigger of a HOOK.md, or at an entry."""
    if isinstance(hook.source, HookDirectory):
        return at_field(hook, "trigger", severity, code, message, hint)
    return catalog.places.at(hook, catalog.places.entry(hook), severity, code, message, hint=hint)


_UNAPPROVED: Mapping[Trust, tuple[str, str, str]] = {
    "untrusted": ("untrusted", "is not approved", "review it, then run `hooktui trust`"),
    "changed": ("changed-since-trusted", "has changed since it was approved", "review the change, then run `hooktui trust`"),
}


def overrides(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A project hook replaces a user hook of the same name."""
    by_id = {hook.id: hook for hook in catalog.hooks}
    for own in catalog.hooks:
        for rival in (by_id[key] for key in own.rivals if key in by_id):
            done = "replaces" if catalog.trust.get(rival.id) == "trusted" else "would replace, once approved,"
            message = f"{rival.name} {done} the user's hook of the same name ({short(own.file)})"
            yield at_field(rival, "name", "warning", "overrides-user-hook", message, "rename it to run both")


def duplicates(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Two hooks of one scope have the same name: the log cannot distinguish them."""
    named: dict[tuple[str, str], list[Hook]] = {}
    for hook in catalog.hooks:
        if isinstance(hook.source, HookDirectory):
            named.setdefault((hook.scope, hook.name), []).append(hook)
    for group in named.values():
        first, *others = sorted(group, key=lambda hook: hook.file) if len(group) > 1 else group
        for other in others:
            message = f"{short(first.file)} is also named {other.name}: both run"
            yield at_field(other, "name", "warning", "duplicate-hook", message, "rename one of them")


def not_covered(catalog: Snapshot) -> Iterator[Diagnostic]:
    """The approval of a project hook does not cover all that it loads."""
    for hook in catalog.hooks:
        if not trust.needs_approval(hook) or not hook.enabled or hook.obstacle or hook.type != "command" or hook.is_unread:
            continue
        if gaps := hook_dependencies.gaps(hook):
            more = f" (and {len(gaps) - 1} more)" if len(gaps) > 1 else ""
            message = f"an approval does not cover all that {hook.label} loads: {gaps[0]}{more}"
            hint = "review what it loads, or name files literally"
            yield _at_trigger(catalog, hook, "warning", "not-covered", message, hint)


def untrusted_by_host(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A hook that its own host, which was started here, has not been told to trust, and so does not run."""
    by_file: dict[str, Mapping[EntryPath, HostTrust]] = {}
    for hook in catalog.hooks:
        host = hosts.spec(hook.format)
        if not host.has_own_trust or not hook.enabled or hook.obstacle or hook.calls_hooktui:
            continue
        if hook.file not in by_file:
            is_started = relevant_hosts.has_left_files(host)
            by_file[hook.file] = host.own_trust(hook.file, catalog.places.text(hook)) if is_started else {}
        found = by_file[hook.file].get(hook.entry_path)
        if found and found.why:
            message = f"{host.title} does not run {hook.label}: {found.why}"
            entry = catalog.places.entry(hook)
            yield catalog.places.at(hook, entry, "warning", "host-untrusted", message, hosts=(hook.format,))


def insecure_permissions(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Others can write a hook's files. A file of several hooks is reported once."""
    reported: set[str] = set()
    for hook in catalog.hooks:
        if trust.is_managed(hook) and (how := permissions.changeable(hook)):
            yield at_field(hook, "trigger", "error", "insecure-permissions", f"{how}: hooktui does not run the hook")
        for exposure in [] if hook.read_only else permissions.exposures(hook, catalog.sources):
            if exposure.path not in reported:
                reported.add(exposure.path)
                yield _writable_by_others(hook, exposure)


def _writable_by_others(hook: Hook, exposure: Exposure) -> Diagnostic:
    root = hook.root if isinstance(hook.source, HookDirectory) else ""
    message = f"{near(exposure.path, root)}{WRITABLE_BY}{exposure.writers}"
    message += ": hooktui does not run the hook" if exposure.is_refused else ", which could change the hook"
    fix = Fix(label="let only the owner write", kind="protect", path=exposure.path)
    severity: Severity = "error" if exposure.is_refused else "warning"
    hint = f"chmod go-w {short(exposure.path)}"
    return at_field(hook, "trigger", severity, "insecure-permissions", message, hint).replace(fix=fix)


def uncalled(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A HOOK.md that no agent program runs: none is connected, or no connected one has its event or an entry for it."""
    connected, installed = catalog.relevant.connected, catalog.relevant.installed
    for hook in _runnable_directories(catalog):
        callers = _with_event(hook, connected or installed)
        if connected and not callers:
            titles, verb = hosts.titles(connected), "have" if len(connected) > 1 else "has"
            message = f"{titles} {verb} no event {hook.event}: {hook.label} never runs there"
            yield at_field(hook, "trigger", "warning", "never-fires", message, "use an event of a connected program")
        elif connected and not catalog.relevant.entries.intersection((name, hook.event) for name in callers):
            titles = f"{hosts.titles(callers)} {_is_or_are(callers)} connected"
            message = f"{titles}, but not for {hook.event}: nothing runs {hook.label}"
            hint = f"run `hooktui connect {callers[0]}` again"
            yield at_field(hook, "trigger", "warning", "not-connected", message, hint)
        elif installed and not connected:
            named = callers or installed
            lack = "" if callers else f", and none of them has the event {hook.event}"
            message = f"no program runs {hook.label}: {hosts.titles(named)} {_is_or_are(named)} not connected{lack}"
            hint = f"run `hooktui connect {'--all' if len(named) > 1 else next(iter(named))}`"
            yield at_field(hook, "trigger", "info", "not-connected", message, hint)


def foreign_tools(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A matcher matches no tool of a host that is connected or named; if none is, no tool of any that is installed."""
    relevant = catalog.relevant
    severity: Severity = "info" if relevant.awaits_connection else "warning"
    for hook in _runnable_directories(catalog):
        if hook.event not in TOOL_EVENTS or not hook.tool:
            continue
        callers = _with_event(hook, relevant.callers)
        missed = [name for name in callers if host_tools.is_foreign(hook.tool, name)]
        if not missed or (relevant.awaits_connection and missed != callers):
            continue
        connected = f", which {_is_or_are(missed)} connected" if relevant.connected else ""
        message = f"{hook.tool} matches no tool of {hosts.titles(missed)}{connected}: {hook.label} never runs there"
        twins = dict.fromkeys(tool for name in missed for tool in host_tools.called(hook.tool, name))
        hint = f"also match {'their' if len(missed) > 1 else 'its'} own names for them: {'|'.join(twins)}" if twins else ""
        fix = field_fix(hook, "matcher.tool", host_tools.widened(hook.tool, missed)) if twins else None
        diagnostic = at_field(hook, "matcher.tool", severity, "matches-nothing", message, hint)
        yield diagnostic.replace(hosts=tuple(missed), fix=fix)


def _with_event(hook: Hook, names: Collection[str]) -> list[str]:
    """Those of the hosts that can be connected and have a hook's event."""
    specs = (spec for spec in hosts.specs() if spec.name in names and spec.connect_scopes)
    return [spec.name for spec in specs if spec.spelling(hook.event) in spec.events]


def _is_or_are(names: Collection[str]) -> str:
    return "are" if len(names) > 1 else "is"


def _runnable_directories(catalog: Snapshot) -> Iterator[Hook]:
    """The HOOK.md hooks that could run."""
    return (hook for hook in catalog.hooks if isinstance(hook.source, HookDirectory) and hook.enabled and not hook.obstacle)


def duplicate_handlers(catalog: Snapshot) -> Iterator[Diagnostic]:
    """One handler twice in a file. Another condition, shell or timeout makes another handler."""
    first_of: dict[tuple[object, ...], Hook] = {}
    for hook in _handlers(catalog):
        options = (hook.condition, hook.argv[:-1], hook.timeout_ms, hook.is_async, hook.cwd, tuple(sorted(hook.env.items())))
        first = first_of.setdefault((hook.file, hook.event, hook.tool, hook.command, *options), hook)
        if first is not hook:
            node, _ = catalog.places.command(hook, hook.command or "")
            message = f"duplicate of {first.label} in the same file"
            yield catalog.places.at(hook, node, "warning", "duplicate-hook", message, hint="delete one of them")


def handlers_in_two_files(catalog: Snapshot) -> Iterator[Diagnostic]:
    """One command for one event in two files that one host reads and does not join."""
    seen: list[tuple[tuple[object, ...], Hook]] = []
    for hook in _handlers(catalog):
        command = (hook.event, _resolved(hook), hook.condition)
        for other in (other for known, other in seen if known == command and other.file != hook.file):
            for host in _running_both(hook, other, catalog):
                node, _ = catalog.places.command(hook, hook.command or "")
                message = f"{host.title} also reads {short(other.file)}, which has the same command: it runs twice"
                hint = _removable(hook, other)
                yield catalog.places.at(hook, node, "warning", "runs-twice", message, hint=hint, hosts=(host.name,))
        seen.append((command, hook))


def _handlers(catalog: Snapshot) -> Iterator[Hook]:
    for hook in catalog.hooks:
        if hosts.json_spec(hook.format) and hook.command and hook.event and hook.enabled and not hook.obstacle:
            yield hook


def _resolved(hook: Hook) -> str:
    """A hook's command with absolute paths of its scripts, so that different spellings are equal."""
    command = hook.command or ""
    for script in reversed(json_command.scripts(hook)):
        command = f"{command[: script.span[0]]}{script.path}{command[script.span[1] :]}"
    return command


def _running_both(hook: Hook, other: Hook, catalog: Snapshot) -> Iterator[Host]:
    of_other = catalog.relevant.readers(other)
    for host in catalog.relevant.readers(hook):
        same_tools = hook.tool == other.tool or not host.matcher.is_read
        if host in of_other and host.runs_repeated_handlers and same_tools:
            yield host


def _removable(hook: Hook, other: Hook) -> str:
    """Which of two hooks can be deleted without any host losing it."""
    here, there = hosts.readers(hook.format), hosts.readers(other.format)
    if all(host in there for host in here):
        return f"delete it here: every host that reads this file also reads {short(other.file)}"
    if all(host in here for host in there):
        return f"delete it in {short(other.file)}: every host that reads that file also reads this one"
    return f"deleting it here takes it from {', '.join(host.title for host in here if host not in there)}"


def scripts(catalog: Snapshot) -> Iterator[Diagnostic]:
    """Apply the rules about scripts to each HOOK.md. They stay silent rather than report something wrong."""
    for hook in catalog.hooks:
        script = script_text.read(hook, catalog.relevant.readers(hook))
        if script is not None:
            for rule in _ON_SCRIPTS:
                yield from rule(script)


_ON_SCRIPTS: tuple[Callable[[ScriptText], Iterator[Diagnostic]], ...] = (
    weak_exit,
    undefined_variable,
    undefined_field,
    missing_program,
)


# Rules whose result depends on a single hook.
ON_EACH: tuple[Rule, ...] = (
    untrusted,
    not_covered,
    scripts,
    between_hosts,
    uncalled,
    foreign_tools,
)
# Rules that compare hooks, or read more than hooks.
ON_ALL: tuple[Rule, ...] = (
    overrides,
    duplicates,
    duplicate_handlers,
    handlers_in_two_files,
    dropped_files,
    insecure_permissions,
    untrusted_by_host,
    fields_of_tools,
    overruling_mods,
    mods_that_fail_open,
)
