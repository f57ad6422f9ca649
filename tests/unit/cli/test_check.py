from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.command_world import CommandWorld


def test_an_error_is_exit_1_and_stands_at_its_value(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "("})
    found = world.run("check", "--format", "json", code=1).json()
    assert found["errors"] == 1
    assert [one["code"] for one in found["diagnostics"]] == ["bad-regex"]
    assert found["diagnostics"][0]["line"] == 5


def test_warnings_alone_are_exit_0(world: CommandWorld) -> None:
    world.hook("guard", scope="project")
    found = world.run("check", "--format", "json").json()
    assert found["errors"] == 0
    assert [one["code"] for one in found["diagnostics"]] == ["untrusted"]


def test_scope_project_leaves_the_users_hooks_out(world: CommandWorld) -> None:
    world.hook("mine", matcher={"tool": "("})
    world.hook("ours", scope="project")
    found = world.run("check", "--scope", "project", "--format", "json").json()
    assert found["hooks"] == 1
    assert found["files"] == 1
    assert {one["hook"] for one in found["diagnostics"]} == {"ours"}


def test_every_format_names_the_problem(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "("})
    assert "error bad-regex" in world.run("check", code=1).stdout
    assert world.run("check", "--format", "github", code=1).stdout.startswith("::error file=")
    sarif = json.loads(world.run("check", "--format", "sarif", code=1).stdout)
    assert sarif["version"] == "2.1.0"
    assert sarif["runs"][0]["results"][0]["ruleId"] == "bad-regex"
