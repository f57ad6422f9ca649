"""Examples of hooks, as a person keeps, runs and repairs them in the app."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from textual.pilot import Pilot

from hooktui.core import paths
from tests.app.decision_world import live
from tests.app.hook_world import SMALL, HookWorld, read, shown, until, until_shown, world, write
from tests.log_world import LogWorld

__all__ = ["world"]

GUARD = '#!/bin/sh\nif grep -q "push --force"; then echo no force pushes >&2; exit 2; fi\n'
FORCE, PLAIN = "git push --force", "git push"
KEPT = f"""\
- name: {FORCE} is denied
  tool: Shell
  input:
    command: {FORCE}
  expect:
    decision: deny
    by: guard
    reason: no force pushes
"""


def guarded(world: HookWorld, *, approved: bool = True) -> str:
    """A project with a guard against force pushes; the path of its HOOK.md."""
    return world.add("guard", script=GUARD, front="matcher:\n  tool: Shell\n", approved=approved)


def happened(world: HookWorld, *commands: str) -> None:
    """Log commands of an agent that were denied then."""
    os.makedirs(paths.state_dir(), exist_ok=True)
    log = LogWorld(paths.log_path(None))
    for command in commands:
        base = {"event_type": "pre-tool-call", "session_id": "s1", "work_dir": world.project}
        payload = {**base, "tool_name": "Shell", "tool_input": {"command": command}}
        log.add(tool="Shell", payload=payload, project=world.project, decision="deny")


def examples(world: HookWorld, name: str = "guard") -> str:
    """The path of a file of examples."""
    return os.path.join(world.project, ".agents", "hook-tests", f"{name}.yaml")


def expecting(world: HookWorld, *kept: Sequence[object], name: str = "guard") -> str:
    """Write examples, each a command and the decision that it expects; the path of their file."""
    file = examples(world, name)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    rows = [
        {
            "name": f"{command} expects {decision}",
            "tool": "Shell",
            "input": {"command": command},
            "expect": {"decision": decision},
        }
        for command, decision in kept
    ]
    write(file, "".join(f"- {json.dumps(row)}\n" for row in rows))
    return file


async def until_written(pilot: Pilot[None], file: str, text: str | None) -> None:
    await until(pilot, lambda: (read(file) if os.path.exists(file) else None) == text)


async def test_a_denied_call_is_kept_from_live_and_sessions_with_todays_decision_and_u_undoes_that(world: HookWorld) -> None:
    guarded(world)
    happened(world, FORCE)
    async with world.running(size=SMALL, notifications=True) as pilot:
        await live(pilot)
        await until_shown(pilot, "git push --force")
        await pilot.press("E")
        await until_shown(pilot, "Keep as an example?", "today: ✕ deny by guard", "+- name: git push --force is denied")
        assert not os.path.exists(examples(world))
        await pilot.press("E")
        await until_shown(pilot, "Kept: git push --force is denied · u undo")
        assert read(examples(world)) == KEPT
        await pilot.press("u")
        await until_shown(pilot, "Undone: keep git push --force is denied")
        assert not os.path.exists(os.path.dirname(examples(world)))
        await pilot.press("enter")
        await until_shown(pilot, "Summary")
        await pilot.press("E")
        await until_shown(pilot, "Keep as an example?")
        await pilot.press("y")
        await until_written(pilot, examples(world), KEPT)


async def test_a_call_of_which_the_log_has_a_part_is_no_example_and_a_hook_must_be_approved_first(world: HookWorld) -> None:
    guarded(world, approved=False)
    happened(world, FORCE, "git … 9 characters left out … push")
    async with world.running(notifications=True) as pilot:
        await live(pilot)
        await until_shown(pilot, "characters left out")
        await pilot.press("E")
        await until_shown(pilot, "Not kept", "The log has only part of this event.")
        await pilot.press("k")
        await until_shown(pilot, "2026-01-21 12:00:00")
        await pilot.press("E")
        await until_shown(pilot, "Approve guard?")
        await pilot.press("escape")
        await until_shown(pilot, "Nothing kept: a hook that would run is not approved.")
        await pilot.press("E")
        await until_shown(pilot, "Approve guard?")
        await pilot.press("y")
        await until_shown(pilot, "Keep as an example?", "today: ✕ deny by guard")
        await pilot.press("escape")
        assert not os.path.exists(examples(world))


async def test_a_try_and_a_past_event_are_kept_with_the_same_key(world: HookWorld) -> None:
    guarded(world)
    happened(world, FORCE, PLAIN)
    async with world.running("● guard", notifications=True) as pilot:
        await pilot.press("T")
        await until_shown(pilot, "enter runs", "git push", "E Keep as an example")
        await pilot.press("E")
        await until_shown(pilot, "today: · none. Then: deny.", "+- name: git push passes")
        await pilot.press("y")
        await until_shown(pilot, "Kept: git push passes · u undo")
        await pilot.press("u")
        await until_written(pilot, examples(world, "examples"), None)
        await pilot.press("escape", "t")
        await until_shown(pilot, '"event_type"')
        await pilot.press("ctrl+r")
        await until_shown(pilot, "no opinion", "esc E Keep as an example")
        await pilot.press("escape", "E")
        await until_shown(pilot, "Keep as an example?", "today: · none")
        assert "Then:" not in shown(pilot)


async def test_in_a_small_terminal_a_hook_without_examples_says_how_to_keep_one(world: HookWorld) -> None:
    world.add("audit", script=GUARD, front="matcher:\n  tool: Write\n")
    expecting(world, (PLAIN, "none"))
    async with world.running("● audit", size=SMALL) as pilot:
        await pilot.press("X")
        await until(pilot, lambda: "No example reaches this hook · 1 in the" in shown(pilot))
        await until_shown(pilot, "E on a call in Live, in a session or in a", "try keeps it as an example.")


async def test_tests_tab_runs_all_examples_shows_what_failed_and_follows_changes(world: HookWorld) -> None:
    file = guarded(world)
    expecting(world, (FORCE, "deny"), (PLAIN, "none"))
    async with world.running("● guard", notifications=True) as pilot:
        await pilot.press("X")
        await until_shown(pilot, "2 examples reach this hook · 2 in the project", "· git push expects none", "expects none")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "2 examples reach this hook: 2 ✔", "guard ─ saved · 2 ✔", "2 ✔  project 100")
        await pilot.press("L")
        await until_shown(pilot, "☑ Auto-run")
        before = read(file)
        write(file, before.replace("Shell", "Nothing"))
        await until_shown(pilot, "No example reaches this hook")
        write(file, before)
        expecting(world, (FORCE, "deny"), (PLAIN, "deny"))
        await until_shown(pilot, "guard ─ saved · 1 ✔ 1 ✕", "expects deny, got none")
        await pilot.press("j")
        await until_shown(pilot, "decision: expected deny, got none", "guard ran and decided none", "guard.yaml:2")
        write(examples(world), "- name: nothing\n  expect: {decision: none}\n  tol: Shell\n")
        await until_shown(pilot, "▲ .agents/hook-tests/guard.yaml:3", "unknown key tol in an example")
        await pilot.press("ctrl+r")
        await until_shown(pilot, "1 problem in the examples: nothing ran.")


async def test_u_names_guards_that_nobody_would_miss_and_unapproved_hooks_ask_first(world: HookWorld) -> None:
    guarded(world, approved=False)
    world.add("idle", script=GUARD, front="matcher:\n  tool: Other\n")
    expecting(world, (FORCE, "deny"), (PLAIN, "none"))
    async with world.running("◌ guard", size=SMALL, notifications=True) as pilot:
        await pilot.press("U")
        await until_shown(pilot, "Approve guard?")
        await pilot.press("y")
        await until_shown(pilot, "1 guard has no example that would notice its absence", "  idle")
        await pilot.press("enter")
        await until_shown(pilot, "2 ✔")
        write(examples(world), read(examples(world)).replace(FORCE, "git push --force --now"))
        await until_shown(pilot, "· git push --force --now")
        await pilot.press("4")
        await until_shown(pilot, "no example reaches idle")


async def test_escape_cancels_the_examples_that_run_and_ends_their_hooks(world: HookWorld) -> None:
    begun = os.path.join(os.path.dirname(world.project), "begun")
    world.add("slow", script=f"#!/bin/sh\necho $$ > {begun}.new; mv {begun}.new {begun}; exec sleep 100\n")
    expecting(world, (PLAIN, "none"), name="slow")
    async with world.running("● slow", size=SMALL, notifications=True) as pilot:
        await pilot.press("X", "ctrl+r")
        await until_shown(pilot, "Running… 0 of 1 example", "^r Cancel")
        await until(pilot, lambda: os.path.exists(begun))
        await pilot.press("escape")
        await until_shown(pilot, "1 example reaches this hook · 1 in the project", "^r Run all")
        await until(pilot, lambda: not os.path.exists(f"/proc/{read(begun).strip()}"))
