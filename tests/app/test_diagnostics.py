from __future__ import annotations

import json
import os

from hooktui.catalog import catalog
from tests.app.hook_world import SMALL, HookWorld, has_focus, read, shown, type_text, until, until_shown, world, write

__all__ = ["world"]


async def test_problems_have_place_and_excerpt_and_are_grouped_by_severity_file_or_host_and_filtered(
    world: HookWorld,
) -> None:
    world.add("broken", front="matcher:\n  tool: '('\n")
    world.add("odd", front="colour: red\n")
    async with world.app().run_test(size=(160, 48)) as pilot:
        await pilot.press("4")
        await until_shown(pilot, "▾ error", "✕ tool is not a valid regex", "bad-regex", "▾ warning", "▲ unknown key")
        await until_shown(pilot, ".agents/hooks/broken/HOOK.md:6:9", "valid regular expression")
        await until_shown(pilot, "-    tool: '('", "+    tool: '()'")
        for expected in ("▾ warning", "▾ .agents/hooks/odd/HOOK.md", "▾ every host"):
            await until_shown(pilot, expected)
            await pilot.press("v")
        await until_shown(pilot, "▾ error", "▾ warning", "bad-regex", "unknown-key")
        await type_text(pilot, "/warning")
        await until(pilot, lambda: "▾ error" not in shown(pilot))
        await type_text(pilot, "zzz")
        await until_shown(pilot, "No problems match “warningzzz”.")
        await pilot.press("escape")
        await until_shown(pilot, "bad-regex", "unknown-key")


async def test_a_fix_far_to_the_right_in_a_long_line_is_seen(world: HookWorld) -> None:
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": f"echo {'x ' * 80}", "timeuot": 5}]}
    path = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(path))
    write(path, json.dumps({"hooks": {"PreToolUse": [entry]}}))
    async with world.running("timeuot", key="4") as pilot:
        await until_shown(pilot, '"timeuot": 5', '"timeout": 5')


GONE = "no-such-program"


def in_minutes(world: HookWorld, *commands: str) -> str:
    """Claude settings whose timeouts are in the wrong unit, one a hook; their path."""
    entries = [{"type": "command", "command": command, "timeout": 5000} for command in commands]
    path = os.path.join(world.project, ".claude", "settings.json")
    os.makedirs(os.path.dirname(path))
    write(path, json.dumps({"hooks": {"Stop": [{"hooks": entries}]}}, indent=1))
    return path


async def test_a_cause_is_one_row_with_its_places_beside_it_and_enter_opens_the_first_or_the_chosen_one(
    world: HookWorld,
) -> None:
    in_minutes(world, f"{GONE} --first", f"{GONE} --second", f"{GONE} --third")
    async with world.running(f"{GONE} is not installed here: 3 hooks fail", "on 3 lines", key="4") as pilot:
        await until_shown(pilot, "▲ 2 warnings", ".claude/settings.json:8  ", ".claude/settings.json:18  ")
        await until_shown(pilot, "8▲ ")
        await pilot.press("tab", "tab", "j")
        await until_shown(pilot, "13▲ ")
        await pilot.press("enter")
        await until_shown(pilot, f"{GONE} --second ─ saved")
        await pilot.press("4", "shift+tab", "shift+tab", "j", "k", "enter")
        await until_shown(pilot, f"{GONE} --first ─ saved")


async def test_f_fixes_all_places_of_a_cause_after_one_review_and_one_undo_takes_them_back(world: HookWorld) -> None:
    file = in_minutes(world, "true 1", "true 2", "true 3")
    before = read(file)
    async with world.running("(3 hooks)", "f fix 3 places", key="4") as pilot:
        await pilot.press("f")
        await until_shown(pilot, "Fix 3 problems?", "In 1 file, all or none")
        assert read(file) == before
        await pilot.press("f")
        await until(pilot, lambda: read(file) == before.replace("5000", "5"))
        await until(pilot, lambda: "(3 hooks)" not in shown(pilot))
        await pilot.press("u")
        await until_shown(pilot, "(3 hooks)")
        assert read(file) == before


async def test_enter_shows_the_value_in_a_list_filtered_for_the_hook_and_enter_again_edits_it(world: HookWorld) -> None:
    world.add("zzz")
    world.add("broken", front="matcher:\n  tool: '('\n")
    async with world.running("✕ broken", "zzz") as pilot:
        await pilot.press("slash")
        await type_text(pilot, "broken\n")
        await until_shown(pilot, "1 found")
        await pilot.press("4")
        await until_shown(pilot, "bad-regex")
        await pilot.press("enter")
        await until_shown(pilot, "broken ─ saved", "1 found", "  tool: '('")
        await until(pilot, lambda: has_focus(pilot, "#hooks"))
        await pilot.press("enter")
        await type_text(pilot, "X")
        await until_shown(pilot, "tool: X'('")


