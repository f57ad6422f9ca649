"""The hooks as a tree: by event, file, scope or host; a hook that is replaced stands under the one that replaces it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.core import events
from hooktui.core.hook_source import HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.grouped_tree import Row
from hooktui.screens.widgets.hook_locations import near
from hooktui.screens.widgets.states import OK, OURS, host_names, problems_by_hook, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Hook
    from hooktui.screens.widgets.states import Standing

NO_EVENT = "(no event)"
_OURS = "what hooktui connect wrote"


def _home(hook: Hook, project: str) -> str:
    """The file that a hook stands in; the directory of directories for HOOK.md, which has a directory for itself."""
    return near(os.path.dirname(hook.root) if isinstance(hook.source, HookDirectory) else hook.file, project)


# What `v` goes through: the name of an arrangement, and the group that a hook of a project is in.
ARRANGEMENTS: Mapping[str, Callable[[Hook, str], str]] = {
    "event": lambda hook, _project: hook.event or NO_EVENT,
    "file": _home,
    "scope": lambda hook, _project: hook.scope,
    "host": lambda hook, _project: host_names((hook.format,)),
}
_BY_NAME = ("file", "host")  # arrangements whose groups have no order of their own
# Of the name FILE:EVENT:N of a hook that has none of its own, what its group does not say.
_PARTS_SHOWN: Mapping[str, Sequence[int]] = {"event": (0, 2), "file": (1, 2)}


def rows(catalog: Catalog, arrangement: str, words: str) -> list[Row[Hook]]:
    """The tree of the hooks that have every word; groups in the order of the events, by name, or of their first hook."""
    problems = problems_by_hook(catalog)
    hooks = sorted(catalog.hooks, key=lambda hook: hook.calls_hooktui)  # ours last
    lines = {hook.id: _Line(hook, standing(catalog, hook, problems.get(hook.id, ())), arrangement) for hook in hooks}
    shown = {key: line for key, line in lines.items() if line.matches(words)}
    below: dict[str, list[Row[Hook]]] = {}
    groups: dict[str, list[Row[Hook]]] = {}
    for line in shown.values():
        winner = catalog.overridden_by(line.hook)
        if winner in shown:
            below.setdefault(winner, []).append(line.row())
    for key, line in shown.items():
        if catalog.overridden_by(line.hook) not in shown:
            group = _OURS if line.stands is OURS else ARRANGEMENTS[arrangement](line.hook, catalog.project)
            groups.setdefault(group, []).append(line.row(tuple(below.get(key, ()))))
    names = sorted(groups, key=str.lower) if arrangement in _BY_NAME else groups
    return [_group(name, groups[name]) for name in names]


def _group(name: str, members: Sequence[Row[Hook]]) -> Row[Hook]:
    group = Row(f"group:{name}", ((one_line(name), "row--group"),), children=tuple(members), is_group=True)
    return replace(group, right=((str(group.count), "row--muted"),))


def _name(hook: Hook, arrangement: str) -> str:
    """What a hook is called in its group: `settings.json › 2` below its event."""
    *rest, event, number = ("", "", *hook.name.rsplit(":", 2))[-3:]
    if isinstance(hook.source, HookDirectory) or event != hook.event_as_written or not number.isdecimal():
        return one_line(hook.name)
    parts = (*rest, event, number)
    return one_line(" › ".join(parts[part] for part in _PARTS_SHOWN.get(arrangement, (0, 1, 2))))


def gist(hook: Hook) -> str:
    """What tells a hook without a name of its own from its siblings: its matcher, and what it runs or asks."""
    script = next((os.path.basename(path) for path in hook.covers), None)
    said = script or hook.command or hook.prompt or hook.url
    return one_line(f"{hook.tool or ''} {said or ''}".strip())


class _Line:
    """One hook as a line of the tree."""

    def __init__(self, hook: Hook, stands: Standing, arrangement: str) -> None:
        self.hook = hook
        self.stands = stands
        self.name = _name(hook, arrangement)
        self.gist = "" if self.name == one_line(hook.name) else gist(hook)

    def matches(self, words: str) -> bool:
        """Whether every word stands somewhere in what the tree tells of the hook, or in what a host calls its event."""
        hook = self.hook
        told = (hook.name, hook.event, hook.scope, hook.format, self.stands.word, hook.description, self.gist)
        text = " ".join((*told, *events.NAMES.get(hook.event, ()))).lower()
        return all(word in text for word in words.lower().split())

    def row(self, children: tuple[Row[Hook], ...] = ()) -> Row[Hook]:
        """Glyph, name and gist; scope with the priority, or with what is the matter."""
        hook, stands = self.hook, self.stands
        name = (self.name, "row--muted" if stands.style == "muted" else "")
        gist = ((f" {self.gist}", "row--muted"),) if self.gist else ()
        # Only AgentHooks order by priority; of the others it says more which host they are for.
        fine = f"{hook.priority:>3}" if isinstance(hook.source, HookDirectory) else hook.format
        said, colour = (fine, "row--muted") if stands is OK else (stands.word, f"row--{stands.style}")
        return Row(
            key=hook.id,
            left=((f"{stands.glyph} ", f"row--{stands.style}"), name, *gist),
            right=((f"{hook.scope} {said}", colour), (said, colour)),
            data=hook,
            children=children,
        )
