"""The state of a hook in one glyph and word: never by colour alone."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from hooktui import hosts
from hooktui.core import paths
from hooktui.core.model import KEPT_FROM_RUNNING, HookDirectory
from hooktui.runner.trust import UNAPPROVED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic, Hook, Severity, Trust

BETWEEN_NAMES = " · "  # of one event
NOT_CONNECTED = "not-connected"  # of a hook: no agent program runs it
SEVERITY_GLYPHS: dict[Severity, str] = {"error": "✕", "warning": "▲", "info": "·"}


class HookState(NamedTuple):
    """How a list shows a hook; `style` is "ok", "muted", "warning" or "error"."""

    glyph: str
    word: str
    style: str


OK = HookState("●", "ok", "ok")
OFF = HookState("○", "off", "muted")
OURS = HookState("·", "calls hooktui", "muted")  # an entry of `hooktui connect`
OVERRIDDEN = HookState("⊘", "overridden", "muted")
INVALID = HookState("✕", "invalid", "error")
UNTRUSTED = HookState("◌", "untrusted", "warning")
CHANGED = HookState("◌", "changed", "warning")
UNCALLED = HookState("◌", "not connected", "warning")  # a HOOK.md that no agent program runs


def problems_by_hook(catalog: Catalog) -> Mapping[str, Sequence[Diagnostic]]:
    """The problems of each hook by its ID; hooks without problems have no entry."""
    problems: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for problem in catalog.diagnostics:
        for hook in filter(None, (problem.hook, *problem.other_hooks)):
            problems[hook].append(problem)
    return dict(problems)


def hook_state(catalog: Catalog, hook: Hook, problems: Sequence[Diagnostic]) -> HookState:
    """The first state that applies, in the order in which a run checks them (contract.md, `skip`)."""
    if hook.calls_hooktui:
        return OURS
    if not hook.enabled:
        return OFF
    if hook.obstacle is not None and not hook.obstacle.host_runs:
        return INVALID
    if catalog.overridden_by(hook) is not None:
        return OVERRIDDEN
    if needs_approval(catalog, hook):
        return UNTRUSTED if catalog.trust[hook.id] == "untrusted" else CHANGED
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = sum(problem.severity == "warning" for problem in problems)
    if errors:
        return HookState("✕", counted(errors, "error"), "error")
    if warnings:
        return HookState("▲", counted(warnings, "warning"), "warning")
    return UNCALLED if any(problem.code == NOT_CONNECTED for problem in problems) or _is_lost(catalog, hook) else OK


def _is_lost(catalog: Catalog, hook: Hook) -> bool:
    """Whether a HOOK.md runs in no program because none of the connected ones calls hooktui for its event."""
    relevant = catalog.relevant
    is_connected = bool(relevant.connected) and isinstance(hook.source, HookDirectory)
    return is_connected and not relevant.has_own_agents and not relevant.calls_for(hook)


def named(hooks: Iterable[Hook], name: str) -> list[Hook]:
    """The hooks with a name, or else those whose script has it without its extension: the name given to `new`."""
    every = list(hooks)
    exact = [hook for hook in every if hook.goes_by(name)]
    return exact or [hook for hook in every if paths.stem(hook.label) == name]


def skipped_guards(catalog: Catalog) -> list[Hook]:
    """The hooks of `run` that could deny an event and do not run: unapproved, or kept by a mistake in their file.

    The rule is that of `runner/skip_notices.py`, for the agent programs that call hooktui.
    """
    callers = {hook.format for hook in catalog.hooks if hook.calls_hooktui}
    return [
        hook
        for hook in catalog.own_hooks
        if hook.enabled and hook.format in catalog.settings.formats and catalog.overridden_by(hook) is None
        if needs_approval(catalog, hook) or (hook.obstacle is not None and hook.obstacle.skip in KEPT_FROM_RUNNING)
        if any(hosts.spec(name).can_deny(hook.event) for name in callers or (hook.format,))
    ]


def group_title(event: str, hooks: Iterable[Hook]) -> str:
    """An event as the files of some hooks spell it, without unknown names; mods do not count."""
    known = [hook for hook in hooks if hook.type != "mod" and "unknown-event" not in hook.problems]
    return event_title(event, [hook.event_as_written for hook in known] or [event])


def detail(hook: Hook) -> str:
    """What tells a hook apart beside its label: its matcher, and what brings it; of a mod, its event."""
    return " ".join(filter(None, (hook.event_as_written, hook.tool) if hook.type == "mod" else (hook.tool, hook.owner)))


def event_title(event: str, spellings: Iterable[str]) -> str:
    """An event as the files of its hooks spell it; where they differ, its canonical name first."""
    names = dict.fromkeys(spellings)
    return BETWEEN_NAMES.join(names if len(names) == 1 else dict.fromkeys((event, *names)))


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 hook`, `1,204 hooks`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def state(catalog: Catalog, hook: Hook) -> Trust:
    """A hook's trust; one that the catalog does not know is untrusted."""
    return catalog.trust.get(hook.id, "untrusted")


def is_unapproved(trust: Trust) -> bool:
    """Whether a hook in this state does not run because it was not approved as it is."""
    return trust in UNAPPROVED


def needs_approval(catalog: Catalog, hook: Hook) -> bool:
    """Whether hooktui does not run a hook of the catalog because it was not approved as it is."""
    return catalog.runs(hook) and catalog.trust.get(hook.id) in UNAPPROVED
