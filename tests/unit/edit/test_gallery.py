"""The gallery: every rule installs cleanly at every place, and its scripts decide what they should, in each language."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hooktui import hosts
from hooktui.catalog import catalog
from hooktui.core.model import Hook
from hooktui.edit import create_hook, new_hook_places
from hooktui.edit.change_plan import carry_out
from hooktui.edit.drafts import Language
from hooktui.edit.gallery import rule_drafts
from hooktui.edit.gallery.gallery_rules import RULES
from hooktui.trials import payload_templates
from tests.new_hooks import tried
from tests.unit.edit.rule_calls import DENIED, HARMLESS
from tests.unit.edit.world import World

FORMATS = ("agenthooks", "claude", "vscode", "copilot", "azure", "codex")
LANGUAGES: tuple[Language, ...] = ("sh", "py")
NOT_FOR_AZURE = ("protect-files", "format-file", "lint-file", "session-context", "notify", "log-calls")
# Payloads as the programs sent them, with the tool, the file or the command left out.
SENT: Mapping[str, Mapping[str, Any]] = {
    "claude": {"session_id": "s", "transcript_path": "/t.jsonl", "permission_mode": "default", "tool_use_id": "toolu_1"},
    "vscode": {"timestamp": "2026-11-22T12:00:00.000Z", "session_id": "s", "transcript_path": "/t.jsonl", "tool_use_id": "c"},
    "codex": {"session_id": "s", "turn_id": "t", "transcript_path": "/t.jsonl", "model": "m", "permission_mode": "default"},
    "azure": {"agent_name": "a", "current_turn": 1, "max_turns": 9, "execution_summary": "/t"},
    "agenthooks": {"session_id": "s", "timestamp": "2026-11-22T12:00:00+00:00", "context": {}},
}


def install(world: World, rule: str, format_name: str = "claude", language: Language | None = None) -> Hook:
    place = new_hook_places.default_place(world.project, format_name, "project")
    plan = create_hook.plan(rule_drafts.draft(RULES[rule], place, language=language), own=True)
    return carry_out(plan, world.project).plan.hook


def script_of(tmp_path: Path, rule: str, format_name: str, language: Language) -> str:
    """The path of a rule's script in a directory of its own."""
    place = new_hook_places.default_place(str(tmp_path), format_name, "project")
    path = tmp_path / "rule"
    path.write_text(create_hook.script(rule_drafts.draft(RULES[rule], place, language=language)))
    path.chmod(0o755)
    return str(path)


def sent(format_name: str, tool: str, tool_input: dict[str, Any], event: str = "PreToolUse") -> dict[str, Any]:
    """A payload as a program sends it; Copilot CLI's is in camelCase."""
    if format_name == "copilot":
        own = {"sessionId": "s", "timestamp": 1795348424827, "cwd": "/PROJECT"}
        return {**own, "toolName": tool, "toolArgs": tool_input}
    name = {"event_type": "pre-tool-call"} if format_name == "agenthooks" else {"hook_event_name": event}
    return {**SENT[format_name], **name, "cwd": "/PROJECT", "tool_name": tool, "tool_input": tool_input}


def run_script(path: str, payload: Mapping[str, Any] | bytes, cwd: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script as a host does."""
    stdin = payload.decode() if isinstance(payload, bytes) else json.dumps(payload)
    env = {**os.environ, **environment}
    return subprocess.run([path], input=stdin, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=60)


def program(directory: Path, name: str, script: str) -> None:
    """Put a program on a PATH made of a directory."""
    directory.mkdir(exist_ok=True)
    (directory / name).write_text(f"#!/bin/sh\n{script}\n")
    (directory / name).chmod(0o755)


def repository(path: Path, branch: str = "feature") -> str:
    """A git repository with a commit, on a branch."""
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "-C", str(path)]
    subprocess.run([*git, "init", "-q", "-b", branch], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "begin"], check=True)
    return str(path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository whose path has a space."""
    path = tmp_path / "my shop"
    path.mkdir()
    repository(path)
    return path


@pytest.mark.parametrize("language", [pytest.param("sh", marks=pytest.mark.slow), "py"])
@pytest.mark.parametrize("rule", DENIED)
def test_each_dangerous_call_is_denied_with_a_reason(tmp_path: Path, rule: str, language: Language) -> None:
    script = script_of(tmp_path, rule, "claude", language)
    for command in DENIED[rule]:
        done = run_script(script, sent("claude", "Bash", {"command": command}), str(tmp_path))
        assert (done.returncode, done.stdout, bool(done.stderr.strip())) == (2, "", True), command


@pytest.mark.parametrize("rule", DENIED)
def test_past_calls_that_would_be_denied_are_counted(rule: str) -> None:
    assert [command for command in DENIED[rule] if not re.search(RULES[rule].pattern, command)] == []


@pytest.mark.parametrize("rule", HARMLESS)
def test_harmless_calls_that_look_alike_pass(tmp_path: Path, project: Path, rule: str) -> None:
    for language in LANGUAGES:
        script = script_of(tmp_path, rule, "claude", language)
        for command in HARMLESS[rule]:
            done = run_script(script, sent("claude", "Bash", {"command": command}), str(project))
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), command


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_push_without_a_branch_pushes_the_current_one(tmp_path: Path, language: Language) -> None:
    (tmp_path / "on main").mkdir()
    script = script_of(tmp_path, "gate-push", "claude", language)
    done = run_script(script, sent("claude", "Bash", {"command": "git push"}), repository(tmp_path / "on main", "main"))
    assert (done.returncode, "Only people push to" in done.stderr) == (2, True)


