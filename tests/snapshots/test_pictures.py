"""Every picture belongs to a test: pytest-xdist's workers do not notice unused ones."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_every_picture_belongs_to_a_test(request: pytest.FixtureRequest) -> None:
    items = [item for item in request.session.items if item.path.parent == HERE]
    names = {item.name.removesuffix("]") for item in items}  # test_help[120x40, or test_live, which has all sizes
    for module in {item.path.stem for item in items}:
        for picture in (HERE / "__snapshots__" / module).glob("*.svg"):  # test_live[80x24-light]
            assert names & {picture.name.partition("-")[0], picture.name.partition("[")[0]}, picture
