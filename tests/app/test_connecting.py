"""Connect and disconnect an agent program from the app."""

from __future__ import annotations

import json
import os
import shutil
import subprocess

from textual.pilot import Pilot

from hooktui import connect
from hooktui.core import paths
from tests.app.hook_world import SMALL, HookWorld, read, shown, type_text, until, until_shown, world, write
from tests.app.mouse import Mouse

__all__ = ["world"]

SIZE = (120, 40)
GUARD = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}


def settings(world: HookWorld, name: str = "settings.json") -> str:
    return os.path.join(world.project, ".claude", name)


def with_claude(world: HookWorld) -> None:
    """A project with a Claude Code hook that is not recorded."""
    os.makedirs(os.path.dirname(settings(world)))
    write(settings(world), json.dumps({"hooks": GUARD}))


def git(world: HookWorld, *arguments: str) -> str:
    """What git prints in the project; "" without a repository."""
    return subprocess.run(("git", "-C", world.project, *arguments), capture_output=True, text=True, check=False).stdout


def connected(world: HookWorld, *scopes: connect.Scope) -> None:
    """A project with Claude Code connected in scopes."""
    site = connect.SITES["claude"]
    for scope in scopes:
        connect.carry_out(connect.connect("claude", scope, world.project, site.events()))


async def palette(pilot: Pilot[None], words: str) -> None:
    """Run an action by its name."""
    await pilot.press("colon")
    await until_shown(pilot, "Search for commands")
    await type_text(pilot, f"{words}\n")


async def confirmed(pilot: Pilot[None]) -> None:
    """Agree to connect."""
    await until_shown(pilot, "Connect Claude Code?", ".claude/settings.local.json", "+", "y Connect")
    await pilot.press("y")
    await until_shown(pilot, "Claude Code calls hooktui")


async def test_a_banner_offers_to_connect_the_dialog_says_what_that_adds_and_its_entries_are_counted_nowhere(
    world: HookWorld,
) -> None:
    with_claude(world)
    async with world.running("1 hook ", notifications=True) as pilot:
        await until_shown(pilot, "K connect Claude Code: runs HOOK.md hooks, records events")
        await pilot.press("K")
        await until_shown(
            pilot,
            "Known without it: what Claude Code did and what its hooks denied.",
            "It adds HOOK.md hooks, every event; your 1 hook is not observed.",
            "It costs about 15 ms an event (a tool call has two).",
        )
        await confirmed(pilot)
        await until(pilot, lambda: "K connect" not in shown(pilot))
        await until_shown(pilot, "hooktui connection", "1 hook ")
    assert "PreToolUse" in json.loads(read(settings(world, "settings.local.json")))["hooks"]


async def test_a_file_that_the_team_commits_is_named_and_the_other_is_excluded_in_a_repository_without_an_exclude_file(
    world: HookWorld,
) -> None:
    with_claude(world)
    git(world, "init", "-q")
    shutil.rmtree(os.path.join(world.project, ".git/info"))
    git(world, "add", ".")
    async with world.running("K connect Claude Code", notifications=True) as pilot:
        await pilot.press("K")
        await until_shown(pilot, "s Write to project")
        await pilot.press("s")
        await until_shown(pilot, "settings.json (git tracks this file)", "do not commit the")
        await pilot.press("escape", "K")
        await confirmed(pilot)
    assert "PreToolUse" in json.loads(read(settings(world, "settings.local.json")))["hooks"]
    assert "settings.local.json" not in git(world, "status", "--porcelain")


async def test_connecting_can_be_declined_and_done_with_the_mouse(world: HookWorld) -> None:
    with_claude(world)
    async with world.running("K connect Claude Code", notifications=True) as pilot:
        await Mouse(pilot).click("connect Claude Code: runs")
        await until_shown(pilot, "y Connect", "esc Not now")
        await Mouse(pilot).click("esc Not now")
        await until(pilot, lambda: "y Connect" not in shown(pilot))
        assert not os.path.exists(settings(world, "settings.local.json"))
        await pilot.press("2")
        await Mouse(pilot).click("connect Claude Code: runs")
        await confirmed(pilot)


