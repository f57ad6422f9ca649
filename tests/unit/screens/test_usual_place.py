"""Where a new hook is to live, unless the user chooses otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hooktui.catalog import catalog
from hooktui.edit import new_hook_places
from hooktui.screens.hooks.new_hook_dialog import usual_place

CODEX, GEMINI = ".codex/hooks.json", ".gemini/settings.json"


@pytest.mark.parametrize(
    ("files", "format_"),
    [((), "agenthooks"), ((CODEX,), "codex"), ((CODEX, GEMINI), "agenthooks")],
    ids=["no hooks", "one host", "as many of each host"],
)
def test_a_hook_joins_those_of_the_host_with_the_most_else_it_is_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: tuple[str, ...], format_: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "")
    for name in files:
        event = "BeforeTool" if name == GEMINI else "PreToolUse"
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps({"hooks": {event: [{"hooks": [{"type": "command", "command": "true"}]}]}}))
    place = usual_place(catalog.load(str(tmp_path)), new_hook_places.places(str(tmp_path)))
    assert (place.format, place.scope, place.is_for_all) == (format_, "project", format_ == "agenthooks")