@pytest.mark.parametrize("format_name", FORMATS)
def test_every_rule_installs_without_a_problem_and_undo_removes_it(world: World, format_name: str) -> None:
    place = new_hook_places.default_place(world.project, format_name, "project")
    for number, rule in enumerate(RULES.values(), FORMATS.index(format_name)):
        refusal = rule_drafts.refusal(rule, place)
        assert bool(refusal) == (format_name == "azure" and rule.name in NOT_FOR_AZURE), refusal
        if refusal:
            continue
        language = rule_drafts.languages(rule, place)[number % 2 - 1]  # each in both, over the formats
        change = carry_out(create_hook.plan(rule_drafts.draft(rule, place, "", language), own=True), world.project)
        loaded = catalog.load(world.project)
        assert list(loaded.trust.values()) == ["trusted"]
        problems = [problem for problem in loaded.diagnostics if problem.code != "not-covered"]  # `make` runs what a file says
        assert problems == []
        world.undo(change)
        assert os.listdir(world.project) == []


@pytest.mark.parametrize("language", [pytest.param("sh", marks=pytest.mark.slow), "py"])
@pytest.mark.parametrize("format_name", FORMATS)
def test_a_guard_decides_on_the_payloads_of_each_program(world: World, format_name: str, language: Language) -> None:
    guard = install(world, "gate-push", format_name, language)
    shell = hosts.spec(format_name).tools["shell"]
    denied = tried(world.project, guard, sent(format_name, shell, {"command": "git push --force"}))
    assert (denied.outcome.decision, denied.outcome.problems) == ("deny", ())
    assert "destroy commits" in (denied.outcome.reason or "")
    allowed = tried(world.project, guard, sent(format_name, shell, {"command": "git push -u origin feature"}))
    assert (allowed.state, allowed.outcome.decision) == ("ok", "none")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", ["protect-files", "block-secrets"])
