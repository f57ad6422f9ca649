"""Stored settings of the screens are recalled, and errors are ignored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui.config import ui_state


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "hooktui"


def test_stored_value_is_recalled_until_removed(state: Path) -> None:
    ui_state.keep("columns", ["time", "tool"])
    ui_state.keep("other", 1)
    assert (ui_state.recall("columns"), ui_state.recall("none")) == (["time", "tool"], None)
    ui_state.keep("columns", None)
    assert (ui_state.recall("columns"), ui_state.recall("other")) == (None, 1)
    assert os.listdir(state) == ["screens.json"]


@pytest.mark.parametrize("spoiled", ["", "[1]", '{"columns": ', "\udcff"])
def test_invalid_file_counts_as_empty(state: Path, spoiled: str) -> None:
    state.mkdir()
    (state / "screens.json").write_bytes(spoiled.encode(errors="surrogateescape"))
    assert ui_state.recall("columns") is None
    ui_state.keep("columns", [])
    assert ui_state.recall("columns") == []


def test_failed_write_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    ui_state.keep("columns", [])
    assert ui_state.recall("columns") is None
