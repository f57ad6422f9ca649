"""Every picture belongs to a test: pytest-xdist's workers do not notice unused ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

HERE = Path(__file__).parent


def test_every_picture_belongs_to_a_test(request: pytest.FixtureRequest) -> None:
    items = [item for item in request.session.items if item.path.parent == HERE]
    names = {item.name.removesuffix("]") for item in items}  # test_live_dialogs[80x24
    for module in {item.path.stem for item in items}:
        for picture in (HERE / "__snapshots__" / module).glob("*.svg"):  # test_live_dialogs[80x24-light-copy]
            assert picture.name.partition("-")[0] in names, picture
