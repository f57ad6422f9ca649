"""No fix makes a file worse: the host then runs the same commands as before, or the intended ones, and nothing else."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hooktui.catalog import catalog
from hooktui.edit import apply_fixes
from tests.shapes.mutations import handlers, mutated
from tests.shapes.shape import Stage, shapes

if TYPE_CHECKING:
    from pathlib import Path

    from tests.shapes.shape import Shape

FILE = ".claude/settings.json"
HEALTHY = [shape for shape in shapes() if shape.is_healthy and "hooks" in shape.texts.get(FILE, "")]


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """Hide the user's own configuration."""


@given(shape=st.sampled_from(HEALTHY), seed=st.integers(0, 2**32))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fixes_of_mistakes_run_what_was_meant(shape: Shape, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        stage = Stage(tmp_path_factory.mktemp("shape").resolve())
        stage.build(shape, patch)
        file = stage.file(FILE)
        meant = handlers(file.read_text())
        file.write_text(mutated(file.read_text(), random.Random(seed)))
        before = handlers(file.read_text())
        _fix(stage)
        after = handlers(file.read_text())
        invented = (after - before) - meant
        lost = (before - after).total() - (after - before).total()
        assert not invented
        assert lost <= 0
        assert not apply_fixes.plan(catalog.load(str(stage.project))).steps, "one round of fixes is enough"


@pytest.mark.parametrize(
    "shape", [shape for shape in shapes() if shape.is_healthy and not shape.infos], ids=lambda shape: shape.name
)
def test_healthy_shape_needs_no_fix(shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path.resolve() / "shape")
    stage.build(shape, monkeypatch)
    assert apply_fixes.plan(catalog.load(str(stage.project))).steps == ()


@pytest.mark.parametrize("shape", [shape for shape in shapes() if FILE in shape.texts], ids=lambda shape: shape.name)
def test_fixes_of_a_shape_lose_no_hook(shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path.resolve() / "shape")
    stage.build(shape, monkeypatch)
    before = handlers(shape.texts[FILE])
    _fix(stage)
    assert handlers(stage.file(FILE).read_text()).total() >= before.total()


def _fix(stage: Stage) -> None:
    loaded = catalog.load(str(stage.project))
    apply_fixes.apply(apply_fixes.plan(loaded), loaded.hooks, str(stage.project))
