"""The left side of the Hooks screen: a filter above the tree of hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.containers import Vertical

from hooktui.catalog.hook_states import OK, OURS, hook_state, problems_by_hook
from hooktui.core import events, paths
from hooktui.core.model import HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter, has_words
from hooktui.screens.widgets.grouped_tree import GroupedTree, TreeRow, grouped
from hooktui.screens.widgets.lines import host_names, near

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.catalog.hook_states import HookState
    from hooktui.core.model import Hook


NO_EVENT = "(no event)"
_OURS = "hooktui connection"
_BETWEEN = " · "  # two spellings of an event


def _home(hook: Hook, project: str) -> str:
    """The file with a hook; for a HOOK.md, the directory that holds the hooks' directories."""
    return near(paths.parent(hook.root) if isinstance(hook.source, HookDirectory) else hook.file, project)


# Arrangements by name: each maps a hook and the project to a group.
ARRANGEMENTS: Mapping[str, Callable[[Hook, str], str]] = {
    "event": lambda hook, _project: hook.event or NO_EVENT,
    "file": _home,
    "scope": lambda hook, _project: hook.scope,
    "host": lambda hook, _project: host_names((hook.format,)),
}
_BY_NAME = ("file", "host")  # arrangements sorted by group name
# Parts to show of a generated name FILE:EVENT:N: what the group does not say.
_PARTS_SHOWN: Mapping[str, Sequence[int]] = {"event": (0, 2), "file": (1, 2)}


def rows(catalog: Catalog, arrangement: str, words: str) -> list[TreeRow[Hook]]:
    """The hooks that contain every word, grouped; groups by name, or in the order of their first hook."""
    problems = problems_by_hook(catalog)
    hooks = sorted(catalog.hooks, key=lambda hook: hook.calls_hooktui)  # hooktui's own entries last
    lines = {hook.id: _Line(hook, hook_state(catalog, hook, problems.get(hook.id, ())), arrangement) for hook in hooks}
    shown = {key: line for key, line in lines.items() if line.matches(words)}
    below: dict[str, list[TreeRow[Hook]]] = {}
    groups: dict[str, list[TreeRow[Hook]]] = {}
    for line in shown.values():
        winner = catalog.overridden_by(line.hook)
        if winner in shown:
            below.setdefault(winner, []).append(line.row())
    for key, line in shown.items():
        if catalog.overridden_by(line.hook) not in shown:
            group = _OURS if line.state is OURS else ARRANGEMENTS[arrangement](line.hook, catalog.project)
            groups.setdefault(group, []).append(line.row(tuple(below.get(key, ()))))
    if arrangement == "event":
        groups = {_spelled(name, members): members for name, members in groups.items()}
    return grouped(groups, by_name=arrangement in _BY_NAME)


def _spelled(event: str, members: Sequence[TreeRow[Hook]]) -> str:
    """An event as the files of its hooks spell it; where they differ, its canonical name first."""
    spellings = dict.fromkeys(row.data.event_as_written for row in members if row.data)
    if event in (_OURS, NO_EVENT) or not spellings:
        return event
    if len(spellings) == 1:
        return next(iter(spellings))
    return _BETWEEN.join(dict.fromkeys((event, *spellings)))


def _name(hook: Hook, arrangement: str) -> str:
    """A hook's name in its group: `settings.json › 2` below its event."""
    *rest, event, number = ("", "", *hook.name.rsplit(":", 2))[-3:]
    if isinstance(hook.source, HookDirectory) or event != hook.event_as_written or not number.isdecimal():
        return one_line(hook.name)
    parts = (*rest, event, number)
    return one_line(" › ".join(parts[part] for part in _PARTS_SHOWN.get(arrangement, (0, 1, 2))))


def gist(hook: Hook) -> str:
    """A summary for hooks without a name: the matcher, and what the hook runs or asks."""
    script = next((paths.name(path) for path in hook.covers), None)
    action = script or hook.command or hook.prompt or hook.url
    return one_line(f"{hook.tool or ''} {action or ''}".strip())


