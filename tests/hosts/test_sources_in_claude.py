"""For each source of hooks the real Claude's debug log and `hooktui list --json` name the same hooks.

Every hook prints its own name; the names in the debug log are compared with the commands of the enabled hooks listed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.seen_in_claude import LOCAL, PROJECT, USER
from tests.hosts import claude_plugins
from tests.hosts.managed_settings import namespace
from tests.hosts.scripted_model import bash, say, use

if TYPE_CHECKING:
    from pathlib import Path

    from tests.hosts.claude_code import ClaudeWorld
    from tests.hosts.protocols import Block

_AGENT = use("Agent", description="a part", prompt="do a part", subagent_type="helper", run_in_background=False)
_BY_AGENT = (_AGENT, bash("true"), say("part done"), say("all done"))
_BY_SKILL = (use("Skill", skill="tidy"), bash("true"), say("all done"))


def hooks(name: str) -> dict[str, Any]:
    """Settings with one hook, which prints its name."""
    return {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": f"echo {name}"}]}]}}


def frontmatter(name: str) -> str:
    """An agent's or skill's file with one hook."""
    front = {"name": name, "description": "A thing to use", **hooks(name)}
    return "---\n" + "".join(f"{key}: {json.dumps(value)}\n" for key, value in front.items()) + "---\nDo it.\n"


def write(world: ClaudeWorld, file: str, content: dict[str, Any] | str) -> None:
    world.settings(file).write_text(content if isinstance(content, str) else json.dumps(content))


def same(world: ClaudeWorld, *script: Block, options: tuple[str, ...] = (), at: str = "", **how: Any) -> set[str]:
    """Run Claude, compare with the listing of `at` or of Claude's directory, and return the names that fired."""
    world.session(*script, options=options, **how)
    fired = world.answers_in_debug_log()
    where = how | {"sub": at or how.get("sub", "")}
    listed = json.loads(world.hooktui("list", "--json", **where).stdout)
    assert {hook["command"] for hook in listed if hook["enabled"]} == {f"echo {name}" for name in fired}
    return fired


@pytest.fixture(autouse=True)
def users(world: ClaudeWorld) -> None:
    """A hook of the user, in addition to those of the test."""
    write(world, USER, hooks("user"))


def test_user_project_and_local_settings(world: ClaudeWorld) -> None:
    write(world, PROJECT, hooks("project"))
    write(world, LOCAL, hooks("local"))
    assert same(world) == {"user", "project", "local"}


def test_managed_settings(world: ClaudeWorld, tmp_path: Path) -> None:
    assert same(world, inside=namespace(tmp_path, hooks("managed"))) == {"user", "managed"}


def test_managed_settings_that_allow_no_others(world: ClaudeWorld, tmp_path: Path) -> None:
    write(world, PROJECT, hooks("project"))
    only = hooks("managed") | {"allowManagedHooksOnly": True}
    assert same(world, inside=namespace(tmp_path, only)) == {"managed"}


@pytest.mark.parametrize("file", [USER, PROJECT, LOCAL])
def test_hooks_that_are_switched_off(world: ClaudeWorld, file: str) -> None:
    write(world, PROJECT, hooks("project"))
    write(world, file, hooks("last") | {"disableAllHooks": True})
    assert same(world) == set()


def test_an_installed_plugin_as_it_is_in_its_marketplace_until_it_is_disabled(world: ClaudeWorld) -> None:
    claude_plugins.install(world, hooks("plugin"))
    assert same(world) == {"user", "plugin"}
    plugin = world.home / "market/plug"
    (plugin / "hooks/hooks.json").write_text(json.dumps(hooks("new")))
    assert same(world) == {"user", "new"}
    manifest = plugin / ".claude-plugin/plugin.json"
    text = manifest.read_text()
    manifest.write_text('{"name": ')
    assert same(world) == {"user"}
    manifest.write_text(text)
    world.program_command("plugin", "disable", claude_plugins.PLUGIN)
    assert same(world) == {"user"}


@pytest.mark.parametrize("place", [".claude/agents/helper.md", "~/.claude/agents/helper.md"])
def test_the_frontmatter_of_an_agent(world: ClaudeWorld, place: str) -> None:
    world.accept_folder()  # only then does 2.1.330 run hooks of a project's agents
    write(world, place, frontmatter("helper"))
    assert same(world, *_BY_AGENT) == {"user", "helper"}


