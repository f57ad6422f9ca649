"""How a hook stands, as glyph, word and colour: never by colour alone."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from hooktui.catalog.host_support import title
from hooktui.core.hook_source import HookDirectory
from hooktui.security.trust import UNAPPROVED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import DecisionName, Diagnostic, Hook, Severity

SEVERITY_GLYPHS: dict[Severity, str] = {"error": "✕", "warning": "▲", "info": "·"}
# Colours of the lines of a difference, by their signs.
SIGN_COLOURS = {"+": "$success", "-": "$error"}
# Glyph and colour of a decision.
DECISION_SIGNS: dict[DecisionName, tuple[str, str]] = {
    "none": ("∅", "$foreground 60%"),
    "allow": ("✔", "$success"),
    "ask": ("?", "$warning"),
    "deny": ("✕", "$error"),
    "stop": ("■", "$error"),
}


class Standing(NamedTuple):
    """What a hook's line says of it: `style` is the part after `row--` and, with a `$`, a colour of the theme."""

    glyph: str
    word: str
    style: str


OK = Standing("●", "ok", "ok")
OFF = Standing("○", "off", "muted")
OURS = Standing("·", "calls hooktui", "muted")  # what `hooktui connect` wrote
OVERRIDDEN = Standing("⊘", "overridden", "muted")
INVALID = Standing("✕", "invalid", "error")
UNTRUSTED = Standing("◌", "untrusted", "warning")
CHANGED = Standing("◌", "changed", "warning")


def problems_by_hook(catalog: Catalog) -> Mapping[str, Sequence[Diagnostic]]:
    """What is wrong with each hook, by its id; hooks with nothing wrong have no entry."""
    found: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for problem in catalog.diagnostics:
        if problem.hook is not None:
            found[problem.hook].append(problem)
    return dict(found)


def standing(catalog: Catalog, hook: Hook, problems: Sequence[Diagnostic]) -> Standing:
    """The first that holds, in the order in which a run asks (contract.md, `skip`)."""
    if hook.calls_hooktui:
        return OURS
    if not hook.enabled:
        return OFF
    if hook.obstacle is not None:
        return INVALID
    if catalog.overridden_by(hook) is not None:
        return OVERRIDDEN
    trusted = catalog.trust.get(hook.id)
    if trusted in UNAPPROVED and isinstance(
        hook.source, HookDirectory
    ):  # the others run in their own host whatever is approved here
        return UNTRUSTED if trusted == "untrusted" else CHANGED
    return _by_problems(problems)


def _by_problems(problems: Sequence[Diagnostic]) -> Standing:
    errors = sum(problem.severity == "error" for problem in problems)
    warnings = sum(problem.severity == "warning" for problem in problems)
    if errors:
        return Standing("✕", counted(errors, "error"), "error")
    return Standing("▲", counted(warnings, "warning"), "warning") if warnings else OK


def host_names(hosts: Iterable[str]) -> str:
    """Hosts as people call them."""
    return ", ".join(title(host) for host in hosts)


def counted(number: int, noun: str) -> str:
    """`1 hook`, `1,204 hooks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
