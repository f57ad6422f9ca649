"""`hooktui connect` and `disconnect` as a person runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_world import CommandWorld

CLAUDE = ".claude/settings.local.json"
LAUNCHER = ".local/share/hooktui/hook"


@pytest.fixture
def world(tmp_path: Path) -> CommandWorld:
    return CommandWorld(tmp_path)


EVENTS = {
    "claude": """SessionStart SessionEnd UserPromptSubmit Stop PreToolUse PostToolUse PostToolUseFailure SubagentStart
        SubagentStop PreCompact PostCompact StopFailure""",
    "vscode": "SessionStart UserPromptSubmit Stop PreToolUse PostToolUse SubagentStart SubagentStop PreCompact",
    "copilot": """sessionStart sessionEnd userPromptSubmitted agentStop preToolUse postToolUse postToolUseFailure subagentStart
        subagentStop preCompact errorOccurred""",
}
FILES = {"claude": CLAUDE, "vscode": ".github/hooks/hooktui.json", "copilot": ".github/hooks/hooktui-copilot.json"}


@pytest.mark.parametrize("host", FILES)
def test_each_host_calls_hooktui_for_all_its_events(world: CommandWorld, host: str) -> None:
    world.run("connect", host, "--yes")
    written = json.loads((world.project / FILES[host]).read_text())["hooks"]
    assert list(written) == EVENTS[host].split()
    for event, (item,) in written.items():
        (entry,) = item.get("hooks", [item])
        event_word = f" {event}" if host == "copilot" else ""
        assert (entry.get("command") or entry["bash"]) == f"{world.home}/{LAUNCHER} {host}{event_word}"


def test_the_written_entries_have_no_diagnostics(world: CommandWorld) -> None:
    for host in FILES:
        world.run("connect", host, "--yes")
    found = world.run("check", "--format", "json", "--scope", "project", "--no-log").json()
    assert (found["hooks"], found["diagnostics"]) == (0, [])


def test_a_dry_run_shows_the_difference_and_writes_nothing(world: CommandWorld) -> None:
    shown = world.run("connect", "claude", "--dry-run").stdout
    assert "+++ .claude/settings.local.json" in shown
    assert '+            "command": ' in shown
    assert list(world.project.iterdir()) == []
    world.run("connect", "claude", "--yes")
    before = (world.project / CLAUDE).read_bytes()
    assert "--- .claude/settings.local.json\n+++ /dev/null" in world.run("disconnect", "claude", "--dry-run").stdout
    assert (world.project / CLAUDE).read_bytes() == before


def test_a_second_connect_has_nothing_to_do(world: CommandWorld) -> None:
    world.run("connect", "claude", "--yes")
    assert "Nothing to do" in world.run("connect", "claude").stdout
    assert "Nothing to do" in world.run("connect", "claude", "--dry-run").stdout


def test_disconnecting_an_unconnected_host_does_nothing(world: CommandWorld) -> None:
    assert "not connected" in world.run("disconnect", "vscode").stdout


def test_needed_events_are_those_of_the_hooks_and_those_that_begin_a_turn_for_a_gate(world: CommandWorld) -> None:
    assert "None of your hooks" in world.run("connect", "claude", "--events", "needed", "--yes").stdout
    world.hook("guard")
    world.run("connect", "claude", "--events", "needed", "--yes")
    assert list(json.loads((world.project / CLAUDE).read_text())["hooks"]) == ["PreToolUse"]
    world.hook("gate", scope="project", trigger="before_stop")
    world.run("connect", "claude", "--events", "needed", "--yes")
    assert list(json.loads((world.project / CLAUDE).read_text())["hooks"]) == [
        "SessionStart", "UserPromptSubmit", "Stop", "PreToolUse",
    ]  # fmt: skip


def test_at_a_terminal_it_asks_and_a_no_changes_nothing(world: CommandWorld) -> None:
    ended = world.at_terminal("connect", "claude", types="n\n")
    assert ended.code == 1
    assert "settings.local.json: call hooktui for 12 events" in ended.stdout
    assert "Apply?" in ended.stdout
    assert "+++" not in ended.stdout
    assert list(world.project.iterdir()) == []
    ended = world.at_terminal("connect", "claude", types="d\ny\n")
    assert ended.code == 0
    assert "+++ .claude/settings.local.json" in ended.stdout
    assert world.at_terminal("disconnect", "claude", "--yes").code == 0
    assert list(world.project.iterdir()) == []


def test_the_user_scope_is_the_home(world: CommandWorld) -> None:
    world.run("connect", "copilot", "--scope", "user", "--yes")
    assert (world.home / ".copilot/hooks/hooktui-copilot.json").exists()
    assert list(world.project.iterdir()) == []
    world.run("disconnect", "copilot", "--scope", "user", "--yes")
    assert not (world.home / ".copilot").exists()


def test_a_refusal_is_one_line_that_names_file_and_place(world: CommandWorld) -> None:
    (world.project / ".claude").mkdir()
    (world.project / CLAUDE).write_text('{\n  "model": x\n}\n')
    ended = world.run("connect", "claude", "--yes", code=1)
    path = world.project / CLAUDE
    assert ended.stderr == f"hooktui: nothing was changed: {path} cannot be edited: line 2: x is not a JSON value\n"


@pytest.mark.parametrize(("text", "why"), [('{"disableAllHooks": true}', "disableAllHooks"), ("{} // mine", "comments")])
def test_connect_says_that_the_host_will_not_call(world: CommandWorld, text: str, why: str) -> None:
    (world.project / ".claude").mkdir()
    (world.project / CLAUDE).write_text(text)
    output = world.run("connect", "claude", "--yes").stdout
    assert "Note: Claude Code does not call hooktui" in output
    assert why in output
    assert "from its next session" not in output


def git(world: CommandWorld, *arguments: str) -> str:
    """What git prints in the project."""
    return subprocess.run(("git", "-C", str(world.project), *arguments), check=True, capture_output=True, text=True).stdout


def settings(world: CommandWorld, scope: str, command: str) -> Path:
    """Write a settings file of Claude Code with one hook."""
    path = world.home / ".claude/settings.json" if scope == "user" else world.project / f".claude/{FILES_OF[scope]}"
    path.parent.mkdir(exist_ok=True)
    entry = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    path.write_text(json.dumps({"hooks": {"PreToolUse": [entry]}}))
    return path


FILES_OF = {"project": "settings.json", "local": "settings.local.json"}


def test_a_shared_file_that_git_sees_belongs_out_of_version_control(world: CommandWorld) -> None:
    assert "version control" not in world.run("connect", "claude", "--scope", "project", "--yes").stdout, "without git"
    world.run("disconnect", "claude", "--yes")
    git(world, "init", "-q")
    output = world.run("connect", "claude", "--scope", "project", "--yes").stdout
    assert ".claude/settings.json out of version control, or use --scope local or --scope user" in output


def test_a_file_that_the_team_commits_is_not_to_be_kept_out_of_version_control(world: CommandWorld) -> None:
    settings(world, "project", "mine")
    git(world, "init", "-q")
    git(world, "add", ".")
    output = world.run("connect", "claude", "--scope", "project", "--observe", "--yes").stdout
    assert "settings.json (git tracks this file): call hooktui for 12 events and observe 1 command" in output
    assert "which will name a path on this machine: do not commit the change" in output
    assert "out of version control" not in output
    assert "--scope" not in output, "advice that was just followed"


def test_without_a_terminal_and_without_yes_nothing_changes(world: CommandWorld) -> None:
    told = world.run("connect", "claude", stdin="y\n", code=2)
    assert (told.stdout, told.stderr) == ("", "hooktui: nothing was changed: without a terminal to ask at, pass --yes\n")
    assert list(world.project.iterdir()) == []
    assert not (world.home / LAUNCHER).exists()
    world.run("connect", "claude", "--yes")
    before = (world.project / CLAUDE).read_bytes()
    for command in (("disconnect", "claude"), ("disconnect", "--all"), ("connect", "claude", "--events", "needed")):
        told = world.run(*command, code=2)
        assert told.stderr.count("\n") == 1
        assert (world.project / CLAUDE).read_bytes() == before


@pytest.mark.parametrize("answer", ["", "n", "no", "yo", "yess", "j", "\x04"])
def test_only_a_clear_yes_changes_something(world: CommandWorld, answer: str) -> None:
    ended = world.at_terminal("connect", "claude", types=f"{answer}\n")
    assert ended.code == 1
    assert ended.stdout.endswith("hooktui: nothing was changed\n")
    assert list(world.project.iterdir()) == []


@pytest.mark.parametrize("answer", ["y", "yes", "YES"])
def test_a_clear_yes_connects_and_disconnects(world: CommandWorld, answer: str) -> None:
    assert world.at_terminal("connect", "claude", types=f"{answer}\n").code == 0
    assert (world.project / CLAUDE).exists()
    assert world.at_terminal("disconnect", "claude", types="\n").code == 1
    assert (world.project / CLAUDE).exists()
    assert world.at_terminal("disconnect", "claude", types=f"{answer}\n").code == 0
    assert not (world.project / CLAUDE).exists()


def test_notes_come_before_the_question_and_none_after_it(world: CommandWorld) -> None:
    (world.project / ".claude").mkdir()
    (world.project / CLAUDE).write_text('{"disableAllHooks": true}')
    shown = world.at_terminal("connect", "claude", types="y\n").stdout
    before, after = shown.split("Apply?")
    assert "Note: Claude Code does not call hooktui" in before
    assert "Note" not in after


def test_observing_asks_for_each_file_that_git_tracks(world: CommandWorld) -> None:
    """And covers every file with hooks of the person."""
    files = {scope: settings(world, scope, f"run {scope}") for scope in ("project", "local", "user")}
    git(world, "init", "-q")
    git(world, "add", str(files["project"]))
    before = {scope: path.read_bytes() for scope, path in files.items()}
    shown = world.at_terminal("connect", "claude", "--observe", types="n\ny\n").stdout
    assert "Observe 1 command in ~/.claude/settings.json" not in shown
    assert "settings.json, which git tracks?" in shown
    assert "settings.local.json: call hooktui for 12 events and observe 1 command" in shown
    assert "~/.claude/settings.json: observe 1 command" in shown
    assert f"1 command in {files['project']} is not observed\n" in shown.split("Apply?")[0]
    assert files["project"].read_bytes() == before["project"]
    shown = world.at_terminal("connect", "claude", "--observe", types="y\ny\n").stdout
    assert "hooktui/hook claude --" in files["project"].read_text()
    assert "is not observed" not in shown
    left = "~/.claude/settings.json still records your hooks in all your projects: hooktui disconnect claude --scope user"
    assert left in world.run("disconnect", "claude", "--yes").stdout
    assert left in world.run("disconnect", "claude").stdout
    world.run("disconnect", "claude", "--scope", "user", "--yes")
    assert {scope: path.read_bytes() for scope, path in files.items()} == before


def test_a_declined_file_leaves_nothing_to_do(world: CommandWorld) -> None:
    settings(world, "project", "mine")
    git(world, "init", "-q")
    git(world, "add", ".")
    world.run("connect", "claude", "--yes")
    ended = world.at_terminal("connect", "claude", "--observe", types="n\n")
    assert ended.code == 1
    assert ended.stdout.endswith("hooktui: nothing was changed\n")


def test_observing_keeps_a_connection_where_it_is(world: CommandWorld) -> None:
    own = settings(world, "project", "mine")
    world.run("connect", "claude", "--scope", "user", "--yes")
    world.run("connect", "claude", "--observe", "--yes")
    assert "hooktui/hook claude --" in own.read_text()
    assert not (world.project / CLAUDE).exists()
    (state,) = world.run("status", "--json").json()["connections"]
    assert (state["scope"], state["works"]) == ("user", True)


def test_equal_handlers_of_two_observed_files_stay_equal(world: CommandWorld) -> None:
    """Claude runs equal handlers of several files once."""
    files = [settings(world, scope, "same") for scope in ("project", "user")]
    world.run("connect", "claude", "--observe", "--yes")
    first, second = (json.loads(path.read_text())["hooks"]["PreToolUse"][0]["hooks"] for path in files)
    assert first == second
    assert "hooktui" in first[0]["command"]


def test_the_hooks_of_a_plugin_stay_unobserved_and_the_note_says_why(world: CommandWorld) -> None:
    root = world.home / "guards"
    (root / "hooks").mkdir(parents=True)
    (root / "hooks/hooks.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}))
    listed = world.home / ".claude/plugins/installed_plugins.json"
    listed.parent.mkdir(parents=True)
    plugin = {"scope": "user", "installPath": str(root)}
    listed.write_text(json.dumps({"version": 2, "plugins": {"guards@market": [plugin]}}))
    (world.home / ".claude/settings.json").write_text(json.dumps({"enabledPlugins": {"guards@market": True}}))
    settings(world, "project", "mine")
    for options in ((), ("--scope", "project"), ("--scope", "local"), ("--scope", "user")):
        output = world.run("connect", "claude", *options, "--observe", "--yes").stdout
        (note,) = [line for line in output.splitlines() if "hooks/hooks.json" in line]
        assert note.endswith("not observed: hooktui does not change the files of plugin guards@market")


def test_two_connections_that_one_program_reads_are_noticed(world: CommandWorld) -> None:
    world.run("connect", "vscode", "--yes")
    assert "hooktui.json is connected too: each hook runs twice in VS Code\n" in world.run("connect", "copilot", "--yes").stdout


def test_doctor_tells_who_calls_and_whose_python_is_gone(world: CommandWorld) -> None:
    assert "connect an agent program with" in world.run("doctor").stdout
    world.run("connect", "claude", "--yes")
    assert "Claude Code calls hooktui for 12 events" in world.run("doctor").stdout
    launcher = world.home / LAUNCHER
    launcher.write_text(launcher.read_text().replace(sys.executable, "/gone/python"))
    ended = world.run("doctor", code=1)
    assert "/gone/python cannot be run" in ended.stdout
    assert "hooktui connect claude --scope local" in ended.stdout
    world.run("connect", "claude", "--yes")
    assert "/gone" not in world.run("doctor").stdout


def test_the_written_entry_runs_the_hook(world: CommandWorld) -> None:
    """End to end, as a host would: the command in its file, its payload on stdin."""
    world.hook("guard", "#!/bin/sh\necho no >&2\nexit 2\n", trigger="before_tool")
    world.run("connect", "copilot", "--yes")
    entry = json.loads((world.project / ".github/hooks/hooktui-copilot.json").read_text())["hooks"]["preToolUse"][0]
    payload = {"sessionId": "s", "timestamp": 1, "cwd": str(world.project), "toolName": "bash", "toolArgs": {"command": "ls"}}
    done = subprocess.run(
        ["bash", "-c", entry["bash"]],
        input=json.dumps(payload),
        env=world.environment,
        cwd=world.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "no\n")
    assert json.loads(done.stdout) == {"permissionDecision": "deny", "permissionDecisionReason": "no"}