class _Line:
    """One hook as a row of the tree."""

    def __init__(self, hook: Hook, state: HookState, arrangement: str) -> None:
        self.hook = hook
        self.state = state
        self.name = _name(hook, arrangement)
        self.gist = "" if self.name == one_line(hook.name) else gist(hook)

    def matches(self, words: str) -> bool:
        """Whether every word occurs in the row, or in a host's name for the event."""
        hook = self.hook
        facts = (hook.name, hook.event, hook.scope, hook.format, self.state.word, hook.description, self.gist)
        return has_words(words, *facts, *events.NAMES.get(hook.event, ()))

    def row(self, children: tuple[TreeRow[Hook], ...] = ()) -> TreeRow[Hook]:
        """Glyph, name and summary on the left; scope and priority, host or state on the right."""
        hook, state = self.hook, self.state
        name = (self.name, "row--muted" if state.style == "muted" else "")
        gist = ((f" {self.gist}", "row--muted"),) if self.gist else ()
        # Only AgentHooks have a priority; for the others the host says more.
        order = f"{hook.priority:>3}" if isinstance(hook.source, HookDirectory) else hook.format
        text, colour = (order, "row--muted") if state is OK else (state.word, f"row--{state.style}")
        return TreeRow(
            key=hook.id,
            left=((f"{state.glyph} ", f"row--{state.style}"), name, *gist),
            right=((f"{hook.scope} {text}", colour), (text, colour)),
            data=hook,
            children=children,
        )


NO_HOOKS = (
    "No hooks here yet.\n\n"
    "Hooks are programs that run when your agent does something: before a tool call,\n"
    "after it, before it stops. They can allow, deny or rewrite it."
)
FIRST_KEYS = (
    ("{new}", "create a hook"),
    ("{demo}", "watch the demo: a project full of hooks"),
    ("{help}", "all keys"),
    ("{connect}", "connect an agent program to hooktui"),
)
_DEFAULT_EVENT = "pre-tool-call"  # most hooks guard tools


class HookBrowser(Vertical):
    """Hooks grouped by event, file, scope or host.

    States that change only its own look are classes of this pane: a class of the screen would restyle every widget.
    """

    arrangement, words = "event", ""

    def __init__(self) -> None:
        super().__init__(id="browser", classes="pane -loading")
        self._catalog: Catalog | None = None
        self.hooks: GroupedTree[Hook] = GroupedTree(id="hooks", folded=[_OURS])

    def compose(self) -> ComposeResult:
        yield Filter(self.hooks, "name, event, scope, state …")
        yield self.hooks
        yield Empty("Loading hooks…", id="no-rows")

    def on_mount(self) -> None:
        self._show_title()

    def show(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.remove_class("-loading")
        self._refresh()

    @on(Filter.Narrowed)
    def _narrow(self, event: Filter.Narrowed) -> None:
        event.stop()
        self._filter(event.words)

    def _filter(self, words: str) -> None:
        if words != self.words:
            self.words = words
            self._refresh()

    def _refresh(self) -> None:
        if self._catalog is None:
            return
        groups = rows(self._catalog, self.arrangement, self.words)
        if not groups and self.query_one(Filter).give_way():
            return
        self.hooks.show(groups)
        self.set_class(not groups, "-no-rows")
        empty = self.query_one("#no-rows", Empty)
        if self.words:
            empty.show(f"No hooks match “{one_line(self.words)}”.", (("esc", "show all"),))
        else:
            empty.show("No hooks.")
        self._show_title(sum(group.count for group in groups if group.key != f"group:{_OURS}"))

    def _show_title(self, count: int = 0) -> None:
        self.border_title = f"Hooks by {self.arrangement}"
        self.border_subtitle = f"{count} found" if self.words else ""

    @property
    def event_at_cursor(self) -> str:
        row = self.hooks.current
        if row is None:
            return _DEFAULT_EVENT
        if row.data is not None:
            return row.data.event or _DEFAULT_EVENT
        group = row.left[0][0].partition(_BETWEEN)[0] if self.arrangement == "event" else ""
        return events.canonical(group) or _DEFAULT_EVENT

    def reveal(self, hook: Hook) -> None:
        """Clear the filter if it hides a hook."""
        if not self.hooks.has(hook.id):
            self.query_one(Filter).value = ""
            self._filter("")

    def focus_tree(self) -> None:
        """Focus the tree; if it has the focus already, clear the filter."""
        if self.hooks.has_focus:
            self.query_one(Filter).action_clear()
        self.screen.set_focus(self.hooks)

    def next_arrangement(self) -> None:
        names = list(ARRANGEMENTS)
        self.arrangement = names[(names.index(self.arrangement) + 1) % len(names)]
        self._refresh()
