"""Which machine lacks a rule that others have, judged by the hooks that dispatches list, whether these ran or not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hooktui.core import paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Place = tuple[str, str, str]  # agent, event, and project or ""

# Skips by which a hook never runs, whatever the call, in words for a list.
_KEPT = {
    "untrusted": "not approved",
    "invalid": "invalid",
    "bad-matcher": "bad matcher",
    "host-skips-file": "file ignored",
    "disabled": "off",
    "unsupported-type": "unsupported",
}
_MISSING = "missing"
_OF_PROJECTS = ("project", "local")  # scopes
_SEVERAL = 2  # machines that run a rule, from which on it is the fleet's


class ListedHook(NamedTuple):
    """A hook in the list of a dispatch; `rule` is "" for a dispatch without hooks."""

    instance: str
    host: str
    event: str
    project: str
    rule: str
    scope: str
    skip: str

    @property
    def place(self) -> Place:
        """Where machines are alike for this hook: a hook of a project is expected in that project only, by its name."""
        return self.host, self.event, paths.name(self.project) if self.scope in _OF_PROJECTS else ""


@dataclass(frozen=True, slots=True)
class Presence:
    """A rule on the fleet's machines, by instance: where it runs, and why it does not where most others run it."""

    running: frozenset[str]
    absent: Mapping[str, str]
    of_project: bool


def presences(listed: Iterable[ListedHook]) -> dict[str, Presence]:
    """Each rule's presence. A rule that fewer than half of the machines run is a choice of these."""
    machines: defaultdict[Place, set[str]] = defaultdict(set)
    hooks: defaultdict[str, list[ListedHook]] = defaultdict(list)
    for hook in listed:
        machines[hook.host, hook.event, ""].add(hook.instance)
        machines[hook.host, hook.event, paths.name(hook.project)].add(hook.instance)
        if hook.rule:
            hooks[hook.rule].append(hook)
    return {rule: _presence(of_rule, machines) for rule, of_rule in hooks.items()}


def _presence(hooks: list[ListedHook], machines: Mapping[Place, set[str]]) -> Presence:
    running = frozenset(hook.instance for hook in hooks if hook.skip not in _KEPT)
    able = set[str]().union(*(machines[hook.place] for hook in hooks))
    why = {hook.instance: _KEPT[hook.skip] for hook in hooks if hook.skip in _KEPT}
    is_expected = len(running) >= _SEVERAL and 2 * len(running) > len(able)
    absent = {instance: why.get(instance, _MISSING) for instance in able - running} if is_expected else {}
    return Presence(running, absent, any(hook.scope in _OF_PROJECTS for hook in hooks))
