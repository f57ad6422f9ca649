from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from hooktui.cli.new import new_command
from hooktui.core import events
from hooktui.trials import gallery_counts
from tests.command_world import CommandWorld


def _directory(world: CommandWorld, name: str) -> Path:
    return world.project / ".agents/hooks" / name


def _script(world: CommandWorld, name: str) -> Path:
    [script] = (world.home / ".config/agents/hooks" / name / "scripts").iterdir()
    return script


HOSTS = ("codex", "gemini", "qwen", "cursor", "droid", "kimi")
TRIGGERS = [name for name in events.CANONICAL if name in events.TRIGGERS]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["sh", "py"])
def test_new_hook_has_no_problems_and_decides_nothing(here: CommandWorld, language: str) -> None:
    for event in TRIGGERS:
        asked = (f"on-{event}", "--event", event, "--scope", "user", "--lang", language, "--project", str(here.project))
        assert CliRunner().invoke(new_command, asked).exit_code == 0
    assert here.run("check", "--format", "json").json()["diagnostics"] == []
    for event in TRIGGERS:
        [run] = here.fire(event)["hooks"]
        assert (run["name"], run["state"], run["decision"]) == (f"on-{event}", "ok", "none")
        assert (run["exit_code"], run["stderr"]) == (0, "")


@pytest.mark.parametrize("language", ["sh", "py"])
def test_new_guard_in_a_hosts_own_file_has_no_problems(world: CommandWorld, language: str) -> None:
    for number, host in enumerate(HOSTS):
        asked = ("--format", host, "--event", "pre-tool-call", "--pattern", "push.*--force", "--lang", language)
        world.run("new", f"guard-{number}", *asked, "--scope", "user")
        found = world.run("check", "--host", host, "--format", "json").json()["diagnostics"]
        assert found == [], host


def test_new_hook_without_a_matcher_denies_nothing_and_logs(world: CommandWorld) -> None:
    world.run("new", "guard", "--event", "pre-tool-call", "--scope", "user")
    [run] = world.fire(tool_name="Shell", tool_input={"command": "ls"})["hooks"]
    assert (run["decision"], run["log"]) == ("none", "ran without a decision")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["sh", "py"])
def test_every_answer_in_the_comments_is_valid(world: CommandWorld, language: str) -> None:
    world.run("new", "guard", "--event", "pre-tool-call", "--scope", "user", "--lang", language)
    script = _script(world, "guard")
    template = script.read_text()
    comments = [line.removeprefix("#   ") for line in template.splitlines() if line.startswith("#   ")]
    said = {}
    for comment in comments:
        answer, code = comment[:16].strip(), comment[16:].strip()
        if answer != "no opinion":
            imports = "import sys\n" if language == "py" else ""
            script.write_text(f"{template.splitlines()[0]}\n{imports}{code}\n")
            said[answer] = world.fire(tool_name="Shell", tool_input={"command": "ls"})
    assert {answer: report["decision"] for answer, report in said.items()} == {
        "deny": "deny",
        "rewrite": "none",
        "allow": "allow",
        "ask the user": "ask",
        "tell the agent": "none",
        "note in the log": "none",
    }
    assert said["rewrite"]["modified_input"] == {"command": "ls"}
    assert said["tell the agent"]["additional_context"] == ["what it should know"]


def test_the_script_does_not_import_modules_of_the_project(world: CommandWorld) -> None:
    (world.project / "json.py").write_text("raise SystemExit(3)")
    for language in ("sh", "py"):
        world.run("new", f"guard-{language}", "--event", "pre-tool-call", "--scope", "user", "--lang", language)
    runs = world.fire(tool_name="Shell", tool_input={"command": "ls"})["hooks"]
    assert [run["exit_code"] for run in runs] == [0, 0]


def test_event_in_any_spelling_and_matcher_are_written(world: CommandWorld) -> None:
    pattern = r"it's \brm -rf /|\.py$"
    world.run("new", "guard", "--event", "PreToolUse", "--tool", "^Shell$", "--pattern", pattern)
    world.run("new", "older", "--event", "before_tool")
    by_name = {hook["name"]: hook for hook in world.run("list", "--json").json()}
    assert by_name["guard"]["event_as_written"] == "pre-tool-call"
    assert by_name["guard"]["matcher"] == {"tool": "^Shell$", "pattern": pattern}
    assert by_name["older"]["event_as_written"] == "before_tool"


@pytest.mark.parametrize("name", ["on", "null", "123", "Größe", "with space", "it's: #1", "a" * 64])
def test_ambiguous_yaml_name_is_quoted(world: CommandWorld, name: str) -> None:
    world.run("new", name, "--event", "pre-session")
    assert [hook["name"] for hook in world.run("list", "--json").json()] == [name]


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "../up", "/abs", "-x", " ", "a\nb", "a\\b", "a" * 65])
def test_name_that_is_not_a_directory_name_is_refused(world: CommandWorld, name: str) -> None:
    ended = world.run("new", "--event", "pre-session", "--", name, code=2)
    assert ended.stderr.count("\n") == 1
    assert list(world.project.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    ["--event nope", "--event pre-step", "--event pre-tool-call --tool (", "--event pre-session --tool Shell"],
)
def test_impossible_hook_is_refused(world: CommandWorld, options: str) -> None:
    world.run("new", "guard", *options.split(), code=2)
    assert not _directory(world, "guard").exists()


