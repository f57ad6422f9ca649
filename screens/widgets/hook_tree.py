"""The hooks as a tree: by event, file, scope or host; a hook that is replaced stands under the one that replaces it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.plain import one_line
from hooktui.screens.widgets.grouped_tree import Row
from hooktui.screens.widgets.places import near
from hooktui.screens.widgets.states import OK, problems_by_hook, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from hooktui.catalog import Catalog
    from hooktui.model import Hook
    from hooktui.screens.widgets.states import Standing

_HOSTS = {
    "agenthooks": "AgentHooks hosts",
    "claude": "Claude Code",
    "vscode": "VS Code",
    "copilot": "Copilot CLI",
    "azure": "Azure SRE Agent",
    "python": "Python",
}
NO_EVENT = "(no event)"


def _home(hook: Hook, project: str) -> str:
    """The file that a hook stands in; the directory of directories for HOOK.md, which has a directory for itself."""
    return near(os.path.dirname(hook.root) if hook.format == "agenthooks" else hook.file, project)


# What `v` goes through: the name of an arrangement, and the group that a hook of a project is in.
ARRANGEMENTS: Mapping[str, Callable[[Hook, str], str]] = {
    "event": lambda hook, _project: hook.event or NO_EVENT,
    "file": _home,
    "scope": lambda hook, _project: hook.scope,
    "host": lambda hook, _project: _HOSTS.get(hook.format, hook.format),
}


def rows(catalog: Catalog, arrangement: str, words: str, unsaved: Collection[str]) -> list[Row[Hook]]:
    """The tree of the hooks that have every word; groups in the order of the events, else of their first hook.

    `unsaved` holds the ids of the hooks with edits that are not saved.
    """
    problems = problems_by_hook(catalog)
    lines = {hook.id: _Line(hook, standing(catalog, hook, problems.get(hook.id, ()))) for hook in catalog.hooks}
    shown = {key: line for key, line in lines.items() if line.matches(words)}
    below: dict[str, list[Row[Hook]]] = {}
    groups: dict[str, list[Row[Hook]]] = {}
    for key, line in shown.items():
        winner = catalog.overridden_by(line.hook)
        if winner in shown:
            below.setdefault(winner, []).append(line.row((), key in unsaved))
    for key, line in shown.items():
        if catalog.overridden_by(line.hook) not in shown:
            group = ARRANGEMENTS[arrangement](line.hook, catalog.project)
            groups.setdefault(group, []).append(line.row(tuple(below.get(key, ())), key in unsaved))
    return [_group(name, members) for name, members in groups.items()]


def _group(name: str, members: Sequence[Row[Hook]]) -> Row[Hook]:
    group = Row(f"group:{name}", ((one_line(name), "row--group"),), children=tuple(members), is_group=True)
    return replace(group, right=((str(group.count), "row--muted"),))


class _Line:
    """One hook as a line of the tree."""

    def __init__(self, hook: Hook, stands: Standing) -> None:
        self.hook = hook
        self.stands = stands

    def matches(self, words: str) -> bool:
        """Whether every word stands somewhere in what the tree tells of the hook."""
        hook = self.hook
        text = f"{hook.name} {hook.event} {hook.scope} {hook.format} {self.stands.word} {hook.description}".lower()
        return all(word in text for word in words.lower().split())

    def row(self, children: tuple[Row[Hook], ...], unsaved: bool) -> Row[Hook]:
        """Glyph, name and unsaved mark; scope with the priority, or with what is the matter."""
        hook, stands = self.hook, self.stands
        name = (one_line(hook.name), "row--muted" if stands.style == "muted" else "")
        mark = ((" •", "row--accent"),) if unsaved else ()
        # Only AgentHooks order by priority; of the others it says more which host they are for.
        fine = f"{hook.priority:>3}" if hook.format == "agenthooks" else hook.format
        said, colour = (fine, "row--muted") if stands is OK else (stands.word, f"row--{stands.style}")
        return Row(
            key=hook.id,
            left=((f"{stands.glyph} ", f"row--{stands.style}"), name, *mark),
            right=((f"{hook.scope} {said}", colour), (said, colour)),
            data=hook,
            children=children,
        )
