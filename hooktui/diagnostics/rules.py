"""The rules. To add one: write a function in this module or a sibling, and list it in ON_EACH or ON_ALL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui import hosts
from hooktui.core.model import HookDirectory
from hooktui.core.paths import short
from hooktui.diagnostics import relevant_hosts
from hooktui.diagnostics.caller_rules import foreign_tools, uncalled
from hooktui.diagnostics.codes import CODES
from hooktui.diagnostics.cross_host_rules import between_hosts
from hooktui.diagnostics.prose_rules import contradicts
from hooktui.diagnostics.repetition_rules import duplicate_handlers, handlers_in_two_files
from hooktui.diagnostics.rule_context import at_field
from hooktui.diagnostics.script_rules import scripts
from hooktui.diagnostics.slow_regex import slow_regex
from hooktui.diagnostics.writer_rules import insecure_permissions
from hooktui.formats import coverage
from hooktui.security import trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hooktui.core.model import Diagnostic, EntryPath, Hook, Trust
    from hooktui.diagnostics.rule_context import Snapshot
    from hooktui.hosts.shared.spec import HostTrust

    Rule = Callable[[Snapshot], Iterator[Diagnostic]]


def untrusted(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A project hook that was not approved, or changed since. Its own host still runs it."""
    for hook in (hook for hook in catalog.hooks if hook.enabled and not hook.obstacle):
        code, problem, hint = _UNAPPROVED.get(catalog.trust.get(hook.id, "untrusted"), ("", "", ""))
        if not code:
            continue
        if refusal := trust.refusal(hook):
            hint = f"it cannot be approved: {refusal}"
        if isinstance(hook.source, HookDirectory):
            yield at_field(
                hook, "trigger", CODES[code].severity, code, f"{hook.label} {problem}: hooktui does not run it", hint
            )
        else:
            host = hosts.spec(hook.format)
            condition = " once you trust it there" if host.own_trust else ""
            message = f"{hook.label} {problem}: hooktui does not run it, but {host.title} does{condition}"
            yield catalog.places.at(hook, catalog.places.entry(hook), "info", code, message, hint=hint)


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
        if not trust.needs_approval(hook) or not hook.enabled or hook.obstacle or hook.type != "command":
            continue
        if gaps := coverage.gaps(hook):
            more = f" (and {len(gaps) - 1} more)" if len(gaps) > 1 else ""
            message = f"an approval does not cover all that {hook.label} loads: {gaps[0]}{more}"
            hint = "review what it loads, or name files literally"
            if isinstance(hook.source, HookDirectory):
                yield at_field(hook, "trigger", "warning", "not-covered", message, hint)
            else:
                yield catalog.places.at(hook, catalog.places.entry(hook), "warning", "not-covered", message, hint=hint)


def untrusted_by_host(catalog: Snapshot) -> Iterator[Diagnostic]:
    """A hook that its own host, which was started here, has not been told to trust, and so does not run."""
    by_file: dict[str, Mapping[EntryPath, HostTrust]] = {}
    for hook in catalog.hooks:
        trust_of = hosts.spec(hook.format).own_trust
        if trust_of is None or not hook.enabled or hook.obstacle or hook.calls_hooktui:
            continue
        if hook.file not in by_file:
            is_started = relevant_hosts.has_left_files(hosts.spec(hook.format))
            by_file[hook.file] = trust_of(hook.file, catalog.places.text(hook)) if is_started else {}
        found = by_file[hook.file].get(hook.entry_path)
        if found and found.why:
            message = f"{hosts.spec(hook.format).title} does not run {hook.label}: {found.why}"
            entry = catalog.places.entry(hook)
            yield catalog.places.at(hook, entry, "warning", "host-untrusted", message, hosts=(hook.format,))


# Rules whose result depends on a single hook.
ON_EACH: tuple[Rule, ...] = (
    untrusted,
    not_covered,
    slow_regex,
    contradicts,
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
    insecure_permissions,
    untrusted_by_host,
)
