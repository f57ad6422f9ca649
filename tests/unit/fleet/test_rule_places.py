"""Where a rule is configured on a fleet's machines."""

from __future__ import annotations

import pytest

from hooktui.fleet.rule_presence import ListedHook, places_of

USUAL = ListedHook(
    "a", "claude", "pre-tool-call", "/home/a/shop", "guard", "user", "", "claude", "/home/a/.claude/settings.json"
)


@pytest.mark.parametrize(
    ("scope", "file", "shown"),
    [
        ("user", "/home/a/.claude/settings.json", "~/.claude/settings.json"),
        ("user", "/Users/ann/.claude/settings.json", "~/.claude/settings.json"),
        ("user", "C:\\Users\\ann\\.claude\\settings.json", "~\\.claude\\settings.json"),
        ("user", "/root/.claude/settings.json", "~/.claude/settings.json"),
        ("managed", "/etc/claude/managed-settings.json", "/etc/claude/managed-settings.json"),
        ("project", "/home/a/shop/.claude/settings.json", ".claude/settings.json"),
        ("agent", "/home/a/shop/.claude/agents/tester.md", ".claude/agents/tester.md"),
        ("agent", "/home/a/.claude/agents/tester.md", "~/.claude/agents/tester.md"),
        ("agent", "/home/a/shop2/tester.md", "~/shop2/tester.md"),
    ],
)
def test_a_file_is_called_as_on_every_machine(scope: str, file: str, shown: str) -> None:
    assert places_of([USUAL._replace(scope=scope, file=file)]).files == [(shown, 1)]


def test_the_usual_place_comes_first() -> None:
    others = [USUAL._replace(instance=name, host="codex", file=f"/home/{name}/.codex/hooks.json") for name in "bc"]
    places = places_of([USUAL, *others, others[0]])
    assert places.files == [("~/.codex/hooks.json", 2), ("~/.claude/settings.json", 1)]
    assert places.agents == ("codex", "claude")


def test_an_event_has_the_spellings_of_the_formats() -> None:
    places = places_of([USUAL, USUAL._replace(format="copilot"), USUAL._replace(event="pre-session")])
    assert places.events == {"pre-session": ("SessionStart",), "pre-tool-call": ("PreToolUse", "preToolUse")}
