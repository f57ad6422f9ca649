"""What is wrong with hooks beyond what their formats see while reading: rules over a catalog, each with its code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.diagnostics.connected import foreign_tools
from hooktui.diagnostics.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hooktui.diagnostics.snapshot import Snapshot
    from hooktui.model import Diagnostic, Hook, Trust

__all__ = ["check", "check_hook"]


def check(catalog: Snapshot) -> tuple[Diagnostic, ...]:
    """Everything that the rules find, rule by rule. Never raises for what a file holds.

    Entries that `hooktui connect` wrote are right by themselves.
    """
    theirs = _Part(tuple(hook for hook in catalog.hooks if not hook.extra.get("ours")), catalog.trust)
    connected = {hook.format for hook in catalog.hooks if hook.extra.get("ours")}
    return (*(found for rule in RULES for found in rule(theirs)), *foreign_tools(theirs, connected))


def check_hook(hook: Hook) -> tuple[Diagnostic, ...]:
    """What the rules find in one hook alone: what an editor adds to its format's `parse` as one types."""
    return check(_Part((hook,), {hook.id: "user"}))


@dataclass(frozen=True, slots=True)
class _Part:
    hooks: tuple[Hook, ...]
    trust: Mapping[str, Trust]
