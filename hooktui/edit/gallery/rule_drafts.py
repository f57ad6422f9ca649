"""Rules of the gallery as drafts: where each can be installed, in which languages, and with which matcher."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hooktui import formats, hosts
from hooktui.core.model import AzureEntry
from hooktui.edit import drafts, new_hook_places
from hooktui.edit.drafts import HookDraft
from hooktui.edit.gallery import rule_script

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.edit.drafts import Language
    from hooktui.edit.gallery.gallery_rules import Rule, ToolKind
    from hooktui.edit.new_hook_places import NewHookPlace

_TOOLS: Mapping[ToolKind, str] = {"shell": "runs shell commands", "edit": "changes files"}


def refusal(rule: Rule, place: NewHookPlace) -> str:
    """Say why a rule cannot be installed at a place, as a sentence; empty if it can."""
    if all(place.refusal(event) for event in rule.events):
        return place.refusal(rule.events[-1])
    if rule.is_local and isinstance(formats.detached_source(place.format), AzureEntry):
        return f"{place.spec.title} does not run on your machine."
    event = _event(rule, place)
    written = new_hook_places.spelling(place, event)
    if rule_script.tells(rule) and not rule_script.can_tell(place.format, event, written):
        return f"{place.spec.title} does not pass on what a hook tells the agent on {written}."
    missing = next((kind for kind in rule.tools if not tool_names(place.format, kind)), None)
    return f"hooktui knows no tool of {place.spec.title} that {_TOOLS[missing]}." if missing else ""


def languages(rule: Rule, place: NewHookPlace) -> tuple[Language, ...]:
    """Return the languages in which a rule can be installed at a place."""
    return tuple(language for language in drafts.languages(place) if rule_script.is_written_in(rule, language))


def draft(rule: Rule, place: NewHookPlace, name: str = "", language: Language | None = None) -> HookDraft:
    """Return the hook that installs a rule, by default under the rule's name in its first language."""
    event = _event(rule, place)
    language = language or languages(rule, place)[0]
    return HookDraft(place, name or rule.name, event, _matcher(rule, place), None, language, rule)


def _event(rule: Rule, place: NewHookPlace) -> str:
    return next((event for event in rule.events if not place.refusal(event)), rule.events[-1])


def tool_names(host: str, kind: ToolKind) -> tuple[str, ...]:
    """Return the names that a host has for its tools of a kind."""
    spec = hosts.spec(host)
    return spec.edit_tools if kind == "edit" else tuple(spec.tools[tool] for tool in (kind,) if tool in spec.tools)


def _matcher(rule: Rule, place: NewHookPlace) -> str | None:
    """The matcher for a rule's tools, in the syntax of a place; None for every tool."""
    if not rule.tools:
        return None
    # A HOOK.md runs in any agent, and sees that agent's own names of tools.
    sources = hosts.names() if place.searches_input else (place.format,)
    names = dict.fromkeys(name for kind in rule.tools for host in sources for name in tool_names(host, kind))
    matcher = "|".join(map(re.escape, names))
    return f"^(?:{matcher})$" if place.searches_input else matcher
