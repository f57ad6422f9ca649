"""One cause is one message, with the number of its hooks and its further places; what follows from it is left out."""

from __future__ import annotations

import json

import pytest

from hooktui.catalog import catalog
from hooktui.diagnostics import check_output
from hooktui.diagnostics.causes import by_cause
from tests.unit.diagnostics.host_files import CLAUDE, grouped, put, script
from tests.unit.formats.agenthooks_world import World

GONE = "no-such-program"


def lines(world: World) -> list[str]:
    """The text output without the totals, from the project's directory."""
    return check_output.to_text(catalog.load(str(world.project))).splitlines()[:-1]


def diagnostics(world: World) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(check_output.to_json(catalog.load(str(world.project))))["diagnostics"]
    return [problem for problem in found if problem["code"] != "untrusted"]


def claude(*commands: str, **more: object) -> str:
    groups = [{"matcher": "Bash", "hooks": [{"type": "command", "command": command, **more}]} for command in commands]
    return json.dumps({"hooks": {"PreToolUse": groups}}, indent=1)


@pytest.fixture(autouse=True)
def _in_project(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world.project)


def test_program_that_many_hooks_miss_is_one_message(world: World) -> None:
    put(world, claude(*(f"{GONE} {number}" for number in range(3)), '"$CLAUDE_PROJECT_DIR"/a.sh'), CLAUDE)
    script(world, f"#!/bin/sh\n{GONE}\n", "a.sh")
    assert lines(world) == [
        f".claude/settings.json:9:19: warning: {GONE} is not installed here: 4 hooks fail [missing-program]",
        f"    install it, or test for it in the hook: command -v {GONE}",
        "    also at .claude/settings.json:18, .claude/settings.json:27, a.sh:2",
    ]
    (only,) = diagnostics(world)
    places = only["places"]
    assert isinstance(places, list)
    assert [(place["file"].rpartition("/")[2], place["line"]) for place in places] == [
        ("settings.json", 9),
        ("settings.json", 18),
        ("settings.json", 27),
        ("a.sh", 2),
    ]
    assert len({place["hook_id"] for place in places}) == 4


def test_hooks_that_share_a_script_count_each(world: World) -> None:
    put(world, claude('"$CLAUDE_PROJECT_DIR"/a.sh', '"$CLAUDE_PROJECT_DIR"/a.sh again'), CLAUDE)
    script(world, f"#!/bin/sh\n{GONE}\n", "a.sh")
    assert lines(world)[0] == f"a.sh:2:1: warning: {GONE} is not installed here: 2 hooks fail [missing-program]"
    assert len(lines(world)) == 2


def test_wrong_unit_in_a_file_is_one_message(world: World) -> None:
    put(world, claude("true", "true 2", "true 3", timeout=5000), CLAUDE)
    first, hint, further = lines(world)
    assert "timeout is in seconds: the hook may take 83 minutes (3 hooks)" in first
    assert hint == "    5000 ms would be 5"
    assert further == "    also on lines 20, 30"


def test_skipped_file_is_one_message(world: World) -> None:
    entry = {"command": "bash gone.sh", "event": "x"}
    put(world, json.dumps({"hooks": {"PreToolUse": [entry, entry], "NoSuchEvent": [entry]}}, indent=1), CLAUDE)
    assert [problem["code"] for problem in diagnostics(world)] == ["host-skips-file"]
    assert "::error" in (commands := check_output.to_github(catalog.load(str(world.project))))
    assert "missing-script" not in commands


def test_each_mistake_that_skips_a_file_is_a_message_with_the_fix_for_it(world: World) -> None:
    handler = '{"type": "command", "command": "true", "timeout": "10",}'
    put(world, f'{{"hooks": {{"PreToolUse": [{{"hooks": [{handler}, {handler}]}}]}}}}', CLAUDE)
    causes = by_cause(catalog.load(str(world.project)).diagnostics)
    fixes = {cause.problem.message: [place.fix and place.fix.label for place in cause.places] for cause in causes}
    commas, numbers = (next(text for text in fixes if kind in text) for kind in ("trailing commas", "must be a number"))
    assert fixes[commas][0] == "remove the trailing commas"
    assert fixes[numbers] == ["write 10", "write 10"]


def test_text_begins_with_errors_and_the_causes_of_most_hooks(world: World) -> None:
    put(world, claude(f"{GONE}-b", f"{GONE}-a", f"{GONE}-a", "/gone/x.sh"), CLAUDE)
    first, *others = [line for line in lines(world) if " error: " in line or " warning: " in line]
    assert "error" in first
    assert f"{GONE}-a is not installed here: 2 hooks fail" in others[0]
    assert f"{GONE}-b is not installed here: the hook fails" in others[1]


def test_annotations_stay_at_each_place(world: World) -> None:
    put(world, grouped("true", matcher="Bash"), CLAUDE)
    put(world, claude("true", "true 2", timeout=5000), CLAUDE)
    loaded = catalog.load(str(world.project))
    assert check_output.to_github(loaded).count("::warning") == 2
    assert len(json.loads(check_output.to_sarif(loaded))["runs"][0]["results"]) == 2
