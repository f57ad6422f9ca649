from __future__ import annotations

import json

from tests.command_world import CommandWorld


def test_text_lists_events_and_hooks_in_firing_order(world: CommandWorld) -> None:
    world.hook("late", priority=1)
    world.hook("early", priority=999)
    world.hook("begin", trigger="pre-session")
    lines = world.run("list").stdout.splitlines()
    names = [word for line in lines for word in line.split() if word in ("late", "early", "begin")]
    assert names == ["begin", "early", "late"]
    assert lines[0].startswith("pre-session: ")


def test_events_are_spelled_as_their_files_do(world: CommandWorld) -> None:
    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}))
    assert world.run("list").stdout.startswith("PreToolUse: a tool is about to run\n")
    world.hook("guard")
    assert world.run("list").stdout.startswith("pre-tool-call · PreToolUse: a tool is about to run\n")


def test_text_shows_the_state_of_each_hook(world: CommandWorld) -> None:
    world.hook("fine")
    world.hook("strange", scope="project")
    world.hook("broken", matcher={"tool": "("})
    told = {line.split()[3]: line.split()[1] for line in world.run("list").stdout.splitlines() if line.startswith("  ")}
    assert told == {"fine": "ok", "strange": "untrusted", "broken": "invalid"}


def test_no_line_is_wider_than_the_terminal(world: CommandWorld) -> None:
    world.hook("a-hook-with-quite-a-long-name", matcher={"tool": "Shell", "pattern": "漢字" * 40})
    shown = world.at_terminal("list", columns=40, NO_COLOR="1").stdout
    lines = [line for line in shown.splitlines() if not line.startswith("1 hook")]
    assert max(map(len, lines)) <= 40
    assert any(line.endswith("…") for line in lines)


def test_nothing_is_cut_without_a_terminal(world: CommandWorld) -> None:
    world.hook("guard", matcher={"tool": "Shell", "pattern": "x" * 300})
    assert "x" * 300 in world.run("list").stdout


def test_color_needs_a_terminal_without_no_color(world: CommandWorld) -> None:
    world.hook("guard")
    assert "\x1b[" in world.at_terminal("list").stdout
    assert "\x1b[" not in world.at_terminal("list", NO_COLOR="1").stdout
    assert "\x1b[" not in world.run("list").stdout


def test_escape_sequences_of_a_hook_are_made_visible(world: CommandWorld) -> None:
    world.hook("guard", matcher={"pattern": "\x1b[2J"})
    shown = world.run("list").stdout
    assert "\x1b" not in shown
    assert "␛[2J" in shown


def test_empty_project_suggests_the_first_command(world: CommandWorld) -> None:
    assert "hooktui new" in world.run("list").stdout


def test_connection_is_one_line_and_counts_nowhere(world: CommandWorld) -> None:
    world.hook("guard")
    world.run("connect", "claude", "--yes", "--scope", "project", "--events", "all")
    entries = [hook for hook in world.run("list", "--json").json() if hook["connection"]]
    shown = world.run("list").stdout
    assert len(entries) > 1
    assert shown.startswith(f"hooktui connection ({len(entries)} events)\n")
    assert "1 hook in" in shown
    assert world.run("check", "--format", "json", code=None).json()["hooks"] == 1


def test_hosts_in_use_that_run_a_hook_are_named_unless_it_is_just_its_own(world: CommandWorld) -> None:
    world.hook("guard")
    assert " in " not in world.run("list").stdout.splitlines()[1]
    world.run("connect", "gemini", "--yes")
    assert "agenthooks  in gemini" in world.run("list").stdout
    [guard] = [hook for hook in world.run("list", "--json").json() if hook["name"] == "guard"]
    assert guard["hosts"] == [{"host": "gemini", "works": True, "why": ""}]


def test_a_hook_that_no_installed_program_runs_is_not_ok(world: CommandWorld) -> None:
    world.hook("guard")
    world.hook("audit")
    (world.home / ".gemini").mkdir()
    assert "◌ not connected   100  guard" in world.run("list").stdout
    checked = world.run("check").stdout
    assert "no program runs 2 hooks: Gemini CLI is not connected (run `hooktui connect gemini`) [not-connected]" in checked
