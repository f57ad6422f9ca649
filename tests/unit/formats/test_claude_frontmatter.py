"""The hooks in the frontmatter of Claude Code's agents, commands and skills (formats.md §3)."""

from __future__ import annotations

import pytest

from tests.unit.formats.test_claude_sources import Places, markdown, places

__all__ = ["places"]


def test_the_frontmatter_of_agents_commands_and_skills(places: Places) -> None:
    project = places.project / ".claude"
    places.write(project / "agents/deep/file-name.md", markdown("helper", "Stop"))
    places.write(project / "commands/deploy.md", markdown("deploying"))
    places.write(project / "skills/tidy/SKILL.md", markdown("anything"))
    places.write(project / "skills/group/inner/SKILL.md", markdown("too-deep"))
    places.write(project / "agents/plain.md", "---\nname: plain\ndescription: no hooks\n---\nhooks: in the text\n")
    places.user("agents/own.md", markdown("own"))
    listed = places.listed()
    owners = {name: (hook.scope, hook.owner) for name, hook in listed.items()}
    assert owners == {
        "helper": ("project", "agent helper"),
        "deploying": ("project", "command deploy"),
        "anything": ("project", "skill tidy"),
        "own": ("user", "agent own"),
    }
    assert all(hook.read_only for hook in listed.values())
    helper = listed["helper"]
    assert (helper.event, helper.event_as_written, helper.line) == ("post-subagent", "Stop", 7)


def test_frontmatter_is_read_upward_from_a_subdirectory(places: Places) -> None:
    places.repository()
    places.write(places.project / ".claude/skills/tidy/SKILL.md", markdown("root"))
    places.write(places.project / "sub/.claude/agents/a.md", markdown("sub"))
    (places.project / "sub/deep").mkdir()
    assert places.running("sub/deep") == {"root", "sub"}
    assert places.running() == {"root"}


def test_of_two_with_the_same_name_the_users_skill_and_the_projects_agent_count(places: Places) -> None:
    for directory, owner in ((places.home / ".claude", "user"), (places.project / ".claude", "project")):
        places.write(directory / "skills/tidy/SKILL.md", markdown(f"{owner}-skill"))
        places.write(directory / "agents/a.md", markdown("a").replace("echo a", f"echo {owner}-agent"))
    assert places.running() == {"user-skill", "project-agent"}
    assert places.listed()["user-agent"].why_disabled.startswith("replaced by ")


def test_unreadable_frontmatter_is_reported_if_it_has_hooks(places: Places) -> None:
    path = places.write(places.project / ".claude/agents/a.md", "---\nname: a\nhooks: {\n---\n")
    places.write(places.project / ".claude/agents/b.md", "---\nname: {\n---\n")
    (problem,) = places.claude.discover(str(places.project)).diagnostics
    assert (problem.code, problem.file, problem.fix) == ("bad-yaml", str(path), None)


@pytest.mark.parametrize("line", ["argument-hint: [a prompt] [its tools]", "compatibility: Use when: planning", "model: @x"])
def test_frontmatter_that_claude_repairs_keeps_its_hooks(places: Places, line: str) -> None:
    places.write(places.project / ".claude/commands/a.md", markdown("kept").replace("---\n", f"---\n{line}\n", 1))
    assert places.running() == {"kept"}
    assert places.claude.discover(str(places.project)).diagnostics == ()


def test_frontmatter_indented_with_tabs_keeps_its_hooks(places: Places) -> None:
    places.write(places.project / ".claude/commands/a.md", "---\n" + markdown("kept")[4:].replace("  ", "\t"))
    assert places.running() == {"kept"}


def test_a_key_that_is_there_twice_beside_the_hooks_loses_none(places: Places) -> None:
    places.write(places.project / ".claude/commands/a.md", markdown("kept").replace("---\n", "---\nname: other\n", 1))
    assert places.running() == {"kept"}


def test_hooks_on_one_line_are_lost_with_the_yaml_around_them(places: Places) -> None:
    text = "---\ndescription: Use when: planning\nhooks: {Stop: [{hooks: [{type: command, command: echo a}]}]}\n---\n"
    places.write(places.project / ".claude/commands/a.md", text)
    (problem,) = places.claude.discover(str(places.project)).diagnostics
    assert (problem.code, problem.line) == ("bad-yaml", 2)


@pytest.mark.parametrize(("key", "is_lost"), [("base", True), ("metadata", False)])
def test_hooks_that_frontmatter_only_refers_to_are_lost_where_they_stand(places: Places, key: str, is_lost: bool) -> None:
    text = f"{key}: &b\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: x\nhooks: *b\n"
    places.write(places.project / ".claude/skills/a/SKILL.md", f"---\nname: a\n{text}---\n")
    found = places.claude.discover(str(places.project))
    assert bool(found.hooks[0].obstacle) is is_lost
    assert [problem.code for problem in found.diagnostics] == ["host-skips-file"] * is_lost


def test_merge_keys_in_frontmatter_are_a_limit_of_hooktui(places: Places) -> None:
    entry = "base: &b\n  type: command\n  command: x\nhooks:\n  Stop:\n    - hooks:\n        - <<: *b\n"
    places.write(places.project / ".claude/agents/a.md", f"---\nname: a\n{entry}---\n")
    (problem,) = places.claude.discover(str(places.project)).diagnostics
    assert problem.message == "hooktui does not read merge keys (<<)"


def test_a_bomb_in_frontmatter_is_not_expanded(places: Places) -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 30)), "hooks: *a29"]
    places.write(places.project / ".claude/agents/a.md", "---\n" + "\n".join(lines) + "\n---\n")
    (problem,) = places.claude.discover(str(places.project)).diagnostics
    assert problem.code == "bad-yaml"


def test_once_counts_in_a_skill(places: Places) -> None:
    text = markdown("tidy").replace("command: echo tidy", "command: echo tidy\n          once: true")
    places.write(places.project / ".claude/skills/tidy/SKILL.md", text)
    assert places.claude.discover(str(places.project)).diagnostics == ()
    places.write(places.project / ".claude/agents/a.md", text)
    (problem,) = places.claude.discover(str(places.project)).diagnostics
    assert problem.code == "ignored-key"
