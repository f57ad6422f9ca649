"""A catalog's problems as rows, grouped by severity, file or host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.catalog.hook_states import SEVERITY_GLYPHS
from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.file_place import near
from hooktui.screens.widgets.grouped_tree import TreeRow
from hooktui.screens.widgets.signs import host_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic

_CODE_WIDTH = 20  # columns; a longer code takes them from the place
_PLACE_WIDTH = 16  # columns
_ROW_STYLES = {"error": "row--error", "warning": "row--warning", "info": "row--muted"}

# Arrangements by name: each maps a problem and the project to a group.
ARRANGEMENTS: Mapping[str, Callable[[Diagnostic, str], str]] = {
    "severity": lambda problem, _project: problem.severity,
    "file": lambda problem, project: near(problem.file, project),
    "host": lambda problem, _project: host_names(problem.hosts) or "every host",
}
_BY_NAME = ("file", "host")  # arrangements sorted by group name


def rows(catalog: Catalog, arrangement: str, words: str) -> list[TreeRow[Diagnostic]]:
    """The problems that contain every word, grouped; errors first."""
    groups: dict[str, list[TreeRow[Diagnostic]]] = {}
    for number, problem in enumerate(_sorted(catalog.diagnostics)):
        if _matches(problem, words):
            group = ARRANGEMENTS[arrangement](problem, catalog.project)
            groups.setdefault(group, []).append(_row(problem, number, catalog.project))
    names = sorted(groups, key=str.lower) if arrangement in _BY_NAME else groups
    return [_group(name, groups[name]) for name in names]


def _sorted(problems: Iterable[Diagnostic]) -> list[Diagnostic]:
    severities = list(SEVERITY_GLYPHS)
    return sorted(problems, key=lambda problem: severities.index(problem.severity))


def _matches(problem: Diagnostic, words: str) -> bool:
    text = f"{problem.severity} {problem.code} {problem.message} {problem.file} {problem.hook} {problem.hosts}".lower()
    return all(word in text for word in words.lower().split())


def _row(problem: Diagnostic, number: int, project: str) -> TreeRow[Diagnostic]:
    style = _ROW_STYLES[problem.severity]
    rest = _CODE_WIDTH + _PLACE_WIDTH - max(len(problem.code), _CODE_WIDTH)
    return TreeRow(
        key=f"{problem.file}:{problem.code}:{number}",
        left=(
            (f"{SEVERITY_GLYPHS[problem.severity]} ", style),
            (f"{problem.code:<{_CODE_WIDTH}} ", style),
            (f"{_place(problem, project):<{rest}} ", "row--muted"),
            (one_line(problem.message), ""),
        ),
        data=problem,
    )


def _place(problem: Diagnostic, project: str) -> str:
    """A short file and line; a file with a directory of its own goes by the directory's name."""
    *_, above, directory, name = ("", "", *near(problem.file, project).split("/"))
    told = {"HOOK.md": directory}.get(name, above if directory == "scripts" else name)
    line = f":{problem.line}"
    room = _PLACE_WIDTH - len(line)
    return f"{told if len(told) <= room else told[: room - 1] + '…'}{line}"


def _group(name: str, members: list[TreeRow[Diagnostic]]) -> TreeRow[Diagnostic]:
    group = TreeRow(f"group:{name}", ((name, "row--group"),), children=tuple(members), is_group=True)
    return replace(group, right=((str(group.count), "row--muted"),))
