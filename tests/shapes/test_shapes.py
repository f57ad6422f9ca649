"""`check` reports the mistakes in projects like people's own, and nothing else; its fixes lose no hook there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.edit import apply_fixes
from tests.shapes.mutations import handlers
from tests.shapes.shape import SETTINGS, Problem, Shape, Stage, shapes

SHAPES = shapes()


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """Hide the user's own configuration."""


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_shape(shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usual_programs: str) -> None:
    stage = Stage(tmp_path.resolve() / "shape")
    stage.build(shape, monkeypatch, usual_programs)
    loaded = catalog.load(str(stage.project))
    report = stage.report(loaded)
    assert _lines(report.problems - shape.mistakes) == [], "false alarms"
    assert _lines(shape.mistakes - report.problems) == [], "not reported"
    assert _lines(report.infos) == _lines(shape.infos)
    fixes = apply_fixes.plan(loaded)
    assert shape.mistakes or shape.infos or fixes.steps == ()
    if fixes.steps and SETTINGS in shape.texts:
        apply_fixes.apply(fixes, loaded.hooks, str(stage.project))
        assert handlers(stage.file(SETTINGS).read_text()).total() >= handlers(shape.texts[SETTINGS]).total()


def test_there_are_many_shapes_with_unique_names_and_many_are_healthy() -> None:
    assert len(SHAPES) >= 60
    assert sum(shape.is_healthy for shape in SHAPES) >= len(SHAPES) / 3
    assert max(Counter(shape.name for shape in SHAPES).values()) == 1


def _lines(problems: Counter[Problem]) -> list[str]:
    return sorted(map(str, problems.elements()))
