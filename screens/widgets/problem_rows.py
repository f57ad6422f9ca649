"""The problems of a catalog as rows: by severity, by file, or by the host they concern."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hooktui.plain import one_line
from hooktui.screens.widgets.grouped_tree import Row
from hooktui.screens.widgets.places import near
from hooktui.screens.widgets.states import SEVERITY_GLYPHS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hooktui.catalog import Catalog
    from hooktui.model import Diagnostic

_CODE_WIDTH = 20  # columns; the longest code has 21 and may push its message
_ROW_STYLES = {"error": "row--error", "warning": "row--warning", "info": "row--muted"}

# What `v` goes through: the name of an arrangement, and the group that a problem is in.
ARRANGEMENTS: Mapping[str, Callable[[Diagnostic, str], str]] = {
    "severity": lambda problem, _project: problem.severity,
    "file": lambda problem, project: near(problem.file, project),
    "host": lambda problem, _project: ", ".join(problem.hosts) or "every host",
}


def rows(catalog: Catalog, arrangement: str, words: str) -> list[Row[Diagnostic]]:
    """The groups of the problems that have every word: errors first, then in the order of the files."""
    groups: dict[str, list[Row[Diagnostic]]] = {}
    for number, problem in enumerate(_sorted(catalog.diagnostics)):
        if _matches(problem, words):
            group = ARRANGEMENTS[arrangement](problem, catalog.project)
            groups.setdefault(group, []).append(_row(problem, number, catalog.project))
    return [_group(name, members) for name, members in groups.items()]


def _sorted(problems: Iterable[Diagnostic]) -> list[Diagnostic]:
    severities = list(SEVERITY_GLYPHS)
    return sorted(problems, key=lambda problem: severities.index(problem.severity))


def _matches(problem: Diagnostic, words: str) -> bool:
    text = f"{problem.severity} {problem.code} {problem.message} {problem.file} {problem.hook} {problem.hosts}".lower()
    return all(word in text for word in words.lower().split())


def _row(problem: Diagnostic, number: int, project: str) -> Row[Diagnostic]:
    style = _ROW_STYLES[problem.severity]
    place = f"{near(problem.file, project)}:{problem.line}"
    *_, directory, name = ("", *place.split("/"))
    return Row(
        key=f"{problem.file}:{problem.code}:{number}",
        left=(
            (f"{SEVERITY_GLYPHS[problem.severity]} ", style),
            (f"{problem.code:<{_CODE_WIDTH}} ", style),
            (one_line(problem.message), ""),
        ),
        right=((place, "row--muted"), (f"{directory}/{name}", "row--muted"), ("", "")),
        data=problem,
    )


def _group(name: str, members: list[Row[Diagnostic]]) -> Row[Diagnostic]:
    group = Row(f"group:{name}", ((name, "row--group"),), children=tuple(members), is_group=True)
    return replace(group, right=((str(group.count), "row--muted"),))
