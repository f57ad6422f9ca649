"""`check` reports the mistakes in projects like people's own, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.shapes.shape import Problem, Shape, Stage, shapes

SHAPES = shapes()


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """Hide the user's own configuration."""


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_shape(shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path.resolve() / "shape")
    stage.build(shape, monkeypatch)
    report = stage.report()
    assert _lines(report.problems - shape.mistakes) == [], "false alarms"
    assert _lines(shape.mistakes - report.problems) == [], "not reported"
    assert _lines(report.infos) == _lines(shape.infos)


def test_there_are_many_shapes_with_unique_names_and_many_are_healthy() -> None:
    assert len(SHAPES) >= 60
    assert sum(shape.is_healthy for shape in SHAPES) >= len(SHAPES) / 3
    assert max(Counter(shape.name for shape in SHAPES).values()) == 1


def _lines(problems: Counter[Problem]) -> list[str]:
    return sorted(map(str, problems.elements()))
