"""A project with the diagnostics that `check` must report, marked in its files.

`«code»` precedes a mistake that `check` must report on this line as an error or a warning, `‹code›` an info. The marks are
not written to the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hooktui.catalog.catalog import Catalog
from tests import programs_on_path
from tests.yaml_cases import read_cases

_MARK = re.compile(r"«([a-z-]+)»|‹([a-z-]+)›")
_CASES = Path(__file__).parent / "cases"
# Approval is a person's decision, not a mistake in a file.
_APPROVAL = "untrusted"
SETTINGS = ".claude/settings.json"


class Problem(NamedTuple):
    """A diagnostic, by code and place. `file` is relative to the project, or begins with `~/`."""

    code: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.code} at {self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Report:
    """What `check` reported: errors and warnings, and infos."""

    problems: Counter[Problem]
    infos: Counter[Problem]


@dataclass(frozen=True, slots=True)
class Shape:
    """A project. `texts` are its files by path; `~/` is the home. `missing` and `extra` are programs that the machine
    lacks, or has in addition to the usual ones."""

    name: str
    texts: Mapping[str, str]
    modes: Mapping[str, int]
    mistakes: Counter[Problem]
    infos: Counter[Problem]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def is_healthy(self) -> bool:
        """Whether the project has no mistakes."""
        return not self.mistakes


def shapes() -> list[Shape]:
    """All shapes, by file."""
    return [_shape(case) for file in sorted(_CASES.glob("*.yaml")) for case in read_cases(file)]


def _shape(case: Mapping[str, Any]) -> Shape:
    texts, modes = {}, {}
    mistakes: Counter[Problem] = Counter()
    infos: Counter[Problem] = Counter()
    for path, given in case["files"].items():
        marked = given["text"] if isinstance(given, dict) else given
        for problem, is_mistake in _marks(path, marked):
            (mistakes if is_mistake else infos)[problem] += 1
        texts[path] = _MARK.sub("", marked)
        modes[path] = (
            int(str(given["mode"]), 8) if isinstance(given, dict) else 0o755 if texts[path].startswith("#!") else 0o644
        )
    return Shape(case["name"], texts, modes, mistakes, infos, tuple(case.get("missing", ())), tuple(case.get("extra", ())))


def _marks(path: str, marked: str) -> Iterator[tuple[Problem, bool]]:
    for number, line in enumerate(marked.split("\n"), 1):
        for mark in _MARK.finditer(line):
            yield Problem(mark[1] or mark[2], path, number), bool(mark[1])


@dataclass(frozen=True, slots=True)
class Stage:
    """A home and a project where a shape is written, with its programs on PATH."""

    root: Path

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def home(self) -> Path:
        return self.root / "home"

    def build(self, shape: Shape, monkeypatch: pytest.MonkeyPatch, usual: str) -> None:
        """Write a shape and enter its environment; `usual` is the PATH of one that lacks and adds no program."""
        self.project.mkdir(parents=True)
        programs = {*programs_on_path.USUAL, *shape.extra} - {*shape.missing}
        is_usual = programs == {*programs_on_path.USUAL}
        monkeypatch.setenv("PATH", usual if is_usual else programs_on_path.link(self.root / "bin", programs))
        monkeypatch.setenv("HOME", str(self.home))
        for path, text in shape.texts.items():
            file = self.file(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            file.chmod(shape.modes[path])

    def file(self, path: str) -> Path:
        """The file of a shape's path."""
        return self.home / path[2:] if path.startswith("~/") else self.project / path

    def report(self, loaded: Catalog) -> Report:
        """What `check` says of the project."""
        problems: Counter[Problem] = Counter()
        infos: Counter[Problem] = Counter()
        for found in loaded.diagnostics:
            if found.code != _APPROVAL:
                (infos if found.severity == "info" else problems)[Problem(found.code, self._shown(found.file), found.line)] += 1
        return Report(problems, infos)

    def _shown(self, path: str) -> str:
        file = Path(path)
        if file.is_relative_to(self.project):
            return str(file.relative_to(self.project))
        return f"~/{file.relative_to(self.home)}" if file.is_relative_to(self.home) else path
