"""Which machine lacks a rule that it should have, or has another text of it, judged by the hooks that dispatches list.

What it should have is declared: `[[required]]` of the managed file. Of any other rule it is what most machines have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
_NOTHING: Mapping[str, frozenset[str]] = {}
_SEVERAL = 2  # machines that run a rule, from which on it is the fleet's


@dataclass(frozen=True, slots=True)
class Presence:
    """A rule on the fleet's machines, by instance: where it runs, and why it does not where it should.

    `kept` are the machines that have it and never run it, with a word and, if it is known, a sentence that say why. `versions`
    are the hashes of its text, where they are known; `expected` those that it should have, none if it may have any.
    """

    running: frozenset[str]
    absent: Mapping[str, str]
    kept: Mapping[str, tuple[str, str]]
    versions: Mapping[str, str]
    expected: frozenset[str]
    is_required: bool
    places: RulePlaces

    @property
    def differing(self) -> list[str]:
        """The machines with another text than expected."""
        return [instance for instance, version in self.versions.items() if self.expected and version not in self.expected]


def presences(listed: Iterable[ListedHook], required: Mapping[str, frozenset[str]] = _NOTHING) -> dict[str, Presence]:
    """Each rule's presence, of hooks in the order of their dispatches; `required` has the versions of each name, none for any.

    A rule that is not required, and that fewer than half of the machines run, is a choice of these.
    """
    machines: defaultdict[Place, set[str]] = defaultdict(set)
    hooks: defaultdict[str, list[ListedHook]] = defaultdict(list, {name: [] for name in required})
    for hook in listed:
        machines[hook.host, hook.event, ""].add(hook.instance)
        machines[hook.host, hook.event, paths.name(hook.project)].add(hook.instance)
        if hook.rule and not hook.is_connection:
            hooks[hook.name if hook.name in required else hook.rule].append(hook)
    return {rule: _presence(of_rule, machines, required.get(rule)) for rule, of_rule in hooks.items()}


def _presence(hooks: list[ListedHook], machines: Mapping[Place, set[str]], required: frozenset[str] | None) -> Presence:
    running = frozenset(hook.instance for hook in hooks if hook.skip not in KEPT)
    able = set[str]().union(*(machines[place] for place in {hook.place for hook in hooks} or machines))
    kept = {hook.instance: (KEPT[hook.skip], hook.why) for hook in hooks if hook.skip in KEPT and hook.instance not in running}
    is_expected = required is not None or (len(running) >= _SEVERAL and 2 * len(running) > len(able))
    absent = {instance: kept.get(instance, (_MISSING,))[0] for instance in able - running} if is_expected else {}
    versions = {hook.instance: hook.version for hook in hooks if hook.version}
    if required is None and not any(hook.is_of_project for hook in hooks):  # each project has a text of its own
        expected = frozenset(version for version, _ in Counter(versions.values()).most_common(1))
    else:
        expected = required or frozenset()
    return Presence(running, absent, kept, versions, expected, required is not None, rule_places.of(hooks))
