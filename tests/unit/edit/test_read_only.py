"""Hooks in files that the user must not edit: every change is refused with the reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hooktui.catalog import catalog
from hooktui.core.model import Hook
from hooktui.edit import hook_documents
from hooktui.edit.change_plan import ChangePlan
from hooktui.edit.copy_plan import copy
from hooktui.edit.copy_targets import targets
from hooktui.edit.document import Document
from hooktui.edit.file_steps import ChangeRefusedError
from hooktui.edit.switch import change_event, switch
from hooktui.edit.trash import delete
from tests.unit.edit.world import World

REASON = "hooktui does not edit Markdown files"
AGENT = """---
name: helper
description: Helps
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: scripts/missing.sh
          timeout: "30"
---
Help.
"""


@pytest.fixture
def hook(world: World) -> Hook:
    """The hook of an agent, with a problem that hooktui could fix elsewhere."""
    world.write(world.path(".claude/agents/helper.md"), AGENT.encode())
    return world.hook("claude")


@pytest.mark.parametrize(
    "change",
    [
        lambda hook, _: switch(hook, False),
        delete,
        lambda hook, project: copy(hook, next(targets(hook, project))),
        lambda hook, _: change_event(hook, "PostToolUse"),
    ],
    ids=["off", "delete", "copy", "event"],
)
def test_a_change_is_refused_with_the_reason(world: World, hook: Hook, change: Callable[[Hook, str], ChangePlan]) -> None:
    with pytest.raises(ChangeRefusedError, match=REASON):
        change(hook, str(world.project))


def test_every_field_of_the_form_is_locked_with_the_reason(world: World, hook: Hook) -> None:
    form = Document.of(hook, AGENT).form(hook, catalog.load(str(world.project)))
    assert form.refusal == ""
    assert {field.label: field.value for field in form.fields}["Command"] == "scripts/missing.sh"
    assert {field.locked for field in form.fields} == {REASON}


def test_its_files_are_shown_and_not_edited(hook: Hook) -> None:
    (document, *_) = hook_documents.read_hook(hook)
    assert (document.text, document.locked) == (AGENT, REASON)


def test_no_fix_is_offered(world: World, hook: Hook) -> None:
    problems = [problem for problem in catalog.load(str(world.project)).diagnostics if problem.hook == hook.id]
    assert problems
    assert not any(problem.fix for problem in problems)
