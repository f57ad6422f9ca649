"""Facts about a hook beyond its fields: state, trust, hosts, file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from hooktui.catalog import hook_states
from hooktui.catalog.host_support import asks_for_trust, grouped, reach
from hooktui.core import events
from hooktui.core.model import ONLY_IN_AGENT, HookDirectory, Mod
from hooktui.core.text_sanitizer import one_line, visible
from hooktui.screens.keys.hints import hint
from hooktui.screens.widgets.lines import host_names, near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hooktui.catalog.catalog import Catalog
    from hooktui.catalog.hook_states import HookState
    from hooktui.core.model import Hook
    from hooktui.screens.widgets.fields import LabelledValue


def hosts_line(hook: Hook, catalog: Catalog) -> Content:
    """The hosts a hook works in and those it does not, the ones in use here first; hosts with the same note are grouped."""
    parts = (
        Content.assemble(
            ("" if one.works else "not " if titles else "nowhere", "bold" if titles else "$warning"),
            ", ".join(titles),
            _about(one.note, has_fix=one.has_fix),
        )
        for one, titles in grouped(reach(hook, catalog))
    )
    return Content(" · ").join(parts)


def _about(note: str, *, has_fix: bool = False) -> Content:
    added = hint("; {fix} adds it") if has_fix else ""
    return Content.styled(f" ({one_line(note)}{added})" if note else "", "$foreground 60%")


LABEL_WIDTH = 11  # columns
_TRUST = {
    "user": ("needs no approval", ""),
    "trusted": ("approved", "$success"),
    "untrusted": ("not approved · {approve} review and approve", "$warning"),
    "changed": ("changed since approval · {approve} review and approve", "$warning"),
}


def facts_of(hook: Hook, catalog: Catalog, state: HookState) -> Iterator[LabelledValue]:
    """Yield the facts in display order."""
    yield "State", _state(hook, catalog, state)
    yield "When", _when(hook)
    if hook.type == "callback":
        yield "Name", Content(one_line(hook.label))
    elif isinstance(hook.source, Mod):
        yield "Answers", _answers(hook.source, hook)
    else:
        yield "Trust", _trust(hook, catalog)
    yield "Hosts", hosts_line(hook, catalog)
    if mods := overruled_by(hook, catalog):
        yield "Mods", Content.styled(f"{', '.join(map(one_line, mods))} can let a tool run that it denied", "$warning")
    if isinstance(hook.source, HookDirectory):
        yield "Runs", Content(near(hook.command, catalog.project)) if hook.command else _faint("nothing")
    if hook.owner:
        yield "From", Content(one_line(hook.owner))
    yield "File", Content(f"{near(hook.file, catalog.project)}:{hook.line}")


def overruled_by(hook: Hook, catalog: Catalog) -> list[str]:
    """The mods that can let a tool run that a hook denied."""
    by_id = {other.id: other.label for other in catalog.hooks if other.type == "mod"}
    found = (problem for problem in catalog.diagnostics if problem.code == "mod-overrules" and hook.id in problem.other_hooks)
    return [by_id[problem.hook] for problem in found if problem.hook in by_id]


def _answers(mod: Mod, hook: Hook) -> Content:
    """What a mod can answer, what happens where it fails, and how it came to be loaded."""
    can = "it can let a tool run that a hook denied" if mod.allows else "it can answer" if mod.gates else "it only watches"
    fails = "" if mod.catches or not mod.gates else "; where it fails, the tool runs"
    computed = "; only a run tells what its matcher matches" if mod.is_matcher_computed else ""
    loaded = f"; {one_line(hook.description)}" if hook.description else ""
    return Content.assemble((can, "$warning" if mod.allows and hook.enabled else ""), f"{fails}{computed}{loaded}")


def _state(hook: Hook, catalog: Catalog, state: HookState) -> Content:
    colour = "$foreground 60%" if state.style == "muted" else f"${'success' if state.style == 'ok' else state.style}"
    reason = hook.why_disabled or (hook.obstacle.why if hook.obstacle and hook.type != "mod" else "")
    why = f": {visible(reason)}" if reason else ""
    winner = catalog.overridden_by(hook)
    if winner is not None and hook.enabled and not hook.obstacle:
        why = " by the project's hook of the same name"
    read_only = f" · read-only: {visible(hook.read_only)}" if hook.read_only else ""
    return Content.assemble((f"{state.glyph} {state.word}", colour), why, (read_only, "$foreground 60%"))


def _trust(hook: Hook, catalog: Catalog) -> Content:
    trust = hook_states.state(catalog, hook)
    if hook_states.is_unapproved(trust) and not catalog.runs(hook):
        condition = " once you trust it there" if asks_for_trust(hook.format) else ""
        return _faint(f"{host_names((hook.format,))} runs it{condition}; it needs no approval here")
    words, style = _TRUST[trust]
    return Content.styled(hint(f"your own; {words}" if hook.scope == "user" else words), style)


def _when(hook: Hook) -> Content:
    if not hook.event or "unknown-event" in hook.problems:
        return _faint(f"never: {one_line(hook.event_as_written)} is not a known event" if hook.event_as_written else "never")
    about = f" · {hook.event}" if hook.type in ONLY_IN_AGENT and hook.event_as_written != hook.event else ""
    unnamed = "every event" if hook.event == "*" else "an event of this host"
    return Content.assemble(events.MEANING.get(hook.event, unnamed), (about, "$foreground 60%"))


def _faint(text: str) -> Content:
    return Content.styled(text, "$foreground 60%")