async def test_the_palette_connects_and_disconnects(world: HookWorld) -> None:
    with_claude(world)
    async with world.running("K connect Claude Code", notifications=True) as pilot:
        await palette(pilot, "connect an agent")
        await confirmed(pilot)
        await until(pilot, lambda: "K connect" not in shown(pilot))
        await palette(pilot, "disconnect an")
        await until_shown(pilot, "Disconnect Claude Code?", "y Disconnect")
        await pilot.press("y")
        await until_shown(pilot, "Claude Code no longer calls hooktui.", "K connect Claude Code")
    assert not os.path.exists(settings(world, "settings.local.json"))
    assert json.loads(read(settings(world))) == {"hooks": GUARD}


async def test_disconnecting_offers_every_scope_that_connects_or_all_at_once(world: HookWorld) -> None:
    connected(world, "local", "user")
    async with world.app().run_test(size=SIZE, notifications=True) as pilot:
        await palette(pilot, "disconnect an")
        await until_shown(pilot, "~/.claude/settings.json still connects Claude Code in all your projects.", "s Also in all")
        await pilot.press("s")
        await until_shown(pilot, "~/.claude/settings.json: remove 12 entries", "s Only in this project")
        await pilot.press("s")
        await until_shown(pilot, "s Also in all")
        await pilot.press("y")
        await until_shown(pilot, "Disconnected", "~/.claude/settings.json still connects")
        assert "no longer calls" not in shown(pilot)
        connected(world, "local")
        await palette(pilot, "disconnect an")
        await until_shown(pilot, "s Also in all")
        await pilot.press("s", "y")
        await until_shown(pilot, "Claude Code no longer calls hooktui.")
    assert not os.path.exists(settings(world, "settings.local.json"))
    assert not os.path.exists(os.path.join(paths.home(), ".claude/settings.json"))


async def test_own_commands_are_observed_unless_the_user_declines(world: HookWorld) -> None:
    with_claude(world)
    write(settings(world, "settings.local.json"), json.dumps({"hooks": GUARD}))
    os.remove(settings(world))
    async with world.running("K connect Claude Code", notifications=True) as pilot:
        await pilot.press("K")
        await until_shown(pilot, "observe 1 command", "all output of your 1 hook.", "o Do not observe")
        await pilot.press("o")
        await until_shown(pilot, "Not observed, by file: .claude/settings.local.json (1)", "o Observe my hooks")
        assert "observe 1 command" not in shown(pilot)
        await pilot.press("y")
        await until_shown(pilot, "Claude Code calls hooktui")
    entries = json.loads(read(settings(world, "settings.local.json")))["hooks"]["PreToolUse"]
    assert GUARD["PreToolUse"][0] in entries


async def test_a_lost_launcher_is_named_and_one_key_restores_it_and_a_connection_that_the_host_ignores_leads_to_its_cause(
    world: HookWorld,
) -> None:
    with_claude(world)
    connected(world, "local")
    async with world.running("hooktui connection", size=(160, 40), notifications=True) as pilot:
        os.remove(paths.launcher())
        await until_shown(pilot, "K connect again: Claude Code does not call hooktui", "cannot be run")
        await pilot.press("4")
        await until_shown(pilot, "not-connected", "Claude Code does not call hooktui")
        await pilot.press("K")
        await until_shown(pilot, "Connect Claude Code?", paths.launcher()[-8:])
        await pilot.press("y")
        await until(pilot, lambda: "does not call hooktui" not in shown(pilot))
        assert os.access(paths.launcher(), os.X_OK)
        write(settings(world), json.dumps({"hooks": GUARD, "disableAllHooks": True}))
        await pilot.press("1")
        await until_shown(pilot, "4 Claude Code does not call hooktui", "disableAllHooks")
        await Mouse(pilot).click("4 Claude Code does not")
        await until_shown(pilot, "Problems by severity", "not-connected")


