"""What a clone can bring along before it is approved: it neither delays the user's guard nor switches it off."""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Callable

import pytest

from tests.faults.agent import DENY, Agent

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


def test_matchers_of_unapproved_hooks_are_not_evaluated(agent: Agent) -> None:
    agent.hook("guard", DENY)
    claude_hooks(agent, *[f"{EXPLODING}|{number}" for number in range(300)], "Other")
    done = agent.report(agent.event(tool_name=LONG_TOOL), *CLAUDE)
    assert done.code == 2
    assert {run["skip"] for run in done.json()["hooks"]} == {None, "untrusted"}


def test_the_matcher_of_a_hook_that_has_changed_since_its_approval_is_not_evaluated(agent: Agent) -> None:
    directory = agent.hook("theirs", scope="project", matcher={"tool": "Shell"})
    agent.approve()
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


def cpu_seconds(most: int) -> Callable[[], None]:
    """Let the system kill a process that computes for longer."""
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most))


def test_long_patterns_of_many_unapproved_hooks_are_not_compiled(agent: Agent) -> None:
    """Without an index yet; compiling them would take 20 s."""
    agent.hook("guard", DENY)
    for number in range(200):
        agent.hook(f"theirs{number}", scope="project", matcher={"pattern": f"({number:03}|a)" * 2300})
    assert agent.call(in_child=cpu_seconds(6)).code == 2


@pytest.mark.parametrize("line", ["cd a;./b;", 'a="$a$a";', "if a;then . ./c;fi;", "sh -c 'b';"])
def test_long_commands_and_scripts_of_unapproved_hooks_are_not_analyzed(agent: Agent, line: str) -> None:
    """A variable that doubles again and again filled the memory; reading all this took minutes."""
    agent.hook("guard", DENY)
    text = line * (60_000 // len(line))
    for number in range(20):
        (agent.project / f"{number}.sh").write_text(f"#!/bin/sh\na=x;{text}\n")
    entries = [f"sh {number}.sh" for number in range(20)] + [f"true {number};{text[:1000]}a" for number in range(500)]
    settings = agent.project / ".claude/settings.json"
    settings.parent.mkdir()
    hooks = [{"type": "command", "command": command} for command in entries]
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}))
    done = agent.call(None, *CLAUDE, in_child=cpu_seconds(15))
    assert done.code == 2


def test_a_person_waits_for_few_of_many_long_scripts_and_approves_others_by_name(agent: Agent) -> None:
    """Reading all scripts of a clone could take minutes."""
    for number in range(5):
        (agent.project / f"{number}.sh").write_text(f"#!/bin/sh\n# {number}\n{'a|' * 2000}")
    (agent.project / "lib.sh").write_text("touch ran\n")
    (agent.project / "last.sh").write_text("#!/bin/sh\n. ./lib.sh\n")
    entries = [*({"type": "command", "command": f"sh {number}.sh"} for number in range(5))]
    settings = agent.project / ".claude/settings.json"
    settings.parent.mkdir()
    hooks = [*entries, {"type": "command", "command": "sh last.sh"}]
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}))
    problems = agent.run("check", "--format", "json").json()["diagnostics"]
    (problem,) = [problem for problem in problems if problem["code"] == "too-large"]
    assert (problem["severity"], problem["message"].split(":")[0]) == ("warning", "not all scripts and commands were read")
    *_, last = agent.run("status", "--json").json()["hooks"]
    assert (last["hash"], last["why"].split(";")[0]) == ("", "cannot be approved: hooktui has not read all scripts here")
    alone = agent.run("status", "--hook", last["label"], "--json").json()
    assert alone["hooks"][0]["covers"] == ["last.sh", "lib.sh"]
    agent.run("trust", "--hook", last["label"], "--hash", alone["hooks"][0]["hash"])
    assert {run["label"]: run["state"] for run in agent.report(None, *CLAUDE).json()["hooks"]}["last.sh"] == "ok"
    assert (agent.project / "ran").exists()


def test_the_scripts_of_an_approved_hook_are_covered_among_many_others(agent: Agent) -> None:
    (agent.project / "good.sh").write_text(". ./.claude/lib.sh\n")
    claude_hooks(agent, "Shell")
    settings = agent.project / ".claude/settings.json"
    (agent.project / ".claude/lib.sh").write_text("touch ran\n")
    good = {"type": "command", "command": "sh good.sh"}
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [good]}]}}))
    agent.approve()
    others = [{"type": "command", "command": f"true {number} # {'x' * 1000}"} for number in range(500)]  # more than is read
    settings.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [*others, good]}]}}))
    runs = agent.report(None, *CLAUDE).json()["hooks"]
    assert [run["label"] for run in runs if run["state"] == "ok"] == ["good.sh"]
    assert (agent.project / "ran").exists()
    (agent.project / ".claude/lib.sh").write_text("touch other\n")
    last = agent.report(None, *CLAUDE).json()["hooks"][-1]
    assert (last["skip"], last["why"]) == ("untrusted", "changed since its approval")


def test_a_thousand_unapproved_hooks_are_told_in_one_line_once(agent: Agent) -> None:
    claude_hooks(agent, *(f"Shell|{number}" for number in range(1000)))
    done = agent.call(None, *CLAUDE)
    assert (done.code, agent.warning(done)) == (
        0, "hooktui: 1,000 hooks did not run (untrusted), such as touch ran0",
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
