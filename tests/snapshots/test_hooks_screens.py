"""Snapshots of the Hooks and Diagnostics screens, their dialogs and the help; update them with `pytest --snapshot-update`."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.app.hook_world import HookWorld, write
from tests.mod_world import registering, write_mod
from tests.snapshots.looking import (
    EACH_SIZE,
    LARGE,
    LARGE_ONLY,
    SIZES,
    SMALL_ONLY,
    TO_BROKEN,
    TO_UNTRUSTED,
    TONES,
    AsBefore,
    Size,
    showing,
    state_of,
)


@EACH_SIZE
async def test_hooks(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_BROKEN) as pilot:
        await as_before(pilot, *TONES)


async def test_editor(shop: HookWorld, as_before: AsBefore) -> None:
    steps = (*TO_BROKEN, state_of("enter ctrl+home down x", "modified"), state_of("", "xname"))
    async with showing(shop.app(), LARGE, *steps) as pilot:
        await as_before(pilot, *TONES, sizes=SIZES)


async def test_diagnostics(shop: HookWorld, as_before: AsBefore) -> None:
    steps = (*TO_BROKEN, state_of("4", "bad-regex"), state_of("", "valid regular"))
    async with showing(shop.app(), LARGE, *steps) as pilot:
        await as_before(pilot, *TONES, sizes=SIZES)


@LARGE_ONLY
async def test_a_cause_with_its_places(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    for name in ("first", "second", "third"):
        shop.add(name, script="#!/bin/sh\nno-such-program --check\n")
    steps = (state_of("", "─ saved"), state_of("4 slash n o - s u c h enter", "in 3 files"), state_of("", "2▲ no-such-program"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, "dark")


@SMALL_ONLY
async def test_all_fixes_before_they_are_applied(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    shop.add("late", "PreToolUse", front="timeot: 5000\npriority: 5000\n")
    async with showing(shop.app(), size, state_of("", "─ saved"), state_of("4", "late"), state_of("F", "F Fix")) as pilot:
        await as_before(pilot, "light")


@LARGE_ONLY
async def test_the_fix_of_one_problem_before_it_is_applied(world: HookWorld, as_before: AsBefore, size: Size) -> None:
    os.remove(os.path.join(os.path.dirname(world.add("guard", scope="user")), "scripts", "run.sh"))
    async with showing(world.app(), size, state_of("", "f create scripts/run.sh"), state_of("f", "f Fix")) as pilot:
        await as_before(pilot, "dark")


@SMALL_ONLY
async def test_approving(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_UNTRUSTED, state_of("p", "Approve deploy-guard?")) as pilot:
        await as_before(pilot, "light")


@LARGE_ONLY
async def test_help(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(shop.app(), size, *TO_BROKEN, state_of("question_mark", "Create a hook")) as pilot:
        await as_before(pilot, "dark")


@LARGE_ONLY
async def test_first_run(world: HookWorld, as_before: AsBefore, size: Size) -> None:
    async with showing(world.app(), size, state_of("", "No hooks here yet.")) as pilot:
        await as_before(pilot, "dark")


@SMALL_ONLY
async def test_unsaved_changes(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (*TO_BROKEN, state_of("enter ctrl+home x", "modified"), state_of("escape q", "Unsaved changes"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, "light")


@SMALL_ONLY
async def test_a_wrong_value(shop: HookWorld, as_before: AsBefore, size: Size) -> None:
    steps = (*TO_BROKEN, state_of("i", "esc f write"), state_of("down 9 9 9 9 9 9 9", "9999999"))
    async with showing(shop.app(), size, *steps) as pilot:
        await as_before(pilot, "light")


@LARGE_ONLY
async def test_a_guard_that_a_mod_can_overrule(world: HookWorld, as_before: AsBefore, size: Size) -> None:
    allows = registering("on('tool.check', () => ({ decision: 'allow' }))")
    write_mod(Path(os.environ["HOME"], ".claude/skills/quick"), allows, name="quick")
    guard = {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    os.makedirs(os.path.join(world.project, ".claude"))
    write(os.path.join(world.project, ".claude/settings.json"), json.dumps({"hooks": {"PreToolUse": [guard]}}, indent=2))
    steps = (state_of("", "▲ quick tool.check"), state_of("end", "quick can let a tool run that it denied"))
    async with showing(world.app(), size, *steps) as pilot:
        await as_before(pilot, "dark")