async def test_the_keys_that_a_problem_advises_approve_its_hook_and_are_never_typed_into_the_file(world: HookWorld) -> None:
    file = world.add("stranger", approved=False)
    before = read(file)
    async with world.running("stranger", size=SMALL) as pilot:
        await pilot.press("4")
        await until_shown(pilot, "p review and approve")
        await pilot.press("enter")
        await until_shown(pilot, "stranger ─ saved", "trigger: pre-tool-call")
        await pilot.press("p")
        await until_shown(pilot, "Approve stranger?")
        await pilot.press("escape", "t")
        await until_shown(pilot, "Runs the hook for real")
        assert read(file) == before
        await pilot.press("escape", "4")
        await until_shown(pilot, "p review and approve")
        await pilot.press("p")
        await until_shown(pilot, "Approve stranger?")
        await pilot.press("p")
        await until_shown(pilot, "No problems in 1 hook.")


async def test_f_and_F_say_that_there_is_no_fix(world: HookWorld) -> None:  # noqa: N802
    world.add("ambiguous", scope="user", front="matcher:\n  tool: '(?P<>a)'\n")
    world.add("unclosed", scope="user", front="matcher:\n  tool: '('\n")
    async with world.running("ambiguous:6", "unclosed:6", key="4", notifications=True) as pilot:
        await pilot.press("f")
        await until_shown(pilot, "No automatic fix for bad-regex: ambiguous: choose one.")
        await pilot.press("F")
        await until_shown(pilot, "No safe fixes. f fixes the selected problem.")


async def test_a_group_has_a_summary(world: HookWorld) -> None:
    world.add("broken", front="matcher:\n  tool: '('\n")
    world.add("odd", scope="user", front="colour: red\ntimeout: 5\n")
    async with world.running("bad-regex", "out-of-range", key="4") as pilot:
        await pilot.press("g")
        await until_shown(pilot, "2 problems, 2 with a fix", "out-of-range")


async def test_a_fix_is_shown_next_to_its_problem_and_leaves_an_approved_hook_approved(world: HookWorld) -> None:
    file = world.add("guard", front="timeout: 5s\n")
    async with world.running("guard") as pilot:
        await pilot.press("4")
        await until_shown(pilot, "f write 5000", "-  timeout: 5s", "+  timeout: 5000")
        await pilot.press("f")
        await until_shown(pilot, "No problems in 1 hook.")
        assert "timeout: 5000\n" in read(file)
        assert list(catalog.load(world.project).trust.values()) == ["trusted"]


async def test_f_applies_the_fix_and_the_problem_goes(world: HookWorld) -> None:
    file = world.add("guard")
    entry = os.path.join(os.path.dirname(file), "scripts", "run.sh")
    os.chmod(entry, 0o644)
    async with world.running("guard") as pilot:
        await pilot.press("4")
        await until_shown(pilot, "not-executable")
        await type_text(pilot, "/not-exec\n")
        await until(pilot, lambda: "untrusted" not in shown(pilot))
        await pilot.press("f")
        await until(pilot, lambda: os.access(entry, os.X_OK))
        await until(pilot, lambda: "not-executable" not in shown(pilot))


async def test_did_you_mean_is_written_at_its_place_u_undoes_it_and_a_file_changed_underneath_is_left_alone(
    world: HookWorld,
) -> None:
    file = world.add("guard", "pre-tool-cal", scope="user")
    before = read(file)
    async with world.running("+  trigger: pre-tool-call", key="4", notifications=True) as pilot:
        await pilot.press("f")
        await until_shown(pilot, "No problems in 1 hook.", "u Undo")
        assert "trigger: pre-tool-call\n" in read(file)
        await pilot.press("u")
        await until_shown(pilot, "unknown-event")
        assert read(file) == before
        pilot.app.workers.cancel_group(pilot.app, "watch")
        write(file, f"---\n{before}")
        await pilot.press("f")
        await until_shown(pilot, "Nothing changed", "run the check again")


async def test_no_problems_shows_the_number_of_hooks_until_a_file_changes(world: HookWorld) -> None:
    file = world.add("guard", scope="user")
    world.add("other")
    async with world.running("No problems in 2 hooks.", key="4", size=SMALL) as pilot:
        write(file, read(file).replace("trigger:", "priority: 5000\ntrigger:"))
        await until_shown(pilot, "✕ priority", " guard:4 ")


