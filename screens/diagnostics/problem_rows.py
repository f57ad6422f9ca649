"""The rows of the Diagnostics screen: one for each file that its host ignores, and one for hooks with a cause in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hooktui.catalog.hook_states import NOT_CONNECTED, SEVERITY_GLYPHS, counted, joined
from hooktui.core.text_sanitizer import one_line
from hooktui.diagnostics.check_output import about_all
from hooktui.screens.widgets.filter import has_words
from hooktui.screens.widgets.grouped_tree import TreeRow, grouped
from hooktui.screens.widgets.lines import host_names, near

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic

_PLACE_WIDTH = 16  # columns
_ROW_STYLES = {"error": "row--error", "warning": "row--warning", "info": "row--muted"}
_IGNORED_FILE, _UNAPPROVED = "host-skips-file", "untrusted"

# Arrangements by name: each maps a problem and the project to a group.
ARRANGEMENTS: Mapping[str, Callable[[Diagnostic, str], str]] = {
    "severity": lambda problem, _project: problem.severity,
    "file": lambda problem, project: near(problem.file, project),
    "host": lambda problem, _project: host_names(problem.hosts) or "every host",
}
_BY_NAME = ("file", "host")  # arrangements sorted by group name


def rows(catalog: Catalog, arrangement: str, words: str) -> list[TreeRow[Diagnostic]]:
    """The problems that contain every word, grouped; errors first."""
    labels = {hook.id: hook.label for hook in catalog.hooks}
    severities = list(SEVERITY_GLYPHS)
    groups: dict[str, list[Diagnostic]] = {}
    for problem in sorted(catalog.diagnostics, key=lambda problem: severities.index(problem.severity)):
        hook = labels.get(problem.hook or "", "")
        facts = (problem.severity, problem.code, problem.message, problem.file, problem.hook, hook, problem.hosts)
        if has_words(words, *facts):
            groups.setdefault(ARRANGEMENTS[arrangement](problem, catalog.project), []).append(problem)
    shown = {name: _rows(problems, catalog.project) for name, problems in groups.items()}
    return grouped(shown, by_name=arrangement in _BY_NAME)


def of_row(catalog: Catalog, problem: Diagnostic) -> list[Diagnostic]:
    """The problems with a fix that the row of a problem stands for."""
    alike = [other for other in catalog.diagnostics if (other.code, other.severity) == (problem.code, problem.severity)]
    place = (problem.file, problem.line, problem.column)
    rows_of_code = (row for row in joined(alike).values() if place in [(part.file, part.line, part.column) for part in row])
    return [part for part in next(rows_of_code, [problem]) if part.fix is not None]


def _rows(problems: Sequence[Diagnostic], project: str) -> list[TreeRow[Diagnostic]]:
    """The rows of a group, problems that belong together in one."""
    return [_row(of_row, str(key), project) for key, of_row in joined(problems).items()]


def _row(problems: Sequence[Diagnostic], key: str, project: str) -> TreeRow[Diagnostic]:
    """The message, then the place if there is room, and the code."""
    problem = _joined(problems)
    code = (problem.code, "row--muted")
    is_of_several = problem.code in (_UNAPPROVED, NOT_CONNECTED) and len(problems) > 1
    message = problem.message.replace("ignores this file", f"ignores {near(problem.file, project)}")
    cause, _, consequence = message.rpartition(". ")
    if problem.code == _IGNORED_FILE and consequence.endswith(" run."):
        message = f"{consequence[:-1]}: {cause}"
    return TreeRow(
        key=f"{problem.file}:{problem.code}:{key}",
        left=((f"{SEVERITY_GLYPHS[problem.severity]} ", _ROW_STYLES[problem.severity]), (one_line(message), "")),
        right=(code,) if is_of_several else ((f"{_place(problem, project)}  {problem.code}", "row--muted"), code),
        data=problem,
    )


def _joined(problems: Sequence[Diagnostic]) -> Diagnostic:
    """The first of several problems, with a message about all of them."""
    first, *others = problems
    if not others:
        return first
    if first.code == _UNAPPROVED:
        ends = {problem.message.partition(": ")[2] for problem in problems}
        end = ends.pop().replace("run it", "run them") if len(ends) == 1 else "hooktui does not run them"
        return first.replace(message=f"{counted(len(problems), 'hook')} not approved: {end}")
    if first.code == NOT_CONNECTED:
        return first.replace(message=about_all(problems))
    lines = list(dict.fromkeys(problem.line for problem in others))
    noun = "line" if len(lines) == 1 else "lines"
    return first.replace(message=f"{first.message} Also at {noun} {', '.join(map(str, lines))}.")


def _place(problem: Diagnostic, project: str) -> str:
    """A short file name and the line; a hook's own directory gives the name to its files."""
    *_, above, directory, name = ("", "", *near(problem.file, project).split("/"))
    label = directory if name == "HOOK.md" else above if directory == "scripts" else name
    line = f":{problem.line}"
    room = _PLACE_WIDTH - len(line)
    return f"{label if len(label) <= room else label[: room - 1] + '…'}{line}"
