"""No fix makes a file worse: the host then runs the same commands as before, or the intended ones, and nothing else."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hooktui.catalog import catalog
from hooktui.edit import apply_fixes
from tests.shapes.mutations import MISSPELLED_MATCHERS, handlers, mutated, reach
from tests.shapes.shape import SETTINGS, Shape, Stage, shapes

HEALTHY = [shape for shape in shapes() if shape.is_healthy and "hooks" in shape.texts.get(SETTINGS, "")]


@pytest.fixture(autouse=True)
def _own_state(own_home: Path) -> None:
    """Hide the user's own configuration."""


@given(shape=st.sampled_from(HEALTHY), seed=st.integers(0, 2**32))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fixes_of_mistakes_run_what_was_meant(
    shape: Shape, seed: int, tmp_path_factory: pytest.TempPathFactory, usual_programs: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        stage = Stage(tmp_path_factory.mktemp("shape").resolve())
        stage.build(shape, patch, usual_programs)
        file = stage.file(SETTINGS)
        meant = handlers(file.read_text())
        file.write_text(mutated(file.read_text(), random.Random(seed)))
        before_text = file.read_text()
        before = handlers(before_text)
        meant_text = re.sub(rf'"({"|".join(MISSPELLED_MATCHERS)})":', '"matcher":', before_text)  # restricts the hook
        _fix(stage)
        after = handlers(file.read_text())
        invented = (after - before) - meant
        lost = (before - after).total() - (after - before).total()
        assert not invented
        assert lost <= 0
        assert _unreached(meant_text, file.read_text()) == {}
        assert not apply_fixes.plan(catalog.load(str(stage.project))).steps, "one round of fixes is enough"


# A name in a matcher, and the tool that it must become; None if only a person knows.
NAMES: Mapping[str, str | None] = {
    **{name: name for name in ("Bash", "Edit", "Read", "Glob", "mcp__github__search", "MyTool")},
    "bash": "Bash",
    "Edti": "Edit",
    "WriteFile": "Write",
    "create_file": "Write",
    "ReadFile": "Read",
    **dict.fromkeys(
        ("Create", "Update", "Ask", "Message", "Worktree", "MultiRead", "Notebook", "Search"),
    ),
}


@given(
    names=st.lists(st.sampled_from(sorted(NAMES)), min_size=1, max_size=4, unique=True), separator=st.sampled_from(("|", ", "))
)
@example(names=["Bash", "WriteFile"], separator="|")
@example(names=["Edit", "Write", "create_file"], separator="|")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fixes_of_a_matcher_add_only_the_tools_that_are_meant(
    names: list[str], separator: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stage = Stage(tmp_path_factory.mktemp("matcher").resolve())
    before, after = _fixed(stage, {"PreToolUse": [_group(separator.join(names))]})
    assert _unreached(before, after) == {}
    matched = {tool for tools in reach(before).values() for _, tool in tools}
    meant = {NAMES.get(name, name) for name in names}
    assert {tool for tools in reach(after).values() for _, tool in tools} - matched <= meant


@pytest.mark.parametrize("event", ["PreToolUseOff", "-PreToolUse", "xStop", "StopOLD", "Stop_disabled", "#Stop", "OFF_Stop"])
def test_fixes_leave_an_event_off_that_somebody_switched_off(event: str, tmp_path: Path) -> None:
    before, after = _fixed(Stage(tmp_path.resolve() / "event"), {event: [_group("Bash")]})
    assert after == before


@pytest.mark.parametrize("key", ["matcher", *MISSPELLED_MATCHERS])
def test_a_flat_entry_keeps_its_matcher_in_a_group(key: str, tmp_path: Path) -> None:
    flat = {key: "Bash", "type": "command", "command": "exit 2"}
    _, after = _fixed(Stage(tmp_path.resolve() / "event"), {"PreToolUse": [flat]})
    assert handlers(after) == handlers(json.dumps({"hooks": {"PreToolUse": [_group("Bash")]}}))


def _group(matcher: str) -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": "exit 2"}]}


def _fixed(stage: Stage, events: dict[str, Any]) -> tuple[str, str]:
    """The text of a settings file with these events before and after all fixes."""
    before = json.dumps({"hooks": events}, indent=2)
    file = stage.file(SETTINGS)
    file.parent.mkdir(parents=True)
    file.write_text(before)
    _fix(stage)
    return before, file.read_text()


def _unreached(before: str, after: str) -> dict[str, set[tuple[str, str]]]:
    """The events and tools for which a command ran before the fixes and no longer does."""
    now: set[tuple[str, str]] = set().union(*reach(after).values())
    return {command: gone for command, tools in reach(before).items() if (gone := tools - reach(after).get(command, now))}


def _fix(stage: Stage) -> None:
    loaded = catalog.load(str(stage.project))
    apply_fixes.apply(apply_fixes.plan(loaded), loaded.hooks, str(stage.project))
