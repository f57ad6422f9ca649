"""The examples that come with a new hook: all pass when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hooktui.edit import create_hook, new_hook_places
from hooktui.edit.change_plan import carry_out, undone
from hooktui.edit.drafts import HookDraft, Language
from hooktui.edit.gallery import rule_drafts
from hooktui.edit.gallery.gallery_rules import RULES
from hooktui.hook_tests import example_files, new_rule_examples, suite_run
from tests.command_world import CommandWorld
from tests.new_hooks import draft

pytestmark = pytest.mark.slow  # runs hooks

GUARDS = ["block-secrets", "protect-files", "block-dangerous", "gate-commit", "gate-push", "protect-hooks"]


def installed(project: Path, rule: str, format_name: str, language: Language) -> HookDraft:
    place = new_hook_places.default_place(str(project), format_name, "project")
    return rule_drafts.draft(RULES[rule], place, language=language)


@pytest.mark.parametrize(("turn", "format_name"), enumerate(["agenthooks", "claude", "gemini"]))
async def test_both_examples_of_each_rule_pass_in_each_format_and_each_language(
    here: CommandWorld, turn: int, format_name: str
) -> None:
    """In the next format, a rule has the other language: every hook runs in every example."""
    project = str(here.project)
    place = new_hook_places.default_place(project, format_name, "project")
    languages = [rule_drafts.languages(RULES[rule], place) for rule in GUARDS]
    in_turn = [written[(number + turn) % len(written)] for number, written in enumerate(languages)]
    for language in sorted({*in_turn}):
        rules = [rule for rule, its in zip(GUARDS, in_turn, strict=True) if its == language]
        labels, changes = [], []
        for rule in rules:
            wanted = installed(here.project, rule, format_name, language)
            plan = new_rule_examples.with_examples(create_hook.plan(wanted, own=True), wanted)
            labels.append(plan.hook.label)
            changes.append(carry_out(plan, project))
        suite = example_files.load(project)
        assert [result.why for result in (await suite_run.run(suite)).failed] == []
        assert [example.expect["decision"] for example in suite.examples] == ["deny", "none"] * len(rules)
        assert [example.expect["by"] for example in suite.examples[::2]] == sorted(labels)
        for change in reversed(changes):
            carry_out(undone(change), project)
        assert not (here.project / ".agents" / "hook-tests").exists()


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("format-file", ["Write notes.txt runs format-file.sh", "ls does not run format-file.sh"]),
        ("lint-file", ["Write notes.txt runs lint-file.sh", "ls does not run lint-file.sh"]),
        ("session-context", ["SessionStart runs session-context.sh"]),
        ("test-before-stop", ["Stop passes"]),
    ],
)
async def test_rule_that_seldom_denies_brings_an_event_on_which_it_runs_and_one_on_which_it_rests(
    here: CommandWorld, rule: str, names: list[str]
) -> None:
    wanted = installed(here.project, rule, "claude", "sh")
    carry_out(new_rule_examples.with_examples(create_hook.plan(wanted, own=True), wanted), str(here.project))
    results = await suite_run.run(example_files.load(str(here.project)))
    assert [result.why for result in results.failed] == []
    assert [result.example.name for result in results.results] == names


async def test_examples_of_a_formatter_notice_that_its_script_is_gone(here: CommandWorld) -> None:
    wanted = installed(here.project, "format-file", "claude", "sh")
    plan = create_hook.plan(wanted, own=True)
    carry_out(new_rule_examples.with_examples(plan, wanted), str(here.project))
    (here.project / ".claude/hooks/format-file.sh").unlink()
    results = await suite_run.run(example_files.load(str(here.project)), suite_run.Options(trusts=True))
    assert [result.why[0] for result in results.failed] == ["state: expected ok, got failed"]


async def test_guard_of_hooktuis_own_files_lets_other_examples_pass(here: CommandWorld) -> None:
    for rule in ("protect-hooks", "block-dangerous"):
        wanted = installed(here.project, rule, "agenthooks", "py")
        carry_out(new_rule_examples.with_examples(create_hook.plan(wanted, own=True), wanted), str(here.project))
    results = await suite_run.run(example_files.load(str(here.project)))
    assert [result.why for result in results.failed] == []


FORCE = "git push --force"


@pytest.mark.parametrize(
    ("format_name", "wanted", "called"),
    [
        pytest.param("agenthooks", {"tool": "Shell", "pattern": FORCE}, FORCE, id="regex"),
        pytest.param("claude", {"tool": "Bash", "pattern": FORCE}, FORCE, id="script"),
        pytest.param("claude", {"tool": "WebFetch"}, "WebFetch https://example.com/", id="tool"),
    ],
)
async def test_a_rule_of_the_wizard_brings_a_call_that_it_matches_and_one_that_it_does_not(
    here: CommandWorld, format_name: str, wanted: dict[str, Any], called: str
) -> None:
    wish = draft(str(here.project), "no-such", "pre-tool-call", format_name, **wanted)
    carry_out(new_rule_examples.with_examples(create_hook.plan(wish, own=True), wish), str(here.project))
    results = await suite_run.run(example_files.load(str(here.project)))
    assert [result.why for result in results.failed] == []
    assert [result.example.name for result in results.results] == [f"{called} is denied", "ls passes"]


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        pytest.param(("agenthooks", "user"), {"tool": "Shell"}, id="of-the-user"),
        pytest.param(("agenthooks",), {"tool": "Shell", "pattern": "(?=a)(?=b)"}, id="matches-nothing-known"),
    ],
)
def test_a_rule_of_which_no_such_calls_are_known_brings_no_examples(
    here: CommandWorld, where: tuple[str, ...], wanted: dict[str, Any]
) -> None:
    wish = draft(str(here.project), "guard", "pre-tool-call", *where, **wanted)
    plan = create_hook.plan(wish, own=True)
    assert new_rule_examples.with_examples(plan, wish) == plan