async def test_one_key_leads_to_the_scope_that_records_the_hooks_and_one_to_the_next_scope(world: HookWorld) -> None:
    with_claude(world)
    async with world.running("K connect Claude Code", size=SMALL, notifications=True) as pilot:
        await pilot.press("K")
        await until_shown(pilot, "your 1 hook is not observed.", "o Observe my hooks", "esc Not now", "s Write to project")
        await until_shown(pilot, "Not observed, by file: .claude/settings.json (1)")
        for key in "os":
            await pilot.press(key)
            await until_shown(pilot, "all output of your 1 hook.", "settings.json: call hooktui for 12 events and observe 1")
            await pilot.press("escape", "K")
            await until_shown(pilot, "your 1 hook is not observed.", "s Write to project")
        await pilot.press("s")
        await until_shown(pilot, "all output of your 1 hook.")
        await pilot.press("y")
        await until_shown(pilot, "Claude Code calls hooktui")
    assert not os.path.exists(settings(world, "settings.local.json"))
    assert len(json.loads(read(settings(world)))["hooks"]) == 12


async def test_a_connected_program_is_observed_later_without_a_second_connection(world: HookWorld) -> None:
    with_claude(world)
    async with world.running("K connect Claude Code", notifications=True) as pilot:
        await pilot.press("K")
        await confirmed(pilot)
        await until(pilot, lambda: "K connect" not in shown(pilot))
        await pilot.press("K")
        await until_shown(pilot, "settings.json: observe 1 command", "It adds all output of your 1 hook.")
        await pilot.press("y")
        await until_shown(pilot, "Connected")
        await pilot.press("K")
        await until_shown(pilot, "Every agent program here is connected.")
    [entry] = json.loads(read(settings(world)))["hooks"]["PreToolUse"]
    assert "hooktui" in entry["hooks"][0]["command"]


async def test_one_dialog_connects_all_programs_and_another_disconnects_them(world: HookWorld) -> None:
    with_claude(world)
    gemini = os.path.join(world.project, ".gemini", "settings.json")
    os.makedirs(os.path.dirname(gemini))
    write(gemini, json.dumps({"hooks": {"BeforeTool": GUARD["PreToolUse"]}}))
    before = read(gemini)
    world.add("guard")
    os.mkdir(os.path.join(paths.home(), ".gemini"))  # installed
    async with world.app().run_test(size=SIZE, notifications=True) as pilot:
        await until_shown(
            pilot, "K connect Claude Code and Gemini CLI: runs HOOK.md hooks, records events", "◌ guard", "not connected"
        )
        await pilot.press("K")
        await until_shown(pilot, "Connect 2 agent programs?", "1 Claude Code", "2 Gemini CLI", "y Connect all 2")
        await until_shown(pilot, ".gemini/settings.json: call hooktui for 7 events and observe 1 command")
        await pilot.press("o")
        await until_shown(pilot, ".gemini/settings.json: call hooktui for 7 events", "o Observe my hooks")
        await pilot.press("2")
        await until_shown(pilot, "Connect Gemini CLI?", "s Write to user")
        await pilot.press("escape", "K")
        await until_shown(pilot, "y Connect all 2")
        await pilot.press("y")
        await until_shown(pilot, "Claude Code and Gemini CLI are connected to hooktui.", "● guard")
        await until(pilot, lambda: "K connect" not in shown(pilot))
        await palette(pilot, "disconnect an")
        await until_shown(pilot, "Disconnect 2 agent programs?", "restore 1 command")
        await pilot.press("y")
        await until_shown(pilot, "Claude Code and Gemini CLI no longer call hooktui.")
    assert read(gemini) == before
    assert not os.path.exists(settings(world, "settings.local.json"))
