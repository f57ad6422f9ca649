"""`check` tells the mistakes in what people write, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.shapes.shape import Shape, Stage, Told, shapes

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = shapes()
FALSE_ALARMS = 0.02  # of what is told
TOLD = 0.95  # of the planted mistakes


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """The user's own configuration stays out."""


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_shape(shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path.resolve() / "shape")
    stage.build(shape, monkeypatch)
    report = stage.report()
    assert _lines(report.problems - shape.mistakes) == [], "false alarms"
    assert _lines(shape.mistakes - report.problems) == [], "not told"
    assert _lines(report.infos) == _lines(shape.infos)


def test_false_alarms_are_rare_and_mistakes_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = false = planted = missed = 0
    for number, shape in enumerate(SHAPES):
        stage = Stage(tmp_path.resolve() / str(number))
        stage.build(shape, monkeypatch)
        problems = stage.report().problems
        told += problems.total()
        false += (problems - shape.mistakes).total()
        planted += shape.mistakes.total()
        missed += (shape.mistakes - problems).total()
    assert false <= FALSE_ALARMS * told, f"{false} of {told} are false alarms"
    assert planted - missed >= TOLD * planted, f"{missed} of {planted} mistakes are not told"


def test_shapes_are_many_half_of_them_healthy_and_named_once() -> None:
    assert len(SHAPES) >= 60
    assert sum(shape.is_healthy for shape in SHAPES) >= len(SHAPES) / 3
    assert max(Counter(shape.name for shape in SHAPES).values()) == 1


def _lines(told: Counter[Told]) -> list[str]:
    return sorted(map(str, told.elements()))
