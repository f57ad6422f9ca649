"""The problems of a catalog as rows: by severity, by file, or by the host they concern."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.core.text_sanitizer import one_line
from hooktui.screens.widgets.grouped_tree import Row
from hooktui.screens.widgets.hook_locations import near
from hooktui.screens.widgets.states import SEVERITY_GLYPHS, host_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hooktui.catalog.catalog import Catalog
    from hooktui.core.model import Diagnostic

_CODE_WIDTH = 20  # columns; the longest code has one more, which its place gives
_PLACE_WIDTH = 16  # columns
_ROW_STYLES = {"error": "row--error", "warning": "row--warning", "info": "row--muted"}

# What `v` goes through: the name of an arrangement, and the group that a problem is in.
ARRANGEMENTS: Mapping[str, Callable[[Diagnostic, str], str]] = {
    "severity": lambda problem, _project: problem.severity,
    "file": lambda problem, project: near(problem.file, project),
    "host": lambda problem, _project: host_names(problem.hosts) or "every host",
}
_BY_NAME = ("file", "host")  # arrangements whose groups have no order of their own


def rows(catalog: Catalog, arrangement: str, words: str) -> list[Row[Diagnostic]]:
    """The groups of the problems that have every word: errors first, or by name; in each, errors first."""
    groups: dict[str, list[Row[Diagnostic]]] = {}
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


def _row(problem: Diagnostic, number: int, project: str) -> Row[Diagnostic]:
    style = _ROW_STYLES[problem.severity]
    rest = _CODE_WIDTH + _PLACE_WIDTH - max(len(problem.code), _CODE_WIDTH)
    return Row(
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
    """File and line, short: of a file that has a directory of its own, what tells it from others is the directory's name."""
    *_, above, directory, name = ("", "", *near(problem.file, project).split("/"))
    told = {"HOOK.md": directory}.get(name, above if directory == "scripts" else name)
    line = f":{problem.line}"
    room = _PLACE_WIDTH - len(line)
    return f"{told if len(told) <= room else told[: room - 1] + '…'}{line}"


def _group(name: str, members: list[Row[Diagnostic]]) -> Row[Diagnostic]:
    group = Row(f"group:{name}", ((name, "row--group"),), children=tuple(members), is_group=True)
    return replace(group, right=((str(group.count), "row--muted"),))
