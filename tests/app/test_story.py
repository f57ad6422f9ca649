"""A new user's story: from no hook to one that blocks `git push --force`, and everything done with it then.

With the keyboard only and every key counted, on a screen that grows, and with the mouse on a small one. A second story makes a
guard of a past call.
"""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta
from pathlib import Path

from textual.pilot import Pilot

from hooktui.catalog import catalog
from tests.app.agents import claude_denies, hooktui_denies
from tests.app.hook_world import HookWorld, read, type_text, until, until_shown, world
from tests.app.mouse import Mouse
from tests.claude_transcript import ClaudeTranscript

__all__ = ["world"]

SMALL, LARGE = (80, 24), (120, 40)
PATTERN = "git push --force"
SECOND_STORY = re.compile(r"^\| ([^|*]+) \| (\d+) \| `", re.MULTILINE)
COUNTS = re.compile(r"^\| ([^|*]+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def documented() -> tuple[dict[str, int], dict[str, int]]:
    """The keys that docs/keys.md says each part takes here, and in VS Code."""
    rows = COUNTS.findall(read("docs/keys.md"))
    return {part: int(ours) for part, ours, _ in rows}, {part: int(theirs) for part, _, theirs in rows}


def who_denies(world: HookWorld) -> list[str]:
    """The agents that deny the story's command; a plain push must be allowed."""
    agents = {"hooktui": hooktui_denies, "claude": claude_denies}
    assert not any(denies(world, "git push") for denies in agents.values())
    return [name for name, denies in agents.items() if denies(world, PATTERN)]


class Keyboard:
    """Presses keys, and counts them for the current part of the story."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot
        self.counted: dict[str, int] = {}

    def begin(self, part: str) -> None:
        self.counted[part] = 0

    async def press(self, *keys: str) -> None:
        self.counted[next(reversed(self.counted))] += len(keys)
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        self.counted[next(reversed(self.counted))] += len(text)
        await type_text(self.pilot, text)

    async def see(self, *texts: str) -> None:
        await until_shown(self.pilot, *texts)


async def test_the_whole_story_with_the_keyboard(world: HookWorld) -> None:
    async with world.app().run_test(size=SMALL) as pilot:
        keys = Keyboard(pilot)
        await keys.see("No hooks here yet.")

        keys.begin("create")
        await keys.press("a")
        await keys.see("When should it run?")
        await keys.press("enter")
        await keys.see("Where should it live?")
        await keys.press("enter")
        await keys.see("What should it match?")
        await keys.press("tab")
        await keys.type(PATTERN)
        await keys.press("enter")
        await keys.see("denies what it matches", "enter Create")
        await keys.press("enter")
        await keys.see("no-git-push-force ─ saved", "Blocked this $tool call")

        keys.begin("try three times")
        await keys.press("ctrl+t")
        await keys.see('"command": "git push --force"')
        await keys.press("ctrl+r")
        await keys.see("✕ denied by exit code 2")
        await keys.type("git push")
        await keys.press("ctrl+r")
        await keys.see("no value of tool_input matches")
        await keys.type(" -f")
        await keys.press("ctrl+r")
        await keys.see('"command": "git push -f"', "no value of tool_input matches")
        await keys.press("escape")

        keys.begin("break and fix a regex")
        await keys.press("i")
        await keys.see("any tool")
        await keys.type("(")
        await keys.see("pattern is not a valid regex", "f write git push")
        await keys.press("escape", "f")
        await keys.see("Fix 1 problem?")  # there is no room for the fix below the form, so it is shown first
        await keys.press("f")
        await keys.see("Pattern    git push --force()")
        await keys.press("ctrl+s")
        await keys.see("no-git-push-force ─ saved")

        await pilot.resize_terminal(*LARGE)
        keys.begin("turn off and on")
        await keys.press("space")
        await keys.see("○ no-git-push-force")
        await keys.press("space")
        await keys.see("● no-git-push-force")

        keys.begin("convert to Claude Code")
        await keys.press("c")
        await keys.see("Copy no-git-push-force to")
        await keys.press("j")
        await keys.see("script checks it")
        await keys.press("enter")
        await keys.see("● no-git-push-force.sh", "no-git-push-force.sh ─ saved")
        assert who_denies(world) == ["hooktui", "claude"]

        keys.begin("delete and restore")
        await keys.press("d")
        await keys.see("Delete no-git-push-force.sh?")
        await keys.press("y")
        await until(pilot, lambda: len(catalog.load(world.project).hooks) == 1)
        assert who_denies(world) == ["hooktui"]
        await keys.press("u")
        await until(pilot, lambda: len(catalog.load(world.project).hooks) == 2)
        assert who_denies(world) == ["hooktui", "claude"]
        ours, theirs = documented()
        assert keys.counted == {
            **ours,
            "break and fix a regex": ours["break and fix a regex"] + 1,
        }  # the fix that is shown first
        assert sum(ours.values()) < sum(theirs.values())
        assert ours["create"] < theirs["create"]  # where VS Code's flow ends

        keys.begin("delete and restore the original")
        await keys.press("k")
        await keys.see("no-git-push-force ─ saved")
        await keys.press("d")
        await keys.see("Delete no-git-push-force?")
        await keys.press("y")
        await until(pilot, lambda: len(catalog.load(world.project).hooks) == 1)
        assert who_denies(world) == ["claude"]
        await keys.press("u")
        await until(pilot, lambda: len(catalog.load(world.project).hooks) == 2)
        assert who_denies(world) == ["hooktui", "claude"]


async def test_the_whole_story_with_the_mouse(world: HookWorld) -> None:
    settings = os.path.join(world.project, ".claude", "settings.json")
    async with world.app().run_test(size=SMALL) as pilot:
        mouse = Mouse(pilot)
        await mouse.click("a New")
        await mouse.click("a tool is about to run")
        await mouse.click(".agents/hooks/NAME")
        await mouse.click("regex for its input")
        await type_text(pilot, PATTERN)
        await mouse.click("enter Next")
        await mouse.click("enter Create")

        await until_shown(pilot, "no-git-push-force ─ saved", "Blocked this $tool call")
        await mouse.click("^t Try")
        await mouse.click("^r Run")
        await until_shown(pilot, "✕ denied by exit code 2")
        await mouse.click('"command": "git push --force', at_end=True)
        await pilot.press(*["backspace"] * len(" --force"))
        await mouse.click("^r Run")
        await until_shown(pilot, "no value of tool_input matches")
        await mouse.click('"command": "git push', at_end=True)
        await type_text(pilot, " -f")
        await mouse.click("^r Run")
        await until_shown(pilot, '"command": "git push -f"', "no value of tool_input matches")

        await mouse.click("Form  HOOK.md")
        await mouse.click("Pattern    git push --force", at_end=True)
        await type_text(pilot, "(")
        await until_shown(pilot, "pattern is not a valid regex")
        await mouse.click("no-git-push-force •")
        await mouse.click("f Fix")
        await mouse.click("y Fix")  # there is no room for the fix below the form, so it is shown first
        await mouse.click("Pattern    git push --force()", at_end=True)
        await mouse.click("^s Save")
        await until_shown(pilot, "no-git-push-force ─ saved")

        await mouse.click("● no-git-push-force")
        await mouse.click("space On/off")
        await mouse.click("○ no-git-push-force")
        await mouse.click("space On/off")
        await until_shown(pilot, "● no-git-push-force")

        await mouse.choose_in_help("Copy, move or convert")
        await mouse.click("Claude Code, project")
        await mouse.click("enter Convert a copy")
        await until(pilot, lambda: os.path.exists(settings))
        assert who_denies(world) == ["hooktui", "claude"]

        await mouse.click("● no-git-push-force")
        await until_shown(pilot, "no-git-push-force ─ saved")
        await mouse.click("d Delete")
        await mouse.click("y Delete")
        await until(pilot, lambda: len(catalog.load(world.project).hooks) == 1)
        assert who_denies(world) == ["claude"]
        await mouse.choose_in_help("Undo the last change")
        await until(pilot, lambda: len(catalog.load(world.project).hooks) == 2)
        assert who_denies(world) == ["hooktui", "claude"]


def sessions_of_two_weeks(world: HookWorld) -> str:
    """Transcripts of a session a day; the day of the one of last Tuesday, as lists show it."""
    today = datetime.now().astimezone()
    tuesday = today - timedelta(days=(today.weekday() - 1) % 7 or 7)
    for day in (today - timedelta(days=ago) for ago in range(14)):
        session = ClaudeTranscript(Path(os.environ["HOME"]), world.project, f"{day:%d}-session")
        session.at = day.timestamp()
        is_wanted = day.date() == tuesday.date()
        session.prompt("The CSV export drops the last column" if is_wanted else "Round prices once")
        for command in ("npm test", "curl -s https://api.example.com/v1" if is_wanted else "git diff"):
            session.result(session.call(command))
        session.stopped()
    return f"{tuesday:%a} {tuesday.day:2} {tuesday:%b}"


async def test_a_call_of_last_tuesday_becomes_a_guard(world: HookWorld) -> None:
    day = sessions_of_two_weeks(world)
    (settings := Path(world.project, ".claude/settings.json")).parent.mkdir()
    settings.write_text("{}")
    async with world.running("No hooks here yet.", size=LARGE) as pilot:
        keys = Keyboard(pilot)
        keys.begin("find the session")
        await keys.press("3")
        await keys.see("14 sessions", day)
        await keys.press("slash")
        await keys.type("csv")
        await keys.press("enter")
        await keys.see("1 session ", day, "The CSV export drops the last column", "2 calls")
        await keys.press("enter")
        await keys.see("Summary", "Bash curl -s https://api.example.com/v1")

        keys.begin("find the call")
        await keys.press("G", "k")

        keys.begin("make a rule of it and install it")
        await keys.press("a")
        await keys.see("Where should it live?")
        await keys.press("enter")
        await keys.see(r"\bcurl\b", "no-curl", "Would have matched 1 of 28 calls since")
        await keys.press("enter")
        await keys.see("Create this hook?", ".claude/settings.json")
        await keys.press("enter")
        await keys.see("● no-curl.sh", "Blocked this $tool call")
    assert keys.counted == {step: int(count) for step, count in SECOND_STORY.findall(read("docs/keys.md"))}
    assert claude_denies(world, "curl -s https://api.example.com/v2")
    assert not claude_denies(world, "npm test")