def test_mistyped_event_is_suggested(world: CommandWorld) -> None:
    assert "did you mean pre-tool-call?" in world.run("new", "x", "--event", "pre-tool-cal", code=2).stderr


def test_problem_with_the_name_is_reported_at_once(world: CommandWorld) -> None:
    ended = world.run("new", "Bad Name", "--event", "pre-session")
    assert ended.stderr.startswith("hooktui: some hosts reject the name Bad Name: ")
    assert ended.stderr.endswith(" such as bad-name\n")
    [said] = [one for one in world.run("check", "--format", "json").json()["diagnostics"] if one["code"] == "bad-name"]
    assert said["message"] in ended.stderr
    assert world.run("new", "good-name", "--event", "pre-session").stderr == ""


def test_printed_commands_can_be_pasted(world: CommandWorld) -> None:
    told = world.run("new", "it's a Name", "--event", "pre-tool-call").stdout
    commands = [shlex.split(command)[1:] for command in re.findall(r"hooktui (?:try|trust) (?:--hook )?'.*'", told)]
    assert commands == [["trust", "--hook", "it's a Name"], ["try", "it's a Name"]]
    refused = world.run("try", "it's a Name", "--past", "5", code=1)
    assert """`hooktui trust --hook 'it'"'"'s a Name'`""" in refused.stderr


def test_printed_commands_name_another_project(world: CommandWorld) -> None:
    other = world.home / "my shop"
    other.mkdir()
    told = world.run("new", "guard", "--event", "pre-session", "--project", str(other)).stdout
    approves, tries = re.findall(r"hooktui (tr[^`\n]*)", told)
    assert shlex.split(approves) == ["trust", str(other), "--hook", "guard"]
    assert "not approved" in world.run(*shlex.split(tries), code=1).stderr


def test_without_a_terminal_a_new_project_hook_is_not_approved(world: CommandWorld) -> None:
    assert "hooktui trust --hook guard" in world.run("new", "guard", "--event", "pre-session").stdout
    assert world.run("status", "--json").json()["hooks"][0]["trust"] == "untrusted"


def test_new_hook_at_a_terminal_is_approved_and_nothing_else(world: CommandWorld) -> None:
    world.hook("theirs", scope="project")
    assert "Approved" in world.at_terminal("new", "guard", "--event", "pre-session").stdout
    states = {hook["name"]: hook["trust"] for hook in world.run("status", "--json").json()["hooks"]}
    assert states == {"guard": "trusted", "theirs": "untrusted"}


def test_new_prints_the_place_of_the_hook_and_the_next_step(world: CommandWorld) -> None:
    told = world.run("new", "guard", "--event", "pre-session").stdout
    assert "/.agents/hooks/guard/HOOK.md" in told
    assert "scripts/run.sh" in told
    assert "hooktui try guard" in told


def test_unwritable_place_is_reported_in_one_line(world: CommandWorld) -> None:
    (world.project / ".agents").write_text("in the way")
    ended = world.run("new", "guard", "--event", "pre-session", code=1)
    assert ".agents" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("where", "script"),
    [
        ("--format claude --scope local", ".claude/hooks/guard.sh"),
        ("--format vscode", ".github/hooks/scripts/guard.sh"),
        ("--format copilot", ".github/hooks/scripts/guard.sh"),
        ("--format azure", "azuresre/guard.yaml"),
    ],
)
def test_new_supports_every_format(world: CommandWorld, where: str, script: str) -> None:
    told = world.run("new", "guard", "--event", "pre-tool-call", "--pattern", "rm", *where.split()).stdout
    [hook] = world.run("list", "--json").json()
    assert (hook["format"], hook["event"], hook["problems"]) == (where.split()[1], "pre-tool-call", [])
    assert f"/{script}:" in told
    assert f"hooktui try {shlex.quote(hook['label'])}" in told
    assert "hooktui trust" not in told, "its host runs it"


def test_a_new_claude_hook_for_every_tool_is_in_a_file_that_cursor_reads(world: CommandWorld) -> None:
    world.run("new", "guard", "--event", "pre-tool-call", "--format", "claude")
    codes = [found["code"] for found in world.run("check", "--host", "cursor", "--format", "json").json()["diagnostics"]]
    assert "host-drops-file" not in codes


def test_a_scope_that_a_format_does_not_have_is_a_usage_error(world: CommandWorld) -> None:
    ended = world.run("new", "guard", "--event", "Stop", "--format", "vscode", "--scope", "local", code=2)
    assert "VS Code has no local scope: use project or user" in ended.stderr
    assert list(world.project.iterdir()) == []


