"""What the tree of a fleet's hooks tells of each."""

from __future__ import annotations

from dataclasses import replace

from hooktui.fleet.overview import RuleOnMachine, RuleRow
from hooktui.fleet.rule_presence import RulePlaces
from hooktui.screens.fleet.hook_rows import rows

PLACES = RulePlaces({"pre-tool-call": ("PreToolUse",)}, ("claude",), ("claude",), ("user",))
GUARD = RuleRow("guard", runs=100, denials=7, failures=0, machines=48, places=PLACES)
LACKS = RuleOnMachine("guard", "17", "dev-17", "missing", is_fault=True)
KEPT = tuple(RuleOnMachine("guard", str(number), f"dev-{number}", "not approved") for number in (1, 2, 3))


def lines(*rules: RuleRow, arrangement: str = "event", words: str = "", width: int = 48, trouble: bool = False) -> list[str]:
    """The rows as text, each with the longest right side."""
    listed = []
    for group in rows(rules, arrangement, words, width=width, only_trouble=trouble):
        for row in (group, *group.children):
            right = row.right[0][0] if row.right else ""
            listed.append(f"{''.join(text for text, _ in row.left)} | {right}")
    return listed


def test_a_hook_has_its_denials_and_its_machines() -> None:
    assert lines(GUARD) == ["PreToolUse | 1", "● guard  ✕ 7 | 48 of 48 machines"]


def test_trouble_comes_first_and_is_counted() -> None:
    lacking = replace(GUARD, name="other", denials=0, failures=3, on=(LACKS,))
    assert lines(GUARD, lacking) == [
        "PreToolUse | 1 of 2 with trouble",
        "✕ other  ▲ 3 | missing on dev-17 · 48 of 49",
        "● guard  ✕ 7 | 48 of 48 machines",
    ]
    assert lines(GUARD, lacking, trouble=True)[1:] == ["✕ other  ▲ 3 | missing on dev-17 · 48 of 49"]


def test_a_hook_that_no_machine_may_run_is_a_warning() -> None:
    kept = replace(GUARD, denials=0, machines=0, on=KEPT)
    assert lines(kept)[1] == "◌ guard | not approved on all machines · 0 of 3"
    assert lines(replace(kept, machines=9))[1] == "◌ guard | not approved on 3 machines · 9 of 12"
    assert lines(replace(kept, on=KEPT[:1]))[1] == "◌ guard | not approved on dev-1 · 0 of 1"


def test_counts_give_way_to_the_trouble() -> None:
    lacking = replace(GUARD, denials=5_760, on=(LACKS,))
    assert lines(lacking, width=30)[1].startswith("✕ guard  ✕ 5,760 |")
    assert lines(lacking, width=20)[1].startswith("✕ guard |")


def test_scope_and_format_are_shown_where_there_is_room() -> None:
    assert lines(GUARD, width=60)[1] == "● guard  ✕ 7  user claude | 48 of 48 machines"


def test_a_hook_of_several_events_is_in_each_group_and_events_come_in_their_order() -> None:
    everywhere = replace(GUARD, places=replace(PLACES, events={"post-tool-call": ("PostToolUse",), **PLACES.events}))
    gone = replace(GUARD, name="gone", places=RulePlaces())
    assert [line for line in lines(gone, everywhere) if line.endswith(" 1")] == [
        "PreToolUse | 1",
        "PostToolUse | 1",
        "ran, but no machine lists it any more | 1",
    ]


def test_words_find_names_machines_events_and_states() -> None:
    lacking = replace(GUARD, on=(LACKS,))
    for words in ("gua", "dev-17", "pretool", "missing", "claude user"):
        assert lines(lacking, words=words), words
    assert not lines(lacking, words="codex")


def test_hooks_are_grouped_by_agent_scope_or_format() -> None:
    assert [lines(GUARD, arrangement=name)[0] for name in ("agent", "scope", "format")] == [
        "Claude Code | 1",
        "user | 1",
        "Claude Code | 1",
    ]
