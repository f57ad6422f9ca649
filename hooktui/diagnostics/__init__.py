"""Check hooks beyond what their formats report while reading: rules over a catalog."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core.model import HookDirectory
from hooktui.diagnostics import relevant_hosts
from hooktui.diagnostics.cross_host_rules import is_seen_by_another
from hooktui.diagnostics.rule_context import HostPlaces, Snapshot, at_field
from hooktui.diagnostics.rules import ON_ALL, ON_EACH
from hooktui.formats.json_hooks import json_command
from hooktui.scripts import analysis_budget

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from hooktui.core.model import Diagnostic, Hook, Trust
    from hooktui.diagnostics.relevant_hosts import RelevantHosts
    from hooktui.formats import Parsed
    from hooktui.formats.source_cache import Sources
    from hooktui.scripts.analysis_budget import Limit

__all__ = ["check"]

_IDENTITY = attrgetter("code", "file", "line", "column", "hosts", "message")
_PLACE = attrgetter("file", "line", "column")
_CHARACTERS = 3 * 1024 * 1024  # of scripts and commands that one check reads
_SEARCHES = 100  # of one check with patterns that need a process of their own, or long ones


def check(
    parsed: Parsed, trust: Mapping[str, Trust], relevant: RelevantHosts, sources: Sources, read: Limit
) -> list[Diagnostic]:
    """Add the results of all rules to those of reading; report each mistake once, for the hosts that matter.

    File content never raises. Results for unchanged hooks come from `sources`. Entries of `hooktui connect` are not checked.
    `read` is the limit under which their scripts and commands were read.
    """
    whole = Snapshot(
        hooks=tuple(hook for hook in parsed.hooks if not hook.calls_hooktui and hook.type != "mod"),
        mods=tuple(hook for hook in parsed.hooks if hook.type == "mod"),
        managed_callers=frozenset(
            hook.format for hook in parsed.hooks if hook.calls_hooktui and hook.scope == "managed" and hook.enabled
        ),
        trust=trust,
        places=HostPlaces(sources),
        sources=sources,
        relevant=relevant,
        searches=iter(range(_SEARCHES)),
    )
    with analysis_budget.limited(_CHARACTERS, earlier=read) as limit:
        found = _found(parsed, whole, sources)
    return [*found, *_not_read(whole, {*read.unread, *limit.unread})]


def _not_read(whole: Snapshot, unread: Collection[str]) -> Iterator[Diagnostic]:
    """That the hooks have more scripts and commands than a person can wait for."""
    left = [hook for hook in whole.hooks if hook.id in unread]
    for hook in left[:1]:
        count = f"{len(left):,} hooks" if len(left) > 1 else "1 hook"
        message = f"not all scripts and commands were read: of {count}, such as {hook.label}, problems may be missing"
        yield at_field(hook, "trigger", "warning", "too-large", message, "keep generated code and data out of hooks' scripts")


def _found(parsed: Parsed, whole: Snapshot, sources: Sources) -> list[Diagnostic]:
    of_each = (diagnostic for hook in whole.hooks for diagnostic in _check_hook(hook, whole, sources).diagnostics)
    of_all = (diagnostic for rule in ON_ALL for diagnostic in rule(whole))
    unread = {diagnostic.file for diagnostic in parsed.diagnostics if diagnostic.code == "unread-file"}
    unique: dict[tuple[object, ...], Diagnostic] = {}
    for diagnostic in relevant_hosts.kept((*parsed.diagnostics, *of_each, *of_all), parsed.hooks, whole.relevant):
        if diagnostic.file in unread and diagnostic.code != "unread-file":
            continue
        key = _IDENTITY(diagnostic)
        unique[key] = _shared(unique[key], diagnostic) if key in unique else diagnostic
    found = [problem for problem in unique.values() if not is_seen_by_another(problem, whole)]
    unmatched = {_PLACE(problem) for problem in found if problem.code == "matches-nothing"}
    # A permission rule in place of a matcher is often no regex either: one mistake.
    return [problem for problem in found if problem.code != "bad-regex" or _PLACE(problem) not in unmatched]


def _shared(first: Diagnostic, same: Diagnostic) -> Diagnostic:
    if same.hook in (None, first.hook, *first.other_hooks):
        return first
    return first.replace(other_hooks=(*first.other_hooks, same.hook))


def _check_hook(hook: Hook, whole: Snapshot, sources: Sources) -> _HookDiagnostics:
    def check_alone() -> _HookDiagnostics:
        alone = whole._replace(hooks=(hook,))
        with analysis_budget.for_hook(hook):
            return _HookDiagnostics(hook, tuple(diagnostic for rule in ON_EACH for diagnostic in rule(alone)))

    return sources.keep(("rules", hook.id), check_alone, (hook, whole.trust.get(hook.id), whole.relevant))


class _HookDiagnostics(NamedTuple):
    hook: Hook
    diagnostics: tuple[Diagnostic, ...]

    @property
    def watched(self) -> Iterator[str]:
        """The hook's file and the scripts it starts."""
        yield self.hook.file
        if isinstance(self.hook.source, HookDirectory):
            yield from filter(None, [self.hook.command])
        else:
            yield from json_command.watched([self.hook])
