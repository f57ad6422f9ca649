"""What a clone can bring along before it is approved: it neither delays the user's guard nor switches it off."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.faults.agent import DENY

if TYPE_CHECKING:
    from tests.faults.agent import Agent

EXPLODING = "(a+)+$"
LONG_TOOL = "a" * 40 + "!"
CLAUDE = ("--format", "agenthooks", "--format", "claude")


def claude_hooks(agent: Agent, *matchers: str) -> None:
    """Give the project Claude hooks with these matchers."""
    settings = agent.project / ".claude/settings.json"
    settings.parent.mkdir()
    groups = [
        {"matcher": matcher, "hooks": [{"type": "command", "command": f"touch ran{number}"}]}
        for number, matcher in enumerate(matchers)
    ]
    settings.write_text(json.dumps({"hooks": {"PreToolUse": groups}}))


def approve(agent: Agent) -> None:
    agent.run("trust", "--hash", agent.run("status", "--json").json()["hash"])


def test_matchers_of_unapproved_hooks_are_not_evaluated(agent: Agent) -> None:
    agent.hook("guard", DENY)
    claude_hooks(agent, *[f"{EXPLODING}|{number}" for number in range(300)], "Other")
    done = agent.report(agent.event(tool_name=LONG_TOOL), *CLAUDE)
    assert done.code == 2
    assert {run["skip"] for run in done.json()["hooks"]} == {None, "untrusted"}


def test_the_matcher_of_a_hook_that_has_changed_since_its_approval_is_not_evaluated(agent: Agent) -> None:
    directory = agent.hook("theirs", scope="project", matcher={"tool": "Shell"})
    approve(agent)
    (run,) = agent.report(agent.event(tool_name="Other")).json()["hooks"]
    assert run["skip"] == "tool-mismatch"
    (directory / "scripts/run").write_text("#!/bin/sh\n:\n")
    (run,) = agent.report(agent.event(tool_name="Other")).json()["hooks"]
    assert (run["skip"], run["why"]) == ("untrusted", "changed since its approval")


def test_all_matchers_of_an_event_share_one_budget(agent: Agent) -> None:
    """The report counts milliseconds from the start of the dispatch; without the budget, 40 matchers take 2,000."""
    for number in range(40):
        agent.hook(f"slow{number:02}", matcher={"tool": f"({number}|a+)+$"})
    agent.hook("zz-guard", DENY, matcher={"tool": "!$"})
    done = agent.report(agent.event(tool_name=LONG_TOOL))
    assert done.code == 2
    skips = [run["skip"] for run in done.json()["hooks"]]
    assert skips == [*["bad-matcher"] * 40, None]


def test_patterns_that_end_quickly_do_not_use_up_the_budget(agent: Agent) -> None:
    for number in range(60):
        agent.hook(f"quick{number:02}", matcher={"tool": f"^(x{number}|S+h)+ell$"}, priority=500)
    agent.hook("guard", DENY, matcher={"tool": "^(S|h|el)+l$"})
    done = agent.report()
    assert done.code == 2
    assert [run["skip"] for run in done.json()["hooks"]] == [None] * 61


@pytest.mark.parametrize("length", [20_000, 700_000])
def test_an_endless_regex_is_not_even_compiled(agent: Agent, length: int) -> None:
    agent.hook("guard", DENY)
    claude_hooks(agent, "(a|b)" * (length // 5))
    done = agent.report(None, *CLAUDE)
    assert done.code == 2
    assert [run["skip"] for run in done.json()["hooks"]] == [None, "bad-matcher"]


def test_thousands_of_unapproved_hooks_are_told_in_one_line_once(agent: Agent) -> None:
    claude_hooks(agent, *(f"Shell|{number}" for number in range(3000)))
    done = agent.call(None, *CLAUDE)
    assert (done.code, agent.warning(done)) == (
        0, "hooktui: 3,000 hooks did not run (untrusted), such as touch ran0",
    )  # fmt: skip
    assert agent.call(None, *CLAUDE).stderr == ""


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"])
@pytest.mark.parametrize("value", [".", "sub/..", ""])
def test_a_relative_directory_of_the_user_makes_no_project_file_the_users(agent: Agent, variable: str, value: str) -> None:
    """Of the user's files, those of the password database may be found instead; here they must not matter."""
    hook = agent.hook("planted", "#!/bin/sh\ntouch ran\n", scope="project")
    (agent.project / "sub").mkdir()
    for root in (".config/agents/hooks", "agents/hooks"):
        (agent.project / root).mkdir(parents=True)
        shutil.copytree(hook, agent.project / root / "planted")
    for name in (".claude/settings.json", "settings.json"):
        (agent.project / name).parent.mkdir(exist_ok=True)
        entry = {"type": "command", "command": "touch ran"}
        (agent.project / name).write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    done = agent.report(None, *CLAUDE, env={variable: value, "HOOKTUI_DB": str(agent.db)})
    runs = [run for run in done.json()["hooks"] if run["file"].startswith(str(agent.project))]
    assert {run["skip"] for run in runs} == {"untrusted"}
    assert "user" not in {run["scope"] for run in runs}
    assert not (agent.project / "ran").exists()


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_project_that_disables_all_claude_hooks_is_told_and_leaves_the_others_on(agent: Agent, name: str) -> None:
    """For Claude's own hooks we do as Claude does (tests/hosts/test_switched_off_in_claude.py)."""
    own = agent.home / ".claude/settings.json"
    own.parent.mkdir()
    own.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}))
    file = agent.project / ".claude" / name
    file.parent.mkdir()
    file.write_text('{"disableAllHooks": true}')
    event = {"hook_event_name": "PreToolUse", "session_id": "s1", "cwd": str(agent.project), "tool_name": "Bash"}
    told = f"hook exit 2 did not run: disableAllHooks in {file} disables all Claude Code hooks (disabled)"
    done = agent.call(event, *CLAUDE, "--host", "claude")
    assert (done.code, done.json()) == (0, {"systemMessage": f"hooktui: {told}"})
    assert agent.call(event, *CLAUDE, "--host", "claude").stdout == ""
    agent.hook("guard", DENY)
    assert agent.call(event, *CLAUDE, "--host", "claude").code == 2
    (listed,) = [hook for hook in agent.run("list", "--json").json() if hook["format"] == "claude"]
    assert (listed["enabled"], listed["why"]) == (False, f"disableAllHooks in {file} disables all Claude Code hooks")


def test_the_user_who_disables_all_claude_hooks_is_told_nothing(agent: Agent) -> None:
    own = agent.home / ".claude/settings.json"
    own.parent.mkdir()
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}
    own.write_text(json.dumps({"hooks": hooks, "disableAllHooks": True}))
    done = agent.call(None, *CLAUDE)
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
