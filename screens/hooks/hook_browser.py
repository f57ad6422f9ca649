"""The left side of the Hooks screen: a filter above the tree of hooks."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.containers import Vertical

from hooktui.catalog.hook_states import BETWEEN_NAMES, OK, OURS, counted, detail, group_title, hook_state, problems_by_hook
from hooktui.core import events, paths
from hooktui.core.model import HookDirectory
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.empty import Empty
from hooktui.screens.widgets.filter import Filter, has_words
from hooktui.screens.widgets.grouped_tree import GroupedTree, TreeRow, grouped
from hooktui.screens.widgets.lines import host_names, near

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from textual.app import ComposeResult

    from hooktui.catalog.catalog import Catalog
    from hooktui.catalog.hook_states import HookState
    from hooktui.core.model import Hook
    from hooktui.screens.services.hook_tests import HookTestState


NO_EVENT = "(no event)"
_OURS = "hooktui connection"
_OURS_KEY = f"group:{_OURS}"


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


def rows(
    catalog: Catalog, arrangement: str, words: str, tests: Mapping[str, str] = MappingProxyType({})
) -> list[TreeRow[Hook]]:
    """The hooks that contain every word, grouped; groups by name, or in the order of their first hook; our connection last.

    `tests` says by hook ID how many of its examples passed and failed.
    """
    problems = problems_by_hook(catalog)
    lines = {
        hook.id: _Line(hook, hook_state(catalog, hook, problems.get(hook.id, ())), tests.get(hook.id, ""))
        for hook in catalog.hooks
    }
    shown = {key: line for key, line in lines.items() if line.matches(words)} if words else lines
    below: dict[str, list[_Line]] = {}
    groups: dict[str, list[_Line]] = {}
    for line in shown.values():
        winner = catalog.overridden_by(line.hook)
        if winner in shown:
            below.setdefault(winner, []).append(line)
        elif line.state is not OURS:
            groups.setdefault(ARRANGEMENTS[arrangement](line.hook, catalog.project), []).append(line)
    naming = _Naming(arrangement, catalog.project, shows_host=len({hook.format for hook in catalog.own_hooks}) > 1)
    named = {name: _rows(members, below, naming) for name, members in groups.items()}
    if arrangement == "event":
        named = {_spelled(name, members): members for name, members in named.items()}
    return [*grouped(named, by_name=arrangement in _BY_NAME), *_connection(shown.values(), naming)]


def _rows(lines: Sequence[_Line], below: Mapping[str, Sequence[_Line]], naming: _Naming) -> list[TreeRow[Hook]]:
    """The rows of a group, each with the hooks it overrides below it."""
    alike = Counter((line.name, naming.note(line)) for line in lines)
    return [
        line.row(
            naming,
            is_ambiguous=alike[line.name, naming.note(line)] > 1,
            children=tuple(_rows(below[line.hook.id], {}, naming)) if line.hook.id in below else (),
        )
        for line in lines
    ]


def _connection(lines: Iterable[_Line], naming: _Naming) -> Iterator[TreeRow[Hook]]:
    """One row for the entries of `hooktui connect`, if there are any."""
    ours = [line for line in lines if line.state is OURS]
    if ours:
        count = counted(len(ours), "event")
        entries = tuple(line.row(naming) for line in ours)
        yield TreeRow(_OURS_KEY, ((_OURS, "row--muted"),), ((count, "row--muted"),), children=entries, is_group=True)


def _spelled(event: str, members: Sequence[TreeRow[Hook]]) -> str:
    hooks = [row.data for row in members if row.data]
    return group_title(event, hooks) if hooks and event != NO_EVENT else event


def matcher_and_owner(hook: Hook) -> str:
    """The tools that an entry matches, and the plugin or agent that brings it; "" for a HOOK.md."""
    if isinstance(hook.source, HookDirectory):
        return ""
    return one_line(detail(hook))


class _Naming(NamedTuple):
    """What the rows of an arrangement say beside a hook's name."""

    arrangement: str
    project: str
    shows_host: bool

    def note(self, line: _Line) -> str:
        """The event unless the group says it, the matcher and the owner."""
        hook = line.hook
        if line.state is OURS or isinstance(hook.source, HookDirectory):
            return ""
        event = "" if self.arrangement == "event" or hook.type == "mod" else one_line(hook.event_as_written)
        return f"{event} {matcher_and_owner(hook)}".strip()