@pytest.mark.parametrize("place", [".claude/skills/tidy/SKILL.md", "~/.claude/skills/tidy/SKILL.md"])
def test_the_frontmatter_of_a_skill(world: ClaudeWorld, place: str) -> None:
    write(world, place, frontmatter("tidy"))
    assert same(world, *_BY_SKILL) == {"user", "tidy"}


def test_merge_keys_in_the_frontmatter_of_a_skill(world: ClaudeWorld) -> None:
    """Claude Code reads them; hooktui says that it does not."""
    merged = frontmatter("tidy").replace('"type": "command"', '<<: {"type": "command"}')
    write(world, ".claude/skills/tidy/SKILL.md", merged)
    (problem,) = world.run("check", "--format", "json", code=1).json()["diagnostics"]
    assert problem["message"] == "hooktui does not read merge keys (<<)"
    world.session(*_BY_SKILL)
    assert "tidy" in world.answers_in_debug_log()


def test_another_config_directory(world: ClaudeWorld, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/settings.json").write_text(json.dumps(hooks("elsewhere")))
    assert same(world, CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere")) == {"elsewhere"}


def test_a_subdirectory(world: ClaudeWorld) -> None:
    write(world, PROJECT, hooks("root"))
    write(world, f"sub/{PROJECT}", hooks("sub"))
    write(world, f"sub/{LOCAL}", hooks("sub-local"))
    write(world, ".claude/skills/tidy/SKILL.md", frontmatter("tidy"))
    world.commit()
    assert same(world, *_BY_SKILL, sub="sub") == {"user", "sub", "sub-local", "tidy"}


def test_the_roots_local_settings_in_a_subdirectory(world: ClaudeWorld) -> None:
    write(world, LOCAL, hooks("root-local"))
    write(world, f"sub/{PROJECT}", hooks("sub"))
    world.commit()
    assert same(world, sub="sub") == {"user", "sub", "root-local"}


def test_a_worktree(world: ClaudeWorld) -> None:
    write(world, PROJECT, hooks("project"))
    write(world, ".gitignore", f"{LOCAL}\n.claude/worktrees\n")
    world.commit()
    write(world, LOCAL, hooks("local-of-the-main-checkout"))
    fired = same(world, options=("--worktree", "other"), at=".claude/worktrees/other")
    assert fired == {"user", "project", "local-of-the-main-checkout"}


def test_every_hook_is_listed_with_its_source(world: ClaudeWorld, tmp_path: Path) -> None:
    claude_plugins.install(world, hooks("plugin"))
    write(world, PROJECT, hooks("project"))
    write(world, LOCAL, hooks("local"))
    listed = json.loads(world.hooktui("list", "--json", inside=namespace(tmp_path, hooks("managed"))).stdout)
    scopes = ("managed", "user", "project", "local", "plugin")
    assert {hook["scope"]: hook["command"] for hook in listed} == {scope: f"echo {scope}" for scope in scopes}


@pytest.mark.parametrize("entry", [{"type": "agent", "prompt": "Judge it."}, {"type": "mcp_tool", "server": "s", "tool": "t"}])
def test_hooks_that_only_claude_can_run_are_valid(world: ClaudeWorld, entry: dict[str, str]) -> None:
    write(world, PROJECT, {"hooks": {"SessionEnd": [{"hooks": [entry]}]}})
    (hook,) = [hook for hook in world.run("list", "--json").json() if hook["scope"] == "project"]
    assert (hook["type"], hook["enabled"]) == (entry["type"], True)
    assert world.run("check", "--format", "json").json()["errors"] == 0


@pytest.mark.parametrize(
    ("line", "is_repaired"),
    [
        ("argument-hint: [a prompt] [its tools]", True),
        ("compatibility: Use when: planning", True),
        ("model: @x", True),
        ("model: - x", False),
        ("x1: a: b", False),
    ],
)
def test_skill_that_is_not_yaml(world: ClaudeWorld, line: str, *, is_repaired: bool) -> None:
    text = f"---\nname: tidy\n{line}\nhooks:\n\tPreToolUse:\n\t\t- hooks:\n"
    text += "\t\t\t\t- type: command\n\t\t\t\t\tcommand: echo tidy\n---\nDo it.\n"
    write(world, "~/.claude/skills/tidy/SKILL.md", text)
    assert same(world, *_BY_SKILL) == {"user"} | ({"tidy"} if is_repaired else set())
