"""Which machine lacks a rule that others have, judged by the hooks that dispatches list, whether these ran or not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hooktui.core import paths
from hooktui.fleet import rule_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hooktui.fleet.rule_places import ListedHook, Place, RulePlaces

# Skips by which a hook never runs, whatever the call, in words for a list.
KEPT = {
    "untrusted": "not approved",
    "invalid": "invalid",
    "bad-matcher": "bad matcher",
    "host-skips-file": "file ignored",
    "disabled": "off",
    "unsupported-type": "unsupported",
}
CHOSEN = ("off", "unsupported")  # of these, no fault even where no machine runs a hook
_MISSING = "missing"
_SEVERAL = 2  # machines that run a rule, from which on it is the fleet's


@dataclass(frozen=True, slots=True)
class Presence:
    """A rule on the fleet's machines, by instance: where it runs, and why it does not where most others run it.

    `kept` are the machines that have it and never run it, with a word and, if it is known, a sentence that say why.
    """

    running: frozenset[str]
    absent: Mapping[str, str]
    kept: Mapping[str, tuple[str, str]]
    of_project: bool
    places: RulePlaces


def presences(listed: Iterable[ListedHook]) -> dict[str, Presence]:
    """Each rule's presence. A rule that fewer than half of the machines run is a choice of these."""
    machines: defaultdict[Place, set[str]] = defaultdict(set)
    hooks: defaultdict[str, list[ListedHook]] = defaultdict(list)
    for hook in listed:
        machines[hook.host, hook.event, ""].add(hook.instance)
        machines[hook.host, hook.event, paths.name(hook.project)].add(hook.instance)
        if hook.rule and not hook.is_connection:
            hooks[hook.rule].append(hook)
    return {rule: _presence(of_rule, machines) for rule, of_rule in hooks.items()}


def _presence(hooks: list[ListedHook], machines: Mapping[Place, set[str]]) -> Presence:
    running = frozenset(hook.instance for hook in hooks if hook.skip not in KEPT)
    able = set[str]().union(*(machines[place] for place in {hook.place for hook in hooks}))
    kept = {hook.instance: (KEPT[hook.skip], hook.why) for hook in hooks if hook.skip in KEPT and hook.instance not in running}
    is_expected = len(running) >= _SEVERAL and 2 * len(running) > len(able)
    absent = {instance: kept.get(instance, (_MISSING,))[0] for instance in able - running} if is_expected else {}
    return Presence(running, absent, kept, any(hook.is_of_project for hook in hooks), rule_places.of(hooks))
