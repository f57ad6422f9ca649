"""The rows of the Diagnostics screen: one for each cause, as `hooktui check` tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.catalog.hook_states import SEVERITY_GLYPHS
from hooktui.core.text_sanitizer import one_line
from hooktui.diagnostics.causes import by_cause, summed, without_effects, worst_first
from hooktui.screens.widgets.filter import has_words
from hooktui.screens.widgets.grouped_tree import TreeRow, grouped
from hooktui.screens.widgets.lines import from_project, host_names, near

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic
    from hooktui.diagnostics.causes import Cause

_PLACE_WIDTH = 24  # columns
_ROW_STYLES = {"error": "row--error", "warning": "row--warning", "info": "row--muted"}
_IGNORED_FILE = "host-skips-file"

# Arrangements by name: each maps a problem and the project to a group.
ARRANGEMENTS: Mapping[str, Callable[[Diagnostic, str], str]] = {
    "severity": lambda problem, _project: problem.severity,
    "file": lambda problem, project: near(problem.file, project),
    "host": lambda problem, _project: host_names(problem.hosts) or "every host",
}
_BY_NAME = ("file", "host")  # arrangements sorted by group name


def rows(catalog: Catalog, arrangement: str, words: str) -> list[TreeRow[Cause]]:
    """The causes with a place that contains every word, grouped; errors first, then those of the most hooks."""
    labels = {hook.id: hook.label for hook in catalog.hooks}

    def is_wanted(cause: Cause) -> bool:
        return any(has_words(words, *_facts(problem, labels)) for problem in (cause.problem, *cause.places))

    problems: dict[str, list[Diagnostic]] = {severity: [] for severity in SEVERITY_GLYPHS if arrangement == "severity"}
    for problem in without_effects(catalog.diagnostics):
        problems.setdefault(ARRANGEMENTS[arrangement](problem, catalog.project), []).append(problem)
    causes = {group: list(filter(is_wanted, summed(worst_first(by_cause(found))))) for group, found in problems.items()}
    shown = {group: [_row(group, cause, catalog.project) for cause in found] for group, found in causes.items() if found}
    return grouped(shown, by_name=arrangement in _BY_NAME)


def _facts(problem: Diagnostic, labels: Mapping[str, str]) -> tuple[object, ...]:
    """What the filter searches."""
    hooks = [hook for hook in (problem.hook, *problem.other_hooks) if hook]
    names = [labels.get(hook, "") for hook in hooks]
    return (problem.severity, problem.code, problem.message, problem.file, *hooks, *names, problem.hosts)


def _row(group: str, cause: Cause, project: str) -> TreeRow[Cause]:
    """The message, then the place and the code, or only the place where there is no room for both."""
    problem, first = cause.problem, cause.places[0]
    glyph, where = SEVERITY_GLYPHS[problem.severity], _where(cause, project)
    return TreeRow(
        key=repr((group, problem.code, problem.severity, problem.file, first.message, problem.hint, problem.hosts)),
        left=((f"{glyph} ", _ROW_STYLES[problem.severity]), (one_line(_message(cause, project)), "")),
        right=((f"{where}  {problem.code}", "row--muted"), (where, "row--muted")),
        data=cause,
    )


def _message(cause: Cause, project: str) -> str:
    """The message with short paths; of a file that its host ignores, the consequence first."""
    problem = cause.problem
    message = problem.message.replace("ignores this file", f"ignores {near(problem.file, project)}")
    message = from_project(message, project)
    why, _, consequence = message.rpartition(". ")
    if problem.code == _IGNORED_FILE and consequence.endswith(" run."):
        return f"{consequence[:-1]}: {why}"
    return message


def _where(cause: Cause, project: str) -> str:
    places = {(place.file, place.line) for place in cause.places}
    files = {file for file, _line in places}
    if len(files) > 1:
        return f"in {len(files)} files"
    return f"on {len(places)} lines" if len(places) > 1 else _place(cause.problem, project)


def _place(problem: Diagnostic, project: str) -> str:
    """A short file name and the line; a hook's own directory gives the name to its files."""
    *_, above, directory, name = ("", "", *near(problem.file, project).split("/"))
    label = directory if name == "HOOK.md" else above if directory == "scripts" else name
    line = f":{problem.line}"
    room = _PLACE_WIDTH - len(line)
    return f"{label if len(label) <= room else label[: room - 1] + '…'}{line}"