@pytest.mark.parametrize(
    ("format_name", "host"), [("claude", "Claude Code"), ("vscode", "VS Code"), ("copilot", "Copilot CLI")]
)
def test_new_host_hook_needs_no_approval_or_connection(world: CommandWorld, format_name: str, host: str) -> None:
    told = world.run("new", "guard", "--event", "Stop", "--format", format_name).stdout
    assert f"\n{host} runs it no later than its next session.\n" in told
    assert "connect" not in told
    assert "It does not run yet" not in told


def test_new_distinguishes_created_and_changed_files(world: CommandWorld) -> None:
    world.run("new", "first", "--event", "Stop", "--format", "claude")
    told = world.run("new", "second", "--event", "Stop", "--format", "claude").stdout.splitlines()
    assert told[0].startswith("Added to ")
    assert told[0].endswith("/.claude/settings.json")
    assert told[1].startswith("Created ")
    assert told[1].endswith("/.claude/hooks/second.sh")


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        (".claude/settings.json", "{} // mine", "Claude Code ignores this file: comments are not valid JSON"),
        (
            ".claude/settings.json",
            '{"hooks": {"PreToolUse": [{"type": "command", "command": "x"}]}}',
            "Claude Code ignores this file",
        ),
        (".claude/settings.json", '{"disableAllHooks": true}', "settings.json disables all Claude Code hooks"),
        (".claude/settings.local.json", '{"disableAllHooks": true}', "settings.local.json disables all"),
        (
            ".github/hooks/a.json",
            '{"version": 1, "disableAllHooks": true}',
            "its file disables all of its Copilot CLI hooks",
        ),
    ],
)
def test_new_hook_that_its_host_skips_is_reported(world: CommandWorld, file: str, text: str, why: str) -> None:
    path = world.project / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    told = world.run("new", "guard", "--event", "Stop", "--format", "claude" if "claude" in file else "copilot").stdout
    assert re.search(rf"It does not run yet: .*{re.escape(why)}.*\. Fix that first\.", told)
    assert "runs it no later than its next session" not in told


def test_hooks_enabled_again_by_another_file_run(world: CommandWorld) -> None:
    for name, off in (("settings.json", "true"), ("settings.local.json", "false")):
        (world.project / ".claude").mkdir(exist_ok=True)
        (world.project / ".claude" / name).write_text(f'{{"disableAllHooks": {off}}}')
    assert "runs it no later than its next session" in world.run("new", "guard", "--event", "Stop", "--format", "claude").stdout


def test_a_rule_of_the_gallery_is_installed_and_denies(world: CommandWorld) -> None:
    listed = world.run("new", "--list").stdout
    assert re.search(r"^gate-push +Denies force pushes, and pushes to main$", listed, re.MULTILINE)
    told = world.run("new", "--from", "gate-push", "--scope", "user").stdout
    assert "denies force pushes, and pushes to main" in told
    denied = world.fire(tool_name="Shell", tool_input={"command": "git -C x push --force"})
    assert (denied["decision"], "destroy commits" in denied["reason"]) == ("deny", True)
    assert world.fire(tool_name="Shell", tool_input={"command": "git stash push"})["decision"] == "none"


def test_the_gallery_says_what_its_rules_would_have_done_to_past_calls(
    world: CommandWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery_counts, "PATIENCE_S", 60.0)
    for command in ("git push --force", "git push -f origin HEAD", "git status", "cat .env"):
        world.fire(tool_name="Bash", tool_input={"command": command})
    listed = world.run("new", "--list").stdout
    assert re.search(r"^gate-push +about 2  Denies force pushes", listed, re.MULTILINE)
    assert re.search(r"^block-secrets +about 1  Denies", listed, re.MULTILINE)
    assert re.search(r"^gate-commit +0  +Runs", listed, re.MULTILINE)
    assert re.search(r"^notify +Shows", listed, re.MULTILINE)
    assert re.search(r"^The numbers: how many of 4 calls since \d+ \w+ each would have acted on\.", listed, re.MULTILINE)


def test_the_gallery_does_without_numbers_that_take_long(world: CommandWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery_counts, "PATIENCE_S", 0.0)
    world.fire(tool_name="Bash", tool_input={"command": "git push --force"})
    assert re.search(r"^gate-push +Denies force pushes, and pushes to main$", world.run("new", "--list").stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--from gate-push --event Stop", "has its own event and matcher"),
        ("--from format-file --format azure", "knows no tool of Azure SRE Agent that changes files"),
        ("--from protect-hooks --lang sh", "--lang: sh is not available here: use py"),
        ("--from nope", "'nope' is not one of"),
        ("guard", "Missing option '--event'"),
        ("--event Stop", "Missing argument 'NAME'"),
    ],
)
def test_a_rule_that_cannot_be_installed_is_a_usage_error(world: CommandWorld, options: str, why: str) -> None:
    assert why in world.run("new", *options.split(), code=2).stderr
    assert list(world.project.iterdir()) == []


def test_a_new_hook_can_be_tried_by_the_name_that_it_was_given(world: CommandWorld) -> None:
    world.run("new", "guardx", "--event", "pre-tool-call", "--format", "gemini", "--scope", "user")
    assert world.run("try", "guardx", "--preview", "--json").json()