class _Line:
    def __init__(self, hook: Hook, state: HookState, tests: str) -> None:
        self.hook = hook
        self.state = state
        self.tests = tests
        self.name = one_line(hook.event_as_written if state is OURS else hook.label)

    def matches(self, words: str) -> bool:
        """Whether every word occurs in the row, in what the hook runs, or in a host's name for the event."""
        hook = self.hook
        runs = () if isinstance(hook.source, HookDirectory) else (hook.tool, hook.command, hook.prompt, hook.url, hook.owner)
        facts = (hook.label, hook.name, hook.event, hook.scope, hook.format, self.state.word, hook.description, *runs)
        return has_words(words, *facts, *events.NAMES.get(hook.event, ()))

    def row(self, naming: _Naming, *, is_ambiguous: bool = False, children: tuple[TreeRow[Hook], ...] = ()) -> TreeRow[Hook]:
        """Glyph, name and note on the left, with the file if that is ambiguous; scope, priority, host or state on the right."""
        hook, state = self.hook, self.state
        name = (self.name, "row--muted" if state.style == "muted" else "")
        place = near(hook.file, naming.project) if is_ambiguous else ""
        note = f" {naming.note(self)} {place}".rstrip()
        # Only AgentHooks have a priority; for the others the host says more where there are several.
        order = f"{hook.priority:>3}" if isinstance(hook.source, HookDirectory) else hook.format if naming.shows_host else ""
        host = "" if isinstance(hook.source, HookDirectory) else order
        text, colour = (order, "row--muted") if state is OK else (f"{host} {state.word}".lstrip(), f"row--{state.style}")
        shortest = text if state is OK else state.word
        every = [f"{hook.scope} {text}".rstrip(), text, shortest]
        if self.tests and state is OK:
            failed = [f"{self.tests}  {text}"] if "✕" in self.tests else []  # says more than the scope
            every = [f"{self.tests}  {every[0]}", *failed, *every]
        return TreeRow(
            key=hook.id,
            left=((f"{state.glyph} ", f"row--{state.style}"), name, *(((note, "row--muted"),) if note else ())),
            right=tuple((words, colour) for words in dict.fromkeys(every)),
            data=hook,
            children=children,
        )


NO_HOOKS = (
    "No hooks here yet.\n\n"
    "Hooks are programs that run as your agent works:\n"
    "before a tool call, after it, before the agent stops.\n"
    "They can allow, deny or rewrite a call."
)
FIRST_KEYS = (
    ("{new}", "create a hook"),
    ("{gallery}", "install a popular rule"),
    ("{sessions-screen}", "see what your agents did in the last weeks"),
    ("{demo}", "watch the demo: a project full of hooks"),
    ("{help}", "all keys"),
    ("{connect}", "connect an agent program to hooktui"),
)


def first_keys(catalog: Catalog) -> Sequence[tuple[str, str]]:
    """Keys for a project without hooks; first the way to its errors, which may be why there are none."""
    errors = sum(problem.severity == "error" for problem in catalog.diagnostics)
    return ((("{diagnostics-screen}", f"see {counted(errors, 'error')}: hooks may be missing"),) if errors else ()) + FIRST_KEYS


_DEFAULT_EVENT = "pre-tool-call"  # most hooks guard tools


class HookBrowser(Vertical):
    """Hooks grouped by event, file, scope or host.

    States that change only its own look are classes of this pane: a class of the screen would restyle every widget.
    """

    arrangement, words = "event", ""

    def __init__(self) -> None:
        super().__init__(id="browser", classes="pane -loading")
        self._catalog: Catalog | None = None
        self._tests: Mapping[str, str] = {}
        self.hooks: GroupedTree[Hook] = GroupedTree(id="hooks", folded=[_OURS])

    def compose(self) -> ComposeResult:
        yield Filter(self.hooks, "name, event, scope, state …")
        yield self.hooks
        yield Empty("Loading hooks…", id="no-rows")

    def on_mount(self) -> None:
        self._show_title()
        self.watch(self.app, "tests", self._show_tests, init=False)

    def _show_tests(self, tests: HookTestState | None) -> None:
        """Show how many examples of each hook passed and failed, if that has changed."""
        hooks = self._catalog.hooks if self._catalog and tests else ()
        counts = {hook.id: counts for hook in hooks if tests and (counts := tests.counts(hook))}
        if counts != self._tests:
            self._tests = counts
            self._refresh()

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
        groups = rows(self._catalog, self.arrangement, self.words, self._tests)
        if not groups and self.query_one(Filter).give_way():
            return
        self.hooks.show(groups)
        self.set_class(not groups, "-no-rows")
        empty = self.query_one("#no-rows", Empty)
        if self.words:
            empty.show(f"No hooks match “{one_line(self.words)}”.", (("esc", "show all"),))
        else:
            empty.show("No hooks.")
        self._show_title(sum(group.count for group in groups if group.key != _OURS_KEY))

    def _show_title(self, count: int = 0) -> None:
        self.border_title = f"Hooks by {self.arrangement}"
        managed = [settings for settings in self._catalog.managed if not settings.why_unread] if self._catalog else []
        policy = f"managed: {one_line(managed[0].file.rpartition('/')[2])}" if managed else ""
        self.border_subtitle = f"{count} found" if self.words else policy

    @property
    def event_at_cursor(self) -> str:
        row = self.hooks.current
        if row is None:
            return _DEFAULT_EVENT
        if row.data is not None:
            return row.data.event or _DEFAULT_EVENT
        group = row.left[0][0].partition(BETWEEN_NAMES)[0] if self.arrangement == "event" else ""
        return events.canonical(group) or _DEFAULT_EVENT

    def reveal(self, hook: Hook) -> None:
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