@pytest.mark.parametrize(
    ("format_name", "tool", "tool_input"),
    [
        ("claude", "Write", {"file_path": "/PROJECT/{}", "content": "x"}),
        ("vscode", "replace_string_in_file", {"filePath": "/PROJECT/{}", "oldString": "a", "newString": "b"}),
        ("copilot", "create", {"path": "/PROJECT/{}", "file_text": "x"}),
        ("codex", "apply_patch", {"command": "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch"}),
        ("agenthooks", "WriteFile", {"path": "/PROJECT/{}", "content": "x"}),
    ],
)
def test_edited_files_are_recognized_in_each_programs_calls(
    tmp_path: Path, rule: str, format_name: str, tool: str, tool_input: dict[str, str], language: Language
) -> None:
    forbidden = {"protect-files": "yarn.lock", "block-secrets": ".env"}[rule]
    denied, harmless = (
        sent(format_name, tool, {key: value.replace("{}", name) for key, value in tool_input.items()})
        for name in (forbidden, "src/cart.py")
    )
    script = script_of(tmp_path, rule, format_name, language)
    done = run_script(script, denied, str(tmp_path))
    reason = json.loads(done.stdout)["permissionDecisionReason"] if format_name == "copilot" else done.stderr
    assert (done.returncode, forbidden in reason) == (0 if format_name == "copilot" else 2, True)
    done = run_script(script, harmless, str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_hook_for_a_program_that_ignores_matchers_leaves_other_tools_alone(tmp_path: Path) -> None:
    for language in LANGUAGES:
        script = script_of(tmp_path, "protect-files", "vscode", language)
        done = run_script(script, sent("vscode", "read_file", {"filePath": "/PROJECT/yarn.lock"}), str(tmp_path))
        assert (done.returncode, done.stderr) == (0, "")


def test_a_guard_denies_what_it_cannot_read(tmp_path: Path) -> None:
    for language in LANGUAGES:
        script = script_of(tmp_path, "gate-push", "claude", language)
        for stdin in (b"", b"no JSON", b"[1]", b"null"):
            assert run_script(script, stdin, str(tmp_path)).returncode == 2, (language, stdin)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_edited_file_is_formatted_and_the_agent_told_to_read_it_again(
    tmp_path: Path, project: Path, language: Language
) -> None:
    program(tmp_path / "bin", "ruff", 'for last; do :; done; echo formatted >"$last"; echo noise')
    (project / "my cart.py").write_text("x=1\n")
    script = script_of(tmp_path, "format-file", "claude", language)
    payload = sent("claude", "Edit", {"file_path": str(project / "my cart.py")}, "PostToolUse")
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    done = run_script(script, payload, str(project), PATH=path)
    assert (project / "my cart.py").read_text() == "formatted\n"
    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert (told["hookEventName"], "my cart.py" in told["additionalContext"]) == ("PostToolUse", True)
    again = run_script(script, payload, str(project), PATH=path)
    assert (again.returncode, again.stdout) == (0, "")  # the file did not change
    other = sent("claude", "Edit", {"file_path": str(project / "notes.txt")}, "PostToolUse")
    assert run_script(script, other, str(project), PATH=path).stdout == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_linter_finds_is_told_to_the_agent(tmp_path: Path, project: Path, language: Language) -> None:
    (project / "broken.json").write_text("{")
    (project / "fine.json").write_text("{}")
    script = script_of(tmp_path, "lint-file", "copilot", language)
    told = run_script(script, sent("copilot", "edit", {"path": "broken.json"}), str(project))
    assert "broken.json" in json.loads(told.stdout)["additionalContext"]
    assert run_script(script, sent("copilot", "edit", {"path": "fine.json"}), str(project)).stdout == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_tests_run_before_a_commit_and_before_the_agent_stops(tmp_path: Path, project: Path, language: Language) -> None:
    program(tmp_path / "bin", "make", 'echo "2 failed"; [ ! -e broken ]')
    (project / "Makefile").write_text("test:\n")
    (project / "broken").touch()
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    script = script_of(tmp_path, "gate-commit", "claude", language)
    commit = sent("claude", "Bash", {"command": "git add -A && git commit -m 'done'"})
    (project / "src").mkdir()
    denied = run_script(script, commit, str(project / "src"), PATH=path)
    assert (denied.returncode, "2 failed" in denied.stderr) == (2, True)
    script = script_of(tmp_path, "test-before-stop", "claude", language)
    stop = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False}
    assert "2 failed" in run_script(script, stop, str(project / "src"), PATH=path).stderr
    assert run_script(script, {**stop, "stop_hook_active": True}, str(project), PATH=path).returncode == 0
    in_copilot = script_of(tmp_path, "test-before-stop", "copilot", language)
    held = run_script(in_copilot, {"sessionId": "s", "stopReason": "end_turn"}, str(project), PATH=path)
    assert (held.returncode, json.loads(held.stdout)["decision"]) == (0, "block")
    (project / "broken").unlink()
    assert run_script(script, stop, str(project), PATH=path).returncode == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_context_notification_and_log(tmp_path: Path, project: Path, language: Language) -> None:
    (project / "new file.py").touch()
    script = script_of(tmp_path, "session-context", "agenthooks", language)
    told = json.loads(run_script(script, {"event_type": "pre-session"}, str(project)).stdout)["additional_context"]
    assert all(part in told for part in ("feature", "new file.py", "begin"))
    program(tmp_path / "bin", "notify-send", f'printf "%s\\n" "$@" >{tmp_path}/shown')
    program(tmp_path / "bin", "osascript", f'printf "%s\\n" "$@" >{tmp_path}/shown')
    script = script_of(tmp_path, "notify", "claude", language)
    asked = {"hook_event_name": "Notification", "message": "Claude needs you; $(touch x)"}
    run_script(script, asked, str(project), PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert (tmp_path / "shown").read_text().splitlines()[-1] == "my shop: Claude needs you; $(touch x)"
    script = script_of(tmp_path, "log-calls", "claude", language)
    call = sent("claude", "Bash", {"command": "echo 'a\tb'\n"}, "PostToolUse")
    assert run_script(script, call, str(project), XDG_STATE_HOME=str(tmp_path / "state")).returncode == 0
    log = tmp_path / "state/agent-calls.log"
    assert log.stat().st_mode & 0o077 == 0
    [line] = log.read_text().splitlines()
    assert line.split("\t")[1:] == ["s", "Bash", json.dumps({"command": "echo 'a\tb'\n"})]


def test_uv_is_offered_only_where_it_is_installed(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = new_hook_places.default_place(world.project, "claude", "project")
    azure = new_hook_places.default_place(world.project, "azure", "project")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert rule_drafts.languages(RULES["gate-push"], place) == ("sh", "py")
    program(tmp_path / "bin", "uv", f'shift 2; exec {sys.executable} "$@"')
    assert rule_drafts.languages(RULES["gate-push"], place) == ("sh", "py", "uv")
    assert rule_drafts.languages(RULES["gate-push"], azure) == ("sh", "py")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    guard = install(world, "gate-push", "claude", "uv")
    run = tried(world.project, guard, payload_templates.typed(guard, world.project, "Bash", "git push -f"))
    assert run.outcome.decision == "deny"


def test_a_rule_whose_text_would_not_reach_the_agent_is_refused(world: World) -> None:
    place = new_hook_places.default_place(world.project, "kimi", "user")
    refused = {name: rule_drafts.refusal(rule, place) for name, rule in RULES.items()}
    assert {name for name, why in refused.items() if why} == {"format-file", "lint-file", "session-context"}
    assert refused["lint-file"] == "Kimi Code does not pass on what a hook tells the agent on PostToolUse."
