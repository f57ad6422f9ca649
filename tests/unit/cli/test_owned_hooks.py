"""Hooks of agents, skills and plugins: how `list` shows them, and when `run` runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_world import CommandWorld

CALL = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "ls"}, "hook_event_name": "PreToolUse"}


def entry(command: str) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}


def write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def markdown(name: str, command: str) -> str:
    fields = {"name": name, "description": "A part", **entry(command)}
    return "---\n" + "".join(f"{key}: {json.dumps(value)}\n" for key, value in fields.items()) + "---\n"


def skipped(world: CommandWorld, **fields: str) -> list[tuple[str, str | None]]:
    """The commands that listen to a tool call, each with the reason code if it is skipped."""
    event = {**CALL, "cwd": str(world.project), **fields}
    options = ("--host", "claude", "--format", "claude", "--json")
    report = world.run("run", *options, stdin=event, code=None).json()
    return [(hook["name"], hook.get("skip")) for hook in report["hooks"]]


def test_an_agents_hook_runs_for_that_agent_only(world: CommandWorld) -> None:
    write(world.home / ".claude/agents/helper.md", markdown("helper", "true"))
    name = "helper.md:PreToolUse:1"
    assert skipped(world) == [(name, "agent-mismatch")]
    assert skipped(world, agent_type="other") == [(name, "agent-mismatch")]
    assert skipped(world, agent_type="helper") == [(name, None)]


def test_a_skills_hook_is_left_to_its_host(world: CommandWorld) -> None:
    write(world.home / ".claude/skills/tidy/SKILL.md", markdown("tidy", "true"))
    assert skipped(world) == [("SKILL.md:PreToolUse:1", "agent-mismatch")]


def test_a_skills_hook_can_be_tried(world: CommandWorld) -> None:
    write(world.home / ".claude/skills/tidy/SKILL.md", markdown("tidy", "echo no >&2; exit 2"))
    report = world.run("try", "SKILL.md:PreToolUse:1", "--json", code=None).json()
    assert report["decision"] == "deny"


def test_a_plugins_hook_gets_the_plugins_directory(world: CommandWorld) -> None:
    root = world.home / "guards"
    write(root / "hooks/hooks.json", entry('echo "$CLAUDE_PLUGIN_ROOT $CLAUDE_PROJECT_DIR" > "$HOME/seen"'))
    installed = {"version": 2, "plugins": {"guards@market": [{"scope": "user", "installPath": str(root)}]}}
    write(world.home / ".claude/plugins/installed_plugins.json", installed)
    write(world.home / ".claude/settings.json", {"enabledPlugins": {"guards@market": True}})
    assert skipped(world) == [("hooks.json:PreToolUse:1", None)]
    assert (world.home / "seen").read_text() == f"{root} {world.project}\n"


def test_the_project_directory_of_a_claude_hook_is_where_claude_was_started(world: CommandWorld) -> None:
    (world.project / ".git").mkdir()
    (world.project / "sub").mkdir()
    write(world.home / ".claude/settings.json", entry('echo "$CLAUDE_PROJECT_DIR" > "$HOME/seen"'))
    skipped(world, cwd=str(world.project / "sub"))
    assert (world.home / "seen").read_text() == f"{world.project / 'sub'}\n"


def test_the_list_says_what_brings_a_hook_and_why_it_does_not_run(world: CommandWorld) -> None:
    write(world.home / ".claude/agents/helper.md", markdown("helper", "true"))
    write(world.project / ".claude/settings.json", {"disableAllHooks": True})
    (hook,) = world.run("list", "--json").json()
    why = "disableAllHooks in {} disables all Claude Code hooks".format(world.project / ".claude/settings.json")
    assert (hook["owner"], hook["editable"], hook["enabled"], hook["why"]) == ("agent helper", False, False, why)
    text = world.run("list").stdout
    assert "agent helper" in text
    assert why in text


def test_a_type_that_only_the_host_runs_is_healthy(world: CommandWorld) -> None:
    write(world.home / ".claude/settings.json", {"hooks": {"Stop": [{"hooks": [{"type": "agent", "prompt": "Done?"}]}]}})
    line = next(line for line in world.run("list").stdout.splitlines() if "Done?" in line)
    assert line.startswith("  ● ok")
    assert "hooktui does not run hooks of type agent; Claude Code does" in line
    world.run("check", "--no-log", code=0)


def test_copilots_inline_hooks_are_listed_from_the_repositorys_root(world: CommandWorld) -> None:
    (world.project / ".git").mkdir()
    (world.project / "sub").mkdir()
    inline = {"hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}}
    for path in (
        world.home / ".copilot/settings.json",
        world.project / ".github/copilot/settings.json",
        world.project / ".github/copilot/settings.local.json",
    ):
        write(path, inline)
    write(world.project / "sub/.github/copilot/settings.json", inline)
    scopes = [hook["scope"] for hook in world.run("list", "sub", "--json").json() if hook["format"] == "copilot"]
    assert scopes == ["user", "project", "local"]


def test_list_tells_when_claude_code_runs_the_hooks_of_a_projects_agents(world: CommandWorld) -> None:
    write(world.home / ".claude/agents/mine.md", markdown("mine", "true"))
    write(world.project / ".claude/skills/tidy/SKILL.md", markdown("tidy", "true"))
    assert "only after you have trusted the folder" not in world.run("list").stdout
    write(world.project / ".claude/agents/ours.md", markdown("ours", "true"))
    assert "only after you have trusted the folder in its dialog." in world.run("list").stdout
