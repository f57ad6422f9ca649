"""The examples, the commands and the workflow in docs/testing-hooks.md do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.command_world import CommandWorld
from tests.unit.hook_tests.examples_world import DENIES, guard

pytestmark = pytest.mark.slow  # runs hooks

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/testing-hooks.md").read_text(encoding="utf-8")
EXAMPLES, WORKFLOW = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def project(world: CommandWorld) -> CommandWorld:
    """The guard and the examples of the page."""
    guard(world, script=DENIES)
    directory = world.project / ".agents/hook-tests"
    directory.mkdir(parents=True)
    (directory / "push.yaml").write_text(EXAMPLES)
    return world


def test_the_examples_pass_and_prove_the_guard(project: CommandWorld) -> None:
    project.approve()
    for command in re.findall(r"^hooktui (.*?) +#", PAGE, re.MULTILINE):
        assert "passed" in project.run(*command.split()).stdout


def test_the_steps_of_the_workflow_run(project: CommandWorld) -> None:
    steps = [step.get("run", "") for step in yaml.safe_load(WORKFLOW)["jobs"]["hooks"]["steps"]]
    check, test = (step.split()[1:] for step in steps if step.startswith("hooktui"))
    project.run(*check)
    assert project.run(*test).stdout.startswith("2 passed")


def test_the_hooks_of_pre_commit_are_commands(project: CommandWorld) -> None:
    project.approve()
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()):
        program, *arguments = hook["entry"].split()
        assert program == "hooktui"
        project.run(*arguments)