async def test_a_file_that_is_no_hook_yet_is_not_opened_in_the_editor(world: HookWorld) -> None:
    file = world.add("guard", scope="user")
    os.rename(file, os.path.join(os.path.dirname(file), "hook.md"))
    async with world.running("misnamed-file", key="4", notifications=True) as pilot:
        await pilot.press("enter")
        await until_shown(pilot, "This file contains no hook")
        await pilot.press("f")
        await until_shown(pilot, "No problems in 1 hook.")


ODD = "timeot: 5000\npriority: 5000\n"


async def test_all_safe_fixes_are_previewed_applied_in_one_step_and_undone(world: HookWorld) -> None:
    files = [world.add(name, event, front=ODD) for name, event in (("guard", "PreToolUse"), ("other", "stop"))]
    late = world.add("late", "PreToolUse")
    os.rename(late, misnamed := late.replace("HOOK", "Hook"))
    before = [read(file) for file in (*files, misnamed)]
    async with world.running("guard", notifications=True) as pilot:
        await pilot.press("4")
        await until_shown(pilot, "unknown-event")
        await pilot.press("F")
        await until_shown(
            pilot, "Fix 8 problems?", "hooks/guard/HOOK.md", "-  trigger: PreToolUse", "+  trigger: pre-tool-call"
        )
        assert [read(file) for file in (*files, misnamed)] == before
        await pilot.press("F")
        await until_shown(pilot, "Fixed 8 problems", "u Undo")
        assert all("timeout: 5000\npriority: 1000\n" in read(file) for file in files)
        assert "trigger: pre-tool-call\n" in read(late)  # which only its new name reveals
        assert [catalog.load(world.project).trust[f"agenthooks:project:{name}"] for name in ("guard", "other")] == [
            "trusted"
        ] * 2
        await pilot.press("u")
        await until_shown(pilot, "unknown-event")
        assert [read(file) for file in (*files, misnamed)] == before


async def test_each_change_is_shown_whole_however_many_there_are(world: HookWorld) -> None:
    for number in range(9):
        world.add(f"hook{number}", front="priorty: 3\n")
    async with world.running("hook0", size=SMALL) as pilot:
        await pilot.press("F")
        await until_shown(pilot, "Fix 9 problems?", "-  priorty: 3", "+  priority: 3")


async def test_all_fixes_are_shown_from_the_hooks_screen_too_undone_by_escape_and_wait_for_unsaved_edits(
    world: HookWorld,
) -> None:
    file = world.add("guard", scope="user", front=ODD)
    before = read(file)
    async with world.running("guard", "2 problems", size=SMALL, notifications=True) as pilot:
        await pilot.press("F")
        await until_shown(pilot, "Fix 2 problems?")
        await pilot.press("escape")
        await until_shown(pilot, "guard ─ saved")
        assert read(file) == before
        await pilot.press("enter")
        await type_text(pilot, "X")
        await until_shown(pilot, "modified")
        await pilot.press("escape", "F")
        await until_shown(pilot, "Save (^s) or undo your edits")


async def test_u_takes_changes_back_in_their_order_whichever_screen_made_them(world: HookWorld) -> None:
    file = world.add("guard", front=ODD)
    before = read(file)
    async with world.running("guard", "2 problems", notifications=True) as pilot:
        await pilot.press("space")
        await until(pilot, lambda: not os.path.exists(file))
        await pilot.press("space")
        await until(pilot, lambda: os.path.exists(file))
        await until_shown(pilot, "guard", "2 problems")
        await pilot.press("F")
        await until_shown(pilot, "Fix 2 problems?")
        await pilot.press("F")
        await until_shown(pilot, "Fixed 2 problems", "guard ─ saved")
        await pilot.press("u")
        await until(pilot, lambda: read(file) == before)
        await pilot.press("u")
        await until(pilot, lambda: not os.path.exists(file))


async def test_undo_is_refused_for_a_file_that_has_changed_since(world: HookWorld) -> None:
    file = world.add("guard", scope="user", front=ODD)
    async with world.running("out-of-range", key="4", notifications=True) as pilot:
        await pilot.press("F")
        await until_shown(pilot, "Fix 2 problems?")
        await pilot.press("F")
        await until_shown(pilot, "Fixed 2 problems")
        write(file, read(file) + "More.\n")
        await pilot.press("u")
        await until_shown(pilot, "Nothing changed")
        assert read(file).endswith("More.\n")


async def test_undo_after_fixing_the_only_filtered_problem(world: HookWorld) -> None:
    world.add("odd", front="timeout: 300\n")
    file = world.add("guard", front="prority: 5\n")
    async with world.running("unknown-key", key="4") as pilot:
        await pilot.press("slash")
        await type_text(pilot, "prority\n")
        await pilot.press("f")
        await until(pilot, lambda: "priority: 5" in read(file))
        await until_shown(pilot, "unit-suspect")
        await pilot.press("u")
        await until(pilot, lambda: "prority: 5" in read(file))
